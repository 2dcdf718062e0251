#include "sinks/stores/loki_streams.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <vector>

#include "sinks/stores/json_text.h"
#include "sinks/stores/row_identity.h"

namespace mikroscope::sinks {
namespace {

constexpr std::array<std::string_view, 8> kLevels = {"emerg", "alert",  "crit", "err",
                                                     "warn",  "notice", "info", "debug"};

struct Level {
  std::string_view measurement, level;
};
constexpr Level kLevelOf[] = {
    {"gap", "warn"}, {"detection", "warn"}, {"restart", "warn"}, {"api_error", "err"}};

struct Entry {
  std::int64_t ns = 0;
  std::string line;
  std::vector<std::pair<std::string, std::string>> metadata;
};

std::string level_of(const model::Event& event, const model::ShapeTable& table, std::size_t row) {
  const model::Measurement& m = *table.measurement;
  const int field = m.log ? m.field("level") : -1;
  if (field >= 0 && m.fields[static_cast<std::size_t>(field)].type == model::Type::integer) {
    const std::uint32_t slot = table.slot(row, static_cast<std::size_t>(field));
    if (event.has(slot) && event.integer(slot) >= 0 && event.integer(slot) < 8)
      return std::string(kLevels[static_cast<std::size_t>(event.integer(slot))]);
  }
  for (const Level& level : kLevelOf) {
    if (level.measurement == m.name) return std::string(level.level);
  }
  return "info";
}

// What Loki allows: [a-zA-Z_][a-zA-Z0-9_]*.
std::string label_name(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    const bool digit = c >= '0' && c <= '9';
    if (digit && out.empty()) out += '_';
    out += letter || digit ? c : '_';
  }
  return out;
}

Entry entry(const model::Event& event, const model::ShapeTable& table, std::size_t row) {
  const model::Measurement& m = *table.measurement;
  Entry out;
  std::string rest;
  const auto pair = [&](const std::string& name, std::string value) {
    value = valid_utf8(value);
    rest += (rest.empty() ? "" : " ") + name + '=' + logfmt_value(value);
    if (!value.empty()) out.metadata.emplace_back(label_name(name), std::move(value));
  };
  for (std::size_t k = 0; k < m.keys.size(); ++k) {
    const std::string& key = table.rows[row].keys[k];
    if (!key.empty()) pair(m.keys[k].name, key);
  }
  for (std::uint32_t f = 0; f < table.columns(); ++f) {
    const model::Field& field = m.fields[f];
    const std::uint32_t slot = table.slot(row, f);
    if (!event.has(slot)) continue;
    if (field.type == model::Type::text) {
      if (m.log && field.name == "message")
        out.line = valid_utf8(event.text(slot));
      else if (!event.text(slot).empty())
        pair(field.name, std::string(event.text(slot)));
      continue;
    }
    std::string value;
    if (append_json_cell(value, event, field, slot)) pair(field.name, std::move(value));
  }
  if (event.seq != 0 && m.field("seq") < 0) pair("seq", std::to_string(event.seq));
  if (!out.line.empty() && !rest.empty()) out.line += ' ';
  out.line += rest;
  return out;
}

}  // namespace

std::string logfmt_value(std::string_view value) {
  bool quoted = value.empty();
  for (const char c : value)
    quoted =
        quoted || static_cast<unsigned char>(c) <= 0x20 || c == '"' || c == '=' || c == '\\' || c == 0x7F;
  if (!quoted) return std::string(value);
  std::string out;
  append_json_string(out, value);
  return out;
}

std::string loki_push(std::span<const model::Event> events, bool metrics) {
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<Entry>> streams;
  for (const model::Event& event : events) {
    if (event.repeat || !event.shape) continue;
    std::int64_t index = 0;
    for (const model::ShapeTable& table : event.shape->tables()) {
      const model::Measurement& m = *table.measurement;
      if (!m.log && !metrics) continue;
      for (std::size_t row = 0; row < table.rows.size(); ++row) {
        if (!row_stored(event, table, row)) continue;
        Entry one = entry(event, table, row);
        one.ns = event.wall_ns + index++;
        streams[{valid_utf8(event.origin ? event.origin->host : ""), m.name == "event" ? "kmsg" : m.name,
                 level_of(event, table, row)}]
            .push_back(std::move(one));
      }
    }
  }
  if (streams.empty()) return {};
  std::string out = "{\"streams\":[";
  for (auto& [labels, entries] : streams) {
    std::stable_sort(entries.begin(), entries.end(),
                     [](const Entry& a, const Entry& b) { return a.ns < b.ns; });
    if (out.back() != '[') out += ',';
    const auto& [host, source, level] = labels;
    out += "{\"stream\":{\"host\":";
    append_json_string(out, host);
    out += ",\"source\":";
    append_json_string(out, source);
    out += ",\"level\":";
    append_json_string(out, level);
    out += "},\"values\":[";
    for (const Entry& one : entries) {
      if (out.back() != '[') out += ',';
      out += "[\"" + std::to_string(one.ns) + "\",";
      append_json_string(out, one.line);
      out += ",{";
      for (const auto& [name, value] : one.metadata) {
        if (out.back() != '{') out += ',';
        append_json_string(out, name);
        out += ':';
        append_json_string(out, value);
      }
      out += "}]";
    }
    out += "]}";
  }
  return out + "]}";
}

}  // namespace mikroscope::sinks
