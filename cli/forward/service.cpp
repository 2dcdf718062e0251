#include "cli/forward/service.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace mikroscope::cli {

ServiceManager::ServiceManager() {
  const char* const path = std::getenv("NOTIFY_SOCKET");
  if (path == nullptr || (path[0] != '/' && path[0] != '@')) return;
  sockaddr_un address{};
  const std::size_t size = std::strlen(path);
  if (size >= sizeof address.sun_path) return;
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path, size);
  if (path[0] == '@') address.sun_path[0] = '\0';  // an abstract name
  fd_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd_ >= 0 && connect(fd_, reinterpret_cast<const sockaddr*>(&address),
                          static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + size)) != 0) {
    close(fd_);
    fd_ = -1;
  }
  // WATCHDOG_PID names the process that is meant, where it is there.
  const char* const usec = std::getenv("WATCHDOG_USEC");
  const char* const pid = std::getenv("WATCHDOG_PID");
  if (usec == nullptr || (pid != nullptr && std::strtol(pid, nullptr, 10) != getpid())) return;
  watchdog_ns_ = std::strtoll(usec, nullptr, 10) * 1000 / 2;
}

ServiceManager::~ServiceManager() {
  if (fd_ >= 0) close(fd_);
}

void ServiceManager::tell(std::string_view state) const {
  if (fd_ < 0) return;
  [[maybe_unused]] const ssize_t n = send(fd_, state.data(), state.size(), MSG_NOSIGNAL);
}

}  // namespace mikroscope::cli
