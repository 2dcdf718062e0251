// /ip/service and /ip/ssh.
#include "tests/routersim/menus/menus.h"

namespace mikroscope::routersim {
namespace {

constexpr Param kService[] = {
    {"port", check_port},
    {"address"},
    {"disabled", check_flag, "false"},
    {"certificate"},
    {"tls-version"},
    {"vrf", nullptr, "main"},
    {"max-sessions", check_number, "20", "7.16"},
    {"available-from", nullptr, {}, "7.24"},
};

constexpr Param kSsh[] = {
    {"strong-crypto", check_flag, "false"},
    {"host-key-type", nullptr, "rsa", "7.9"},
    {"host-key-size", check_number, "2048"},
    {"forwarding-enabled", nullptr, "no"},
    {"always-allow-password-login", check_flag, "false", {}, "7.21"},
    {"password-authentication", nullptr, "yes-if-no-key", "7.21"},
    {"ciphers", nullptr, "auto", "7.17"},
};

}  // namespace

std::unique_ptr<Menu> make_service() {
  return std::make_unique<Menu>(MenuDef{.path = "/ip/service", .params = kService, .fixed = true});
}
std::unique_ptr<Menu> make_ssh_settings() {
  return std::make_unique<Menu>(MenuDef{.path = "/ip/ssh", .kind = MenuDef::Kind::settings, .params = kSsh});
}

}  // namespace mikroscope::routersim
