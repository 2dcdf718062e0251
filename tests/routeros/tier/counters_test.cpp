// Counters of interfaces and the fast path's part of them.
#include <gtest/gtest.h>

#include "routeros/tier/fast_path.h"
#include "routeros/tier/if_counters.h"

namespace mikroscope::routeros {
namespace {

using model::Event;
using model::EventBuilder;

EventBuilder builder() {
  return {model::EventKind::api, std::make_shared<const model::Origin>(), 1};
}

Row row(Attributes attributes) {
  return Row(std::move(attributes));
}

TEST(InterfaceCounters, SizesRatesAndSettingsAreNone) {
  for (const char* name : {"rx-byte", "tx-rx-1024-max", "fp-rx-byte", "driver-tx-packet", "link-downs"})
    EXPECT_TRUE(is_interface_counter(name)) << name;
  for (const char* name : {"mtu", "actual-mtu", "l2mtu", "max-l2mtu", "sfp-shutdown-temperature", ".id",
                           "rx-bits-per-second", "speed", "rx_byte", "rx-\xE9"})
    EXPECT_FALSE(is_interface_counter(name)) << name;
}

TEST(InterfaceCounters, MergeOverMenusAndKeepAbsentAbsent) {
  IfCounters counters;
  counters.add({row({{"name", "ether1"},
                     {"rx-overflow", "652364"},
                     {"mtu", "1500"},
                     {"rx-flow-control", "off"},
                     {"rx-byte", "5"}})});
  counters.add({row({{"name", "ether1"}, {"rx-byte", "18446744073709551615"}, {"tx-byte", "7"}}),
                row({{"name", "lo"}, {"tx-byte", "9"}}), row({{"tx-byte", "1"}})});
  EventBuilder out = builder();
  counters.write({}, out);
  const Event event = out.finish();
  EXPECT_EQ(find_number(event, "api_ifcounters", {"ether1"}, "rx_overflow"), 652364);
  // No signed number holds the second reading: the first one stays.
  EXPECT_EQ(find_number(event, "api_ifcounters", {"ether1"}, "rx_byte"), 5);
  EXPECT_EQ(find_number(event, "api_ifcounters", {"ether1"}, "tx_byte"), 7);
  EXPECT_EQ(find_number(event, "api_ifcounters", {"lo"}, "tx_byte"), 9);
  EXPECT_FALSE(find_number(event, "api_ifcounters", {"lo"}, "rx_overflow"));
  const model::Measurement& m = *event.shape->tables().front().measurement;
  EXPECT_EQ(m.field("mtu"), -1);
  EXPECT_EQ(m.fields[static_cast<std::size_t>(m.field("rx_overflow"))].kind, model::Kind::running);
  EXPECT_EQ(m.fields[static_cast<std::size_t>(m.field("rx_overflow"))].sql(), "rx-overflow");
  EXPECT_EQ(m.long_form->measurement, "api_ifcounter");
}

TEST(InterfaceCounters, FieldsStayWhenARowLeaves) {
  IfCounters counters;
  counters.add({row({{"name", "ether1"}, {"rx-byte", "5"}, {"rx-pause", "1"}})});
  EventBuilder first = builder();
  counters.write({}, first);
  const Event before = first.finish();
  counters.clear();
  counters.add({row({{"name", "ether1"}, {"rx-byte", "6"}})});
  EventBuilder second = builder();
  counters.write({}, second);
  const Event after = second.finish();
  EXPECT_EQ(before.shape->id(), after.shape->id());
  EXPECT_FALSE(find_number(after, "api_ifcounters", {"ether1"}, "rx_pause"));
}

constexpr std::int64_t kTen = 10'000'000'000;

Event taken(FastPath& fast, const IfCounters::Values& ether1, std::int64_t now_ns) {
  EventBuilder out = builder();
  fast.take({{"ether1", ether1}}, {}, now_ns, out);
  return out.empty() ? Event() : out.finish();
}

TEST(FastPathShare, IsOfWhatReachesTheDriver) {
  FastPath fast;
  EXPECT_EQ(taken(fast, {{"driver-rx-byte", 1000}, {"rx-byte", 90'000}, {"fp-rx-byte", 100}}, kTen).shape,
            nullptr);
  const Event event =
      taken(fast, {{"driver-rx-byte", 2000}, {"rx-byte", 99'000}, {"fp-rx-byte", 420}}, 2 * kTen);
  EXPECT_EQ(event.dt_ns, kTen);
  EXPECT_EQ(find_number(event, "derived_iface", {"ether1"}, "rx_bytes"), 1000);
  EXPECT_EQ(find_number(event, "derived_iface", {"ether1"}, "fp_rx_bytes"), 320);
  EXPECT_DOUBLE_EQ(*find_number(event, "derived_iface", {"ether1"}, "fp_rx_share"), 0.32);
  // Nothing is known of what was sent.
  EXPECT_FALSE(find_number(event, "derived_iface", {"ether1"}, "tx_bytes"));
  EXPECT_FALSE(find_number(event, "derived_iface", {"ether1"}, "fp_tx_share"));
}

TEST(FastPathShare, ASideThatNeverCountsIsWithheld) {
  FastPath fast;
  (void)taken(fast, {{"tx-byte", 10}, {"fp-tx-byte", 0}, {"rx-byte", 1}, {"fp-rx-byte", 0}}, kTen);
  const Event event =
      taken(fast, {{"tx-byte", 20}, {"fp-tx-byte", 0}, {"rx-byte", 1}, {"fp-rx-byte", 0}}, 2 * kTen);
  EXPECT_FALSE(find_number(event, "derived_iface", {"ether1"}, "tx_bytes"));
  EXPECT_EQ(find_number(event, "derived_iface", {"ether1"}, "rx_bytes"), 0);
  EXPECT_FALSE(find_number(event, "derived_iface", {"ether1"}, "fp_rx_share"));  // of nothing
}

TEST(FastPathShare, NeverMixesDriverAndWireNorCountsBack) {
  FastPath fast;
  (void)taken(fast, {{"driver-rx-byte", 1000}, {"rx-byte", 9000}, {"fp-rx-byte", 10}}, kTen);
  // The menu with the driver's counters failed: the wire's are no substitute.
  EXPECT_EQ(taken(fast, {{"rx-byte", 9500}, {"fp-rx-byte", 20}}, 2 * kTen).shape, nullptr);
  EXPECT_EQ(taken(fast, {{"driver-rx-byte", 3000}, {"rx-byte", 9900}, {"fp-rx-byte", 30}}, 3 * kTen).shape,
            nullptr);
  // Counters were reset; the reading after that goes on from there.
  EXPECT_EQ(taken(fast, {{"driver-rx-byte", 5}, {"rx-byte", 5}, {"fp-rx-byte", 1}}, 4 * kTen).shape, nullptr);
  const Event event = taken(fast, {{"driver-rx-byte", 15}, {"rx-byte", 50}, {"fp-rx-byte", 21}}, 5 * kTen);
  EXPECT_EQ(find_number(event, "derived_iface", {"ether1"}, "rx_bytes"), 10);
  EXPECT_DOUBLE_EQ(*find_number(event, "derived_iface", {"ether1"}, "fp_rx_share"), 1.0);  // at most
}

}  // namespace
}  // namespace mikroscope::routeros
