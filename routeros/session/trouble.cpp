#include "routeros/session/trouble.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "routeros/session/text.h"

namespace mikroscope::routeros {
namespace {

// RouterOS words, over the API and at the console, in lower case.
constexpr std::string_view kNoCommand[] = {"no such command", "bad command name", "syntax error",
                                           "expected command name"};
constexpr std::string_view kNoItem[] = {"no such item"};
constexpr std::string_view kNoPolicy[] = {"not enough permissions"};
constexpr std::string_view kExists[] = {"already have", "already exists"};
constexpr std::string_view kNoParameter[] = {"unknown parameter", "bad parameter", "expected end of command",
                                             "does not match any value of value-name"};

struct Remedy {
  std::string_view words;
  std::string_view fix;
};
// The first that fits. A message without a line here speaks for itself.
constexpr Remedy kRemedies[] = {
    {"not allowed by device-mode",
     "allow it on the router with `/system/device-mode/update` (for containers: `container=yes`) and confirm "
     "at the device within "
     "five minutes as it asks"},
    {"configuration flagged",
     "the router suspects foreign changes: check its configuration, then "
     "`/system/device-mode/update flagged=no`"},
    {"update canceled",
     "confirm the device-mode change at the device (button or power) before its time runs out"},
    {"unknown parameter",
     "this RouterOS version does not know that attribute: report it with the version, or upgrade RouterOS"},
    {"bad parameter",
     "this RouterOS version does not know that attribute: report it with the version, or upgrade RouterOS"},
    {"no such command",
     "this RouterOS version lacks the menu or its package is missing: `/system/package/print` on the router"},
    {"bad command name",
     "this RouterOS version lacks the menu or its package is missing: `/system/package/print` on the router"},
    {"not enough space", "free some space on the router, or name another disk with --disk"},
    {"disk full", "free some space on the router, or name another disk with --disk"},
    {"no such item", "somebody else may have removed it meanwhile: run the same command again"},
    {"already have", "an object of that name is there already: see it with `print` on the router"},
    {"already exists", "an object of that name is there already: see it with `print` on the router"},
};

// The policy that a request needs, by what it does.
std::string_view policy_of(std::string_view doing) {
  const auto in = [doing](std::string_view text) { return doing.find(text) != std::string_view::npos; };
  if (in("SFTP") || in("upload")) return "ftp";
  if (in("/tool/")) return "test";
  if (in("/print") || in("/get") || in("/find")) return doing.starts_with("/user") ? "policy" : "read";
  return doing.starts_with("/user") ? "policy" : "write";
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return out;
}

template <std::size_t N>
bool says(const std::string& message, const std::string_view (&words)[N]) {
  const std::string text = lower(message);
  return std::any_of(std::begin(words), std::end(words),
                     [&text](std::string_view w) { return text.find(w) != std::string::npos; });
}

}  // namespace

bool DeviceError::no_such_command() const {
  return says(message, kNoCommand);
}
bool DeviceError::no_such_item() const {
  return says(message, kNoItem);
}
bool DeviceError::not_permitted() const {
  return says(message, kNoPolicy);
}
bool DeviceError::already_exists() const {
  return says(message, kExists);
}
bool DeviceError::unknown_parameter() const {
  return says(message, kNoParameter);
}

const DeviceError* device_error(const Trouble& trouble) {
  return std::get_if<DeviceError>(&trouble);
}

base::Error to_error(const Trouble& trouble, std::string_view router) {
  if (const auto* lost = std::get_if<LostConnection>(&trouble))
    return {fmt::format("{}: {}", router, lost->what), lost->fix, lost->exit};
  const auto& device = std::get<DeviceError>(trouble);
  const std::string message = lower(device.message);
  const std::string what = fmt::format("{}: {}: {}", router, device.doing, printable(device.message));
  if (device.not_permitted()) {
    return {
        what,
        fmt::format("the account's group lacks the policy {}: add it in `/user/group` on the router, or use "
                    "another account",
                    policy_of(device.doing)),
        base::Exit::auth};
  }
  const auto remedy = std::find_if(std::begin(kRemedies), std::end(kRemedies), [&message](const Remedy& r) {
    return message.find(r.words) != std::string::npos;
  });
  return {what, std::string(remedy != std::end(kRemedies) ? remedy->fix : std::string_view()),
          base::Exit::failed};
}

}  // namespace mikroscope::routeros
