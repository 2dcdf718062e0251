#include "agent/json.h"

namespace mikroscope::agent {

[[gnu::noinline]] void Json::separate(Name name) {
  if (!first_) out_.put(',');
  first_ = false;
  if (name.text.empty()) return;
  out_.json_string(name.text);
  out_.put(':');
}

[[gnu::noinline]] void Json::open(char bracket, Name name) {
  separate(name);
  out_.put(bracket);
  first_ = true;
}

[[gnu::noinline]] void Json::close(char bracket) {
  out_.put(bracket);
  first_ = false;
}

[[gnu::noinline]] void Json::text(Name name, Name value) {
  separate(name);
  out_.json_string(value.text);
}

[[gnu::noinline]] void Json::number(Name name, std::uint64_t value) {
  separate(name);
  out_.u64(value);
}

[[gnu::noinline]] void Json::signed_number(Name name, std::int64_t value) {
  separate(name);
  out_.i64(value);
}

[[gnu::noinline]] void Json::fixed(Name name, std::int64_t value, int decimals) {
  separate(name);
  out_.fixed(value, decimals);
}

[[gnu::noinline]] void Json::boolean(Name name, bool value) {
  separate(name);
  out_.put(value ? std::string_view("true") : std::string_view("false"));
}

base::Writer& Json::value(Name name) {
  separate(name);
  return out_;
}

}  // namespace mikroscope::agent
