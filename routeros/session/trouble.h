// What can go wrong with a request to a router: the router said no, or the session is gone.
//
// The two never mix: after a DeviceError the session goes on and nothing reconnects; after LostConnection it
// is of no further use.
#pragma once

#include <string>
#include <variant>

#include "base/host/result.h"

namespace mikroscope::routeros {

struct DeviceError {
  std::string message;  // the router's words, raw octets; "the router reported an error" when it sent none
  int category = -1;    // 0 missing item or command, 1 argument value, 2 interrupted, …; -1: not said
  std::string doing;    // "/interface/veth/add", for the message; holds no secret

  bool no_such_command() const;  // the menu or verb does not exist in this version, or its package is absent
  bool no_such_item() const;
  bool not_permitted() const;  // a policy is missing
  bool already_exists() const;
  bool unknown_parameter() const;
};

struct LostConnection {
  std::string what;  // what was tried, and what came back
  std::string fix;
  base::Exit exit = base::Exit::failed;  // auth: the login was refused; interrupted: the user ended it
};

using Trouble = std::variant<DeviceError, LostConnection>;

template <class T>
using Answer = base::Result<T, Trouble>;

// For people. `router` names it.
base::Error to_error(const Trouble& trouble, std::string_view router);
const DeviceError* device_error(const Trouble& trouble);  // null: the connection was lost

}  // namespace mikroscope::routeros
