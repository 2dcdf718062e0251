#include "sinks/stores/line_protocol.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "sinks/stores/families.h"

namespace mikroscope::sinks {
namespace {

using model::Event;
using model::Field;
using model::ShapeTable;
using model::Type;

constexpr std::size_t kMostShapes = 1024;  // beyond it they are made again
constexpr std::size_t kChunk = 32;         // field names are copied in pieces of so many bytes
constexpr std::size_t kNumber = 40;        // no number is longer

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

// May write kChunk bytes more than the text has, and reads as many.
char* copy_padded(char* to, const char* from, std::size_t size) {
  std::memcpy(to, from, kChunk);
  if (size > kChunk) std::memcpy(to + kChunk, from + kChunk, size - kChunk);
  return to + size;
}

char* copy(char* to, std::string_view text) {
  std::memcpy(to, text.data(), text.size());
  return to + text.size();
}

char* put_integer(std::int64_t value, char* at) {
  if (value >= 0 && value < 10) {  // most counters stand still for a tenth of a second
    *at = static_cast<char>('0' + value);
    return at + 1;
  }
  return std::to_chars(at, at + kNumber, value).ptr;
}

// Exactly value / 10^decimals, always with a point.
char* put_decimal(std::int64_t value, std::size_t decimals, char* at) {
  char digits[24];
  const auto magnitude =
      value < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  const auto size =
      static_cast<std::size_t>(std::to_chars(digits, digits + sizeof digits, magnitude).ptr - digits);
  if (value < 0) *at++ = '-';
  const std::size_t whole = size > decimals ? size - decimals : 0;
  if (whole == 0) *at++ = '0';
  at = copy(at, {digits, whole});
  *at++ = '.';
  if (decimals == 0) {
    *at++ = '0';
    return at;
  }
  for (std::size_t zeros = size < decimals ? decimals - size : 0; zeros > 0; --zeros) *at++ = '0';
  return copy(at, {digits + whole, size - whole});
}

// Finite; the shortest text that reads back the same.
char* put_real(double value, char* at) {
  char* const end = std::to_chars(at, at + kNumber, value).ptr;
  if (std::find_if(at, end, [](char c) { return c == '.' || c == 'e'; }) != end) return end;
  return copy(end, ".0");
}

}  // namespace

bool for_logs_only(const model::Measurement& measurement) {
  return measurement.name == "event";
}

std::string plain_name(std::string_view name) {
  std::string plain(name);
  for (char& c : plain) {
    const bool good = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (!good) c = '_';
  }
  return plain.empty() ? "_" : plain;
}

void put_tag(std::string_view text, std::string& out) {
  bool backslash = false;
  for (const char c : valid_text(text)) {
    const bool blank = c == ' ' || is_control(c);
    if (blank || c == ',' || c == '=') {
      if (backslash) out.push_back('_');
      out.push_back('\\');
    }
    out.push_back(blank ? ' ' : c);
    backslash = c == '\\';
  }
  if (backslash) out.push_back('_');
}

void put_string_field(std::string_view text, std::string& out) {
  out.push_back('"');
  for (const char c : valid_text(text)) {
    if (c == '"' || c == '\\') out.push_back('\\');
    out.push_back(is_control(c) ? ' ' : c);
  }
  out.push_back('"');
}

std::uint64_t count_lines(std::string_view lines) {
  return static_cast<std::uint64_t>(std::count(lines.begin(), lines.end(), '\n'));
}

struct LineProtocol::Rendered {
  struct Name {
    std::uint32_t at = 0;  // in `names`
    std::uint32_t size = 0;
  };
  struct Table {
    std::string head;                // mikroscope_cpu
    std::vector<std::string> tails;  // of each row: ",cpu=0 "
    std::string names;               // ",user=,nice=" and room to read beyond
    std::vector<Name> fields;
    std::size_t longest_tail = 0;
    bool skip = false;
  };
  model::ShapePtr shape;  // holds it, so that its address stays its own
  std::vector<Table> tables;

