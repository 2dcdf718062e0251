// Makes a plan true on a router.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/host/result.h"
#include "routeros/deploy/apply_container.h"
#include "routeros/deploy/decide.h"
#include "routeros/deploy/journal.h"
#include "routeros/deploy/plan.h"

namespace mikroscope::routeros {

enum class EventKind : std::uint8_t {
  present,  // there already
  made,     // a row, a file
  sent,     // the image
  waiting,  // text says for what
  done,     // started, waited for, removed
  undone,   // by the rollback
  left,     // text says why it stays
};
std::string_view event_name(EventKind kind);

struct Event {
  EventKind kind;
  std::string step;  // its name
  std::string text;  // one line, may be empty
};
using OnEvent = std::function<void(const Event&)>;

// Writes `bytes` to the router's file `name`: Session::upload() or fetch_upload().
using Upload = std::function<base::Result<void>(const std::string& name, std::string_view bytes)>;

struct Applying {
  Link link;
  Journal& journal;
  OnEvent on_event;
  Upload upload;
  std::string_view image;  // the tar; empty with a remote image
};

// Does the steps in order, skipping what is there. `decisions` belong to `plan` and hold no collision. An
// error leaves what was made so far, each object with our tag: the same call later goes on from there. The
// container's id is left in `container_id` once it is known.
base::Result<void> apply(const Plan& plan, const Decisions& decisions, Applying& applying,
                         std::string* container_id = nullptr);

// Undoes what the journal says, newest first, and nothing else. What is not as it was made is left and said.
// The journal is closed when all is undone.
base::Result<void> roll_back(const Options& options, const Version& version, Applying& applying);

}  // namespace mikroscope::routeros
