#include "cli/relay_link.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <thread>

#include "base/clock.h"
#include "base/file.h"
#include "cli/relay_text.h"
#include "proc/codec.h"

namespace mikroscope::cli {
namespace {

using routeros::Answer;
using routeros::Row;

constexpr int kLookEveryMs = 100;
// Ending a fetch early costs the session. A fetch takes a second, so that one is waited for.
constexpr std::int64_t kGraceNs = 1'500'000'000;
constexpr std::int64_t kLeastDeadlineMs = 15'000;
constexpr std::int64_t kGoodRttNs = 20'000'000;
constexpr std::int64_t kMaxCapture = std::int64_t{256} << 20;  // of a hostile or broken peer

void signal_fd(int fd) {
  const std::uint64_t one = 1;
  (void)!::write(fd, &one, sizeof one);
}
void empty_fd(int fd) {
  std::uint64_t drop = 0;
  while (::read(fd, &drop, sizeof drop) > 0) {
  }
}

struct Fetched {
  base::Error error;  // with `ok` false
  bool ok = false;
  int status = 200;
  std::string data;
  std::int64_t sent_boot_ns = 0, received_boot_ns = 0;
  std::int64_t sent_wall_ns = 0, received_wall_ns = 0;
};

bool packed_wanted(const AgentRequest& r) {
  return r.accept == proc::kFramesMediaType;
}

class RelayTransport final : public AgentTransport {
 public:
  RelayTransport(RouterConnection& connection, std::string agent_url, std::string token,
                 std::int64_t patience_ns)
      : connection_(connection),
        agent_url_(std::move(agent_url)),
        token_(std::move(token)),
        patience_ns_(patience_ns),
        done_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        stop_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    connection_.interrupt_on(stop_.get());
  }
  ~RelayTransport() override { connection_.interrupt_on(-1); }
  RelayTransport(const RelayTransport&) = delete;
  RelayTransport& operator=(const RelayTransport&) = delete;

  base::Result<HttpReply> request(const AgentRequest& r) override {
    if (!packed_wanted(r)) {
      base::Result<Fetched> got = fetch(r, r.path, r.accept);
      if (!got.ok()) return std::move(got).error();
      if (got->data.size() >= kRelayLimit) return cut(r.path);
      return as_reply(std::move(*got), r.accept);
    }
    return r.path.starts_with("/captures/") ? capture(r) : samples(r);
  }

  void interrupt_on(int fd) override { interrupt_fd_ = fd; }
  void while_waiting(WhileWaiting look, int fd) override {
    look_ = std::move(look);
    look_fd_ = fd;
  }
  std::string describe() const override {
    return fmt::format("{} relayed by {}", agent_url_, connection_.router());
  }
  bool has_token() const override { return !token_.empty(); }
  std::int64_t good_rtt_ns() const override { return kGoodRttNs; }

 private:
  static HttpReply as_reply(Fetched&& got, std::string content_type) {
    HttpReply out;
    out.status = got.status;
    out.body = std::move(got.data);
    out.content_type = std::move(content_type);
    out.sent_boot_ns = got.sent_boot_ns;
    out.received_boot_ns = got.received_boot_ns;
    out.sent_wall_ns = got.sent_wall_ns;
    out.received_wall_ns = got.received_wall_ns;
    return out;
  }

  base::Error cut(const std::string& path) const {
    return {fmt::format("the reply of {}{} is longer than the {} octets that /tool/fetch hands on",
                        agent_url_, path.substr(0, path.find('?')), kRelayLimit),
            "reach the agent with --transport direct, or install it with --expose", base::Exit::failed};
  }

  // Records as text; 200 with content type of packed frames. Lines where the agent knows no other form.
  base::Result<HttpReply> records(const AgentRequest& r, const std::string& path) {
    base::Result<Fetched> got = fetch(r, path, std::string(proc::kFramesTextMediaType));
    if (!got.ok()) return std::move(got).error();
    if (got->status != 200) return as_reply(std::move(*got), "");
    if (got->data.size() >= kRelayLimit) return cut(path);
    if (got->data.starts_with('{')) return as_reply(std::move(*got), std::string(proc::kNdjsonMediaType));
    std::optional<std::string> octets = decode_base64(got->data);
    if (!octets) {
      return base::Error{
          fmt::format("the reply of {} came damaged through {}", agent_url_, connection_.router()), "",
          base::Exit::failed};
    }
    got->data = std::move(*octets);
    return as_reply(std::move(*got), std::string(proc::kFramesMediaType));
  }

  base::Result<HttpReply> samples(const AgentRequest& r) {
    base::Result<HttpReply> reply = records(
        r,
        fmt::format("{}{}bytes={}", r.path, r.path.find('?') == std::string::npos ? '?' : '&', kRelayBytes));
    if (!reply.ok() || reply->status != 200) return reply;
    // A reply as long as this may have been bounded; asking once too often costs one call.
    reply->bounded = reply->body.size() > kRelayBytes / 2;
    if (reply->content_type != proc::kFramesMediaType) return reply;
    std::string_view rest = reply->body;
    proc::Record record;
    proc::Hello hello;
    if (proc::read_record(rest, record, kRelayLimit) == 1 && record.kind == proc::RecordKind::hello &&
        proc::read_hello(record.payload, hello)) {
      reply->instance = hello.instance;
      reply->boot_id = hello.boot_id;
    }
    return reply;
  }