  explicit Rendered(model::ShapePtr of) : shape(std::move(of)) {
    for (const ShapeTable& table : shape->tables()) {
      Table& to = tables.emplace_back();
      to.skip = for_logs_only(*table.measurement);
      to.head = plain_name(model::store_name(*table.measurement));
      for (const model::Row& row : table.rows) {
        std::string tail;
        for (std::size_t k = 0; k < row.keys.size() && k < table.measurement->keys.size(); ++k) {
          if (row.keys[k].empty()) continue;
          tail += "," + plain_name(table.measurement->keys[k].name) + "=";
          put_tag(row.keys[k], tail);
        }
        tail += ' ';
        to.longest_tail = std::max(to.longest_tail, tail.size());
        to.tails.push_back(std::move(tail));
      }
      for (const Field& field : table.measurement->fields) {
        const std::string name = "," + plain_name(field.name) + "=";
        to.fields.push_back(
            {static_cast<std::uint32_t>(to.names.size()), static_cast<std::uint32_t>(name.size())});
        to.names += name;
      }
      to.names.append(kChunk, ' ');
    }
  }
  // Bytes that a row takes at most, but for its texts.
  std::size_t most(const Table& table, std::size_t host) const {
    return table.head.size() + host + table.longest_tail + table.names.size() +
           table.fields.size() * (kNumber + 1) + kNumber + kChunk;
  }
};

LineProtocol::LineProtocol() = default;
LineProtocol::~LineProtocol() = default;
LineProtocol::LineProtocol(LineProtocol&&) noexcept = default;
LineProtocol& LineProtocol::operator=(LineProtocol&&) noexcept = default;

LineProtocol::Rendered& LineProtocol::known(const model::ShapePtr& shape) {
  if (last_ != nullptr && last_->shape == shape) return *last_;
  const auto found = shapes_.find(shape->id());
  if (found != shapes_.end()) return *(last_ = found->second.get());
  if (shapes_.size() >= kMostShapes) shapes_.clear();
  auto made = std::make_unique<Rendered>(shape);
  last_ = made.get();
  shapes_[shape->id()] = std::move(made);
  return *last_;
}

// Makes sure that so many bytes may be written from `at` on. Everything written so far stays.
char* LineProtocol::room(char* at, std::size_t bytes) {
  const auto used = static_cast<std::size_t>(at - buffer_.data());
  if (buffer_.size() - used < bytes) buffer_.resize(std::max(buffer_.size() * 2, used + bytes));
  return buffer_.data() + used;
}

// nullptr: nothing that could be stored.
char* LineProtocol::put_cell(const Event& event, const Field& field, std::uint32_t slot, char* at,
                             bool& nonzero) {
  const std::int64_t value = event.values[slot];
  switch (field.type) {
    case Type::integer:
      nonzero |= value != 0;
      at = put_integer(value, at);
      *at = 'i';
      return at + 1;
    case Type::decimal:
      nonzero |= value != 0;
      return put_decimal(value, std::min<std::size_t>(field.decimals, 18), at);
    case Type::real: {
      const double real = event.real(slot);
      if (!std::isfinite(real)) return nullptr;
      nonzero |= real != 0;
      return put_real(real, at);
    }
    case Type::boolean:
      nonzero = true;
      return copy(at, value != 0 ? "true" : "false");
    case Type::text: {
      nonzero = true;
      std::string text;
      put_string_field(event.text(slot), text);
      return copy(room(at, text.size() + kChunk), text);
    }
  }
  return nullptr;
}

void LineProtocol::render(const Event& event, std::string& out) {
  const Rendered& rendered = known(event.shape);
  const std::string& host = event.origin->host;
  if (host_tag_.empty() || last_host_ != host) {
    last_host_ = host;
    host_tag_.clear();
    if (!host.empty()) {
      host_tag_ = ",host=";
      put_tag(host, host_tag_);
    }
  }
  char stamp[kNumber];
  stamp[0] = ' ';
  char* stamp_end = std::to_chars(stamp + 1, stamp + sizeof stamp, event.wall_ns).ptr;
  *stamp_end++ = '\n';
  const std::string_view end_of_line(stamp, static_cast<std::size_t>(stamp_end - stamp));

  if (buffer_.empty()) buffer_.resize(std::size_t{16} << 10);
  char* at = buffer_.data();
  const std::vector<ShapeTable>& tables = event.shape->tables();
  for (std::size_t t = 0; t < tables.size(); ++t) {
    const ShapeTable& table = tables[t];
    const Rendered::Table& look = rendered.tables[t];
    if (look.skip) continue;
    const std::vector<Field>& fields = table.measurement->fields;
    const std::size_t most = rendered.most(look, host_tag_.size());
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      at = room(at, most);
      const auto begin = at - buffer_.data();
      at = copy(at, look.head);
      at = copy(at, host_tag_);
      at = copy(at, look.tails[r]);
      const std::uint32_t slot0 = table.slot(r, 0);
      bool any = false;
      bool nonzero = false;
      for (std::uint32_t f = 0; f < fields.size(); ++f) {
        if (event.present[slot0 + f] == 0) continue;
        const Rendered::Name name = look.fields[f];
        const auto before = at - buffer_.data();
        const std::uint32_t comma = any ? 0 : 1;
        at = copy_padded(at, look.names.data() + name.at + comma, name.size - comma);
        if (fields[f].type == Type::integer) {  // nearly all of them
          const std::int64_t value = event.values[slot0 + f];
          nonzero |= value != 0;
          at = put_integer(value, at);
          *at++ = 'i';
          any = true;
          continue;
        }
        if (fields[f].type == Type::text) at = room(at, most);  // its own bytes come on top
        char* const after = put_cell(event, fields[f], slot0 + f, at, nonzero);
        if (after == nullptr) {
          at = buffer_.data() + before;
          continue;
        }
        at = fields[f].type == Type::text ? room(after, most) : after;
        any = true;
      }
      if (!any || (table.measurement->sparse && !nonzero)) {
        at = buffer_.data() + begin;
        continue;
      }
      at = copy(at, end_of_line);
    }
  }
  out.append(buffer_.data(), static_cast<std::size_t>(at - buffer_.data()));
}

void render_line_protocol(const Event& event, std::string& out) {
  LineProtocol().render(event, out);
}

}  // namespace mikroscope::sinks
