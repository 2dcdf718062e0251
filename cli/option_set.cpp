#include "cli/option_set.h"

#include <fmt/format.h>

#include "base/host/duration.h"
#include "base/text.h"

namespace mikroscope::cli {

void OptionSet::flag(const OptionSpec& spec, bool& out) {
  add(spec, [&out](const std::string& text, Origin) -> base::Result<void> {
    if (text == "1" || text == "true" || text == "yes" || text == "on" || text.empty()) {
      out = true;
    } else if (text == "0" || text == "false" || text == "no" || text == "off") {
      out = false;
    } else {
      return base::Error{fmt::format("\"{}\" is neither yes nor no", text), "give 1 or 0", base::Exit::usage};
    }
    return {};
  });
}

void OptionSet::text(const OptionSpec& spec, std::string& out, Origin* from) {
  add(spec, [&out, from](const std::string& text, Origin origin) -> base::Result<void> {
    out = text;
    if (from != nullptr) *from = origin;
    return {};
  });
}

void OptionSet::texts(OptionSpec spec, std::vector<std::string>& out, Origin* from) {
  spec.many = true;
  add(spec, [&out, from](const std::string& text, Origin origin) -> base::Result<void> {
    out.push_back(text);
    if (from != nullptr) *from = origin;
    return {};
  });
}

void OptionSet::integer(const OptionSpec& spec, std::optional<std::int64_t>& out, std::int64_t low,
                        std::int64_t high, Origin* from) {
  add(spec, [&out, low, high, from](const std::string& text, Origin origin) -> base::Result<void> {
    std::int64_t value = 0;
    if (!base::parse_i64(text, value) || value < low || value > high) {
      return base::Error{fmt::format("\"{}\" is no whole number from {} to {}", text, low, high), "",
                         base::Exit::usage};
    }
    out = value;
    if (from != nullptr) *from = origin;
    return {};
  });
}

void OptionSet::duration(const OptionSpec& spec, std::optional<std::int64_t>& out_ns) {
  add(spec, [&out_ns](const std::string& text, Origin) -> base::Result<void> {
    const base::Result<std::int64_t> ns = base::parse_duration(text);
    if (!ns.ok()) return ns.error();
    out_ns = *ns;
    return {};
  });
}

}  // namespace mikroscope::cli
