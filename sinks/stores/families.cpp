#include "sinks/stores/families.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>

#include "base/text.h"
#include "sinks/stores/families_rules.h"

namespace mikroscope::sinks {
namespace {

using model::Field;
using model::Measurement;
using model::Type;
using proc::Unit;

std::vector<std::string_view> split(std::string_view list, char by) {
  std::vector<std::string_view> parts;
  while (!list.empty()) {
    const std::size_t at = list.find(by);
    parts.push_back(list.substr(0, at));
    list.remove_prefix(at == std::string_view::npos ? list.size() : at + 1);
  }
  return parts;
}

bool letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

std::string name_text(std::string_view text, char other) {
  std::string out;
  for (const char c : text) out.push_back(letter(c) || (c >= '0' && c <= '9') ? c : other);
  if (out.empty() || !(letter(out.front()) || other == '.')) out.insert(0, 1, '_');
  return out;
}

// `host` is the consumers', le and quantile are of histograms and summaries, two underscores are reserved.
std::string label_name(std::string_view text, Naming naming) {
  std::string name = naming == Naming::prometheus ? name_text(text, '_') : valid_text(text);
  if (name == "host" || name == "le" || name == "quantile") return "exported_" + name;
  if (name.compare(0, 2, "__") == 0) return "key" + name;
  return name;
}

struct Base {
  std::string_view suffix;  // of field names
  std::string_view name;    // of the base unit
  std::int64_t times = 1, over = 1;
  std::string_view ucum;
};
Base base_of(Unit unit) {
  switch (unit) {
    case Unit::nanoseconds:
      return {"ns", "seconds", 1, 1'000'000'000, "ns"};
    case Unit::microseconds:
      return {"us", "seconds", 1, 1'000'000, "us"};
    case Unit::seconds:
      return {"s", "seconds", 1, 1, "s"};
    case Unit::bytes:
      return {"bytes", "bytes", 1, 1, "By"};
    case Unit::kilobytes:
      return {"kb", "bytes", 1024, 1, "KiBy"};
    case Unit::kilohertz:
      return {"khz", "hertz", 1000, 1, "kHz"};
    case Unit::celsius:
      return {"celsius", "celsius", 1, 1, "Cel"};
    case Unit::ticks:
      return {"", "", 1, 1, "{tick}"};
    case Unit::pages:
      return {"", "", 1, 1, "{page}"};
    case Unit::sectors:
      return {"", "", 1, 1, "{sector}"};
    case Unit::packets:
      return {"", "", 1, 1, "{packet}"};
    case Unit::events:
      return {"", "", 1, 1, "{event}"};
    case Unit::blocks:
      return {"", "", 1, 1, "{block}"};
    case Unit::none:
    case Unit::ratio:
      break;
  }
  return {"", "", 1, 1, "1"};
}

std::string in_base_unit(const std::string& field, const Base& base) {
  if (base.name.empty()) return field;
  if (field == base.suffix || field == base.name) return std::string(base.name);
  // bytes_up, queued_bytes_down: the unit is in it.
  if (("_" + field).find("_" + std::string(base.name) + "_") != std::string::npos) return field;
  const std::string suffix = "_" + std::string(base.suffix);
  std::string stem = field;
  if (stem.size() > suffix.size() && stem.compare(stem.size() - suffix.size(), suffix.size(), suffix) == 0)
    stem.resize(stem.size() - suffix.size());
  return stem + "_" + std::string(base.name);
}

From from_of(const Field& field) {
  switch (field.kind) {
    case model::Kind::delta:
      return From::total;
    case model::Kind::running:
      return From::running;
    case model::Kind::level:
      break;
  }
  return From::level;
}

bool in_list(std::string_view list, std::string_view name) {
  const auto parts = split(list, ',');
  return list == "*" || std::find(parts.begin(), parts.end(), name) != parts.end();
}

class Maker {
 public:
  Maker(const Measurement& m, Naming naming) : m_(m), naming_(naming), taken_(m.fields.size(), false) {}

  std::vector<Metric> make() {
    bool info = false, rows = false;
    for (const FamilyRule& rule : family_rules()) {
      if (rule.measurement != m_.name) continue;
      const std::string_view name = prom() ? rule.prom : rule.otlp;
      if (name.empty()) continue;
      rows = rows || rule.fields == "*rows";
      info = info || rule.fields == "*info";
      apply(rule, name);
    }
    if (m_.log) {  // its rows are in the logs; here it is how many there were
      if (!rows) add_rows();
      return std::move(made_);
    }
    bool texts = false;
    for (std::size_t f = 0; f < m_.fields.size(); ++f) {
      if (m_.fields[f].type == Type::text) {
        texts = true;
      } else if (!taken_[f]) {
        Metric metric = start(f, from_of(m_.fields[f]), !prom());
        metric.name =
            full_name(prom() ? m_.name + "_" + in_base_unit(m_.fields[f].name, base_of(m_.fields[f].unit))
                             : m_.name + "." + m_.fields[f].name,
                      metric.counter());
        add_keys(metric, "*");
        made_.push_back(std::move(metric));
      }
    }
    if (texts && !info) add_info(m_.name + (prom() ? "_info" : ".info"));
    return std::move(made_);
  }

 private:
  bool prom() const { return naming_ == Naming::prometheus; }

  std::string full_name(std::string_view name, bool counter) const {
    if (!prom()) return "mikroscope." + name_text(name, '.');
    std::string full = "mikroscope_" + name_text(name, '_');
    const bool has = full.size() > 6 && full.compare(full.size() - 6, 6, "_total") == 0;
    return counter && !has ? full + "_total" : full;
  }

  Metric start(std::size_t f, From from, bool as_read) const {
    const Field& field = m_.fields[f];
    const Base base = base_of(field.unit);
    Metric metric;
    metric.help = field.help.empty() ? m_.help : field.help;
    metric.unit = base.ucum;
    metric.from = from;
    metric.field = f;
    if (!as_read) {
      metric.times = base.times;
      metric.over = base.over;
    }
    if (field.type == Type::decimal) {
      for (int i = 0; i < field.decimals; ++i) metric.over *= 10;
    }
    return metric;
  }

  void add_label(std::vector<std::pair<std::string, std::size_t>>& to, Metric& metric,
                 const std::string& name, std::size_t index) const {
    std::string label = label_name(name, naming_);
    const auto same = [&](const auto& other) { return other.first == label; };
    while (std::any_of(metric.labels.begin(), metric.labels.end(), same) ||
           std::any_of(metric.keys.begin(), metric.keys.end(), same) ||
           std::any_of(metric.texts.begin(), metric.texts.end(), same))
      label += "_";
    to.emplace_back(label, index);
  }
  void add_keys(Metric& metric, std::string_view list) const {
    metric.named = list != "*" && !list.empty();
    for (std::size_t k = 0; k < m_.keys.size(); ++k) {
      if (in_list(list, m_.keys[k].name)) add_label(metric.keys, metric, m_.keys[k].name, k);
    }
  }

  void add_rows() {
    Metric metric;
    metric.name = full_name(m_.name + (prom() ? "_records" : ".records"), true);
    metric.help = m_.help;
    metric.unit = "{record}";
    metric.from = From::rows;
    for (std::size_t k = 0; k < m_.keys.size(); ++k) {
      if (m_.keys[k].text && !m_.keys[k].label) add_label(metric.keys, metric, m_.keys[k].name, k);
    }
    made_.push_back(std::move(metric));
  }

  void add_info(std::string_view name) {
    Metric metric;
    metric.name = full_name(name, false);
    metric.help = m_.help;
    metric.unit = "1";
    metric.from = From::info;
    add_keys(metric, "*");
    for (std::size_t f = 0; f < m_.fields.size(); ++f) {
      if (m_.fields[f].type == Type::text) add_label(metric.texts, metric, m_.fields[f].name, f);
    }
    made_.push_back(std::move(metric));
  }

  void apply(const FamilyRule& rule, std::string_view name) {
    const bool none = name == "-";
    if (rule.as == FamilyRule::As::info) {
      if (!none) add_info(name);
      return;
    }
    if (rule.fields == "*rows") {
      if (none) return;
      Metric metric;
      metric.name = full_name(name, true);
      metric.help = m_.help;
      metric.unit = rule.otlp_unit;
      metric.from = From::rows;
      add_keys(metric, rule.keys);
      made_.push_back(std::move(metric));
      return;
    }
    const std::vector<std::string_view> labels = split(prom() ? rule.prom_labels : rule.otlp_labels, ',');
    int kind = -1;  // of the first field: a family is counters or gauges
    std::vector<bool> now(m_.fields.size(), false);
    for (const std::string_view item : split(rule.fields, ',')) {
      const std::size_t equals = item.find('=');
      const std::string_view wanted = item.substr(0, equals);
      const bool any = wanted == "*", prefix = !any && wanted.back() == '*';
      for (std::size_t f = 0; f < m_.fields.size(); ++f) {
        const std::string_view field = m_.fields[f].name;
        const std::string_view stem = wanted.substr(0, wanted.size() - 1);
        if (m_.fields[f].type == Type::text) continue;
        if (any ? taken_[f] : prefix ? field.substr(0, stem.size()) != stem : field != wanted) continue;
        From from = from_of(m_.fields[f]);
        if (rule.as == FamilyRule::As::running && from == From::level) from = From::running;
        if (rule.as == FamilyRule::As::sum) from = From::sum;
        const int this_kind = from == From::level ? 0 : 1;
        if (kind >= 0 && kind != this_kind) continue;
        kind = this_kind;
        now[f] = true;
        if (none) continue;
        Metric metric = start(f, from, !prom() || rule.as_read);
        if (!rule.otlp_unit.empty()) {
          // Milliseconds of a field that holds seconds with three decimals are its cell.
          if (!prom() && rule.otlp_unit == "ms" && m_.fields[f].decimals == 3) metric.over = 1;
          metric.unit = rule.otlp_unit;
        }
        metric.name = full_name(name, metric.counter());
        std::string_view value = equals != std::string_view::npos ? item.substr(equals + 1)
                                 : prefix                         ? field.substr(stem.size())
                                                                  : field;
        const std::vector<std::string_view> values =
            labels.size() > 1 ? split(value, '/') : std::vector<std::string_view>{value};
        for (std::size_t i = 0; i < labels.size() && i < values.size(); ++i)
          metric.labels.emplace_back(labels[i], valid_text(values[i]));
        if (!labels.empty()) metric.help = m_.help;  // one help for the family
        add_keys(metric, rule.keys);
        made_.push_back(std::move(metric));
      }
    }
    for (std::size_t f = 0; f < now.size(); ++f) taken_[f] = taken_[f] || now[f];
  }

  const Measurement& m_;
  Naming naming_;
  std::vector<bool> taken_;
  std::vector<Metric> made_;
};

// A whole total beyond 2^63 is a double: nearly right rather than capped.
Number scaled(std::uint64_t total, const Metric& metric) {
  if (metric.over == 1) {
    std::uint64_t product = 0;
    if (!__builtin_mul_overflow(total, static_cast<std::uint64_t>(metric.times), &product) &&
        product <= static_cast<std::uint64_t>(INT64_MAX))
      return Number::of(static_cast<std::int64_t>(product));
  }
  return Number::of(static_cast<double>(total) * static_cast<double>(metric.times) /
                    static_cast<double>(metric.over));
}

}  // namespace

std::vector<Metric> metrics_of(const Measurement& measurement, Naming naming) {
  return Maker(measurement, naming).make();
}

Number operator+(Number a, Number b) {
  if (a.whole && b.whole) {
    std::int64_t sum = 0;
    if (!__builtin_add_overflow(a.integer, b.integer, &sum)) return Number::of(sum);
  }
  return Number::of(a.as_double() + b.as_double());
}

bool operator<(Number a, Number b) {
  return a.whole && b.whole ? a.integer < b.integer : a.as_double() < b.as_double();
}

std::string to_text(Number n) {
  std::array<char, 32> buffer{};
  const auto end = n.whole ? std::to_chars(buffer.data(), buffer.data() + buffer.size(), n.integer)
                           : std::to_chars(buffer.data(), buffer.data() + buffer.size(), n.real);
  return {buffer.data(), end.ptr};
}

std::optional<Reading> read(const model::Event& event, const Metric& metric, const model::ShapeTable& table,
                            std::size_t row, bool differences) {
  if (metric.named && !metric.keys.empty() && table.rows[row].keys[metric.keys.front().second].empty())
    return std::nullopt;
  if (metric.from == From::rows) {
    if (event.repeat) return std::nullopt;
    const std::uint32_t first = table.slot(row, 0);
    for (std::uint32_t c = 0; c < table.columns(); ++c) {
      if (event.has(first + c)) return Reading{Number::of(std::int64_t{1}), true, {}};
    }
    return std::nullopt;
  }
  if (metric.from == From::info) {
    // Its texts, or what describes the row, must be told.
    const auto& keys = table.measurement->keys;
    bool told = std::any_of(metric.texts.begin(), metric.texts.end(),
                            [&](const auto& text) { return event.has(table.slot(row, text.second)); });
    if (!told && std::any_of(keys.begin(), keys.end(), [](const model::Key& key) { return key.label; })) {
      for (std::uint32_t c = 0; c < table.columns(); ++c) told = told || event.has(table.slot(row, c));
    }
    if (!told) return std::nullopt;
    return Reading{Number::of(std::int64_t{1}), false, {}};
  }
  const std::uint32_t slot = table.slot(row, metric.field);
  if (!event.has(slot)) return std::nullopt;
  const Field& field = table.measurement->fields[metric.field];
  if (metric.from == From::sum && event.repeat) return std::nullopt;
  if (field.type == Type::text) return std::nullopt;
  if (metric.from == From::total && !differences && !event.totals.empty())
    return Reading{scaled(event.totals[slot], metric), false, {}};
  Number value;
  if (field.type == Type::real) {
    const double real = event.real(slot);
    if (!std::isfinite(real)) return std::nullopt;
    value = Number::of(real * static_cast<double>(metric.times) / static_cast<double>(metric.over));
    if (!std::isfinite(value.real)) return std::nullopt;
  } else {
    std::int64_t product = 0;
    if (metric.over == 1 && !__builtin_mul_overflow(event.integer(slot), metric.times, &product))
      value = Number::of(product);
    else
      value = Number::of(static_cast<double>(event.integer(slot)) * static_cast<double>(metric.times) /
                         static_cast<double>(metric.over));
  }
  return Reading{value, metric.from == From::total || metric.from == From::sum, {}};
}

Labels labels_of(const model::Event& event, const Metric& metric, const model::ShapeTable& table,
                 std::size_t row, std::string_view host_label) {
  Labels labels;
  labels.emplace_back(host_label, valid_text(event.origin ? event.origin->host : std::string()));
  for (const auto& label : metric.labels) labels.push_back(label);
  for (const auto& [name, key] : metric.keys)
    labels.emplace_back(name, valid_text(table.rows[row].keys[key]));
  for (const auto& [name, field] : metric.texts) {
    const std::uint32_t slot = table.slot(row, field);
    if (event.has(slot)) labels.emplace_back(name, valid_text(event.text(slot)));
  }
  labels.erase(std::remove_if(labels.begin(), labels.end(), [](const auto& l) { return l.second.empty(); }),
               labels.end());
  std::sort(labels.begin(), labels.end());
  return labels;
}

std::string valid_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const int length = text.front() == '\0' ? 0 : base::utf8_length(text);
    if (length == 0) {
      out += "\xEF\xBF\xBD";
      text.remove_prefix(1);
    } else {
      out += text.substr(0, static_cast<std::size_t>(length));
      text.remove_prefix(static_cast<std::size_t>(length));
    }
  }
  return out;
}

}  // namespace mikroscope::sinks
