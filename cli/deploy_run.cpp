#include "cli/deploy_run.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/clock.h"
#include "base/host/files.h"
#include "cli/agent_link.h"
#include "cli/config_file.h"
#include "cli/embedded.h"
#include "cli/token_store.h"
#include "routeros/deploy/fetch_upload.h"
#include "routeros/deploy/token.h"
#include "routeros/image.h"

namespace mikroscope::cli {
namespace {

base::Result<AgentImage> from_file(const std::string& path, routeros::Arch wanted) {
  base::Result<std::string> tar = base::read_text(path);
  if (!tar.ok()) {
    base::Error error = std::move(tar).error();
    error.what = "--agent-tar: " + error.what;
    return error;
  }
  const base::Result<routeros::ImageInfo> info = routeros::inspect_image(*tar);
  if (!info.ok()) {
    base::Error error = info.error();
    error.what = fmt::format("--agent-tar {}: {}", path, error.what);
    return error;
  }
  if (info->arch != wanted) {
    return base::Error{fmt::format("--agent-tar {}: it is for {}, the router needs {}", path,
                                   routeros::arch_name(info->arch), routeros::arch_name(wanted)),
                       "give the image for this router, or force it with --arch", base::Exit::refused};
  }
  AgentImage out;
  out.source.arch = routeros::arch_name(wanted);
  out.source.bytes = tar->size();
  out.source.origin = "from " + path.substr(path.rfind('/') + 1);
  out.tar = std::move(*tar);
  return out;
}

// What a router's bare file name, quoted in a path of this machine, must not do.
std::string file_part(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '-' || c == '_' || (c == '.' && !out.empty());
    out += good ? c : '_';
  }
  return out;
}

class ProgressLine {
 public:
  explicit ProgressLine(bool quiet) : show_(!quiet && ::isatty(STDERR_FILENO) != 0) {}
  ~ProgressLine() {
    if (shown_) std::fputs("\r\x1b[K", stderr);
  }
  void operator()(std::uint64_t sent, std::uint64_t total) {
    const std::uint64_t percent = total == 0 ? 100 : sent * 100 / total;
    if (!show_ || percent == last_) return;
    last_ = percent;
    shown_ = true;
    fmt::print(stderr, "\r  sending {} of {} KiB ({} %)", sent / 1024, total / 1024, percent);
    std::fflush(stderr);
  }

 private:
  bool show_;
  bool shown_ = false;
  std::uint64_t last_ = 101;
};

}  // namespace

base::Result<AgentImage> load_image(const routeros::Options& options, const routeros::Facts& facts) {
  if (!options.remote_image.empty()) {
    AgentImage out;
    out.source.remote = options.remote_image;
    return out;
  }
  const base::Result<routeros::Arch> arch = routeros::choose_arch(facts, options);
  if (!arch.ok()) return arch.error();
  if (!options.agent_tar.empty()) return from_file(options.agent_tar, *arch);
  const std::string_view name = routeros::arch_name(*arch);
  const std::span<const std::byte> agent = embedded_agent(name);
  if (agent.empty()) {
    return base::Error{fmt::format("this build carries no {} agent", name),
                       "build with -DMIKROSCOPE_EMBED_AGENTS=ON (install.sh does), or give --agent-tar"};
  }
  base::Result<std::string> tar = routeros::build_image(*arch, agent);
  if (!tar.ok()) return std::move(tar).error();
  AgentImage out;
  out.source.arch = name;
  out.source.bytes = tar->size();
  out.source.origin = "built in";
  out.tar = std::move(*tar);
  return out;
}

std::int64_t SignalPace::now_ns() {
  return base::monotonic_ns();
}

void SignalPace::go_on() {
  taken_ = signals_.count();
  signals_.acknowledge();
}

bool SignalPace::wait_ns(std::int64_t span_ns) {
  const std::int64_t until_ns = now_ns() + span_ns;
  while (!stopped()) {
    const std::int64_t left_ns = until_ns - now_ns();
    if (left_ns <= 0) return true;
    pollfd stop{signals_.fd(), POLLIN, 0};
    ::poll(&stop, 1, static_cast<int>(left_ns / 1'000'000 + 1));
  }
  return false;
}

base::Result<UploadWay> parse_upload_way(const std::string& text) {
  if (text == "auto") return UploadWay::automatic;
  if (text == "sftp") return UploadWay::sftp;
  if (text == "fetch") return UploadWay::fetch;
  return base::Error{fmt::format("--upload: \"{}\" is neither auto, sftp nor fetch", text), "",
                     base::Exit::usage};
}

