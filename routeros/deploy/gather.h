// Reads a router once: one print per menu, only reading.
#pragma once

#include <functional>

#include "routeros/deploy/facts.h"
#include "routeros/session/session.h"

namespace mikroscope::routeros {

struct GatherOptions {
  // Waits between readings while a router that has just booted still answers with empty menus. False: the
  // user wants an end. Null: no waiting, and so no second reading.
  std::function<bool(std::int64_t milliseconds)> pause;
};

// A menu that is refused costs that menu only (Facts::refused). The contents of installation manifests are
// read as the attribute "contents" of their rows in /file. Error: the session is lost, or the pause was
// ended.
Answer<Facts> gather(Session& session, const GatherOptions& options);

}  // namespace mikroscope::routeros
