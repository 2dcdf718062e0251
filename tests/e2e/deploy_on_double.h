// Whole installations on the RouterOS double in this process, over a real API connection, with a clock that
// only waiting moves.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "routeros/deploy/apply.h"
#include "routeros/deploy/options.h"
#include "routeros/deploy/probe.h"
#include "routeros/deploy/uninstall.h"
#include "routeros/deploy/upgrade.h"
#include "routeros/session/session.h"
#include "tests/routersim/api/api_server.h"
#include "tests/routersim/router.h"

namespace mikroscope::test {

using Given = std::vector<std::pair<std::string, std::string>>;
inline const std::string kToken = "0123456789abcdef0123456789abcdef";

// Defaults, changed, and settled, with a token unless --no-token.
routeros::Options options_of(const Given& given);
// An image that the double takes for one of `arch`; no agent is in it.
const std::string& test_image(const std::string& arch = "arm64");

class DoubleBench final : public routeros::Pace {
 public:
  explicit DoubleBench(routersim::Config config = {});

  // A new login, as after a lost connection; also made at the first use.
  routeros::Session& session();
  void reconnect() { session_.reset(); }

  base::Result<void> install(const routeros::Options& options, routeros::Journal* journal = nullptr);
  // Only the name is given, as a user does.
  base::Result<void> uninstall(const std::string& name = "mikroscope");
  base::Result<routeros::UpgradeResult> upgrade(const routeros::Options& options, routeros::Reach reach);
  base::Result<void> roll_back(const routeros::Options& options, routeros::Journal& journal);
  base::Result<routeros::Remains> remains(const std::string& name = "mikroscope");

  // Configuration and files: equal before and after means that nothing was left.
  std::string everything() const;
  bool running(const routeros::Options& options);

  // Pace
  std::int64_t now_ns() override { return clock->now_ms() * 1'000'000; }
  bool wait_ns(std::int64_t span_ns) override;
  bool stopped() override { return false; }

  std::shared_ptr<routersim::FakeClock> clock = std::make_shared<routersim::FakeClock>();
  routersim::Router router;

 private:
  routeros::Upload upload_way();

  routersim::ApiServer server_;
  std::unique_ptr<routeros::Session> session_;
};

}  // namespace mikroscope::test
