// Rows on standard output, for pipes and for a look. Nothing else is written there.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/clock.h"
#include "sinks/stores/json_text.h"
#include "sinks/stores/line_protocol.h"
#include "sinks/stores/registry.h"

namespace mikroscope::sinks {
namespace {

constexpr std::int64_t kPatienceNs = 5 * base::kNsPerSecond;

// EPIPE and not a signal where the reader is gone. The descriptor stays as its other users know it.
ssize_t write_quietly(int fd, const char* data, std::size_t size) {
  sigset_t pipe;
  sigset_t before;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  sigset_t pending;
  sigpending(&pending);
  const bool was_pending = sigismember(&pending, SIGPIPE) == 1;
  pthread_sigmask(SIG_BLOCK, &pipe, &before);
  const ssize_t wrote = write(fd, data, size);
  const int error = errno;
  if (wrote < 0 && error == EPIPE && !was_pending) {
    const timespec now{0, 0};
    sigtimedwait(&pipe, nullptr, &now);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return wrote;
}

// {"measurement":"mikroscope_cpu","host":"router","time_ns":1789000000100000000,"cpu":0,"user":1}
void put_json_rows(const model::Event& event, std::string& out) {
  for (const model::ShapeTable& table : event.shape->tables()) {
    const model::Measurement& m = *table.measurement;
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      const std::size_t begin = out.size();
      out += "{\"measurement\":";
      append_json_string(out, model::store_name(m));
      out += ",\"host\":";
      append_json_string(out, event.origin->host);
      out += fmt::format(",\"time_ns\":{}", event.wall_ns);
      const std::vector<std::string>& keys = table.rows[row].keys;
      for (std::size_t k = 0; k < keys.size() && k < m.keys.size(); ++k) {
        if (keys[k].empty()) continue;
        out += ',';
        append_json_string(out, m.keys[k].name);
        out += ':';
        append_json_key(out, m.keys[k], keys[k]);
      }
      bool any = false;
      bool nonzero = false;
      for (std::size_t f = 0; f < m.fields.size(); ++f) {
        const std::uint32_t slot = table.slot(row, f);
        const std::size_t before = out.size();
        out += ',';
        append_json_string(out, m.fields[f].name);
        out += ':';
        if (!append_json_cell(out, event, m.fields[f], slot)) {
          out.resize(before);
          continue;
        }
        any = true;
        const auto value = model::number(event, m.fields[f], slot);
        nonzero = nonzero || !value || *value != 0;
      }
      if (any && (nonzero || !m.sparse)) {
        out += "}\n";
      } else {
        out.resize(begin);
      }
    }
  }
}

class Stdout final : public Sink {
 public:
  explicit Stdout(bool json) : json_(json) {}

  std::string name() const override { return json_ ? "stdout json" : "stdout lp"; }
  void interrupt() override { interrupted_.store(true); }
  base::Result<std::string> check() override {
    if (fcntl(STDOUT_FILENO, F_GETFD) < 0)
      return base::Error{"stdout is closed", "give it somewhere to go", base::Exit::failed};
    return std::string("stdout is open");
  }

  // A batch that was begun is gone on with: its lines never come twice.
  Delivery deliver(std::span<const model::Event> events) override {
    interrupted_.store(false);
    if (events.empty()) return Delivery::done();
    const Mark mark{events.size(), events.front().wall_ns, events.back().wall_ns, events.front().seq};
    if (rest_at_ == 0 || !(mark == mark_)) {
      // A line that was cut is ended before anything else: another batch must not begin in its middle.
      std::string tail;
      if (rest_at_ > 0) {
        const std::size_t end = text_.find('\n', rest_at_ - 1);
        tail = end == std::string::npos || text_[rest_at_ - 1] == '\n'
                   ? ""
                   : text_.substr(rest_at_, end + 1 - rest_at_);
      }
      text_ = std::move(tail);
      for (const model::Event& event : events) {
        if (json_) {
          put_json_rows(event, text_);
        } else {
          lines_.render(event, text_);
        }
      }
      rest_at_ = 0;
      mark_ = mark;
    }
    return write_rest();
  }

 private:
  struct Mark {
    std::size_t events = 0;
    std::int64_t first = 0;
    std::int64_t last = 0;
    std::uint64_t seq = 0;
    bool operator==(const Mark&) const = default;
  };

  Delivery write_rest() {
    const std::int64_t deadline = base::monotonic_ns() + kPatienceNs;
    while (rest_at_ < text_.size()) {
      pollfd out{STDOUT_FILENO, POLLOUT, 0};
      // Short, for interrupt().
      if (poll(&out, 1, 100) <= 0) {
        if (interrupted_.load() || base::monotonic_ns() > deadline)
          return Delivery::retry("stdout: the reader takes nothing");
        continue;
      }
      // A pipe that is ready takes this much without blocking.
      const std::size_t piece = std::min<std::size_t>(text_.size() - rest_at_, 4096);
      const ssize_t wrote = write_quietly(STDOUT_FILENO, text_.data() + rest_at_, piece);
      if (wrote < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (wrote < 0 && errno == EPIPE) return Delivery::fatal("stdout: the reader is gone");
      if (wrote < 0) return Delivery::retry(fmt::format("stdout: {}", std::strerror(errno)));
      rest_at_ += static_cast<std::size_t>(wrote);
    }
    rest_at_ = 0;
    text_.clear();
    return Delivery::done();
  }

  bool json_;
  LineProtocol lines_;
  std::string text_;         // of the batch at hand
  std::size_t rest_at_ = 0;  // what is before is written
  Mark mark_;
  std::atomic<bool> interrupted_{false};
};

constexpr SinkOption kOptions[] = {
    {"stdout", "FORM", "rows on standard output: line protocol, or one JSON object per row", "lp,json"},
};

base::Result<std::unique_ptr<Sink>> make(const SinkValues& values) {
  const std::string form = values.text("stdout");
  if (form != "lp" && form != "json")
    return base::Error{fmt::format("--stdout {}: no such form", form), "--stdout lp or --stdout json",
                       base::Exit::usage};
  return std::unique_ptr<Sink>(std::make_unique<Stdout>(form == "json"));
}

}  // namespace

const SinkDef kStdoutSink = {"stdout", "standard output, for pipes", kOptions, make};

}  // namespace mikroscope::sinks
