#include "routeros/api/connect.h"

#include <fmt/format.h>

#include <optional>

#include "routeros/api/api_session.h"
#include "routeros/api/diagnosis.h"
#include "routeros/api/login.h"
#include "routeros/api/tls_trust.h"
#include "routeros/session/dial.h"

namespace mikroscope::routeros {
namespace {

constexpr int kTlsPort = 8729;
constexpr int kPlainPort = 8728;

int port_of(const ApiTarget& target) {
  if (target.port != 0) return target.port;
  return target.security == ApiSecurity::plain ? kPlainPort : kTlsPort;
}

Via via_of(const ApiTarget& target) {
  return target.security == ApiSecurity::plain ? Via::api : Via::api_ssl;
}

std::string name_of(const ApiTarget& target) {
  std::string host = target.host;
  if (target.port != 0) host = host.find(':') == std::string::npos ? host : "[" + host + "]";
  const std::string port = target.port != 0 ? fmt::format(":{}", target.port) : "";
  return fmt::format("{}@{}{} ({})", target.user, host, port, via_name(via_of(target)));
}

base::Result<Wire> open_wire(const ApiTarget& target, const std::string& router) {
  const auto failure = [&router](LostConnection lost) { return to_error(Trouble(std::move(lost)), router); };
  std::optional<TlsEngine> tls;
  if (target.security != ApiSecurity::plain) {
    base::Result<TlsEngine> engine =
        TlsEngine::make({target.host, target.ca_file, target.security == ApiSecurity::tls_anonymous});
    if (!engine.ok()) return std::move(engine).error();
    tls = std::move(*engine);
  }
  base::Result<base::Fd, LostConnection> fd = dial(target.host, port_of(target), via_name(via_of(target)),
                                                   within(target.connect_timeout_ms, target.interrupt_fd));
  if (!fd.ok()) return failure(std::move(fd).error());
  Wire wire(Socket(std::move(fd).value()), std::move(tls));
  const Net net = wire.handshake(within(target.connect_timeout_ms, target.interrupt_fd));
  if (net == Net::ok) return wire;
  return failure(no_handshake({net, wire.tls()->reason(), wire.why(), wire.first_octets(),
                               target.security == ApiSecurity::tls_anonymous, target.connect_timeout_ms}));
}

}  // namespace

base::Result<std::unique_ptr<ApiConnection>> connect_api_commands(const ApiTarget& target) {
  const std::string router = name_of(target);
  TlsTrust trust{target.host, port_of(target), target.shown_as,       target.ca_file,
                 {},          target.trust,    target.accept_new_key, target.note};
  if (trust.shown_as.empty()) trust.shown_as = target.user + "@" + target.host;
  if (!target.fingerprint.empty()) {
    base::Result<std::string> plain = plain_fingerprint(target.fingerprint);
    if (!plain.ok()) return std::move(plain).error();
    trust.fingerprint = std::move(*plain);
  }
  base::Result<Wire> wire = open_wire(target, router);
  if (!wire.ok()) return std::move(wire).error();
  if (target.security == ApiSecurity::tls) {
    if (const base::Result<void> right = check_certificate(*wire->tls(), trust); !right.ok()) {
      base::Error error = right.error();
      error.what = router + ": " + error.what;
      return error;
    }
  }
  auto connection = std::make_unique<ApiConnection>(std::move(*wire));
  connection->interrupt_on(target.interrupt_fd);
  const base::Result<void, LostConnection> in =
      log_in(*connection, target.user, target.password, target.timeout_ms);
  if (!in.ok()) return to_error(Trouble(in.error()), router);
  return connection;
}

base::Result<std::unique_ptr<Session>> connect_api(const ApiTarget& target) {
  base::Result<std::unique_ptr<ApiConnection>> connection = connect_api_commands(target);
  if (!connection.ok()) return std::move(connection).error();
  return std::unique_ptr<Session>(std::make_unique<ApiSession>(
      std::move(*connection), ApiSession::Names{via_of(target), target.host, name_of(target)},
      target.timeout_ms));
}

}  // namespace mikroscope::routeros
