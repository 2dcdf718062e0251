#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sinks/stores/registry.h"
#include "tests/sinks/support/fault_server.h"
#include "tests/sinks/support/sample_events.h"

namespace mikroscope::sinks {
namespace {

using test::FaultServer;
using ::testing::HasSubstr;
using Verdict = Delivery::Verdict;

const std::string kLine = "mikroscope_cpu,host=r,cpu=0 user=1i,idle=9i,busy_ratio=0.1 1789000000000000000\n";

base::Result<std::unique_ptr<Sink>> make(const std::string& url, const std::string& token = {}) {
  SinkValues values;
  values.set("telegraf", url);
  if (!token.empty()) values.set("telegraf-token", token);
  return kTelegrafSink.make(values);
}
std::vector<model::Event> one_event() {
  return {test::cpu_sample("r", 0, {1, 9, 0, 0, 0.1, false})};
}

// A receiver that takes what comes and says nothing.
class Receiver {
 public:
  explicit Receiver(int type) : fd_(socket(AF_INET, type | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    bind(fd_, reinterpret_cast<sockaddr*>(&address), size);
    if (type == SOCK_STREAM) listen(fd_, 4);
    getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    const timeval patience{10, 0};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  }
  ~Receiver() { close(fd_); }
  std::string at(const std::string& scheme) const { return scheme + "://127.0.0.1:" + std::to_string(port_); }
  int accepted() const { return accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC); }
  std::string datagram() const { return piece(fd_); }
  static std::string piece(int fd) {
    std::string bytes(65536, '\0');
    const ssize_t got = recv(fd, bytes.data(), bytes.size(), 0);
    bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return bytes;
  }

 private:
  int fd_;
  int port_ = 0;
};

TEST(Telegraf, PostsToItsDefaultPath) {
  FaultServer server;
  const std::string bare = server.url().substr(7);
  struct Case {
    std::string url, token, asked, authorization;
  };
  const Case cases[] = {{bare, "", "/telegraf", ""},
                        {server.url() + "/own", "me:secret", "/own", "Basic bWU6c2VjcmV0"},
                        {server.url(), "tok", "/telegraf", "Token tok"}};
  for (const Case& c : cases) {
    auto sink = make(c.url, c.token);
    ASSERT_TRUE(sink.ok()) << sink.error().what;
    EXPECT_EQ((*sink)->deliver(one_event()).verdict, Verdict::done);
    EXPECT_EQ(server.asked().back().url, c.asked);
    EXPECT_EQ(server.asked().back().header("authorization"), c.authorization);
    EXPECT_EQ(server.asked().back().body, kLine);
  }
}

TEST(Telegraf, KeepsATcpConnectionAndSeesItsEnd) {
  const Receiver receiver(SOCK_STREAM);
  auto sink = make(receiver.at("tcp"));
  ASSERT_TRUE(sink.ok());
  EXPECT_EQ((*sink)->deliver(one_event()).verdict, Verdict::done);
  const int first = receiver.accepted();
  EXPECT_EQ(Receiver::piece(first), kLine);
  EXPECT_EQ((*sink)->deliver(one_event()).verdict, Verdict::done);
  EXPECT_EQ(Receiver::piece(first), kLine);
  close(first);
  // Not into the closed connection.
  EXPECT_EQ((*sink)->deliver(one_event()).verdict, Verdict::done);
  const int second = receiver.accepted();
  EXPECT_EQ(Receiver::piece(second), kLine);
  close(second);
}

TEST(Telegraf, NobodyThereIsForLater) {
  std::string url;
  {
    const Receiver gone(SOCK_STREAM);
    url = gone.at("tcp");
  }
  auto sink = make(url);
  ASSERT_TRUE(sink.ok());
  const Delivery delivery = (*sink)->deliver(one_event());
  EXPECT_EQ(delivery.verdict, Verdict::retry);
  EXPECT_THAT(delivery.why, HasSubstr(url));
  EXPECT_FALSE((*sink)->check().ok());
}

TEST(Telegraf, DatagramsEndWhereLinesDo) {
  const Receiver receiver(SOCK_DGRAM);
  auto sink = make(receiver.at("udp"));
  ASSERT_TRUE(sink.ok());
  // Lines of 79 bytes: 18 fit into 1432.
  ASSERT_EQ(kLine.size(), 79U);
  std::vector<model::Event> events(20, one_event().front());
  EXPECT_EQ((*sink)->deliver(events).verdict, Verdict::done);
  EXPECT_EQ(receiver.datagram().size(), 18U * 79);
  EXPECT_EQ(receiver.datagram(), kLine + kLine);
}

TEST(Telegraf, ALineThatFitsIntoNoDatagramIsCountedAndTheRestGoes) {
  const Receiver receiver(SOCK_DGRAM);
  auto sink = make(receiver.at("udp"));
  ASSERT_TRUE(sink.ok());
  std::vector<model::Event> events = one_event();
  events.push_back(test::cpu_sample("r", 0, {1, 9, 0, 0, 0.1, false}, std::string(1500, 'x')));
  events.push_back(events.front());
  const Delivery delivery = (*sink)->deliver(events);
  EXPECT_EQ(delivery.verdict, Verdict::done);
  EXPECT_EQ(delivery.rejected, 1U);
  EXPECT_THAT(delivery.rejected_why, HasSubstr("1432"));
  EXPECT_EQ(receiver.datagram(), kLine);
  EXPECT_EQ(receiver.datagram(), kLine);
}

TEST(Telegraf, RefusesAddressesWithoutAPort) {
  for (const char* url : {"tcp://192.0.2.1", "udp://:8094", "tcp://192.0.2.1:x", "tcp://192.0.2.1:70000",
                          "tcp://me:pw@192.0.2.1:8094", "tcp://[2001:db8::1]", "ftp://192.0.2.1"}) {
    auto sink = make(url);
    ASSERT_FALSE(sink.ok()) << url;
    EXPECT_EQ(sink.error().exit, base::Exit::usage);
    EXPECT_THAT(sink.error().what, HasSubstr("--telegraf"));
  }
  auto six = make("tcp://[2001:db8::1]:8094");
  ASSERT_TRUE(six.ok());
}

}  // namespace
}  // namespace mikroscope::sinks
