#include "cli/router_options.h"

#include <fmt/format.h>

#include <optional>

#include "base/host/files.h"
#include "cli/config_file.h"
#include "cli/password_prompt.h"
#include "cli/router_address.h"
#include "cli/router_connect.h"
#include "cli/token_store.h"

namespace mikroscope::cli {
namespace {

constexpr std::string_view kGroup = "Router";

base::Error usage_error(std::string what, std::string fix) {
  return {std::move(what), std::move(fix), base::Exit::usage};
}

}  // namespace

struct RouterOptions::Given {
  std::string router;
  Origin router_origin = Origin::none;
  std::string host;  // of the profile
  std::string via = "auto";
  std::string user;
  std::optional<std::int64_t> api_port;
  std::optional<std::int64_t> ssh_port;
  std::string ssh_key;
  bool ssh_rsa = false;
  std::string ca_file;
  std::string fingerprint;
  bool tls_anonymous = false;
  bool api_plain = false;
  bool accept_new_key = false;
  std::string password_file;
  Origin password_file_origin = Origin::none;
  std::string text_encoding = "cp1252";
  std::string password;
  Origin password_origin = Origin::none;
  mutable std::optional<std::string> asked;

  // A profile may leave `host` out when its name is the host's.
  const std::string& address_text() const { return host.empty() ? router : host; }
  bool password_at_hand() const {
    return password_origin != Origin::none || password_file_origin != Origin::none || asked.has_value();
  }
};

RouterOptions::RouterOptions() : given_(std::make_unique<Given>()) {}
RouterOptions::~RouterOptions() = default;

void RouterOptions::declare(OptionSet& set, RouterHelp help) {
  Given& g = *given_;
  const bool brief = help == RouterHelp::brief;
  set.text({.names = "--router",
            .group = brief ? "Target" : kGroup,
            .value = "NAME",
            .help = "a router: a profile's name, or [user@]host[:port]",
            .role = ProfileRole::names},
           g.router, &g.router_origin);
  set.text({.names = "host",
            .group = kGroup,
            .help = "where a profile's router is: [user@]host[:port]",
            .sources = Sources::profile_only},
           g.host);
  set.text({.names = "--via",
            .group = kGroup,
            .value = "WAY",
            .help = "how to log in; auto is api-ssl when a password is at hand, else ssh",
            .choices = "auto,api-ssl,api,ssh",
            .default_text = "auto",
            .brief = brief},
           g.via);
  set.text({.names = "--user",
            .group = kGroup,
            .value = "USER",
            .help = "the account",
            .default_text = "admin",
            .brief = brief},
           g.user);
  set.text({.names = "password",
            .group = kGroup,
            .help = "the account's password; also a key of a profile, never a flag",
            .sources = Sources::no_flag,
            .secret = true,
            .brief = brief},
           g.password, &g.password_origin);
  set.text({.names = "--password-file",
            .group = kGroup,
            .value = "FILE",
            .help = "file whose first line is the account's password; without one the terminal is asked",
            .brief = brief},
           g.password_file, &g.password_file_origin);
  set.integer({.names = "--api-port",
               .group = kGroup,
               .value = "PORT",
               .help = "of the API",
               .default_text = "8729 with TLS, 8728 without",
               .brief = brief},
              g.api_port, 1, 65535);
  set.integer({.names = "--ssh-port",
               .group = kGroup,
               .value = "PORT",
               .help = "of SSH",
               .default_text = "22",
               .brief = brief},
              g.ssh_port, 1, 65535);
  set.text({.names = "--ssh-key",
            .group = kGroup,
            .value = "FILE",
            .help = "private key for SSH; without one those of the SSH agent and ~/.ssh",
            .brief = brief},
           g.ssh_key);
  set.flag({.names = "--ssh-rsa",
            .group = kGroup,
            .help = "allow RSA signatures with SHA-1, which old RouterOS versions need",
            .brief = brief},
           g.ssh_rsa);
  set.text({.names = "--fingerprint",
            .group = kGroup,
            .value = "SHA256",
            .help = "the only key to accept: of the router's certificate, or SHA256:… of its SSH key",
            .brief = brief},
           g.fingerprint);
  set.text({.names = "--ca-file",
            .group = kGroup,
            .value = "FILE",
            .help = "authorities (PEM) that the router's certificate must come from",
            .brief = brief},
           g.ca_file);
  set.flag({.names = "--accept-new-key",
            .group = kGroup,
            .help = "the router's key has changed, and that is right: record the new one",
            .brief = brief},
           g.accept_new_key);
  set.flag({.names = "--tls-anonymous",
            .group = kGroup,
            .help = "api-ssl without a certificate: encrypted, but anybody could be the router",
            .brief = brief},
           g.tls_anonymous);
  set.flag({.names = "--api-plain",
            .group = kGroup,
            .help = "the API without TLS: the password crosses the network readable",
            .brief = brief},
           g.api_plain);
  set.text({.names = "--text-encoding",
            .group = kGroup,
            .value = "PAGE",
            .help = "code page of comments that are not UTF-8",
            .choices = "cp1250,cp1251,cp1252,latin1",
            .default_text = "cp1252",
            .brief = brief},
           g.text_encoding);
}

base::Result<void> RouterOptions::check() const {
  const Given& g = *given_;
  if (!given()) {
    return usage_error("no router: give --router NAME (a profile) or --router user@host",
                       "--router admin@192.168.88.1");
  }
  const base::Result<RouterAddress> address = parse_router_address(g.address_text());
  if (!address.ok()) {
    base::Error error = address.error();
    error.what =
        (g.host.empty() ? "--router: " : fmt::format("host of the profile {}: ", g.router)) + error.what;
    return error;
  }
  if (g.via == "api" && !g.api_plain) {
    return usage_error("--via api sends the password readable over the network; it wants --api-plain too",
                       "--via api-ssl, or --via api --api-plain");
  }
  if (g.api_plain && g.tls_anonymous)
    return usage_error("--api-plain and --tls-anonymous exclude each other: one is without TLS", "");
  if (g.tls_anonymous && (!g.ca_file.empty() || !g.fingerprint.empty())) {
    return usage_error("--tls-anonymous has no certificate that --ca-file or --fingerprint could check",
                       "leave one of them out");
  }
  if ((g.api_plain && (g.via == "ssh" || g.via == "api-ssl")) || (g.tls_anonymous && g.via == "ssh"))
    return usage_error(
        fmt::format("--via {} has no use for {}", g.via, g.api_plain ? "--api-plain" : "--tls-anonymous"),
        "leave one of them out");
  if (!g.ssh_key.empty() && !base::exists(g.ssh_key))
    return usage_error(fmt::format("--ssh-key: there is no {}", g.ssh_key), "");
  if (!g.ca_file.empty() && !base::exists(g.ca_file))
    return usage_error(fmt::format("--ca-file: there is no {}", g.ca_file), "");
  return {};
}

bool RouterOptions::given() const {
  return given_->router_origin != Origin::none;
}
Origin RouterOptions::origin() const {
  return given_->router_origin;
}
std::string RouterOptions::name() const {
  return given_->router;
}
std::string RouterOptions::host() const {
  const base::Result<RouterAddress> address = parse_router_address(given_->address_text());
  return address.ok() ? address->host : std::string();
}
routeros::CodePage RouterOptions::code_page() const {
  return routeros::parse_code_page(given_->text_encoding).value_or(routeros::CodePage::cp1252);
}

routeros::Via RouterOptions::chosen_via() const {
  const Given& g = *given_;
  if (g.via == "ssh") return routeros::Via::ssh;
  if (g.via == "api-ssl") return routeros::Via::api_ssl;
  if (g.via == "api" || g.api_plain) return routeros::Via::api;
  if (g.tls_anonymous || !g.ca_file.empty()) return routeros::Via::api_ssl;
  if (!g.ssh_key.empty()) return routeros::Via::ssh;
  return g.password_at_hand() ? routeros::Via::api_ssl : routeros::Via::ssh;
}

// The nearer origin wins; of two from the same place the file does, as with tokens.
base::Result<std::string> RouterOptions::password() const {
  const Given& g = *given_;
  if (g.asked) return *g.asked;
  if (g.password_file_origin != Origin::none && g.password_file_origin >= g.password_origin)
    return read_secret_file(g.password_file, "--password-file");
  if (g.password_origin != Origin::none) return g.password;
  base::Result<std::string> typed = ask_password(fmt::format("password for {}: ", g.router));
  if (typed.ok()) g.asked = *typed;
  return typed;
}

base::Result<std::unique_ptr<routeros::Session>> RouterOptions::connect(int stop_fd) const {
  const base::Result<RouterLogin> with = login(stop_fd, false);
  if (!with.ok()) return with.error();
  return connect_router(*with);
}

base::Result<RouterLogin> RouterOptions::login(int stop_fd, bool api_only) const {
  base::Result<void> good = check();
  if (!good.ok()) return std::move(good).error();
  const Given& g = *given_;
  routeros::Via via = chosen_via();
  if (api_only && via == routeros::Via::ssh) via = g.api_plain ? routeros::Via::api : routeros::Via::api_ssl;
  const base::Result<RouterAddress> address = parse_router_address(g.address_text());
  if (!address.ok()) return address.error();
  base::Result<std::string> state = make_state_directory();
  if (!state.ok()) return std::move(state).error();

  RouterLogin login;
  login.via = via;
  login.host = address->host;
  login.user = !g.user.empty() ? g.user : !address->user.empty() ? address->user : "admin";
  const std::optional<std::int64_t>& port = via == routeros::Via::ssh ? g.ssh_port : g.api_port;
  // A port in the address is that of the way it was given for.
  const bool own_way = via == chosen_via();
  login.port = port ? static_cast<int>(*port) : own_way ? address->port : 0;
  login.shown_as = g.router;
  login.ssh_key = g.ssh_key;
  login.ssh_rsa = g.ssh_rsa;
  login.ca_file = g.ca_file;
  login.fingerprint = g.fingerprint;
  login.tls_anonymous = g.tls_anonymous;
  login.accept_new_key = g.accept_new_key;
  login.known_routers = *state + "/known-routers";
  login.stop_fd = stop_fd;
  // An account over SSH may need none: it has keys, or the empty password of a fresh router.
  if (via != routeros::Via::ssh || g.password_at_hand()) {
    base::Result<std::string> secret = password();
    if (!secret.ok()) return std::move(secret).error();
    login.password = std::move(*secret);
  }
  return login;
}

}  // namespace mikroscope::cli
