#include "sinks/net/line_socket.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "base/clock.h"

namespace mikroscope::sinks {
namespace {

using ::testing::HasSubstr;

struct Listener {
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  std::string port;
  Listener() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    bind(fd, reinterpret_cast<sockaddr*>(&address), size);
    listen(fd, 4);
    getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
    port = std::to_string(ntohs(address.sin_port));
  }
  ~Listener() { close(fd); }
};

std::int64_t in_ms(std::int64_t ms) {
  return base::monotonic_ns() + ms * 1'000'000;
}

TEST(LineSocket, AReceiverThatReadsNothingIsAnErrorByTheDeadline) {
  const Listener listener;
  LineSocket socket(LineSocket::Kind::tcp, "127.0.0.1", listener.port);
  ASSERT_TRUE(socket.open(in_ms(5000)).ok());
  const auto sent = socket.send(std::string(64 << 20, '\n'), in_ms(300));
  ASSERT_FALSE(sent.ok());
  EXPECT_THAT(sent.error().what, HasSubstr("tcp://127.0.0.1:" + listener.port));
}

TEST(LineSocket, AnInterruptEndsTheWait) {
  const Listener listener;
  LineSocket socket(LineSocket::Kind::tcp, "127.0.0.1", listener.port);
  ASSERT_TRUE(socket.open(in_ms(5000)).ok());
  std::thread other([&] { socket.interrupt(); });
  const std::int64_t before = base::monotonic_ns();
  EXPECT_FALSE(socket.send(std::string(64 << 20, '\n'), in_ms(60'000)).ok());
  other.join();
  EXPECT_LT(base::monotonic_ns() - before, 10 * base::kNsPerSecond);
}

TEST(LineSocket, APeerThatResetsWhileWeSendIsNotDone) {
  const Listener listener;
  LineSocket socket(LineSocket::Kind::tcp, "127.0.0.1", listener.port);
  ASSERT_TRUE(socket.open(in_ms(5000)).ok());
  const int peer = accept(listener.fd, nullptr, nullptr);
  const linger now{1, 0};
  setsockopt(peer, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  close(peer);
  EXPECT_FALSE(socket.send("line\n", in_ms(5000)).ok());
  // And the next attempt has a connection of its own.
  ASSERT_TRUE(socket.open(in_ms(5000)).ok());
  EXPECT_TRUE(socket.send("line\n", in_ms(5000)).ok());
}

}  // namespace
}  // namespace mikroscope::sinks
