#include "model/block.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "model/event_builder.h"

namespace mikroscope::model {
namespace {

MeasurementPtr cpu() {
  static const MeasurementPtr m = std::make_shared<const Measurement>(Measurement{
      "cpu",
      {{"cpu", false, false, "number"}},
      {{"user", Kind::delta, Type::integer, proc::Unit::ticks, 0, false, "user time", "user_ticks"},
       {"load", Kind::level, Type::decimal, proc::Unit::none, 2, false, "load", {}},
       {"busy_ratio", Kind::level, Type::real, proc::Unit::ratio, 0, true, "busy", {}},
       {"name", Kind::level, Type::text, proc::Unit::none, 0, false, "a text", {}},
       {"on", Kind::level, Type::boolean, proc::Unit::none, 0, false, "a flag", {}}},
      "cores"});
  return m;
}

Event sample(std::uint64_t seq, std::vector<std::pair<std::int64_t, std::uint64_t>> user_and_total) {
  EventBuilder builder(EventKind::sample, std::make_shared<const Origin>(Origin{"router", "i1", "b1"}),
                       1'789'000'000'000'000'000 + static_cast<std::int64_t>(seq) * 100'000'000);
  for (std::size_t i = 0; i < user_and_total.size(); ++i) {
    builder.row(cpu(), {std::to_string(i)})
        .integer("user", user_and_total[i].first)
        .real("busy_ratio", 0.25)
        .text("name", std::string("a\0b\xE4", 4))
        .boolean("on", i == 0);
  }
  builder.head().seq = seq;
  builder.head().dt_ns = 100'000'000;
  builder.head().boot_ns = 5'000'000'000;
  Event event = builder.finish();
  event.totals.assign(event.values.size(), 0);
  for (std::size_t i = 0; i < user_and_total.size(); ++i)
    event.totals[event.shape->tables()[0].slot(i, 0)] = user_and_total[i].second;
  return event;
}

void expect_same(const Event& a, const Event& b) {
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.repeat, b.repeat);
  EXPECT_EQ(a.origin->host, b.origin->host);
  EXPECT_EQ(a.origin->instance, b.origin->instance);
  EXPECT_EQ(a.origin->boot_id, b.origin->boot_id);
  EXPECT_EQ(a.wall_ns, b.wall_ns);
  EXPECT_EQ(a.boot_ns, b.boot_ns);
  EXPECT_EQ(a.dt_ns, b.dt_ns);
  EXPECT_EQ(a.seq, b.seq);
  EXPECT_EQ(a.shape->id(), b.shape->id());
  EXPECT_EQ(a.present, b.present);
  EXPECT_EQ(a.texts, b.texts);
  EXPECT_EQ(a.intervals_ns, b.intervals_ns);
  EXPECT_EQ(a.odd.size(), b.odd.size());
  for (std::size_t i = 0; i < a.present.size(); ++i) {
    if (a.present[i] == 0) continue;
    EXPECT_EQ(a.values[i], b.values[i]) << i;
  }
  EXPECT_EQ(a.totals, b.totals);
}

TEST(Block, GivesBackEveryEventWhole) {
  std::vector<Event> events = {sample(1, {{3, 1003}, {0, 7}}), sample(2, {{-2, 1001}, {4, 11}}),
                               sample(3, {{1, 1002}})};  // another shape
  events[1].present[0] = 0;
  events[1].values[0] = 0;
  events[1].totals[0] = 0;
  events[1].intervals_ns = {300'000'000};
  events[1].odd = {{5, proc::DeltaKind::wrap}};
  events[2].repeat = true;
  events.push_back(
      sample(std::numeric_limits<std::uint64_t>::max(),
             {{std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::uint64_t>::max()},
              {std::numeric_limits<std::int64_t>::max(), 0}}));

  const std::string message = encode_message(events);
  EXPECT_EQ(message, encode_message(events)) << "the same events, the same bytes";
  const auto back = decode_message(message);
  ASSERT_TRUE(back.ok()) << back.error().what;
  ASSERT_EQ(back->size(), events.size());
  for (std::size_t i = 0; i < events.size(); ++i) expect_same(events[i], (*back)[i]);
  EXPECT_EQ(find_number((*back)[0], "cpu", {"1"}, "busy_ratio"), 0.25);
  EXPECT_EQ(find_number((*back)[1], "cpu", {"0"}, "user"), std::nullopt) << "absent is not zero";
}

TEST(Block, SaysWhichShapesItNeeds) {
  const std::vector<Event> events = {sample(1, {{1, 1}, {2, 2}}), sample(2, {{1, 1}})};
  const auto shapes = block_shapes(encode_block(events));
  ASSERT_TRUE(shapes.ok());
  EXPECT_EQ(shapes->ids, (std::vector<std::uint64_t>{events[0].shape->id(), events[1].shape->id()}));
  EXPECT_FALSE(decode_block(encode_block(events), [](std::uint64_t) { return ShapePtr(); }).ok());
}

TEST(Block, TakesAnyDamageAsAnError) {
  const std::vector<Event> events = {sample(1, {{1, 1}, {2, 2}}), sample(2, {{5, 6}, {0, 2}})};
  const std::string message = encode_message(events);
  for (std::size_t cut = 0; cut < message.size(); ++cut)
    EXPECT_FALSE(decode_message(message.substr(0, cut)).ok()) << cut;
  std::mt19937 random(1);
  for (int n = 0; n < 3000; ++n) {
    std::string bad = message;
    bad[random() % bad.size()] = static_cast<char>(random());
    [[maybe_unused]] const auto any = decode_message(bad);  // no crash, no endless loop; sanitizers look on
  }
}

TEST(Shape, HasTheSameIdForTheSameContentOnly) {
  EXPECT_EQ(sample(1, {{1, 1}}).shape->id(), sample(2, {{9, 9}}).shape->id());
  EXPECT_NE(sample(1, {{1, 1}}).shape->id(), sample(1, {{1, 1}, {1, 1}}).shape->id());
  const ShapePtr shape = sample(1, {{1, 1}, {1, 1}}).shape;
  const auto back = Shape::parse(shape->bytes());
  ASSERT_TRUE(back.ok());
  EXPECT_EQ((*back)->id(), shape->id());
  EXPECT_EQ((*back)->tables()[0].measurement->fields[0].sql(), "user_ticks");
}

TEST(EventBuilder, LeavesOutWhatIsNoNumber) {
  EventBuilder builder(EventKind::api, std::make_shared<const Origin>(), 1);
  builder.row(cpu(), {"0"}).real("busy_ratio", std::nan("")).integer("user", 0);
  const Event event = builder.finish();
  EXPECT_EQ(find_number(event, "cpu", {"0"}, "busy_ratio"), std::nullopt);
  EXPECT_EQ(find_number(event, "cpu", {"0"}, "user"), 0.0);
}

}  // namespace
}  // namespace mikroscope::model
