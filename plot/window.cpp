#include "plot/window.h"

#include <fmt/format.h>

#include "base/host/duration.h"
#include "base/host/utc.h"
#include "base/text.h"
#include "plot/svg_text.h"

namespace mikroscope::plot {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kDay = 86'400 * kSecond;

std::string known_labels(const std::vector<Mark>& marks) {
  std::string out;
  std::size_t listed = 0;
  for (const Mark& m : marks) {
    if (m.label.empty()) continue;
    if (listed++ == 8) return out + ", \xE2\x80\xA6";
    out += (out.empty() ? "\"" : ", \"") + cut_cells(m.label, 40) + "\"";
  }
  return out;
}

}  // namespace

std::optional<std::int64_t> parse_offset(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const auto length = base::parse_duration(text);
  if (!length) return std::nullopt;
  return negative ? -*length : *length;
}

base::Result<std::int64_t> parse_instant(std::string_view raw, std::string_view flag,
                                         const InstantContext& context) {
  const std::string_view text = base::trim(raw);
  const std::string label = clean_text(text);
  if (context.marks != nullptr) {
    for (const Mark& m : *context.marks) {
      if (m.label == label) return m.axis_ns;
    }
  }
  if (text == "start") return context.start_ns;
  if (text == "end") return context.end_ns;
  for (const auto& [word, base_ns] : {std::pair<std::string_view, std::int64_t>{"end", context.end_ns},
                                      std::pair<std::string_view, std::int64_t>{"start", context.start_ns}}) {
    if (!text.starts_with(word)) continue;
    const std::string_view rest = text.substr(word.size());
    if (rest.starts_with('-') || rest.starts_with('+')) {
      if (const auto offset = parse_offset(rest)) return base_ns + *offset;
    }
  }
  if (const auto offset = parse_offset(text)) return context.t0_ns + *offset;
  if (context.timeline != nullptr) {
    if (const auto wall = base::parse_rfc3339(text)) return context.timeline->from_wall(*wall);
    std::int64_t of_day = 0;
    if (base::parse_time_of_day(text, of_day)) {
      // The first such time of day that is not before the recording (a minute of grace for rounded times).
      const std::int64_t first = context.timeline->to_wall(context.start_ns);
      std::int64_t instant = first - first % kDay + of_day;
      if (instant < first - 60 * kSecond) instant += kDay;
      return context.timeline->from_wall(instant);
    }
  }
  const std::string labels = context.marks != nullptr ? known_labels(*context.marks) : std::string();
  return base::Error{fmt::format("{} \"{}\" is neither a time nor the label of a marker", flag, label),
                     labels.empty() ? "give seconds (12.5, 1m30s, end-5s) or a UTC time; there are no markers"
                                    : "give seconds (12.5, 1m30s, end-5s), a UTC time, or one of " + labels,
                     base::Exit::usage};
}

}  // namespace mikroscope::plot
