// A session with a router that is opened once, shared, and opened again when it was lost.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "base/host/result.h"
#include "routeros/session/session.h"

namespace mikroscope::cli {

// Not for two threads at a time.
class RouterConnection {
 public:
  // Logs in; `stop_fd` as for Session::interrupt_on().
  using Connect = std::function<base::Result<std::unique_ptr<routeros::Session>>(int stop_fd)>;

  // `session` may be null: then the first session() connects.
  RouterConnection(std::unique_ptr<routeros::Session> session, Connect connect);

  // The session. After a loss it logs in again, at most once in 1, 2, 4, … 60 s and never after a refused
  // login; in between the error of the last try comes back at once.
  base::Result<routeros::Session*> session();
  // The session is of no further use.
  void lost();
  // For requests from now on, and for logging in.
  void interrupt_on(int fd);

  const std::string& router() const { return router_; }  // Session::router(), also while there is none

 private:
  std::unique_ptr<routeros::Session> session_;
  Connect connect_;
  std::string router_;
  int stop_fd_ = -1;
  base::Error last_;
  std::int64_t wait_ns_ = 0;
  std::int64_t next_try_ns_ = 0;  // CLOCK_MONOTONIC
  bool refused_ = false;
};

// Runs `read` over the session, and once more over a new one where the first had been lost meanwhile (nobody
// speaks over it while a recording runs). `read` must not mind being begun again.
template <class Read>
auto with_session(RouterConnection& connection, Read read)
    -> decltype(read(std::declval<routeros::Session&>())) {
  for (bool first = true;; first = false) {
    base::Result<routeros::Session*> session = connection.session();
    if (!session.ok()) return std::move(session).error();
    auto result = read(**session);
    if (result.ok() || !first) return result;
    const bool alive = (*session)->print({"/system/identity", {"name"}, {}}).ok();
    if (alive) return result;
    connection.lost();
  }
}

}  // namespace mikroscope::cli
