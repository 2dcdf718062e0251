#include "cli/router_connect.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "cli/password_prompt.h"
#include "routeros/ssh/connect.h"

namespace mikroscope::cli {
namespace {

// --fingerprint for SSH: one key counts, whatever was seen before.
class PinnedKey final : public routeros::TrustStore {
 public:
  explicit PinnedKey(std::string fingerprint) : fingerprint_(std::move(fingerprint)) {}
  base::Result<std::optional<std::string>> lookup(routeros::KeyKind, const std::string&, int) const override {
    return std::optional(fingerprint_);
  }
  base::Result<void> remember(routeros::KeyKind, const std::string&, int, const std::string&) override {
    return base::Error{"the key given with --fingerprint is not replaced", "leave out --accept-new-key",
                       base::Exit::usage};
  }

 private:
  std::string fingerprint_;
};

base::Result<std::unique_ptr<routeros::Session>> over_ssh(const RouterLogin& login,
                                                          routeros::TrustStore& trust) {
  routeros::SshTarget target;
  target.host = login.host;
  if (login.port != 0) target.port = static_cast<std::uint16_t>(login.port);
  target.user = login.user;
  target.key_file = login.ssh_key;
  const char* const home = std::getenv("HOME");
  if (login.ssh_key.empty() && home != nullptr && home[0] != '\0')
    target.key_directory = std::string(home) + "/.ssh";
  target.allow_ssh_rsa = login.ssh_rsa;
  target.password = login.password;
  if (login.may_ask && can_ask_password()) {
    target.ask = [](const std::string& what) { return ask_password(what + ": "); };
  }
  target.trust = &trust;
  target.accept_changed_key = login.accept_new_key;
  target.interrupt_fd = login.stop_fd;
  return routeros::connect_ssh(target);
}

}  // namespace

routeros::ApiTarget api_target(const RouterLogin& login, routeros::TrustStore& trust) {
  routeros::ApiTarget target;
  target.host = login.host;
  target.port = login.port;
  target.user = login.user;
  target.password = login.password.value_or("");
  target.shown_as = login.shown_as;
  target.security = login.via == routeros::Via::api ? routeros::ApiSecurity::plain
                    : login.tls_anonymous           ? routeros::ApiSecurity::tls_anonymous
                                                    : routeros::ApiSecurity::tls;
  target.ca_file = login.ca_file;
  target.fingerprint = login.fingerprint;
  target.trust = &trust;
  target.accept_new_key = login.accept_new_key;
  target.note = [](const std::string& line) { fmt::print(stderr, "mikroscope: {}\n", line); };
  target.interrupt_fd = login.stop_fd;
  return target;
}

base::Result<std::unique_ptr<routeros::Session>> connect_router(const RouterLogin& login) {
  routeros::KnownRouters known(login.known_routers);
  if (login.via != routeros::Via::ssh) return routeros::connect_api(api_target(login, known));
  if (login.fingerprint.empty()) return over_ssh(login, known);
  PinnedKey pinned(login.fingerprint);
  return over_ssh(login, pinned);
}

}  // namespace mikroscope::cli
