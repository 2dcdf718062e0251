#include "sinks/stores/registry.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace mikroscope::sinks {
namespace {

TEST(Registry, EverySinkIsNamedOnceAndSaysWhatItIs) {
  std::set<std::string_view> names;
  for (const SinkDef* sink : all_sinks()) {
    EXPECT_TRUE(names.insert(sink->name).second) << sink->name;
    EXPECT_FALSE(sink->summary.empty()) << sink->name;
    ASSERT_FALSE(sink->options.empty()) << sink->name;
    EXPECT_EQ(sink->options.front().name, sink->name);
    EXPECT_NE(sink->make, nullptr);
    for (const SinkOption& option : sink->options) EXPECT_FALSE(option.help.empty()) << option.name;
  }
  EXPECT_TRUE(names.count("influx") == 1 && names.count("stdout") == 1);
}

// Options that several sinks share (TLS) are the same for all of them.
TEST(Registry, OneOptionMeansOneThing) {
  std::map<std::string_view, const SinkOption*> known;
  for (const SinkDef* sink : all_sinks()) {
    for (const SinkOption& option : sink->options) {
      const auto [found, fresh] = known.emplace(option.name, &option);
      if (fresh) continue;
      EXPECT_EQ(option.help, found->second->help) << option.name;
      EXPECT_EQ(option.value, found->second->value) << option.name;
      EXPECT_EQ(option.secret, found->second->secret) << option.name;
    }
  }
}

}  // namespace
}  // namespace mikroscope::sinks
