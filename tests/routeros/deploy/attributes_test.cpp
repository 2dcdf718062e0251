#include "routeros/deploy/attributes.h"

#include <gtest/gtest.h>

#include <set>

namespace mikroscope::routeros {
namespace {

Version v(std::string_view text) {
  return parse_version(text).value();
}

struct Case {
  std::string_view version;
  std::string_view menu;
  std::string_view attribute;
  bool there;
};
TEST(Attributes, ByVersion) {
  constexpr Case kCases[] = {
      {"7.9", "/container", "envlist", true},
      {"7.9", "/container", "envlists", false},
      {"7.19.6", "/container", "envlist", true},
      {"7.20", "/container", "envlist", false},
      {"7.20", "/container", "envlists", true},
      {"7.18", "/container", "name", false},
      {"7.19", "/container", "name", true},
      {"7.19", "/container", "memory-high", false},
      {"7.20", "/container", "memory-high", true},
      {"7.22.3", "/container", "memory-max", false},
      {"7.23", "/container", "memory-max", true},
      {"7.22", "/container", "auto-restart-interval", true},
      {"7.23", "/container", "auto-restart-interval", false},
      {"7.22", "/container", "restart-policy", false},
      {"7.23", "/container", "restart-policy", true},
      {"7.21.1", "/container", "shm-size", false},
      {"7.21.2", "/container", "shm-size", true},
      {"7.23.1", "/container", "ignore-remote-image-change", false},
      {"7.23.2", "/container", "ignore-remote-image-change", true},
      {"7.24beta1", "/container", "ignore-remote-image-change", false},
      {"7.24beta2", "/container", "ignore-remote-image-change", true},
      {"7.24", "/container", "ignore-remote-image-change", true},
      {"7.24rc1", "/container", "privileged", false},
      {"7.24", "/container", "privileged", true},
      {"7.25beta3", "/container", "privileged", true},
      {"7.24.4", "/container", "no-such-thing", false},
      {"7.19", "/container/envs", "name", true},
      {"7.20", "/container/envs", "name", false},
      {"7.20", "/container/envs", "list", true},
      {"7.9", "/container/envs", "key", true},
      {"7.20", "/container/mounts", "name", true},
      {"7.21", "/container/mounts", "name", false},
      {"7.21", "/container/mounts", "list", true},
      {"7.22", "/container/mounts", "read-only", true},
      {"7.23", "/container/mounts", "read-only", false},
      {"7.23", "/container/mounts", "mode", true},
      {"7.19", "/container/config", "ram-high", true},
      {"7.20", "/container/config", "ram-high", false},
      {"7.10", "/interface/veth", "gateway6", false},
      {"7.11", "/interface/veth", "gateway6", true},
      {"7.9", "/ip/address", "anything", true},  // a menu that is not described
  };
  for (const Case& c : kCases)
    EXPECT_EQ(supports(v(c.version), c.menu, c.attribute), c.there)
        << c.version << " " << c.menu << " " << c.attribute;
}

TEST(Attributes, NamesThatChanged) {
  EXPECT_EQ(env_list_attribute(v("7.19")), "envlist");
  EXPECT_EQ(env_list_attribute(v("7.20")), "envlists");
  EXPECT_EQ(env_list_key(v("7.19")), "name");
  EXPECT_EQ(env_list_key(v("7.24beta1")), "list");
  EXPECT_EQ(mount_list_attribute(v("7.20")), "mounts");
  EXPECT_EQ(mount_list_attribute(v("7.21")), "mountlists");
  EXPECT_EQ(mount_list_key(v("7.20")), "name");
  EXPECT_EQ(mount_list_key(v("7.21")), "list");
}

TEST(Attributes, TheTableHasEachNameOnceInAVersion) {
  for (const std::string_view version : {"7.9", "7.19", "7.20", "7.21", "7.22", "7.23.2", "7.24"}) {
    std::set<std::pair<std::string_view, std::string_view>> seen;
    for (const AttributeDef& a : all_attributes()) {
      if (v(version) < a.since || v(version) >= a.until) continue;
      EXPECT_TRUE(seen.insert({a.menu, a.name}).second) << version << " " << a.menu << " " << a.name;
    }
  }
}

TEST(Attributes, Privileged) {
  Options o = default_options();
  EXPECT_FALSE(wants_privileged(o, v("7.23.2")));
  EXPECT_FALSE(wants_privileged(o, v("7.24beta1")));
  EXPECT_TRUE(wants_privileged(o, v("7.24")));
  o.privileged = "no";
  EXPECT_FALSE(wants_privileged(o, v("7.24")));
  o.privileged = "yes";
  EXPECT_TRUE(wants_privileged(o, v("7.20")));
}

Row row(std::initializer_list<std::pair<const char*, const char*>> pairs) {
  Row out;
  for (const auto& [name, value] : pairs) out.put(name, value);
  return out;
}

TEST(ContainerState, FromFlagsOrFromTheStatus) {
  using State = ContainerState;
  EXPECT_EQ(container_state(row({{"status", "running"}})), State::running);
  EXPECT_EQ(container_state(row({{"running", "true"}})), State::running);
  EXPECT_EQ(container_state(row({{"running", "false"}, {"stopped", "true"}})), State::stopped);
  EXPECT_EQ(container_state(row({{"downloading/extracting", "true"}})), State::extracting);
  EXPECT_EQ(container_state(row({{"download/extract failed", "true"}})), State::failed);
  EXPECT_EQ(container_state(row({{"download/extract failed", "true"}, {"stopped", "true"}})), State::failed);
  EXPECT_EQ(container_state(row({})), State::unknown);
  EXPECT_EQ(container_state(row({{"running", "false"}})), State::unknown);
  EXPECT_EQ(container_state(row({{"status", "downloading/extracting"}})), State::extracting);
  EXPECT_EQ(container_state(row({{"status", "error"}})), State::failed);
  EXPECT_EQ(container_state(row({{"stopping", "true"}, {"running", "true"}})), State::stopping);
  EXPECT_EQ(container_state(row({{"unhealthy", "true"}})), State::running);
  EXPECT_EQ(container_state(row({{"starting-with-healthcheck", "yes"}})), State::starting);
  EXPECT_EQ(container_state(row({{"status", "dancing"}})), State::unknown);
  EXPECT_EQ(state_name(State::failed), "failed");
  EXPECT_EQ(state_name(State::unknown), "unknown");
}

}  // namespace
}  // namespace mikroscope::routeros
