// The rounds of a tier, as the one thread that drives them sees them.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/event_builder.h"
#include "routeros/tier/fast_path.h"
#include "routeros/tier/link.h"
#include "routeros/tier/menu.h"
#include "routeros/tier/options.h"
#include "routeros/tier/trouble_book.h"

namespace mikroscope::routeros {

class TierRounds {
 public:
  TierRounds(ApiTarget target, ApiTierOptions options, TroubleBook::Note note)
      : options_(std::move(options)), link_(std::move(target)), book_(std::move(note)) {}

  // Asks what is due and makes events of it.
  std::vector<model::Event> run(std::int64_t now_ns, std::int64_t wall_ns, const model::OriginPtr& origin);
  // The router has booted again: counters began anew, and its log says why.
  void rebooted();

  const ApiTierOptions& options() const { return options_; }
  TierLink& link() { return link_; }
  const TierLink& link() const { return link_; }
  const TroubleBook& book() const { return book_; }
  TierState& state() { return state_; }
  bool last_failed() const { return last_failed_; }  // the last round had a command that failed
  std::uint64_t commands() const { return commands_; }
  std::uint64_t reconnects() const { return reconnects_; }
  std::vector<std::string> left_alone() const;  // "wireless: no such command prefix"

 private:
  // Of one call of run().
  struct Round {
    std::int64_t now_ns = 0;
    std::int64_t wall_ns = 0;
    model::OriginPtr origin;
    std::array<std::optional<model::EventBuilder>, kPaces> events;
    std::optional<model::EventBuilder> labels;
    bool inventory_read = false;
    std::optional<std::string> rates_refused;
  };
  struct LeftAlone {
    enum class Until : std::uint8_t { reconnect, inventory, time };
    Until until = Until::reconnect;
    std::int64_t until_ns = 0;
    std::string why;
  };
  using Menus = std::vector<const TierMenu*>;

  bool connect(Round& round);
  void ask(Round& round);
  std::vector<Answer<ApiResult>> send(Round& round, const Menus& menus);
  void run_menus(Round& round, const Menus& menus, bool again);
  // False: the session was lost before it was answered, and nothing was recorded.
  bool settle(Round& round, const TierMenu& menu, const Answer<ApiResult>& answer);
  void refused(Round& round, const TierMenu& menu, const DeviceError& error);
  void read_inventory(Round& round);
  void choose_rates();
  void mend_rates(Round& round);
  void try_rates(Round& round);
  void ask_again(LeftAlone::Until until);
  bool is_asked(const TierMenu& menu, std::int64_t now_ns);
  model::EventBuilder& event(Round& round, Pace pace);
  std::vector<model::Event> finish(Round& round);

  ApiTierOptions options_;
  TierLink link_;
  TroubleBook book_;
  TierState state_;
  FastPath fast_path_;
  std::map<std::string, LeftAlone, std::less<>> left_alone_;
  std::vector<model::ShapePtr> shapes_;  // of late: equal ones are shared
  std::array<std::optional<std::int64_t>, kPaces> due_;
  std::optional<std::int64_t> labels_due_;
  std::optional<std::int64_t> rates_mended_ns_;
  std::optional<base::Exit> dial_told_;  // what kind of trouble the last line about dials was of
  std::uint64_t commands_ = 0;
  std::uint64_t reconnects_ = 0;
  bool last_failed_ = false;
};

// The next point of the grid from `due` on that lies after `now`: a late round does not shift the others.
std::int64_t next_on_grid(std::int64_t due, std::int64_t every, std::int64_t now);

}  // namespace mikroscope::routeros
