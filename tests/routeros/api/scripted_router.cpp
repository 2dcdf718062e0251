#include "tests/routeros/api/scripted_router.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace mikroscope::test {
namespace {

// A client that went away must not end the tests.
ssize_t plain_send(int fd, const char* data, std::size_t size) {
  return ::send(fd, data, size, MSG_NOSIGNAL);
}

}  // namespace

std::string sentence(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) {
    EXPECT_LT(word.size(), 128u) << word;
    out += static_cast<char>(word.size());
    out += word;
  }
  return out + '\0';
}

bool Peer::octet(char& out) {
  if (tls_ != nullptr && SSL_pending(tls_) > 0) return SSL_read(tls_, &out, 1) == 1;
  while (!stop_) {
    pollfd p{fd_, POLLIN, 0};
    if (::poll(&p, 1, 20) <= 0) continue;
    return tls_ != nullptr ? SSL_read(tls_, &out, 1) == 1 : ::recv(fd_, &out, 1, 0) == 1;
  }
  return false;
}

std::vector<std::string> Peer::read() {
  std::vector<std::string> words;
  tag_.clear();
  for (;;) {
    char c = 0;
    if (!octet(c)) return {};
    std::size_t length = static_cast<unsigned char>(c);
    if (length == 0) return words;
    if (length >= 0x80) {  // 10xxxxxx: one octet more is enough for these tests
      if ((length & 0xC0) != 0x80 || !octet(c)) return {};
      length = (length & 0x3F) << 8 | static_cast<unsigned char>(c);
    }
    std::string word;
    for (; length > 0; --length) {
      if (!octet(c)) return {};
      word += c;
    }
    if (word.rfind(".tag=", 0) == 0) {
      tag_ = word.substr(5);
    } else {
      words.push_back(word);
    }
  }
}

void Peer::send(std::string_view octets) {
  while (!octets.empty()) {
    const ssize_t n = tls_ != nullptr ? SSL_write(tls_, octets.data(), static_cast<int>(octets.size()))
                                      : plain_send(fd_, octets.data(), octets.size());
    if (n <= 0) return;
    octets.remove_prefix(static_cast<std::size_t>(n));
  }
}

void Peer::send_one_by_one(std::string_view octets) {
  for (std::size_t i = 0; i < octets.size(); ++i) send(octets.substr(i, 1));
}

void Peer::say(const std::vector<std::string>& words) {
  send(sentence(words));
}

void Peer::answer(std::vector<std::string> words) {
  if (!tag_.empty()) words.push_back(".tag=" + tag_);
  say(words);
}

void Peer::let_in() {
  const auto request = read();
  EXPECT_TRUE(request.empty() || request.front() == "/login");
  answer({"!done"});
}

void Peer::hang() {
  const std::string leave = sentence({"/quit"});
  std::string last;
  for (char c = 0; last != leave && octet(c);) {
    last += c;
    if (last.size() > leave.size()) last.erase(0, 1);
  }
}

void Peer::hang_up_with_reset() {
  const linger now{1, 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

ScriptedRouter::ScriptedRouter(std::function<void(Peer&)> script, const TlsServer* tls, bool ipv6)
    : script_(std::move(script)), tls_(tls) {
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_addr = in6addr_loopback;
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const address = ipv6 ? reinterpret_cast<sockaddr*>(&v6) : reinterpret_cast<sockaddr*>(&v4);
  socklen_t size = ipv6 ? sizeof v6 : sizeof v4;
  listener_ = ::socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listener_ < 0 || ::bind(listener_, address, size) != 0 || ::listen(listener_, 8) != 0) return;
  ::getsockname(listener_, address, &size);
  port_ = ntohs(ipv6 ? v6.sin6_port : v4.sin_port);
  thread_ = std::thread([this] { serve(); });
}

void ScriptedRouter::finish() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
}

ScriptedRouter::~ScriptedRouter() {
  finish();
  ::close(listener_);
}

void ScriptedRouter::serve() {
  while (!stop_) {
    pollfd p{listener_, POLLIN, 0};
    if (::poll(&p, 1, 20) <= 0) continue;
    const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) continue;
    ++connections_;
    const int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    SSL* const tls = tls_ != nullptr ? SSL_new(tls_->context()) : nullptr;
    if (tls != nullptr) {
      SSL_set_fd(tls, fd);
    }
    if (tls == nullptr || SSL_accept(tls) == 1) {
      Peer peer(fd, tls, stop_);
      script_(peer);
      if (tls != nullptr) SSL_shutdown(tls);
    }
    SSL_free(tls);
    ::close(fd);
  }
}

Interrupt::Interrupt() : fd_(::eventfd(0, EFD_CLOEXEC)) {}
Interrupt::~Interrupt() {
  ::close(fd_);
}
void Interrupt::raise() const {
  const std::uint64_t one = 1;
  EXPECT_EQ(::write(fd_, &one, sizeof one), static_cast<ssize_t>(sizeof one));
}

}  // namespace mikroscope::test
