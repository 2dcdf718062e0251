#include "routeros/tier/inventory.h"

#include <gtest/gtest.h>

namespace mikroscope::routeros {
namespace {

Row row(Attributes attributes) {
  return Row(std::move(attributes));
}

TEST(TierInventory, LabelsRolesAndBridges) {
  const Inventory router = make_inventory(
      {row({{"name", "ether1"},
            {"default-name", "ether1"},
            {"type", "ether"},
            {"actual-mtu", "1500"},
            {"comment", "uplink"},
            {"running", "true"}}),
       row({{"name", "nas"}, {"default-name", "ether2"}, {"type", "ether"}, {"running", "false"}}),
       row({{"name", "ether3"}, {"default-name", "ether3"}, {"type", "ether"}}),
       row({{"name", "bridge"}, {"type", "bridge"}, {"actual-mtu", "auto"}})},
      {row({{"list", "WAN"}, {"interface", "ether1"}}), row({{"list", "LAN"}, {"interface", "bridge"}}),
       row({{"list", "admin"}, {"interface", "bridge"}}), row({{"list", "LAN"}, {"interface", "bridge"}}),
       row({{"list", "guests"}, {"interface", "ether3"}}),
       row({{"list", "old"}, {"interface", "ether1"}, {"disabled", "true"}})},
      {row({{"interface", "nas"}, {"bridge", "bridge"}}),
       row({{"interface", "ether3"}, {"bridge", "bridge"}}),
       row({{"interface", "LAN"}, {"bridge", "bridge"}})},
      {row({{"name", "nas"},
            {"mac-address", "02:00:5e:00:00:22"},
            {"orig-mac-address", "02:00:5E:00:00:02"}})});
  using Keys = std::vector<std::string>;
  EXPECT_EQ(router.keys("ether1"), (Keys{"ether1", "uplink", "ether", "WAN", ""}));
  // A port without a list has its bridge's; one with a list keeps its own.
  EXPECT_EQ(router.keys("nas"), (Keys{"nas", "", "ether", "LAN,admin", "bridge"}));
  EXPECT_EQ(router.keys("ether3"), (Keys{"ether3", "", "ether", "guests", "bridge"}));
  EXPECT_EQ(router.keys("gone"), (Keys{"gone", "", "", "", ""}));
  EXPECT_EQ(router.find("nas")->mac, "02:00:5E:00:00:22");
  EXPECT_EQ(router.find("nas")->default_name, "ether2");
  // What was not said is not known.
  EXPECT_EQ(router.find("ether1")->mtu, 1500);
  EXPECT_FALSE(router.find("bridge")->mtu);
  EXPECT_FALSE(router.find("ether3")->running);
  EXPECT_EQ(router.find("nas")->running, false);
}

TEST(TierInventory, TextsBecomeUtf8OfBoundedLength) {
  const Inventory router =
      make_inventory({row({{"name", "caf\xE9"}, {"comment", std::string(255, 'x') + "\xC3\xA9"}}),
                      row({{"comment", "no name"}})},
                     {}, {}, {});
  ASSERT_EQ(router.interfaces.size(), 1u);
  EXPECT_EQ(router.interfaces[0].raw_name, "caf\xE9");
  EXPECT_EQ(router.interfaces[0].name, "caf\xC3\xA9");
  EXPECT_EQ(router.interfaces[0].label, std::string(255, 'x'));  // no half of a character
}

}  // namespace
}  // namespace mikroscope::routeros
