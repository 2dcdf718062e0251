#include "sinks/stores/graphite.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/clock.h"
#include "base/text.h"
#include "sinks/stores/families_batch.h"
#include "sinks/stores/graphite_link.h"
#include "sinks/stores/graphite_seconds.h"

namespace mikroscope::sinks {
namespace {

constexpr SinkOption kOptions[] = {
    {"graphite", "HOST:PORT", "carbon, plaintext: one value a second of each path"},
    {"graphite-prefix", "TEXT", "what paths begin with", {}, "mikroscope"},
};

constexpr std::int64_t kTimeout = 10 * base::kNsPerSecond;
// A router that tells nothing for so long completes its second.
constexpr std::int64_t kLinger = 2 * base::kNsPerSecond;

class GraphiteSink final : public Sink {
 public:
  GraphiteSink(std::string host, const std::string& port, std::string prefix)
      : name_(fmt::format("graphite {}:{}", host, port)),
        link_(std::move(host), port),
        seconds_(std::move(prefix)) {}

  std::string name() const override { return name_; }
  BatchLimits limits() const override { return {2000, base::kNsPerSecond}; }
  // What a second has is in memory until it is complete; the one that such a start finds half is not sent.
  std::int64_t rewind_ns() const override { return 3 * base::kNsPerSecond; }
  void interrupt() override { link_.interrupt(); }

  Delivery deliver(std::span<const model::Event> events) override {
    if (!batch_.again(events)) {
      seconds_.roll_back();
      lines_ = waiting_;
      seconds_.take(events, base::monotonic_ns(), lines_);
    }
    if (auto sent = send(lines_); !sent) return Delivery::retry(sent.error().what);
    seconds_.commit();
    waiting_.clear();
    batch_.forget();
    return Delivery::done();
  }

  base::Result<std::string> check() override {
    const auto open = link_.open(base::monotonic_ns() + kTimeout);
    if (!open) return open.error();
    return name_ + " takes connections (carbon answers nothing: what it stores is seen in its own metrics)";
  }

  void idle() override {
    seconds_.close_older(base::monotonic_ns() - kLinger, waiting_);
    if (send(waiting_)) waiting_.clear();
  }

 private:
  // A receiver that ended has perhaps not read what was last sent to it: again then, as the last value of a
  // second stands.
  base::Result<void> send(const std::string& lines) {
    if (lines.empty()) return {};
    const std::int64_t deadline = base::monotonic_ns() + kTimeout;
    const auto fresh = link_.open(deadline);
    if (!fresh) return fresh.error();
    if (*fresh && !last_.empty()) {
      if (auto sent = link_.send(last_, deadline); !sent) return sent;
    }
    if (auto sent = link_.send(lines, deadline); !sent) return sent;
    last_ = lines;
    return {};
  }

  std::string name_;
  GraphiteLink link_;
  GraphiteSeconds seconds_;
  SameBatch batch_;
  std::string lines_;    // of the batch
  std::string waiting_;  // of seconds that idle() completed
  std::string last_;     // what was sent last
};

base::Result<std::unique_ptr<Sink>> make(const SinkValues& values) {
  const std::string text = values.text("graphite");
  const std::size_t colon = text.rfind(':');
  std::uint64_t port = 0;
  std::string host = colon == std::string::npos ? text : text.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  const bool no_port = colon == std::string::npos;
  if (host.empty() || host.find('/') != std::string::npos ||
      (!no_port &&
       (!base::parse_u64(std::string_view(text).substr(colon + 1), port) || port == 0 || port > 65535)))
    return base::Error{fmt::format("--graphite: '{}' is no HOST:PORT", text),
                       "for example --graphite graphite.example.org:2003", base::Exit::usage};
  std::string prefix;
  std::string_view rest = values.has("graphite-prefix") ? std::string_view() : std::string_view("mikroscope");
  const std::string given = values.text("graphite-prefix");
  if (values.has("graphite-prefix")) rest = given;
  while (!rest.empty()) {
    const std::size_t dot = rest.find('.');
    if (dot != 0) prefix += graphite_node(rest.substr(0, dot)) + '.';
    rest.remove_prefix(dot == std::string_view::npos ? rest.size() : dot + 1);
  }
  return std::unique_ptr<Sink>(std::make_unique<GraphiteSink>(
      std::move(host), no_port ? "2003" : std::to_string(port), std::move(prefix)));
}

}  // namespace

const SinkDef kGraphiteSink{"graphite", "Graphite, plaintext", kOptions, make};

}  // namespace mikroscope::sinks
