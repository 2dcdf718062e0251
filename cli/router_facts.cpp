#include "cli/router_facts.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/host/utc.h"
#include "base/text.h"
#include "routeros/session/value.h"

namespace mikroscope::cli {
namespace {

using routeros::Row;

constexpr std::int64_t kSecond = base::kNsPerSecond;
constexpr std::int64_t kDay = 86'400 * kSecond;
// The log is read a moment after the clock was.
constexpr std::int64_t kSlackNs = 60 * kSecond;

// The row of a settings menu; an empty one where the router refuses it.
base::Result<Row> settings(routeros::Session& session, const std::string& menu,
                           std::vector<std::string> proplist) {
  const routeros::Answer<std::vector<Row>> rows = session.print({menu, std::move(proplist), {}});
  if (!rows.ok()) {
    if (routeros::device_error(rows.error()) != nullptr) return Row();
    return routeros::to_error(rows.error(), session.router());
  }
  return rows->empty() ? Row() : rows->front();
}

struct Date {
  std::optional<std::int64_t> year;
  int month = 0;
  int day = 0;
};

std::optional<int> number(std::string_view text, int low, int high) {
  std::uint64_t value = 0;
  if (text.empty() || text.size() > 4 || text.find_first_not_of("0123456789") != std::string_view::npos ||
      !base::parse_u64(text, value)) {
    return std::nullopt;
  }
  const int out = static_cast<int>(value);
  return out >= low && out <= high ? std::optional(out) : std::nullopt;
}

std::optional<int> month_of(std::string_view text) {
  constexpr std::string_view kMonths = "janfebmaraprmayjunjulaugsepoctnovdec";
  if (text.size() != 3) return number(text, 1, 12);
  std::string low(text);
  for (char& c : low) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  const std::size_t at = kMonths.find(low);
  if (at == std::string_view::npos || at % 3 != 0) return std::nullopt;
  return static_cast<int>(at / 3) + 1;
}

// sep/12/2026, sep/12, 2026-09-12, 09-12
std::optional<Date> parse_date(std::string_view text) {
  std::vector<std::string_view> parts;
  const char separator = text.find('/') != std::string_view::npos ? '/' : '-';
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  if (parts.size() != 2 && parts.size() != 3) return std::nullopt;
  std::string_view year;
  const bool has_year = parts.size() == 3;
  if (has_year) {
    year = separator == '/' ? parts[2] : parts[0];
    if (separator == '-') parts.erase(parts.begin());
  }
  Date out;
  const std::optional<int> month = month_of(parts[0]);
  const std::optional<int> day = number(parts[1], 1, 31);
  if (!month || !day) return std::nullopt;
  out.month = *month;
  out.day = *day;
  if (!has_year) return out;
  const std::optional<int> y = number(year, 1970, 2200);
  if (!y) return std::nullopt;
  out.year = *y;
  return out;
}

std::int64_t year_of(std::int64_t ns) {
  std::int64_t year = 1970 + ns / (365 * kDay + kDay / 4);
  while (base::days_from_civil(year + 1, 1, 1) * kDay <= ns) ++year;
  while (base::days_from_civil(year, 1, 1) * kDay > ns) --year;
  return year;
}

}  // namespace

nlohmann::ordered_json RouterFacts::json() const {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  const auto text = [&](const char* name, const std::string& value) {
    if (!value.empty()) out[name] = value;
  };
  text("identity", identity);
  text("board", board);
  text("version", version);
  text("architecture", architecture);
  if (uptime_ns) out["uptime_s"] = *uptime_ns / kSecond;
  text("zone", zone);
  if (gmt_offset_s) out["gmt_offset_s"] = *gmt_offset_s;
  return out;
}

base::Result<RouterFacts> read_router_facts(routeros::Session& session, routeros::CodePage code_page) {
  RouterFacts out;
  const base::Result<Row> resource =
      settings(session, "/system/resource", {"board-name", "version", "architecture-name", "uptime"});
  if (!resource.ok()) return resource.error();
  out.board = routeros::printable(resource->text("board-name"), code_page);
  out.version = routeros::printable(resource->text("version"), code_page);
  out.architecture = routeros::printable(resource->text("architecture-name"), code_page);
  out.uptime_ns = routeros::parse_time(resource->text("uptime"));
  const base::Result<Row> identity = settings(session, "/system/identity", {"name"});
  if (!identity.ok()) return identity.error();
  out.identity = routeros::printable(identity->text("name"), code_page);
  const base::Result<Row> clock =
      settings(session, "/system/clock", {"date", "time", "time-zone-name", "gmt-offset"});
  if (!clock.ok()) return clock.error();
  out.zone = routeros::printable(clock->text("time-zone-name"), code_page);
  out.gmt_offset_s = parse_gmt_offset(clock->text("gmt-offset"));
  const std::string stamp = fmt::format("{} {}", clock->text("date"), clock->text("time"));
  const std::optional<std::int64_t> local = parse_router_time(stamp, 0);
  if (local && out.gmt_offset_s) out.wall_ns = *local - *out.gmt_offset_s * kSecond;
  return out;
}

std::optional<std::int64_t> parse_gmt_offset(std::string_view text) {
  std::string_view rest = base::trim(text);
  if (rest.empty()) return std::nullopt;
  std::int64_t sign = 1;
  if (rest.front() == '+' || rest.front() == '-') {
    sign = rest.front() == '-' ? -1 : 1;
    rest.remove_prefix(1);
  }
  if (rest.find(':') == std::string_view::npos) {
    const std::optional<std::int64_t> ns = routeros::parse_time(rest);
    return ns ? std::optional(sign * *ns / kSecond) : std::nullopt;
  }
  std::int64_t factor = 3600;
  std::int64_t total = 0;
  for (std::size_t begin = 0; begin <= rest.size() && factor != 0;
       factor = factor == 3600 ? 60 : factor / 60) {
    const std::size_t end = std::min(rest.find(':', begin), rest.size());
    const std::optional<int> part = number(rest.substr(begin, end - begin), 0, 59);
    if (!part) return std::nullopt;
    total += *part * factor;
    begin = end + 1;
  }
  return sign * total;
}

std::optional<std::int64_t> parse_router_time(std::string_view text, std::int64_t now_ns) {
  const std::string_view word = base::trim(text);
  const std::size_t blank = word.find(' ');
  const std::string_view time = blank == std::string_view::npos ? word : base::trim(word.substr(blank + 1));
  std::int64_t of_day = 0;
  if (!base::parse_time_of_day(time, of_day)) return std::nullopt;
  if (blank == std::string_view::npos) {
    std::int64_t at = now_ns - now_ns % kDay + of_day;
    if (at > now_ns + kSlackNs) at -= kDay;
    return at;
  }
  const std::optional<Date> date = parse_date(word.substr(0, blank));
  if (!date) return std::nullopt;
  const std::int64_t year = date->year.value_or(year_of(now_ns));
  std::int64_t at = base::days_from_civil(year, date->month, date->day) * kDay + of_day;
  if (!date->year && at > now_ns + kSlackNs)
    at = base::days_from_civil(year - 1, date->month, date->day) * kDay + of_day;
  return at;
}

}  // namespace mikroscope::cli
