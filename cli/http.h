// HTTP requests to an agent over one kept connection (libcurl). Proxies of the environment are not used: an
// agent is a machine of this network.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/host/result.h"

namespace mikroscope::cli {

struct HttpReply {
  long status = 0;
  std::string body;
  std::string content_type;
  std::string instance;                     // Mikroscope-Instance
  std::string boot_id;                      // Mikroscope-Boot-Id
  std::optional<std::uint64_t> newest_seq;  // Mikroscope-Newest-Seq
  bool bounded = false;  // the reply ends where the transport's room does: there may be more
  // CLOCK_BOOTTIME and CLOCK_REALTIME of this machine just before the request and just after the reply.
  std::int64_t sent_boot_ns = 0;
  std::int64_t received_boot_ns = 0;
  std::int64_t sent_wall_ns = 0;
  std::int64_t received_wall_ns = 0;
};

// Called again and again while a request runs. `quiet_ns`: for how long nothing has come from the other side.
// False ends the request as interrupted. It must not make requests of its own.
using WhileWaiting = std::function<bool(std::int64_t quiet_ns)>;

// error.exit of an interrupted request is Exit::interrupted.
class HttpClient {
 public:
  // A token that is not empty goes into every request's Authorization header.
  HttpClient(std::string base_url, std::string token);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Requests end at once when this descriptor becomes readable; -1: never.
  void interrupt_on(int fd);
  // `look` is called at least ten times a second, and at once when `fd` (-1: none) becomes readable.
  void while_waiting(WhileWaiting look, int fd);
  // Any status is a reply; an Error means that none came. `path` begins with '/'. A POST has no body.
  base::Result<HttpReply> request(const std::string& method, const std::string& path,
                                  const std::string& accept, long timeout_ms);
  base::Result<HttpReply> get(const std::string& path, const std::string& accept, long timeout_ms);
  const std::string& base_url() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mikroscope::cli
