// How requests get to an agent: straight over HTTP, or through the router that it runs on.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/host/result.h"
#include "cli/http.h"

namespace mikroscope::cli {

struct AgentRequest {
  std::string method = "GET";  // GET, POST, DELETE
  std::string path;            // begins with '/'
  std::string accept;
  long timeout_ms = 0;
};

class AgentTransport {
 public:
  virtual ~AgentTransport() = default;
  // Any status is a reply; an Error means that none came. A transport that cannot carry packed frames as they
  // are still replies with them.
  virtual base::Result<HttpReply> request(const AgentRequest& request) = 0;
  // Running requests end when `fd` becomes readable; -1: never.
  virtual void interrupt_on(int fd) = 0;
  // See HttpClient::while_waiting().
  virtual void while_waiting(WhileWaiting look, int fd) = 0;
  virtual std::string describe() const = 0;
  virtual bool has_token() const = 0;
  // A round trip as short as it gets: a clock that was compared so well is not compared again. 0: none is.
  virtual std::int64_t good_rtt_ns() const = 0;
};

}  // namespace mikroscope::cli
