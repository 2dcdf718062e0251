// The RouterOS tier of one router: asks its API in rounds and makes events of the answers.
//
// One thread drives it, with time of its own:
//   while (…) { wait until tier.next_due_ns(); for (Event& e : tier.round(now, wall)) …; }
// Everything but round() and next_due_ns() may be called from any thread, also while a round waits.
// A round never fails as a whole. What could not be asked is absent, never zero, and is told in api_error, in
// counts() and, once, to `note`.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/event.h"
#include "routeros/api/connect.h"
#include "routeros/tier/options.h"
#include "routeros/tier/port_map.h"

namespace mikroscope::routeros {

struct TierCounts {
  std::uint64_t rounds = 0;           // that asked something, or tried to
  std::uint64_t failed_rounds = 0;    // with at least one command that failed
  std::uint64_t commands = 0;         // that were answered
  std::uint64_t failed_commands = 0;  // refused, or unanswered; menus that a router lacks are none
  std::uint64_t connects = 0;
  std::uint64_t reconnects = 0;
  std::uint64_t failed_dials = 0;
  std::int64_t last_round_ns = 0;  // how long it took
  bool connected = false;
  std::vector<std::string> left_alone;  // menus: "wireless: no such command prefix"
};

class ApiTier {
 public:
  using Note = std::function<void(const std::string& line)>;

  // `target.interrupt_fd` is not used: interrupt() is. `note` may be empty; it is called from the thread that
  // calls round().
  ApiTier(ApiTarget target, ApiTierOptions options, model::OriginPtr origin, Note note = {});
  ~ApiTier();
  ApiTier(const ApiTier&) = delete;
  ApiTier& operator=(const ApiTier&) = delete;

  // Whose events follow, from the next round on.
  void set_origin(model::OriginPtr origin);
  // Asks what is due: nothing before next_due_ns(). Blocks for the router's answers, at worst for two dials
  // and the time-outs of a few commands; while a dial must wait it returns at once. `wall_now_ns` is UTC by
  // the router's clock (the caller's clock and the skew), the time stamp of all events of the round.
  std::vector<model::Event> round(std::int64_t monotonic_now_ns, std::int64_t wall_now_ns);
  // On the clock of round(); INT64_MAX: never.
  std::int64_t next_due_ns() const;

  // The router was seen to have booted again: its log is asked why in the next round. The tier also sees it
  // by itself, by the uptime.
  void reboot_seen();
  // What the log said, once it was read: empty when it says nothing of it. Each answer is given once.
  std::optional<std::vector<std::string>> take_reboot_log();

  // Records of the kernel log teach which port is which.
  void log_record(std::string_view kernel_port, std::string_view message);
  std::optional<PortLabel> find_port(std::string_view kernel_port) const;
  std::string ports_from() const;
  // As of the last round.
  TierCounts counts() const;
  // For good: a round under way ends soon, and no other begins.
  void interrupt();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mikroscope::routeros
