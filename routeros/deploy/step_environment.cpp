#include "routeros/deploy/step_environment.h"

#include <fmt/format.h>

#include "routeros/deploy/attributes.h"
#include "routeros/deploy/step.h"

namespace mikroscope::routeros {
namespace {

constexpr std::string_view kMenu = "/container/envs";

void entry(const StepInput& in, std::vector<Step>& steps, std::string_view key, std::string_view value,
           bool secret = false) {
  const std::string list_key(env_list_key(in.version));
  Step step;
  step.family = "environment";
  step.name = fmt::format("environment {}", key);
  step.title = "the agent's settings; the first entry marks the list as ours";
  step.menu = kMenu;
  step.attributes = {
      {list_key, in.names.env_list}, {"key", std::string(key)}, {"value", std::string(value), secret}};
  step.identity = {{list_key, in.names.env_list}, {"key", std::string(key)}};
  step.owner = Owner::marker;
  step.compared = {"value"};
  steps.push_back(std::move(step));
}

void add(const StepInput& in, std::vector<Step>& steps) {
  entry(in, steps, kMarkerKey, in.options.tag());
  entry(in, steps, "ADDR", in.options.address());
  entry(in, steps, "PORT", fmt::format("{}", in.options.port));
  // A setting that was given empty means the agent's default, which is what an entry left out means.
  for (const auto& [variable, value] : in.options.agent) {
    if (!value.empty()) entry(in, steps, variable, value);
  }
  if (!in.options.token.empty()) entry(in, steps, "TOKEN", in.options.token, true);
}

}  // namespace

const StepFamily kEnvironmentFamily{"environment",
                                    "the environment list with the agent's settings and its token", add, true,
                                    "choose another name: --name"};

}  // namespace mikroscope::routeros
