// A connected TCP socket that never blocks for longer than it is told to.
#pragma once

#include <string>
#include <string_view>

#include "base/file.h"
#include "routeros/session/wait.h"

namespace mikroscope::routeros {

class Socket {
 public:
  Socket() = default;
  // Takes a connected one and makes it non-blocking.
  explicit Socket(base::Fd fd);

  // Appends what has come, at least one octet and at most 64 KiB.
  Net receive(std::string& out, const Wait& wait);
  // All of it. Never raises SIGPIPE.
  Net send(std::string_view octets, const Wait& wait);

  // The system's words after closed and failed; "" for an orderly close.
  const std::string& why() const { return why_; }
  int fd() const { return fd_.get(); }

 private:
  Net from_errno();

  base::Fd fd_;
  std::string why_;
};

}  // namespace mikroscope::routeros
