#include "sinks/pipeline/loss.h"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "model/event_builder.h"

namespace mikroscope::sinks {
namespace {

model::Field number(std::string name, std::string help, std::string sql = {}) {
  return {std::move(name), model::Kind::level, model::Type::integer, proc::Unit::none, 0,
          false,           std::move(help),    std::move(sql)};
}

}  // namespace

const model::MeasurementPtr& gap_measurement() {
  static const model::MeasurementPtr m = std::make_shared<const model::Measurement>(
      model::Measurement{"gap",
                         {{"reason", true, false,
                           "ring: the agent held them no longer; spool: the collector had no room until the "
                           "store took them; damaged: "
                           "the spool's file was"}},
                         {number("from", "first lost sample", "seq_from"),
                          number("to", "last lost sample", "seq_to"),
                          number("count", "samples lost"),
                          {"message",
                           model::Kind::level,
                           model::Type::text,
                           proc::Unit::none,
                           0,
                           false,
                           "the same in words",
                           {}}},
                         "samples that are lost",
                         true});
  return m;
}

model::Event gap_event(const model::OriginPtr& origin, std::uint64_t from, std::uint64_t to,
                       std::string_view reason, std::int64_t wall_ns) {
  model::EventBuilder builder(model::EventKind::gap, origin, wall_ns);
  builder.row(gap_measurement(), {std::string(reason)})
      .integer("from", static_cast<std::int64_t>(from))
      .integer("to", static_cast<std::int64_t>(to))
      .integer("count", static_cast<std::int64_t>(to - from + 1))
      .text("message", fmt::format("{} samples are lost, {} to {} ({})", to - from + 1, from, to, reason));
  return builder.finish();
}

std::optional<std::pair<std::uint64_t, std::uint64_t>> gap_range(const model::Event& event) {
  const model::ShapeTable* const table = event.shape->find("gap");
  if (table == nullptr || table->rows.empty()) return std::nullopt;
  const int from = table->measurement->field("from");
  const int to = table->measurement->field("to");
  if (from < 0 || to < 0) return std::nullopt;
  const std::uint32_t a = table->slot(0, static_cast<std::size_t>(from));
  const std::uint32_t b = table->slot(0, static_cast<std::size_t>(to));
  if (!event.has(a) || !event.has(b)) return std::nullopt;
  return std::pair(static_cast<std::uint64_t>(event.integer(a)),
                   static_cast<std::uint64_t>(event.integer(b)));
}

}  // namespace mikroscope::sinks