base::Result<void> check_upload_way(const routeros::Session& session, UploadWay way) {
  if (way != UploadWay::sftp || session.can_upload()) return {};
  return base::Error{fmt::format("--upload sftp: {} cannot upload, the API has no way to", session.router()),
                     "--via ssh, or let the router fetch the image: --upload fetch", base::Exit::usage};
}

routeros::Upload make_upload(routeros::Session& session, UploadWay way, int stop_fd, bool quiet) {
  return
      [&session, way, stop_fd, quiet](const std::string& name, std::string_view bytes) -> base::Result<void> {
        ProgressLine line(quiet);
        const routeros::Progress progress = [&line](std::uint64_t sent, std::uint64_t total) {
          line(sent, total);
        };
        const bool fetch = way == UploadWay::fetch || (way == UploadWay::automatic && !session.can_upload());
        session.interrupt_on(stop_fd);
        base::Result<void> done;
        if (fetch) {
          done = routeros::fetch_upload(session, name, bytes, progress);
        } else if (const routeros::Answer<void> sent = session.upload(name, bytes, progress); !sent.ok()) {
          done = routeros::to_error(sent.error(), session.router());
        }
        session.interrupt_on(-1);
        return done;
      };
}

bool confirmed(const std::string& question) {
  fmt::print("{} [y/N] ", question);
  std::fflush(stdout);
  char line[64];
  if (std::fgets(line, sizeof line, stdin) == nullptr) {
    std::fputs("\n", stdout);
    return false;
  }
  const std::string_view answer(line);
  return answer == "y\n" || answer == "Y\n" || answer == "y" || answer == "Y";
}

routeros::OnEvent print_events(bool quiet) {
  if (quiet) return {};
  return [](const routeros::Event& event) {
    fmt::print("  {:<5} {}{}\n", routeros::event_name(event.kind), event.step,
               event.text.empty() ? "" : ": " + event.text);
    std::fflush(stdout);
  };
}

base::Result<std::optional<std::string>> known_token(const RouterOptions& router,
                                                     const routeros::Facts& facts,
                                                     const routeros::Shape& shape) {
  const base::Result<std::optional<std::string>> kept =
      TokenStore::of_user().find(router.host(), shape.options.name);
  if (!kept.ok() || *kept) return kept;
  const std::vector<routeros::Row>* const entries = facts.rows("/container/envs");
  if (entries == nullptr) return std::optional<std::string>();
  for (const routeros::Slot slot : {shape.slot, routeros::other(shape.slot)}) {
    const std::string list = routeros::step_names(shape.options, slot).env_list;
    if (!routeros::list_is_ours(*entries, list, shape.options.tag(),
                                shape.manifest ? &*shape.manifest : nullptr))
      continue;
    for (const routeros::Row& entry : *entries) {
      if (routeros::env_list_of(entry) != list || entry.text("key") != "TOKEN") continue;
      // An account without the policy sensitive sees asterisks, or nothing.
      const std::string token(entry.text("value"));
      if (routeros::good_token(token)) return std::optional(token);
    }
  }
  return std::optional<std::string>();
}

base::Result<routeros::ProbeResult> probe_agent(const routeros::Link& link, const routeros::Options& options,
                                                int stop_fd) {
  const std::string url = routeros::agent_url(options);
  const std::unique_ptr<AgentLink> agent = make_direct_link(url, options.token);
  agent->interrupt_on(stop_fd);
  const routeros::AskFromHere ask = [&]() -> base::Result<std::string> {
    const std::int64_t before_ns = base::monotonic_ns();
    const base::Result<Health> health = agent->health();
    if (!health.ok()) return health.error();
    const double ms = static_cast<double>(base::monotonic_ns() - before_ns) / 1e6;
    return fmt::format("the agent answers at {}: version {}, {} Hz, sample {}, {:.1f} ms", url,
                       health->version, health->rate_hz, health->newest_seq.value_or(0), ms);
  };
  return routeros::probe(link, options, ask);
}

base::Result<std::string> journal_path(const std::string& host, const std::string& installation) {
  const base::Result<std::string> state = make_state_directory();
  if (!state.ok()) return state.error();
  const std::string directory = *state + "/journal";
  base::Result<void> made = make_private_directory(directory);
  if (!made.ok()) return std::move(made).error();
  return fmt::format("{}/{}.{}.jsonl", directory, file_part(host), file_part(installation));
}

}  // namespace mikroscope::cli
