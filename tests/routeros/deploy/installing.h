// Runs whole installations on the router in memory, as the verbs do.
#pragma once

#include <string>
#include <vector>

#include "routeros/deploy/apply.h"
#include "routeros/deploy/decide.h"
#include "routeros/deploy/facts.h"
#include "routeros/deploy/plan.h"
#include "routeros/deploy/shape.h"
#include "routeros/deploy/uninstall.h"
#include "routeros/deploy/upgrade.h"
#include "tests/routeros/deploy/fake_router.h"

namespace mikroscope::routeros {

inline const std::string kImageBytes(50'000, 'x');
inline const std::string kTestToken = "0123456789abcdef0123456789abcdef";

// Defaults, changed as "--name value" says, and settled. A wrong option fails the test.
Options options_with(const std::vector<std::pair<std::string, std::string>>& given);
// Of an upload, or of the options' reference.
ImageSource image_of(const Options& options);
Facts facts_of(FakeRouter& router);

struct Installing {
  base::Result<void> result;
  std::vector<Event> events;
  Journal journal;
};
// Plans, decides, refuses collisions and applies, with the options as they were given.
Installing install_on(FakeRouter& router, const Options& options);
base::Result<void> uninstall_on(FakeRouter& router, const Options& asked);
base::Result<UpgradeResult> upgrade_on(FakeRouter& router, const Options& options, Reach reach);

// The only container of the installation, as a state; "" when there is none or several.
std::string container_state_on(FakeRouter& router, const Options& options);

}  // namespace mikroscope::routeros
