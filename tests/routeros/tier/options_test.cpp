#include "routeros/tier/options.h"

#include <gtest/gtest.h>

#include "routeros/tier/inventory.h"

namespace mikroscope::routeros {
namespace {

using Names = std::vector<std::string>;

Inventory of(const std::vector<std::pair<std::string, std::string>>& names_and_types) {
  std::vector<Row> rows;
  for (const auto& [name, type] : names_and_types)
    rows.push_back(Row(Attributes{{"name", name}, {"type", type}}));
  return make_inventory(rows, {}, {}, {});
}

TEST(TierOptions, PresetsAreWhatTheirNamesSay) {
  EXPECT_TRUE(ApiTierOptions::of(ApiPreset::off).off());
  const ApiTierOptions slow = ApiTierOptions::of(ApiPreset::slow);
  EXPECT_EQ(slow.every_ns, 10'000'000'000);
  EXPECT_FALSE(slow.health);
  EXPECT_FALSE(slow.extras);
  EXPECT_EQ(slow.conntrack_every_ns, 0);
  EXPECT_TRUE(slow.interfaces.empty());
  const ApiTierOptions full = ApiTierOptions::of(ApiPreset::full);
  EXPECT_EQ(full.every_ns, 1'000'000'000);
  EXPECT_TRUE(full.health);
  EXPECT_TRUE(full.extras);
  EXPECT_EQ(full.interfaces, Names{"all"});
  EXPECT_EQ(parse_api_preset("full"), ApiPreset::full);
  EXPECT_FALSE(parse_api_preset("Full"));
}

TEST(TierOptions, Globs) {
  EXPECT_TRUE(glob_matches("ether*", "ether12"));
  EXPECT_TRUE(glob_matches("ether?", "ether1"));
  EXPECT_FALSE(glob_matches("ether?", "ether12"));
  EXPECT_TRUE(glob_matches("*-lan-*", "vlan-lan-10"));
  EXPECT_TRUE(glob_matches("*a*b", "xaxbxb"));
  EXPECT_FALSE(glob_matches("*a*b", "xaxbx"));
  EXPECT_TRUE(glob_matches("*", ""));
  EXPECT_FALSE(glob_matches("", "x"));
}

TEST(TierOptions, AListOfInterfacesIsCheckedWhereItIsWritten) {
  EXPECT_EQ(*parse_interface_choice("ether1,sfp*"), (Names{"ether1", "sfp*"}));
  EXPECT_EQ(*parse_interface_choice(""), Names{});
  EXPECT_EQ(parse_interface_choice("ether1,,ether2").error().exit, base::Exit::usage);
  const auto away = parse_interface_choice("!ether1");
  ASSERT_FALSE(away.ok());
  EXPECT_EQ(away.error().fix, "name some to begin with: all,!ether1");
}

TEST(TierOptions, ChoosesByNameGlobAndType) {
  const Inventory router = of({{"lo", "loopback"},
                               {"ether1", "ether"},
                               {"ether2", "ether"},
                               {"bridge", "bridge"},
                               {"vlan,10", "vlan"}});
  EXPECT_EQ(choose_interfaces({"all", "!lo"}, router).names, (Names{"ether1", "ether2", "bridge"}));
  EXPECT_EQ(choose_interfaces({"type=bridge", "ether2"}, router).names, (Names{"ether2", "bridge"}));
  EXPECT_EQ(choose_interfaces({"ether*"}, router).names, (Names{"ether1", "ether2"}));
  // The name with a comma would be two for the router; the mistyped one is nobody's.
  const ChosenInterfaces mixed = choose_interfaces({"ether1", "etehr2", "vlan*"}, router);
  EXPECT_EQ(mixed.names, Names{"ether1"});
  EXPECT_EQ(mixed.unknown, (Names{"vlan,10", "etehr2"}));
}

}  // namespace
}  // namespace mikroscope::routeros
