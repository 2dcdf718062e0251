// The steps of logging in: agreeing on keys, the router's host key, the account.
#pragma once

#include <string>

#include "routeros/ssh/connect.h"
#include "routeros/ssh/link.h"

namespace mikroscope::routeros {

struct HostKey {
  std::string type;         // "ssh-ed25519"
  std::string fingerprint;  // "SHA256:…", as ssh-keygen -l prints it
};

Lost handshake(SshLink& link, const SshTarget& target, const Wait& wait);
base::Result<HostKey, LostConnection> host_key(const SshLink& link);
Lost authenticate(SshLink& link, const SshTarget& target, const Wait& wait);

}  // namespace mikroscope::routeros
