// Requests of a Session as one line of the router's console each. console_reply.h reads what comes back.
//
// One line, since a line break ends a command and the life of its variables. Names are checked and values
// quoted octet by octet, so that nothing of a value is ever interpreted.
#pragma once

#include <string>
#include <string_view>

#include "routeros/session/session.h"
#include "routeros/session/version.h"

namespace mikroscope::routeros {

// From here on the console has :serialize, without which rows cannot be read exactly.
inline constexpr Version kFirstSerialize{7, 13};

class ConsoleRequests {
 public:
  // `version`: of the router; decides how JSON is asked for.
  explicit ConsoleRequests(const Version& version);

  // Every row of a list with its id.
  Answer<std::string> list(const Print& print, std::string_view nonce) const;
  // The one row of a settings menu.
  Answer<std::string> settings(const Print& print, std::string_view nonce) const;
  // The id comes as the value of OK.
  static Answer<std::string> add(const std::string& menu, const Attributes& attributes,
                                 std::string_view nonce);
  static Answer<std::string> set(const std::string& menu, const std::string& id, const Attributes& attributes,
                                 std::string_view nonce);
  static Answer<std::string> remove(const std::string& menu, const std::string& id, std::string_view nonce);
  Answer<std::string> call(const Call& call, std::string_view nonce) const;
  // The version as the value of OK; works in every version.
  static std::string version(std::string_view nonce);

 private:
  std::string as_json(std::string_view value) const;

  std::string_view json_options_;
};

// A condition on a flag. The console would compare yes with a text and find nothing: it is left to the
// client.
bool is_flag_condition(const Where& where);

}  // namespace mikroscope::routeros
