#include "cli/forward/router_options.h"

namespace mikroscope::cli {
namespace {

class RouterOwnOptions final : public PerRouter {
 public:
  void declare(OptionSet&) override {}
};

}  // namespace

std::unique_ptr<PerRouter> make_router_options() {
  return std::make_unique<RouterOwnOptions>();
}

MakeStage router_stage() {
  return {};
}
MakeSide router_side() {
  return {};
}

}  // namespace mikroscope::cli
