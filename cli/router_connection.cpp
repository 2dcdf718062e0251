#include "cli/router_connection.h"

#include <algorithm>

#include "base/clock.h"

namespace mikroscope::cli {
namespace {

constexpr std::int64_t kFirstWaitNs = base::kNsPerSecond;
constexpr std::int64_t kLongestWaitNs = 60 * base::kNsPerSecond;

}  // namespace

RouterConnection::RouterConnection(std::unique_ptr<routeros::Session> session, Connect connect)
    : session_(std::move(session)), connect_(std::move(connect)) {
  if (session_) router_ = session_->router();
}

base::Result<routeros::Session*> RouterConnection::session() {
  if (session_) return session_.get();
  const std::int64_t now = base::monotonic_ns();
  if (refused_ || now < next_try_ns_) return last_;
  base::Result<std::unique_ptr<routeros::Session>> session = connect_(stop_fd_);
  if (!session.ok()) {
    last_ = session.error();
    // Every refused login is a line in the router's log, and more of them change nothing.
    refused_ = last_.exit == base::Exit::auth || last_.exit == base::Exit::refused;
    wait_ns_ = std::min(std::max(2 * wait_ns_, kFirstWaitNs), kLongestWaitNs);
    next_try_ns_ = base::monotonic_ns() + wait_ns_;
    return last_;
  }
  wait_ns_ = 0;
  session_ = std::move(*session);
  session_->interrupt_on(stop_fd_);
  router_ = session_->router();
  return session_.get();
}

void RouterConnection::lost() {
  session_.reset();
}

void RouterConnection::interrupt_on(int fd) {
  stop_fd_ = fd;
  if (session_) session_->interrupt_on(fd);
}

}  // namespace mikroscope::cli
