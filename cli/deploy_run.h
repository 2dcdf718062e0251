// What the verbs that change a router share: the image, the question, progress, waiting, the probe.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/host/result.h"
#include "cli/router_options.h"
#include "cli/signals.h"
#include "routeros/deploy/apply.h"
#include "routeros/deploy/facts.h"
#include "routeros/deploy/options.h"
#include "routeros/deploy/probe.h"
#include "routeros/deploy/shape.h"
#include "routeros/session/session.h"

namespace mikroscope::cli {

struct AgentImage {
  std::string tar;  // empty with a remote image
  routeros::ImageSource source;
};
// The built-in agent for the router, --agent-tar, or the reference of --remote-image. Nothing is read from
// the router but the facts.
base::Result<AgentImage> load_image(const routeros::Options& options, const routeros::Facts& facts);

// Waits on the machine's clock, until a signal comes.
class SignalPace final : public routeros::Pace {
 public:
  explicit SignalPace(const StopSignals& signals) : signals_(signals) {}
  std::int64_t now_ns() override;
  bool wait_ns(std::int64_t span_ns) override;
  bool stopped() override { return signals_.count() > taken_; }
  // The signals so far have been answered: waiting is possible again.
  void go_on();

 private:
  const StopSignals& signals_;
  int taken_ = 0;
};

// How the image gets onto the router.
enum class UploadWay : std::uint8_t { automatic, sftp, fetch };
base::Result<UploadWay> parse_upload_way(const std::string& text);
// Exit::usage where the session has no such way: said before the first write.
base::Result<void> check_upload_way(const routeros::Session& session, UploadWay way);
// Ends early when `stop_fd` becomes readable; a file that was sent in part is known as such later.
routeros::Upload make_upload(routeros::Session& session, UploadWay way, int stop_fd, bool quiet);

// Asks on the terminal; only y or Y is yes, the end of the input is no.
bool confirmed(const std::string& question);

// One line for each step as it is done: "  new   veth".
routeros::OnEvent print_events(bool quiet);

// The token of an installation that is there: kept on this machine, else read from the router's list. Nothing
// where neither knows it.
base::Result<std::optional<std::string>> known_token(const RouterOptions& router,
                                                     const routeros::Facts& facts,
                                                     const routeros::Shape& shape);

// From this machine and from the router, and says what was seen.
base::Result<routeros::ProbeResult> probe_agent(const routeros::Link& link, const routeros::Options& options,
                                                int stop_fd);

// Where the journal of an installation's run is kept; the directory is made.
base::Result<std::string> journal_path(const std::string& host, const std::string& installation);

// The router caches writes for some 40 s; a power cut before that leaves damaged files.
inline constexpr std::int64_t kFlushNs = 45 * routeros::kSecondNs;

}  // namespace mikroscope::cli
