// From what the options say to a session: one place that knows both kinds.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/host/result.h"
#include "routeros/api/connect.h"
#include "routeros/session/known_routers.h"
#include "routeros/session/session.h"

namespace mikroscope::cli {

struct RouterLogin {
  routeros::Via via = routeros::Via::api_ssl;
  std::string host;
  int port = 0;  // 0: the service's own
  std::string user;
  std::optional<std::string> password;  // secret
  std::string shown_as;                 // what the user called the router
  std::string ssh_key;
  bool ssh_rsa = false;
  std::string ca_file;
  std::string fingerprint;
  bool tls_anonymous = false;
  bool accept_new_key = false;
  std::string known_routers;  // path of the file
  bool may_ask = true;        // on the terminal, for what SSH finds it needs
  int stop_fd = -1;
};

// For who speaks the API itself. `trust` must outlive what is made of the target.
routeros::ApiTarget api_target(const RouterLogin& login, routeros::TrustStore& trust);

base::Result<std::unique_ptr<routeros::Session>> connect_router(const RouterLogin& login);

}  // namespace mikroscope::cli
