// Everything that a request can ask about, and the answers: which path gives what. Knows nothing of sockets.
#pragma once

#include <cstdint>
#include <string_view>

#include "agent/captures.h"
#include "agent/config.h"
#include "agent/http.h"
#include "agent/json.h"
#include "agent/reply.h"
#include "agent/sampler.h"
#include "agent/store.h"

namespace mikroscope::agent {

// What the server counted; shown by /sampler.
struct ServerCounts {
  std::uint64_t requests = 0;
  std::uint64_t accepted = 0;
  std::uint64_t refused = 0;  // connections answered 503
  std::uint64_t timed_out = 0;
  std::uint64_t sent_bytes = 0;
  std::uint32_t open = 0;
};

struct MemoryPlan {
  std::uint64_t ring_bytes = 0;  // the bound of the ring
  std::uint64_t capture_bytes = 0;
  std::uint64_t fixed_bytes = 0;  // program, tables, buffers of clients
  std::uint64_t total() const { return ring_bytes + capture_bytes + fixed_bytes; }
};

enum class ReplyKind : std::uint8_t { plain, samples, capture };

struct Response {
  std::uint16_t status = 200;
  ReplyKind kind = ReplyKind::plain;
  std::string_view content_type = "application/json";
  std::string_view extra;     // complete header lines
  SampleQuery query;          // samples; captures: packed, text, totals, bytes, skip
  std::uint64_t wait_ms = 0;  // samples: answer when `least` are there, or after this long
  std::uint64_t least = 1;
  std::uint64_t capture_id = 0;  // capture
};

class Service {
 public:
  const Config* config = nullptr;
  const MachineFacts* facts = nullptr;
  Store* store = nullptr;
  Sampler* sampler = nullptr;
  Captures* captures = nullptr;
  TriggerSet* triggers = nullptr;
  proc::EventSink* events = nullptr;
  MemoryPlan memory;
  std::string_view sandbox;  // what the sandbox achieved, in words
  std::int64_t started_monotonic_ns = 0;
  ServerCounts counts;

  // Decides the answer. A plain body is written to `body`; the others are made by SampleReply and
  // CaptureReply.
  void handle(const Request& request, Response& response, base::Writer& body);

 private:
  void healthz(bool full, base::Writer& out) const;
  void sampler_report(base::Writer& out) const;
  void captures_index(base::Writer& out) const;
  void samples(const Request& request, bool endless, Response& response, base::Writer& body) const;
  void capture_by_id(const Request& request, Response& response, base::Writer& body);
  void capture_now(const Request& request, Response& response, base::Writer& body);
};

void write_capabilities(const Service& service, base::Writer& out);
// One error line with '\n' and its status.
void refuse(Response& response, std::uint16_t status, const char* message, base::Writer& body);

}  // namespace mikroscope::agent
