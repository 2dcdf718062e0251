// What is done with a container and with files of the router, each waiting until the router has really done
// it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/host/result.h"
#include "routeros/deploy/apply_pace.h"
#include "routeros/deploy/attributes.h"
#include "routeros/session/session.h"

namespace mikroscope::routeros {

// A session with what is needed to wait for its router.
struct Link {
  Session& session;
  Pace& pace;

  base::Error error(const Trouble& trouble) const { return to_error(trouble, session.router()); }
};

// All containers with exactly this comment.
base::Result<std::vector<Row>> tagged_containers(const Link& link, const std::string& tag);

// The file or directory of exactly this name, as /file lists it now.
base::Result<std::optional<Row>> find_file(const Link& link, const std::string& name);
// Until /file lists it with this size: the listing is late, and an upload that was cut short is smaller.
base::Result<void> wait_for_file(const Link& link, const std::string& name, std::uint64_t bytes);
// Removes it and waits until it is gone. That it is not there is success: false then.
base::Result<bool> remove_file(const Link& link, const std::string& name);

// Until the container can be started. A failure is told at once, with the router's own log lines.
// `on_state` is called when the state changes.
base::Result<void> wait_extracted(const Link& link, const std::string& tag, const std::string& id,
                                  std::uint32_t deadline_s,
                                  const std::function<void(ContainerState)>& on_state);
// Starts it and waits until it runs. One that runs already is success.
base::Result<void> start_container(const Link& link, const std::string& tag, const std::string& id);
// Stops it and waits until it stands still. One that stands still already, or is gone, is success.
base::Result<void> stop_container(const Link& link, const std::string& tag, const std::string& id);
// Stops and removes it, waits until its row is gone and its root directory with it; a directory that the
// router leaves behind is removed when no other container has it.
base::Result<void> remove_container(const Link& link, const std::string& tag, const Row& container);

// `what` went wrong with a container: with the last lines of the router's log (after `after`, see
// container_log()) and what they mean.
base::Error with_log(const Link& link, std::string what, std::string fix, const std::string& after = {});
// What stands between `what` and the log lines.
inline constexpr std::string_view kLogWords = "; its log says: ";

}  // namespace mikroscope::routeros
