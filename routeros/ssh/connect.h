// Logs in to a router by SSH.
//
// Nothing of the user's ssh configuration is read: what counts is in SshTarget.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/host/result.h"
#include "routeros/session/known_routers.h"
#include "routeros/session/session.h"

namespace mikroscope::routeros {

struct SshTarget {
  std::string host;
  std::uint16_t port = 22;
  std::string user;
  std::string shown_as;  // what the user gave to --router, for commands in messages; empty: user@host
  // Private key (ed25519 or rsa). When there is one, no other key is offered: RouterOS ends a login after a
  // few wrong ones.
  std::string key_file;
  bool use_agent = true;       // without a key file: offer the keys of the ssh-agent
  std::string key_directory;   // without a key file: offer id_ed25519 and id_rsa of it; empty: do not
  bool allow_ssh_rsa = false;  // signatures of RSA with SHA-1, for old routers
  std::optional<std::string> password;
  // Asked once at most for each, when it is needed: "password of admin@192.168.88.1", "passphrase of …".
  // Null: never ask.
  std::function<base::Result<std::string>(const std::string& what)> ask;
  // Told in one line when a host key is recorded. May be null.
  std::function<void(const std::string& line)> note;
  TrustStore* trust = nullptr;      // knows the host keys; required
  bool accept_changed_key = false;  // the router's key may be another one than the store knows
  std::int64_t timeout_ms = 10000;  // of the login, and of every request that names no time itself
  int interrupt_fd = -1;            // Session::interrupt_on() from the start
  // For uploads beside an API session: rows cannot be read before RouterOS 7.13, but files can be sent.
  bool upload_only = false;
};

// Exit::auth when the login is refused, Exit::refused when the host key has changed. The order is: no
// password (empty-password users), the key, the password. Nothing is tried twice.
base::Result<std::unique_ptr<Session>> connect_ssh(const SshTarget& target);

}  // namespace mikroscope::routeros
