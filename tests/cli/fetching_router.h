// A session whose router fetches for real: /tool/fetch goes to an agent on this machine, with the habits that
// RouterOS has (64512 octets at most, some calls slow). Everything else is scripted.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "routeros/session/session.h"

namespace mikroscope::test {

// What all sessions of one router share; outlives them.
struct FetchScript {
  std::function<std::int64_t(int call)> delay_ms;  // of each fetch, counted from 0; null: none
  // In place of a fetch; nothing: fetch it.
  std::function<std::optional<routeros::Answer<std::vector<routeros::Row>>>(const routeros::Call&)> instead;
  std::map<std::string, std::vector<routeros::Row>> menus;  // of print
  std::map<std::string, routeros::DeviceError> refused;     // menus that cannot be read
  std::size_t limit = 64'512;
  std::vector<routeros::Call> calls;
  std::atomic<int> sessions{0};  // logins
  std::size_t longest = 0;       // reply handed on
};

std::unique_ptr<routeros::Session> make_fetching_router(FetchScript& script);

}  // namespace mikroscope::test
