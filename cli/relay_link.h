// An agent behind its router: the router itself asks it (/tool/fetch), over the session that is open.
//
// A call takes some milliseconds or about a second, whichever the router likes, and hands on 64512 octets of
// text. So packed frames come as base64, and as many in one call as fit.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "cli/agent_transport.h"
#include "cli/router_connection.h"

namespace mikroscope::cli {

// `agent_url` as the router reaches it: "http://172.30.10.2:9123". `token` may be empty; it travels as a
// header of the fetch, never in a URL. The connection must outlive the transport, and while a request runs
// nothing else may use it.
//
// A request that nobody wants any more (WhileWaiting) goes on for up to `patience_ns`: the router gives up on
// a silent agent by itself after 10 s, while ending a call early costs the session, and the router's log a
// line for each new login.
std::unique_ptr<AgentTransport> make_relay_transport(RouterConnection& connection,
                                                     const std::string& agent_url, const std::string& token,
                                                     std::int64_t patience_ns = 12'000'000'000);

}  // namespace mikroscope::cli
