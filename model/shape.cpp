#include "model/shape.h"

#include "model/bytes.h"

namespace mikroscope::model {
namespace {

constexpr std::uint8_t kFormat = 1;
constexpr std::size_t kMaxSlots = 1U << 20;

enum FieldFlags : std::uint8_t { kDerived = 1, kHasSql = 2 };
enum KeyFlags : std::uint8_t { kText = 1, kLabel = 2 };
enum TableFlags : std::uint8_t { kLog = 1, kSparse = 2, kLong = 4 };

void write_measurement(const Measurement& m, ByteWriter& out) {
  out.text(m.name);
  out.text(m.help);
  out.text(m.wire_table);
  out.byte(
      static_cast<std::uint8_t>((m.log ? kLog : 0) | (m.sparse ? kSparse : 0) | (m.long_form ? kLong : 0)));
  if (m.long_form) {
    for (const std::string* text :
         {&m.long_form->measurement, &m.long_form->key, &m.long_form->value, &m.long_form->prefix})
      out.text(*text);
  }
  out.number(m.keys.size());
  for (const Key& key : m.keys) {
    out.byte(static_cast<std::uint8_t>((key.text ? kText : 0) | (key.label ? kLabel : 0)));
    out.text(key.name);
    out.text(key.help);
  }
  out.number(m.fields.size());
  for (const Field& field : m.fields) {
    out.byte(
        static_cast<std::uint8_t>((field.derived ? kDerived : 0) | (field.sql_name.empty() ? 0 : kHasSql)));
    out.byte(static_cast<std::uint8_t>(field.kind));
    out.byte(static_cast<std::uint8_t>(field.type));
    out.byte(static_cast<std::uint8_t>(field.unit));
    out.byte(field.decimals);
    out.text(field.name);
    out.text(field.help);
    if (!field.sql_name.empty()) out.text(field.sql_name);
  }
}

Measurement read_measurement(ByteReader& in) {
  Measurement m;
  m.name = in.text();
  m.help = in.text();
  m.wire_table = in.text();
  const std::uint8_t flags = in.byte();
  m.log = (flags & kLog) != 0;
  m.sparse = (flags & kSparse) != 0;
  if ((flags & kLong) != 0) {
    LongForm form;
    for (std::string* text : {&form.measurement, &form.key, &form.value, &form.prefix}) *text = in.text();
    m.long_form = std::move(form);
  }
  m.keys.resize(in.count(3));
  for (Key& key : m.keys) {
    const std::uint8_t key_flags = in.byte();
    key.text = (key_flags & kText) != 0;
    key.label = (key_flags & kLabel) != 0;
    key.name = in.text();
    key.help = in.text();
  }
  m.fields.resize(in.count(7));
  for (Field& field : m.fields) {
    const std::uint8_t field_flags = in.byte();
    field.derived = (field_flags & kDerived) != 0;
    const std::uint8_t kind = in.byte();
    const std::uint8_t type = in.byte();
    const std::uint8_t unit = in.byte();
    field.decimals = in.byte();
    if (kind > static_cast<std::uint8_t>(Kind::level) || type > static_cast<std::uint8_t>(Type::text) ||
        unit > static_cast<std::uint8_t>(proc::Unit::ratio) || field.decimals > 18) {
      in.fail();
    }
    field.kind = static_cast<Kind>(kind);
    field.type = static_cast<Type>(type);
    field.unit = static_cast<proc::Unit>(unit);
    field.name = in.text();
    field.help = in.text();
    if ((field_flags & kHasSql) != 0) field.sql_name = in.text();
    if (in.failed()) break;
  }
  return m;
}

}  // namespace

Shape::Shape(std::vector<ShapeTable> tables) : tables_(std::move(tables)) {
  ByteWriter out(bytes_);
  out.byte(kFormat);
  out.number(tables_.size());
  for (ShapeTable& table : tables_) {
    table.slot0 = slots_;
    slots_ += static_cast<std::uint32_t>(table.rows.size()) * table.columns();
    write_measurement(*table.measurement, out);
    out.number(table.rows.size());
    for (const Row& row : table.rows) {
      for (const std::string& key : row.keys) out.text(key);
    }
  }
  id_ = fnv1a(bytes_);
}

const ShapeTable* Shape::find(std::string_view measurement) const {
  for (const ShapeTable& table : tables_) {
    if (table.measurement->name == measurement) return &table;
  }
  return nullptr;
}

base::Result<std::shared_ptr<const Shape>> Shape::parse(std::string_view bytes) {
  const base::Error damaged{"damaged description of rows and columns", "", base::Exit::failed};
  ByteReader in(bytes);
  if (in.byte() != kFormat) return damaged;
  std::vector<ShapeTable> tables(in.count(4));
  std::size_t slots = 0;
  for (ShapeTable& table : tables) {
    Measurement m = read_measurement(in);
    const std::size_t keys = m.keys.size();
    const std::size_t rows = keys == 0 ? static_cast<std::size_t>(in.number()) : in.count(keys);
    // A table without keys has one row at most: nothing could tell two apart.
    if (in.failed() || (keys == 0 && rows > 1)) return damaged;
    slots += rows * m.fields.size();
    if (slots > kMaxSlots) return damaged;
    table.rows.resize(rows);
    for (Row& row : table.rows) {
      row.keys.resize(keys);
      for (std::string& key : row.keys) key = in.text();
    }
    if (in.failed()) return damaged;
    table.measurement = std::make_shared<const Measurement>(std::move(m));
  }
  if (in.failed() || !in.at_end()) return damaged;
  return std::make_shared<const Shape>(std::move(tables));
}

}  // namespace mikroscope::model
