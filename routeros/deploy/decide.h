// What of a plan is there already, and whose it is: a pure function of what was read. Everything that belongs
// to somebody else is found here, before the first write.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "routeros/deploy/plan.h"
#include "routeros/deploy/shape.h"

namespace mikroscope::routeros {

enum class Standing : std::uint8_t {
  absent,    // to be made, or to be done
  ours,      // there: skipped
  differs,   // ours, with other values than the plan's (evidence); files and settings are written anew
  leftover,  // ours, of an installation that was cut short: cleared and made anew
  foreign,   // somebody else's: refused
  unknown,   // the router did not let us look: refused
};
std::string_view standing_name(Standing standing);

struct Decision {
  Standing standing = Standing::absent;
  std::string id;        // of the row that is there
  std::string evidence;  // "comment \"guest\"", "address is 10.0.0.1/30, not 172.30.10.1/30"; holds no secret
};

struct Decisions {
  std::vector<Decision> steps;  // one for each of the plan's
  bool container = false;       // a container of ours is there and not broken
  // Entries of our environment list that the plan does not have.
  std::vector<std::string> stale_entries;
};

Decisions decide(const Plan& plan, const Facts& facts);

// What to do about the foreign object that `decision` found for `step`.
std::string way_out(const Step& step, const Decision& decision);
// What is in the way, as an error that names all of it; nothing when nothing is. Exit::refused.
base::Result<void> refuse_collisions(const Plan& plan, const Decisions& decisions);

}  // namespace mikroscope::routeros
