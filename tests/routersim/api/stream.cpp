#include "tests/routersim/api/stream.h"

#include <fcntl.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <mutex>

namespace mikroscope::routersim {
namespace {

bool ready(int fd, short what, int wait_ms) {
  pollfd poll_fd{fd, what, 0};
  return ::poll(&poll_fd, 1, wait_ms) > 0;
}

class PlainStream final : public Stream {
 public:
  explicit PlainStream(int fd) : fd_(fd) {}
  ~PlainStream() override { ::close(fd_); }

  int read(std::string& out, int wait_ms) override {
    if (!ready(fd_, POLLIN, wait_ms)) return 0;
    char buffer[16384];
    const ssize_t got = ::recv(fd_, buffer, sizeof buffer, 0);
    if (got <= 0) return got < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
    out.append(buffer, static_cast<std::size_t>(got));
    return 1;
  }
  bool write(std::string_view octets) override {
    while (!octets.empty()) {
      const ssize_t put = ::send(fd_, octets.data(), octets.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (put > 0) {
        octets.remove_prefix(static_cast<std::size_t>(put));
      } else if (put < 0 && errno != EAGAIN && errno != EINTR) {
        return false;
      } else if (!ready(fd_, POLLOUT, 10'000)) {
        return false;
      }
    }
    return true;
  }
  void reset() override {
    const linger at_once{1, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  }

 private:
  int fd_;
};

class TlsStream final : public Stream {
 public:
  TlsStream(int fd, SSL* ssl) : fd_(fd), ssl_(ssl) {}
  ~TlsStream() override {
    if (!reset_) SSL_shutdown(ssl_);
    SSL_free(ssl_);
    ::close(fd_);
  }

  int read(std::string& out, int wait_ms) override {
    bool pending = false;
    {
      const std::lock_guard hold(lock_);
      pending = SSL_pending(ssl_) > 0;
    }
    if (!pending && !ready(fd_, POLLIN, wait_ms)) return 0;
    const std::lock_guard hold(lock_);
    char buffer[16384];
    const int got = SSL_read(ssl_, buffer, sizeof buffer);
    if (got > 0) {
      out.append(buffer, static_cast<std::size_t>(got));
      return 1;
    }
    const int error = SSL_get_error(ssl_, got);
    return error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE ? 0 : -1;
  }
  bool write(std::string_view octets) override {
    while (!octets.empty()) {
      int error = 0;
      {
        const std::lock_guard hold(lock_);
        const int put =
            SSL_write(ssl_, octets.data(), static_cast<int>(std::min<std::size_t>(octets.size(), 1 << 20)));
        if (put > 0) {
          octets.remove_prefix(static_cast<std::size_t>(put));
          continue;
        }
        error = SSL_get_error(ssl_, put);
      }
      if (error != SSL_ERROR_WANT_WRITE && error != SSL_ERROR_WANT_READ) return false;
      if (!ready(fd_, error == SSL_ERROR_WANT_WRITE ? POLLOUT : POLLIN, 10'000)) return false;
    }
    return true;
  }
  void reset() override {
    reset_ = true;
    const linger at_once{1, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  }

 private:
  int fd_;
  SSL* ssl_;
  bool reset_ = false;
  std::mutex lock_;
};

}  // namespace

std::unique_ptr<Stream> make_stream(int fd, const std::shared_ptr<ssl_ctx_st>& tls) {
  if (tls == nullptr) return std::make_unique<PlainStream>(fd);
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
  SSL* ssl = SSL_new(tls.get());
  SSL_set_fd(ssl, fd);
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while (true) {
    const int done = SSL_accept(ssl);
    if (done == 1) return std::make_unique<TlsStream>(fd, ssl);
    const int error = SSL_get_error(ssl, done);
    const bool goes_on = error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE;
    if (!goes_on || std::chrono::steady_clock::now() > give_up) break;
    ready(fd, error == SSL_ERROR_WANT_WRITE ? POLLOUT : POLLIN, 200);
  }
  SSL_free(ssl);
  ::close(fd);
  return nullptr;
}

}  // namespace mikroscope::routersim