  // In pieces, each from the record on that the one before ended with.
  base::Result<HttpReply> capture(const AgentRequest& r) {
    HttpReply whole;
    std::uint64_t have = 0;  // records of the capture itself: bases, frames, events
    for (bool first = true;; first = false) {
      const std::string skip = first ? std::string() : fmt::format("skip={}&", have);
      base::Result<HttpReply> part = records(r, fmt::format("{}?{}bytes={}", r.path, skip, kRelayBytes));
      if (!part.ok() || part->status != 200 || part->content_type != proc::kFramesMediaType) return part;
      const std::uint64_t before = have;
      have += capture_records(part->body, first);
      if (first) {
        whole = std::move(*part);
      } else {
        whole.body += part->body;
      }
      if (!first && have == before) return whole;
      if (whole.body.size() > static_cast<std::size_t>(kMaxCapture)) return cut(r.path);
    }
  }

  // The first part has a head of its own: hello, schema, the capture's line, names of rows.
  static std::uint64_t capture_records(std::string_view body, bool with_head) {
    std::uint64_t n = 0;
    bool head = with_head;
    proc::Record record;
    while (proc::read_record(body, record, kRelayLimit) == 1) {
      const bool of_head =
          record.kind == proc::RecordKind::hello || record.kind == proc::RecordKind::schema ||
          record.kind == proc::RecordKind::rows ||
          (head && record.kind == proc::RecordKind::event && record.payload.starts_with("{\"capture\":"));
      if (of_head && record.kind == proc::RecordKind::event) head = false;
      if (!of_head) ++n;
    }
    return n;
  }

  base::Result<Fetched> fetch(const AgentRequest& r, const std::string& path, const std::string& accept) {
    routeros::Call call;
    call.command = "/tool/fetch";
    call.attributes = {{"url", agent_url_ + path, false}, {"output", "user", false}};
    if (r.method != "GET") {
      call.attributes.push_back({"http-method", r.method == "DELETE" ? "delete" : "post", false});
    }
    std::string headers;
    if (!token_.empty()) headers = "Authorization: Bearer " + token_;
    if (!accept.empty()) headers += (headers.empty() ? "Accept: " : ",Accept: ") + accept;
    if (!headers.empty()) call.attributes.push_back({"http-header-field", headers, !token_.empty()});
    call.returns = true;
    // A deadline that passes costs the session: not before the router's own for a silent agent.
    call.timeout_ms = std::max<std::int64_t>(r.timeout_ms, kLeastDeadlineMs);

    Fetched out;
    empty_fd(done_.get());
    empty_fd(stop_.get());
    std::thread worker([&] {
      run(call, path, out);
      signal_fd(done_.get());
    });
    const bool waited = wait();
    worker.join();
    if (!waited && !out.ok) return base::Error{"interrupted", "", base::Exit::interrupted};
    if (!out.ok) return out.error;
    return out;
  }

  // In the thread of the request.
  void run(const routeros::Call& call, const std::string& path, Fetched& out) {
    const base::Result<routeros::Session*> session = connection_.session();
    if (!session.ok()) {
      out.error = session.error();
      return;
    }
    out.sent_wall_ns = base::wall_ns();
    out.sent_boot_ns = base::boot_ns();
    const Answer<std::vector<Row>> answer = (*session)->call(call);
    out.received_boot_ns = base::boot_ns();
    out.received_wall_ns = base::wall_ns();
    if (answer.ok()) {
      out.ok = true;
      for (const Row& row : *answer) {
        if (const auto data = row.find("data")) out.data = *data;
      }
      return;
    }
    if (const routeros::DeviceError* error = routeros::device_error(answer.error())) {
      const std::optional<int> status = fetch_status(error->message);
      if (status) {
        out.ok = true;
        out.status = *status;
        out.data = error->message;
      } else {
        out.error = fetch_error(*error, agent_url_ + path.substr(0, path.find('?')), connection_.router());
      }
      return;
    }
    out.error = routeros::to_error(answer.error(), connection_.router());
    connection_.lost();
  }

  // Until the request has ended. False: it was ended early.
  bool wait() {
    const std::int64_t begun = base::monotonic_ns();
    std::int64_t interrupted_ns = 0;
    for (;;) {
      pollfd fds[3] = {{done_.get(), POLLIN, 0},
                       {interrupted_ns == 0 ? interrupt_fd_ : -1, POLLIN, 0},
                       {look_fd_, POLLIN, 0}};
      ::poll(fds, 3, kLookEveryMs);
      if ((fds[0].revents & POLLIN) != 0) return true;
      const std::int64_t now = base::monotonic_ns();
      if (fds[1].revents != 0 && interrupted_ns == 0) interrupted_ns = now;
      const bool wanted = !look_ || look_(now - begun);
      if (interrupted_ns != 0 ? now - interrupted_ns < kGraceNs : wanted || now - begun < patience_ns_)
        continue;
      signal_fd(stop_.get());
      return false;
    }
  }

  RouterConnection& connection_;
  const std::string agent_url_;
  const std::string token_;
  const std::int64_t patience_ns_;
  base::Fd done_;
  base::Fd stop_;
  int interrupt_fd_ = -1;
  WhileWaiting look_;
  int look_fd_ = -1;
};

}  // namespace

std::unique_ptr<AgentTransport> make_relay_transport(RouterConnection& connection,
                                                     const std::string& agent_url, const std::string& token,
                                                     std::int64_t patience_ns) {
  return std::make_unique<RelayTransport>(connection, agent_url, token, patience_ns);
}

}  // namespace mikroscope::cli
