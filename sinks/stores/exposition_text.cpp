#include "sinks/stores/exposition_text.h"

#include <cmath>
#include <cstdlib>

#include "base/text.h"

namespace mikroscope::sinks {
namespace {

std::string escaped(std::string_view text, bool quotes) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\\\";
    else if (c == '\n')
      out += "\\n";
    else if (c == '"' && quotes)
      out += "\\\"";
    else
      out.push_back(c);
  }
  return out;
}

// "0.5" in thousandths; what is no number counts as nothing.
int quality(std::string_view text) {
  int whole = 0, parts = 0, digits = 0;
  bool point = false;
  for (const char c : text) {
    if (c == '.' && !point) {
      point = true;
    } else if (c >= '0' && c <= '9') {
      if (!point)
        whole = c - '0';
      else if (digits++ < 3)
        parts = parts * 10 + (c - '0');
    } else {
      return 0;
    }
  }
  for (; digits < 3; ++digits) parts *= 10;
  return whole * 1000 + parts;
}

// Prometheus 3 writes whole bounds with a decimal: so do we, and a query means the same for both formats.
std::string bound_text(double bound) {
  std::string text = to_text(Number::of(bound));
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string_view without_total(std::string_view name) {
  constexpr std::string_view kTotal = "_total";
  return name.size() > kTotal.size() && name.substr(name.size() - kTotal.size()) == kTotal
             ? name.substr(0, name.size() - kTotal.size())
             : name;
}

}  // namespace

TextFormat format_for(std::string_view accept) {
  int open = -1, text = -1;
  while (!accept.empty()) {
    const std::size_t comma = accept.find(',');
    std::string_view item = accept.substr(0, comma);
    accept.remove_prefix(comma == std::string_view::npos ? accept.size() : comma + 1);
    std::string_view type;
    int q = 1000;
    bool version = true;
    for (bool first = true; !item.empty(); first = false) {
      const std::size_t semicolon = item.find(';');
      const std::string_view part = base::trim(item.substr(0, semicolon));
      item.remove_prefix(semicolon == std::string_view::npos ? item.size() : semicolon + 1);
      if (first)
        type = part;
      else if (part.substr(0, 2) == "q=")
        q = quality(part.substr(2));
      else if (part.substr(0, 8) == "version=")
        version = part.substr(8) == "1.0.0";
    }
    if (type == "application/openmetrics-text" && version) open = std::max(open, q);
    if (type == "text/plain" || type == "text/*" || type == "*/*") text = std::max(text, q);
  }
  return open > 0 && open >= text ? TextFormat::openmetrics : TextFormat::prometheus;
}

std::string_view content_type(TextFormat format) {
  return format == TextFormat::openmetrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                                           : "text/plain; version=0.0.4; charset=utf-8";
}

std::string label_text(const Labels& labels) {
  if (labels.empty()) return {};
  std::string out = "{";
  for (const auto& [name, value] : labels) {
    if (out.size() > 1) out += ',';
    out += name + "=\"" + escaped(value, true) + '"';
  }
  return out + '}';
}

void TextFamilies::add(const std::string& family, Type type, std::string_view help, std::string_view labels,
                       Number value) {
  std::string name = family;
  auto [at, added] = families_.try_emplace(name);
  if (!added && at->second.type != type) {
    name = type == Type::counter ? std::string(without_total(family)) + "_counter_total" : family + "_gauge";
    std::tie(at, added) = families_.try_emplace(name);
  }
  Family& to = at->second;
  if (added) {
    to.type = type;
    to.help = help;
  }
  to.lines.append(name).append(labels).append(" ").append(to_text(value)).append("\n");
}

void TextFamilies::add_histogram(const std::string& family, std::string_view help, const Labels& labels,
                                 const std::vector<double>& bounds, const std::vector<std::uint64_t>& counts,
                                 double sum) {
  Family& to = families_[family];
  to.type = Type::histogram;
  to.help = help;
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    all += counts[i];
    Labels with = labels;
    with.emplace_back("le", i < bounds.size() ? bound_text(bounds[i]) : "+Inf");
    to.lines += family + "_bucket" + label_text(with) + ' ' + std::to_string(all) + '\n';
  }
  const std::string text = label_text(labels);
  to.lines += family + "_sum" + text + ' ' + to_text(Number::of(sum)) + '\n';
  to.lines += family + "_count" + text + ' ' + std::to_string(all) + '\n';
}

std::string TextFamilies::render(TextFormat format) const {
  const bool open = format == TextFormat::openmetrics;
  std::string out;
  for (const auto& [name, family] : families_) {
    std::string shown = name;
    std::string_view type = family.type == Type::counter     ? "counter"
                            : family.type == Type::histogram ? "histogram"
                                                             : "gauge";
    if (open && family.type == Type::counter) {
      shown = without_total(name);
      // Where a gauge has the counter's name without _total, the counter cannot have it as well.
      if (families_.find(shown) != families_.end()) {
        shown = name;
        type = "unknown";
      }
    }
    out += "# HELP " + shown + ' ' + escaped(family.help, open) + '\n';
    out += "# TYPE " + shown + ' ';
    out.append(type).append("\n").append(family.lines);
  }
  if (open) out += "# EOF\n";
  return out;
}

}  // namespace mikroscope::sinks
