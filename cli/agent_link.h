// What the verbs want of an agent, however it is reached.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/host/result.h"
#include "cli/agent_transport.h"
#include "cli/http.h"
#include "proc/reader/item.h"

namespace mikroscope::cli {

// Where to begin.
struct Cursor {
  enum class From : std::uint8_t { oldest, newest, after };
  From from = From::newest;
  std::uint64_t seq = 0;  // with `after`: the last sample that we have
  std::string instance;   // with `after`: whose sample that is; empty when unknown
};

struct PullRequest {
  Cursor cursor;
  std::uint32_t max = 1000;   // samples at most
  std::uint32_t wait_ms = 0;  // how long the agent may hold the request until there is one
  bool text = true;           // false: items only; Line::text of packed replies is empty
};

// One line of the timeline as the agent means it. `item` is null for lines that only readers need (names).
struct Line {
  std::string_view text;  // NDJSON with its '\n'
  const proc::Item* item = nullptr;
};
// An error ends the pull and is its result. Both views are valid during the call.
using OnLine = std::function<base::Result<void>(const Line&)>;
// Called once a reply has come, before its first line: instance, boot_id and newest_seq are known then.
using OnReply = std::function<void(const struct PullResult&)>;

struct PullResult {
  std::uint32_t frames = 0;  // samples in the reply, repeated ones included
  std::uint32_t malformed = 0;
  bool full = false;     // there may be more at once
  std::string instance;  // of the agent that replied; empty when it does not say
  std::string boot_id;
  std::optional<std::uint64_t> newest_seq;
};

// The agent's clocks against this machine's: agent = here + offset. The true value lies within rtt/2.
struct ClockOffset {
  std::int64_t host_boot_ns = 0;  // when it was measured, on this machine's clocks
  std::int64_t host_wall_ns = 0;
  std::int64_t boot_offset_ns = 0;
  std::int64_t wall_offset_ns = 0;
  std::int64_t rtt_ns = 0;
  bool boot_known = false;  // the agent told its CLOCK_BOOTTIME
};

struct Health {
  std::string version;
  std::string instance;
  std::string boot_id;
  std::string board;
  std::optional<std::uint64_t> newest_seq;  // 0: no sample yet
  std::uint64_t oldest_seq = 0;
  std::uint32_t rate_hz = 0;
  std::optional<std::uint64_t> missed;
  std::string json;  // the whole reply
};

class AgentLink {
 public:
  virtual ~AgentLink() = default;

  // A wrong or missing token is Exit::auth; no agent is Exit::failed; Exit::interrupted as in interrupt_on().
  virtual base::Result<Health> health() = 0;
  // Asks for something that only the token opens.
  virtual base::Result<void> check_token() = 0;
  virtual base::Result<PullResult> pull(const PullRequest& request, const OnReply& on_reply,
                                        const OnLine& on_line) = 0;
  // The best of `tries` readings: the one with the shortest round trip.
  virtual base::Result<ClockOffset> measure_clock(int tries) = 0;
  // The text of /capabilities, /sampler, /captures/3, …
  virtual base::Result<std::string> fetch(const std::string& path) = 0;
  // A saved capture: its head line, then the lines of its window. Exit::no_data where there is none of that
  // id.
  virtual base::Result<void> capture(std::uint64_t id, const OnLine& on_line) = 0;
  virtual base::Result<void> remove_capture(std::uint64_t id) = 0;
  // Keeps the samples around now. The agent's JSON reply; Exit::refused where it has no room for it or did so
  // just before.
  virtual base::Result<std::string> arm_capture(const std::string& reason) = 0;

  // Running requests end when `fd` becomes readable; -1: they run to their end.
  virtual void interrupt_on(int fd) = 0;
  // What happens while a request runs: see HttpClient::while_waiting().
  virtual void while_waiting(WhileWaiting look, int fd) = 0;
  virtual std::string describe() const = 0;  // "http://10.0.0.2:9123"
  virtual bool packed() const = 0;           // the last pull came as packed frames
};

// The name where it may stand in URLs and files, else nothing.
std::string clean_instance(const std::string& name);

std::unique_ptr<AgentLink> make_link(std::unique_ptr<AgentTransport> transport);
std::unique_ptr<AgentLink> make_direct_link(const std::string& url, const std::string& token);

}  // namespace mikroscope::cli
