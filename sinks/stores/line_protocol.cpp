#include "sinks/stores/line_protocol.h"

#include <charconv>
#include <cmath>
#include <iterator>

#include "sinks/stores/families.h"

namespace mikroscope::sinks {
namespace {

using model::Event;
using model::Field;
using model::ShapeTable;
using model::Type;

constexpr std::size_t kMostShapes = 4096;  // of a fleet; beyond it they are made again

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

void put_integer(std::int64_t value, std::string& out) {
  char digits[24];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), value).ptr;
  out.append(digits, static_cast<std::size_t>(end - digits));
}

// Exactly value / 10^decimals, always with a point.
void put_decimal(std::int64_t value, std::uint8_t decimals, std::string& out) {
  char digits[24];
  const auto magnitude =
      value < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  const auto end = std::to_chars(std::begin(digits), std::end(digits), magnitude).ptr;
  const auto size = static_cast<std::size_t>(end - digits);
  if (value < 0) out.push_back('-');
  if (size > decimals) {
    out.append(digits, size - decimals);
  } else {
    out.push_back('0');
  }
  out.push_back('.');
  if (decimals == 0) {
    out.push_back('0');
    return;
  }
  if (size < decimals) out.append(decimals - size, '0');
  out.append(digits + (size > decimals ? size - decimals : 0), std::min<std::size_t>(size, decimals));
}

// RouterOS names have dashes, which queries would have to quote.
std::string field_key(const std::string& name) {
  std::string plain = name;
  for (char& c : plain) {
    const bool good = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (!good) c = '_';
  }
  return plain.empty() ? "_" : plain;
}

// The text of kernel log records: log stores take it, metric stores have the counts (kmsg).
bool for_logs_only(const model::Measurement& m) {
  return m.name == "event";
}

}  // namespace

void put_tag(std::string_view text, std::string& out) {
  const std::string valid = valid_text(text);
  for (const char c : valid) {
    if (c == ',' || c == '=' || c == ' ' || is_control(c)) out.push_back('\\');
    out.push_back(is_control(c) ? ' ' : c);
  }
  if (!valid.empty() && valid.back() == '\\') out.push_back('_');
}

void put_string_field(std::string_view text, std::string& out) {
  out.push_back('"');
  for (const char c : valid_text(text)) {
    if (c == '"' || c == '\\') out.push_back('\\');
    out.push_back(is_control(c) ? ' ' : c);
  }
  out.push_back('"');
}

bool put_float(double value, std::string& out) {
  if (!std::isfinite(value)) return false;
  char digits[40];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), value).ptr;
  const std::string_view text(digits, static_cast<std::size_t>(end - digits));
  out.append(text);
  if (text.find_first_of(".e") == std::string_view::npos) out.append(".0");
  return true;
}

struct LineProtocol::Rendered {
  struct Table {
    std::vector<std::string> heads;       // of each row: name, tags and a space
    std::vector<std::string> first_keys;  // of each field: `user=`
    std::vector<std::string> keys;        // `,user=`
    bool skip = false;
  };
  model::ShapePtr shape;  // holds it, so that its address and id stay its own
  std::vector<Table> tables;

  Rendered(const model::ShapePtr& of, const std::string& host) : shape(of) {
    for (const ShapeTable& table : shape->tables()) {
      Table& to = tables.emplace_back();
      to.skip = for_logs_only(*table.measurement);
      std::string start;
      put_tag(model::store_name(*table.measurement), start);
      if (!host.empty()) {
        start += ",host=";
        put_tag(host, start);
      }
      for (const model::Row& row : table.rows) {
        std::string head = start;
        for (std::size_t k = 0; k < row.keys.size(); ++k) {
          if (row.keys[k].empty()) continue;
          head += ',';
          put_tag(table.measurement->keys[k].name, head);
          head += '=';
          put_tag(row.keys[k], head);
        }
        head += ' ';
        to.heads.push_back(std::move(head));
      }
      for (const Field& field : table.measurement->fields) {
        to.first_keys.push_back(field_key(field.name) + "=");
        to.keys.push_back("," + to.first_keys.back());
      }
    }
  }
};

LineProtocol::LineProtocol() = default;
LineProtocol::~LineProtocol() = default;

LineProtocol::Rendered& LineProtocol::known(const Event& event) {
  const std::string& host = event.origin->host;
  if (last_ != nullptr && last_id_ == event.shape->id() && last_host_ == host) return *last_;
  if (shapes_.size() >= kMostShapes) shapes_.clear();
  std::unique_ptr<Rendered>& found = shapes_[{event.shape->id(), host}];
  if (!found) found = std::make_unique<Rendered>(event.shape, host);
  last_ = found.get();
  last_id_ = event.shape->id();
  last_host_ = host;
  return *last_;
}

void LineProtocol::render(const Event& event, std::string& out) {
  const Rendered& rendered = known(event);
  char time[24];
  const auto time_end = std::to_chars(std::begin(time), std::end(time), event.wall_ns).ptr;
  const std::string_view stamp(time, static_cast<std::size_t>(time_end - time));
  const std::vector<ShapeTable>& tables = event.shape->tables();
  for (std::size_t t = 0; t < tables.size(); ++t) {
    const ShapeTable& table = tables[t];
    const Rendered::Table& look = rendered.tables[t];
    if (look.skip) continue;
    const std::vector<Field>& fields = table.measurement->fields;
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      const std::uint32_t slot0 = table.slot(r, 0);
      const std::size_t begin = out.size();
      bool any = false;
      bool all_zero = true;
      for (std::uint32_t f = 0; f < fields.size(); ++f) {
        const std::uint32_t slot = slot0 + f;
        if (event.present[slot] == 0) continue;
        if (!any) out.append(look.heads[r]);
        const std::size_t before = out.size();
        out.append(any ? look.keys[f] : look.first_keys[f]);
        const std::int64_t value = event.values[slot];
        bool kept = true;
        switch (fields[f].type) {
          case Type::integer:
            put_integer(value, out);
            out.push_back('i');
            all_zero = all_zero && value == 0;
            break;
          case Type::decimal:
            put_decimal(value, fields[f].decimals, out);
            all_zero = all_zero && value == 0;
            break;
          case Type::real:
            kept = put_float(event.real(slot), out);
            all_zero = all_zero && kept && event.real(slot) == 0;
            break;
          case Type::boolean:
            out.append(value != 0 ? "true" : "false");
            all_zero = false;
            break;
          case Type::text:
            put_string_field(event.text(slot), out);
            all_zero = false;
            break;
        }
        if (!kept) {
          out.resize(before);
          if (!any) out.resize(begin);
          continue;
        }
        any = true;
      }
      if (!any || (table.measurement->sparse && all_zero)) {
        out.resize(begin);
        continue;
      }
      out.push_back(' ');
      out.append(stamp);
      out.push_back('\n');
    }
  }
}

}  // namespace mikroscope::sinks
