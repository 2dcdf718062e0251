#include "sinks/stores/line_protocol.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/sinks/support/sample_events.h"

namespace mikroscope::sinks {
namespace {

using model::Kind;
using model::Type;
using proc::Unit;

std::string rendered(const model::Event& event) {
  std::string out;
  LineProtocol lines;
  lines.render(event, out);
  std::string again;
  lines.render(event, again);
  EXPECT_EQ(out, again);  // with what it knows now
  return out;
}

std::string tag(const std::string& text) {
  std::string out;
  put_tag(text, out);
  return out;
}
std::string field(const std::string& text) {
  std::string out;
  put_string_field(text, out);
  return out;
}

model::OriginPtr host(const std::string& name) {
  return std::make_shared<const model::Origin>(model::Origin{name, "one", "boot"});
}

// One row of one measurement with one field.
model::Event one_cell(const model::Field& f, std::int64_t value, bool sparse = false) {
  model::Measurement m{"m", {}, {f}, "one cell"};
  m.sparse = sparse;
  model::Event event;
  event.origin = host("r");
  event.wall_ns = 7;
  event.shape = std::make_shared<const model::Shape>(
      std::vector<model::ShapeTable>{{test::shared(std::move(m)), {model::Row{}}, 0}});
  event.values = {value};
  event.present = {1};
  return event;
}
std::string value_of(const model::Field& f, std::int64_t value) {
  const std::string line = rendered(one_cell(f, value));
  const std::string head = "mikroscope_m,host=r f=";
  EXPECT_EQ(line.substr(0, head.size()), head);
  return line.size() < head.size() ? line : line.substr(head.size());
}

TEST(LineProtocol, IsHostThenKeysThenFieldsInTheirOrder) {
  EXPECT_EQ(rendered(test::cpu_sample("router", 0, {3, 7, 0, 0, 0.3, false}, "1")),
            "mikroscope_cpu,host=router,cpu=1 user=3i,idle=7i,busy_ratio=0.3 1789000000000000000\n");
}

TEST(LineProtocol, NamesOfRouterOsNeedNoQuotes) {
  EXPECT_EQ(rendered(test::api_event("router", "my NAS")),
            "mikroscope_api_iface,host=router,interface=ether1,label=my\\ NAS rx_bps=8960000i,tx_bps=120000i "
            "1789000000000000000\n"
            "mikroscope_api_ifcounters,host=router,interface=ether1,label=my\\ NAS "
            "driver_rx_byte=29700000000i,tx_rx_1024_max=0i 1789000000000000000\n");
}

TEST(LineProtocol, EmptyTagsAreLeftOut) {
  EXPECT_EQ(rendered(test::cpu_sample("", 0, {1, 2, 0, 0, 0.5, false}, "")),
            "mikroscope_cpu user=1i,idle=2i,busy_ratio=0.5 1789000000000000000\n");
}

TEST(LineProtocol, TagsHoldWhatWouldEndThem) {
  EXPECT_EQ(tag("a=b c,d"), R"(a\=b\ c\,d)");
  EXPECT_EQ(tag("a\nb"), "a\\ b");
  EXPECT_EQ(tag("C:\\"), "C:\\_");
  EXPECT_EQ(tag(R"(a\,b)"), R"(a\_\,b)");
  EXPECT_EQ(tag(R"(a\b)"), R"(a\b)");
  EXPECT_EQ(tag("\"q\""), "\"q\"");
  EXPECT_EQ(tag("\xF0\x9F\x98\x80"), "\xF0\x9F\x98\x80");
  EXPECT_EQ(tag("\xE4"), "\xEF\xBF\xBD");
  EXPECT_EQ(tag(std::string("a\0b", 3)),
            "a\xEF\xBF\xBD"
            "b");
}

TEST(LineProtocol, TextsEscapeQuotesAndBackslashesOnly) {
  EXPECT_EQ(field("C:\\"), R"("C:\\")");
  EXPECT_EQ(field("say \"a=b, c\""), R"("say \"a=b, c\"")");
  EXPECT_EQ(field("a\nb\tc"), "\"a b c\"");
  EXPECT_EQ(field(""), "\"\"");
  EXPECT_EQ(field("\xE4"), "\"\xEF\xBF\xBD\"");
}

TEST(LineProtocol, ATypeNeverFlips) {
  const model::Field integer{"f", Kind::level, Type::integer, Unit::none, 0, false, "", {}};
  EXPECT_EQ(value_of(integer, 0), "0i 7\n");
  EXPECT_EQ(value_of(integer, 9), "9i 7\n");
  EXPECT_EQ(value_of(integer, 10), "10i 7\n");
  EXPECT_EQ(value_of(integer, -1), "-1i 7\n");
  EXPECT_EQ(value_of(integer, std::numeric_limits<std::int64_t>::max()), "9223372036854775807i 7\n");
  EXPECT_EQ(value_of(integer, std::numeric_limits<std::int64_t>::min()), "-9223372036854775808i 7\n");

  const model::Field decimal{"f", Kind::level, Type::decimal, Unit::none, 3, false, "", {}};
  EXPECT_EQ(value_of(decimal, 51234), "51.234 7\n");
  EXPECT_EQ(value_of(decimal, 105000), "105.000 7\n");
  EXPECT_EQ(value_of(decimal, 5), "0.005 7\n");
  EXPECT_EQ(value_of(decimal, 0), "0.000 7\n");
  EXPECT_EQ(value_of(decimal, -1500), "-1.500 7\n");
  EXPECT_EQ(value_of(decimal, std::numeric_limits<std::int64_t>::min()), "-9223372036854775.808 7\n");

  const model::Field real{"f", Kind::level, Type::real, Unit::none, 0, false, "", {}};
  const auto bits = [](double v) { return std::bit_cast<std::int64_t>(v); };
  EXPECT_EQ(value_of(real, bits(537)), "537.0 7\n");
  EXPECT_EQ(value_of(real, bits(0)), "0.0 7\n");
  EXPECT_EQ(value_of(real, bits(0.1)), "0.1 7\n");
  EXPECT_EQ(value_of(real, bits(1e300)), "1e+300 7\n");

  const model::Field boolean{"f", Kind::level, Type::boolean, Unit::none, 0, false, "", {}};
  EXPECT_EQ(value_of(boolean, 1), "true 7\n");
  EXPECT_EQ(value_of(boolean, 0), "false 7\n");
}

TEST(LineProtocol, WhatIsNotFiniteOrAbsentLeavesNoTrace) {
  const model::Field real{"f", Kind::level, Type::real, Unit::none, 0, false, "", {}};
  EXPECT_EQ(rendered(one_cell(real, std::bit_cast<std::int64_t>(std::numeric_limits<double>::quiet_NaN()))),
            "");
  EXPECT_EQ(rendered(one_cell(real, std::bit_cast<std::int64_t>(std::numeric_limits<double>::infinity()))),
            "");
  model::Event absent = one_cell(real, 0);
  absent.present = {0};
  EXPECT_EQ(rendered(absent), "");

  // The first field goes, the second is not preceded by a comma.
  model::EventBuilder builder(model::EventKind::sample, host("r"), 7);
  builder.row(test::novel(), {"x"}).real("share", 0.5).boolean("on", false);
  model::Event event = builder.finish();
  const model::ShapeTable& table = *event.shape->find("novel");
  event.values[table.slot(0, static_cast<std::size_t>(table.measurement->field("share")))] =
      std::bit_cast<std::int64_t>(std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(rendered(event), "mikroscope_novel,host=r,name=x on=false 7\n");
}

TEST(LineProtocol, RowsOfZerosAreLeftOutWhereTheySayNothing) {
  const model::Field integer{"f", Kind::level, Type::integer, Unit::none, 0, false, "", {}};
  EXPECT_EQ(rendered(one_cell(integer, 0, true)), "");
  EXPECT_EQ(rendered(one_cell(integer, 1, true)), "mikroscope_m,host=r f=1i 7\n");
}

TEST(LineProtocol, TextsOfTheKernelLogAreForLogStores) {
  const auto log = [](const std::string& name) {
    model::Measurement m{name, {}, {{"message", Kind::level, Type::text, Unit::none, 0, false, "", {}}}, ""};
    m.log = true;
    model::EventBuilder builder(model::EventKind::log, host("r"), 7);
    builder.row(test::shared(std::move(m))).text("message", "eth1: link up");
    return rendered(builder.finish());
  };
  EXPECT_EQ(log("event"), "");
  EXPECT_EQ(log("gap"), "mikroscope_gap,host=r message=\"eth1: link up\" 7\n");
}

TEST(LineProtocol, LongNamesAndTextsAreWhole) {
  const std::string name(100, 'n');
  const std::string text(100'000, 't');
  model::Measurement m{"m",
                       {{"k", true, false, ""}},
                       {{name, Kind::level, Type::text, Unit::none, 0, false, "", {}},
                        {"after", Kind::level, Type::integer, Unit::none, 0, false, "", {}}},
                       ""};
  model::EventBuilder builder(model::EventKind::sample, host("r"), 7);
  builder.row(test::shared(std::move(m)), {name}).text(name, text).integer("after", 123456);
  EXPECT_EQ(rendered(builder.finish()),
            "mikroscope_m,host=r,k=" + name + " " + name + "=\"" + text + "\",after=123456i 7\n");
}

TEST(LineProtocol, HostsOfOneShapeDoNotMix) {
  const model::Event one = test::cpu_sample("one", 0, {1, 2, 0, 0, 0.5, false});
  model::Event two = one;
  two.origin = host("two");
  LineProtocol lines;
  std::string out;
  for (const model::Event* event : {&one, static_cast<const model::Event*>(&two), &one})
    lines.render(*event, out);
  EXPECT_EQ(out,
            "mikroscope_cpu,host=one,cpu=0 user=1i,idle=2i,busy_ratio=0.5 1789000000000000000\n"
            "mikroscope_cpu,host=two,cpu=0 user=1i,idle=2i,busy_ratio=0.5 1789000000000000000\n"
            "mikroscope_cpu,host=one,cpu=0 user=1i,idle=2i,busy_ratio=0.5 1789000000000000000\n");
}

// Every measurement of the kernel tier with every hostile name: as many lines as rows, and no line that a
// control character or an unescaped blank tears apart.
TEST(LineProtocol, EveryRowIsOneLineWhateverItIsCalled) {
  for (const std::string& name : test::hostile_names()) {
    const model::Event event = test::full_event(name, name, 7);
    std::uint64_t rows = 0;
    for (const model::ShapeTable& table : event.shape->tables())
      rows += table.measurement->name == "event" ? 0 : table.rows.size();
    const std::string out = rendered(event);
    EXPECT_EQ(count_lines(out), rows);
    EXPECT_EQ(out.find('\0'), std::string::npos);
  }
}

}  // namespace
}  // namespace mikroscope::sinks
