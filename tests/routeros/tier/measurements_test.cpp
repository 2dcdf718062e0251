#include "routeros/tier/measurements.h"

#include <gtest/gtest.h>

#include <set>

#include "routeros/tier/menu.h"

namespace mikroscope::routeros {
namespace {

TEST(ApiMeasurements, AreWellFormed) {
  std::set<std::string> names;
  for (const model::MeasurementPtr& m : api_measurements()) {
    EXPECT_TRUE(names.insert(m->name).second) << m->name;
    EXPECT_FALSE(m->help.empty()) << m->name;
    std::set<std::string> parts;
    for (const model::Key& key : m->keys) {
      EXPECT_TRUE(parts.insert(key.name).second) << m->name << " " << key.name;
      EXPECT_FALSE(key.help.empty()) << m->name << " " << key.name;
    }
    for (const model::Field& field : m->fields) {
      EXPECT_TRUE(parts.insert(field.name).second) << m->name << " " << field.name;
      EXPECT_FALSE(field.help.empty()) << m->name << " " << field.name;
      EXPECT_EQ(field.name.find('-'), std::string::npos) << field.name;
    }
  }
  EXPECT_EQ(names.size(), 17u);
}

TEST(ApiMeasurements, OnlyDescriptionsAreLabels) {
  const model::Measurement& iface = *api_iface();
  ASSERT_EQ(iface.keys.size(), 5u);
  EXPECT_FALSE(iface.keys[0].label);
  for (std::size_t i = 1; i < 5; ++i) EXPECT_TRUE(iface.keys[i].label) << iface.keys[i].name;
  EXPECT_TRUE(api_error()->log);
  EXPECT_GE(api_error()->field("message"), 0);
}

TEST(TierMenus, EachIsACommandWithItsOwnName) {
  std::set<std::string_view> names;
  for (const TierMenu* menu : all_tier_menus()) {
    EXPECT_TRUE(names.insert(menu->name).second) << menu->name;
    EXPECT_TRUE(menu->path.starts_with('/')) << menu->path;
    EXPECT_NE(menu->take, nullptr) << menu->name;
  }
}

TEST(TierMenus, CommandsAsTheyAreSent) {
  const TierState state;
  for (const TierMenu* menu : all_tier_menus()) {
    if (menu->name != "queue/simple") continue;
    const ApiCommand command = command_of(*menu, state);
    EXPECT_EQ(command.path, "/queue/simple/print");
    ASSERT_EQ(command.attributes.size(), 2u);
    EXPECT_EQ(command.attributes[0].name, ".proplist");
    EXPECT_EQ(command.attributes[1].name, "stats");
    EXPECT_EQ(command.queries, (std::vector<std::string>{"dynamic=true", "#!"}));
  }
}

TEST(TierMenus, NumbersAsRoutersWriteThem) {
  EXPECT_EQ(whole_number("17"), 17);
  EXPECT_EQ(whole_number("7%"), 7);
  EXPECT_EQ(whole_number("-5"), -5);
  for (const char* text : {"", "n/a", "1 200", "12x", "1.5", "9223372036854775808", "%"})
    EXPECT_FALSE(whole_number(text)) << text;
  EXPECT_EQ(real_number("24.1"), 24.1);
  for (const char* text : {"", "n/a", "inf", "nan", "24.1V"}) EXPECT_FALSE(real_number(text)) << text;
}

TEST(TierMenus, ACountIsInTheEndOrInARow) {
  ApiResult result;
  EXPECT_FALSE(counted(result));
  result.rows = {Row(Attributes{{"ret", "6212"}})};
  EXPECT_EQ(counted(result), 6212);
  result.done = {{"ret", "7"}};
  EXPECT_EQ(counted(result), 7);
}

// Version 6 has one row with an attribute for each sensor.
TEST(TierMenus, HealthOfBothMajorVersions) {
  const TierMenu* health = nullptr;
  for (const TierMenu* menu : all_tier_menus()) {
    if (menu->name == "health") health = menu;
  }
  ASSERT_NE(health, nullptr);
  ApiResult result;
  result.rows = {Row(Attributes{{"voltage", "24.5"}, {"temperature", "31"}, {"state", "enabled"}})};
  TierState state;
  model::EventBuilder out(model::EventKind::api, std::make_shared<const model::Origin>(), 1);
  health->take(result, state, out);
  const model::Event event = out.finish();
  EXPECT_EQ(find_number(event, "api_health", {"voltage"}, "value"), 24.5);
  EXPECT_EQ(find_number(event, "api_health", {"temperature"}, "value"), 31);
  EXPECT_EQ(event.shape->find("api_health")->rows.size(), 2u);
}

}  // namespace
}  // namespace mikroscope::routeros
