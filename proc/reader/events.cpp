#include "proc/reader/events.h"

#include <nlohmann/json.hpp>

namespace mikroscope::proc {
namespace {

using Json = nlohmann::json;

// Members of the wrong type read as absent: these lines come from outside.
std::string text(const Json& object, const char* name) {
  const auto it = object.find(name);
  return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}
template <class T>
T number(const Json& object, const char* name, T fallback = 0) {
  const auto it = object.find(name);
  return it != object.end() && it->is_number() ? it->get<T>() : fallback;
}

Malformed bad(std::string why, std::uint64_t line) {
  return {std::move(why), line};
}

}  // namespace

Item parse_event(std::string_view json, std::uint64_t line) {
  const Json parsed = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_object() || parsed.empty()) return bad("not a JSON object", line);
  const std::string kind = parsed.begin().key();
  const Json& body = parsed.begin().value();
  if (parsed.size() != 1 || !body.is_object()) return OtherLine{kind, std::string(json)};
  if (kind == "gap") {
    const Gap gap{number<std::uint64_t>(body, "from"), number<std::uint64_t>(body, "to")};
    if (gap.from == 0 || gap.to < gap.from) return bad("gap without a range", line);
    return gap;
  }
  if (kind == "restart") {
    Restart restart{text(body, "instance"), text(body, "previous"), false};
    const auto reboot = body.find("reboot");
    restart.reboot = reboot != body.end() && reboot->is_boolean() && reboot->get<bool>();
    return restart;
  }
  if (kind == "trigger") {
    Trigger t;
    t.id = number<std::uint64_t>(body, "id");
    t.cause = text(body, "cause");
    t.field = text(body, "field");
    t.value = number<double>(body, "value");
    t.threshold = number<double>(body, "threshold");
    t.seq = number<std::uint64_t>(body, "seq");
    t.wall_ns = number<std::int64_t>(body, "wall_ns");
    return t;
  }
  if (kind == "log") {
    LogRecord r;
    r.level = number<int>(body, "level", 6);
    r.facility = number<int>(body, "facility");
    r.seq = number<std::uint64_t>(body, "record");
    r.boot_ns = number<std::int64_t>(body, "boot_ns");
    r.message = text(body, "message");
    r.interface = text(body, "interface");
    r.kind = text(body, "kind");
    return r;
  }
  if (kind == "bye") return Bye{text(body, "reason")};
  return OtherLine{kind, std::string(json)};
}

}  // namespace mikroscope::proc
