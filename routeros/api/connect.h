// Connects to a router's API and logs in.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/host/result.h"
#include "routeros/api/connection.h"
#include "routeros/session/known_routers.h"
#include "routeros/session/session.h"

namespace mikroscope::routeros {

enum class ApiSecurity : std::uint8_t {
  tls,
  tls_anonymous,  // encrypted, but anybody could be the router
  plain,          // readable by anybody on the way
};

struct ApiTarget {
  std::string host;
  int port = 0;  // 0: 8729, or 8728 when plain
  std::string user = "admin";
  std::string password;  // may be empty: so is a fresh router's
  std::string shown_as;  // what the user called the router, for commands in messages; empty: USER@HOST

  ApiSecurity security = ApiSecurity::tls;
  // With tls, whose certificate is right: one from these authorities and made out to `host` (a PEM file), one
  // with this SHA-256 fingerprint (hexadecimal, colons and case do not matter), or, when both are empty, the
  // one that `trust` knows. With both given, both must hold.
  std::string ca_file;
  std::string fingerprint;
  TrustStore* trust = nullptr;
  bool accept_new_key = false;  // see check_trust()
  // Told what the user should know of the certificate: seen for the first time, or replaced. May be null.
  std::function<void(const std::string& line)> note;

  int interrupt_fd = -1;                   // Session::interrupt_on() from the start
  std::int64_t connect_timeout_ms = 5000;  // for the connection, and again for the TLS handshake
  std::int64_t timeout_ms = 10000;         // of the login, and of every request that names no time itself
};

// One line says what is wrong. Exit::auth: the login was refused, and nothing was tried twice; Exit::refused:
// the certificate is not the right one; Exit::usage: a bad CA file or fingerprint.
base::Result<std::unique_ptr<Session>> connect_api(const ApiTarget& target);

// The same without a Session around it, for who runs several commands at once or listens.
base::Result<std::unique_ptr<ApiConnection>> connect_api_commands(const ApiTarget& target);

}  // namespace mikroscope::routeros
