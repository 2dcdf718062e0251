#include "routeros/ssh/connect.h"

#include <fmt/format.h>

#include "routeros/session/dial.h"
#include "routeros/ssh/login.h"
#include "routeros/ssh/ssh_session.h"

namespace mikroscope::routeros {

base::Result<std::unique_ptr<Session>> connect_ssh(const SshTarget& target) {
  const std::string router = fmt::format("{}@{} (ssh)", target.user, target.host);
  const auto fail = [&router](const LostConnection& lost) { return to_error(lost, router); };
  if (target.user.empty() || target.host.empty())
    return base::Error{"no router to connect to", "name it as user@address with --router", base::Exit::usage};
  if (target.trust == nullptr)
    return base::Error{"nothing keeps the keys of known routers", "", base::Exit::failed};

  const Wait wait = within(target.timeout_ms, target.interrupt_fd);
  base::Result<base::Fd, LostConnection> connection = dial(target.host, target.port, "ssh", wait);
  if (!connection) return fail(connection.error());
  auto link = std::make_unique<SshLink>(std::move(*connection));
  link->interrupt_on(target.interrupt_fd);
  if (const Lost lost = handshake(*link, target, wait)) return fail(*lost);

  const base::Result<HostKey, LostConnection> key = host_key(*link);
  if (!key) return fail(key.error());
  const base::Result<Trust> trust = check_trust(
      *target.trust,
      {KeyKind::ssh, target.host, target.port, key->fingerprint,
       target.shown_as.empty() ? fmt::format("{}@{}", target.user, target.host) : target.shown_as},
      target.accept_changed_key);
  if (!trust) return trust.error();
  if (*trust != Trust::known && target.note) {
    target.note(fmt::format("{}: {} {}", router,
                            *trust == Trust::first_use
                                ? "its SSH host key is seen for the first time and is trusted from now on:"
                                : "the new SSH host key is recorded in place of the old one:",
                            key->fingerprint));
  }

  if (const Lost lost = authenticate(*link, target, wait)) return fail(*lost);
  auto session = std::make_unique<SshSession>(std::move(link), target);
  if (!target.upload_only) {
    if (const Lost lost = session->learn_version()) return fail(*lost);
  }
  return std::unique_ptr<Session>(std::move(session));
}

}  // namespace mikroscope::routeros
