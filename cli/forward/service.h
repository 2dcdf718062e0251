// Talking to the service manager that started us (sd_notify's protocol: datagrams to $NOTIFY_SOCKET), where
// there is one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mikroscope::cli {

class ServiceManager {
 public:
  ServiceManager();  // reads NOTIFY_SOCKET and WATCHDOG_USEC
  ~ServiceManager();
  ServiceManager(const ServiceManager&) = delete;
  ServiceManager& operator=(const ServiceManager&) = delete;

  // "READY=1", "STATUS=…", "RELOADING=1", "STOPPING=1", "WATCHDOG=1". Nothing happens without a manager.
  void tell(std::string_view state) const;
  // How often it wants to hear WATCHDOG=1, halved; 0: never.
  std::int64_t watchdog_ns() const { return watchdog_ns_; }

 private:
  int fd_ = -1;
  std::int64_t watchdog_ns_ = 0;
};

}  // namespace mikroscope::cli
