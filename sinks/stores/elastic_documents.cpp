#include "sinks/stores/elastic_documents.h"

#include <fmt/format.h>

#include "sinks/stores/json_text.h"
#include "sinks/stores/row_identity.h"

namespace mikroscope::sinks {
namespace {

constexpr std::size_t kMaxId = 480;  // Elasticsearch takes 512 bytes

// Parts are joined by points, so a point within one is written in hexadecimal, and so is what is no ASCII.
std::string id_part(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || c == ':' || c == '/';
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

std::string document_id(const model::Event& event, const model::ShapeTable& table, std::size_t row) {
  const model::Measurement& m = *table.measurement;
  std::string id = fmt::format("{}.{}.{}", event_kind_name(event.kind),
                               id_part(event.origin ? event.origin->host : ""), event.wall_ns);
  if (event.seq != 0) id += fmt::format(".{}", event.seq);
  id += "." + id_part(m.name);
  for (std::size_t k = 0; k < m.keys.size(); ++k) {
    if (!m.keys[k].label) id += "." + id_part(table.rows[row].keys[k]);
  }
  for (const std::string_view name : identity_fields(m.name)) {
    const int field = m.field(name);
    if (field >= 0) id += fmt::format(".{}", event.values[table.slot(row, static_cast<std::size_t>(field))]);
  }
  if (id.size() <= kMaxId) return id;
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : id) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return id.substr(0, kMaxId) + fmt::format(".{:016x}", hash);
}

}  // namespace

std::string index_name(std::string_view pattern, std::int64_t wall_ns) {
  const UtcTime t = utc(wall_ns);
  std::string out;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char next = i + 1 < pattern.size() ? pattern[i + 1] : '\0';
    if (pattern[i] == '%' && (next == 'Y' || next == 'm' || next == 'd')) {
      out += next == 'Y'   ? fmt::format("{:04}", t.year)
             : next == 'm' ? fmt::format("{:02}", t.month)
                           : fmt::format("{:02}", t.day);
      ++i;
    } else {
      const char c = pattern[i];
      out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
  }
  return out;
}

void bulk_items(const model::Event& event, std::string_view index, std::vector<BulkItem>& out) {
  if (!event.shape) return;
  std::string action = "{\"create\":{\"_index\":";
  append_json_string(action, index_name(index, event.wall_ns));
  action += ",\"_id\":";
  std::string head = fmt::format("{{\"@timestamp\":\"{}\",\"host\":", rfc3339_ns(event.wall_ns));
  append_json_string(head, event.origin ? event.origin->host : "");
  head += fmt::format(",\"kind\":\"{}\"", event_kind_name(event.kind));
  if (event.seq != 0) head += fmt::format(",\"seq\":{}", event.seq);
  std::string cell;
  for (const model::ShapeTable& table : event.shape->tables()) {
    const model::Measurement& m = *table.measurement;
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      if (!row_stored(event, table, row)) continue;
      // Fields of a measurement are under its name: other measurements have fields of the same name and
      // another type, and an index has one type for each name.
      std::string body = "{";
      for (std::size_t k = 0; k < m.keys.size(); ++k) {
        const std::string& text = table.rows[row].keys[k];
        if (m.keys[k].label && text.empty()) continue;
        if (body.size() > 1) body += ',';
        append_json_string(body, m.keys[k].name);
        body += ':';
        append_json_key(body, m.keys[k], text);
      }
      bool any = false;
      for (std::uint32_t f = 0; f < table.columns(); ++f) {
        cell.clear();
        if (!append_json_cell(cell, event, m.fields[f], table.slot(row, f))) continue;
        if (body.size() > 1) body += ',';
        append_json_string(body, m.fields[f].name);
        body += ':' + cell;
        any = true;
      }
      if (!any) continue;
      BulkItem item{action};
      append_json_string(item.text, document_id(event, table, row));
      item.text += "}}\n" + head + ",\"measurement\":";
      append_json_string(item.text, m.name);
      item.text += ',';
      append_json_string(item.text, m.name);
      item.text += ':' + body + "}}\n";
      out.push_back(std::move(item));
    }
  }
}

std::string index_template(std::string_view pattern) {
  std::string wild(pattern.substr(0, pattern.find('%')));
  wild = index_name(wild, 0) + (pattern.find('%') == std::string_view::npos ? "" : "*");
  std::string out = "{\"index_patterns\":[";
  append_json_string(out, wild);
  out +=
      "],\"priority\":200,\"template\":{\"settings\":{\"index.mapping.total_fields.limit\":2000},"
      "\"mappings\":{\"properties\":{\"@timestamp\":{\"type\":\"date_nanos\"},"
      "\"host\":{\"type\":\"keyword\"},\"kind\":{\"type\":\"keyword\"},"
      "\"measurement\":{\"type\":\"keyword\"},\"seq\":{\"type\":\"long\"}},"
      "\"dynamic_templates\":["
      "{\"messages\":{\"match_mapping_type\":\"string\",\"match\":\"message\",\"mapping\":{\"type\":\"text\"}"
      "}},"
      "{\"texts\":{\"match_mapping_type\":\"string\",\"mapping\":{\"type\":\"keyword\",\"ignore_above\":1024}"
      "}},"
      "{\"reals\":{\"match_mapping_type\":\"double\",\"mapping\":{\"type\":\"double\"}}}]}}}";
  return out;
}

}  // namespace mikroscope::sinks
