// An upload without SSH: this machine serves the file once over HTTP and the router fetches it. For accounts
// whose group has no ssh or ftp policy; it needs the policy test, and a way from the router to this machine.
#pragma once

#include <string>
#include <string_view>

#include "base/host/result.h"
#include "routeros/session/session.h"

namespace mikroscope::routeros {

// Serves `bytes` at an unguessable path to the router's address only, exactly once, and has the router store
// them as `name`. /file may not list it yet when this returns. `listen_on` overrides the address that the
// router is given; empty: the session's own (Session::local_address()).
base::Result<void> fetch_upload(Session& session, const std::string& name, std::string_view bytes,
                                const Progress& progress, const std::string& listen_on = {});

}  // namespace mikroscope::routeros
