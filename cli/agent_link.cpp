#include "cli/agent_link.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/http.h"
#include "cli/reply_decoder.h"
#include "proc/codec.h"

namespace mikroscope::cli {
namespace {

using Json = nlohmann::json;

constexpr long kShortTimeoutMs = 5000;
constexpr long kReplyTimeoutMs = 15000;  // beyond the wait that the agent was asked for

std::string text_of(const Json& object, const char* name) {
  const auto it = object.find(name);
  return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}
template <class T>
std::optional<T> number_of(const Json& object, const char* name) {
  const auto it = object.find(name);
  return it != object.end() && it->is_number() ? std::optional<T>(it->get<T>()) : std::nullopt;
}

class DirectTransport final : public AgentTransport {
 public:
  DirectTransport(const std::string& url, const std::string& token)
      : http_(url, token), has_token_(!token.empty()) {}
  base::Result<HttpReply> request(const AgentRequest& r) override {
    return http_.request(r.method, r.path, r.accept, r.timeout_ms);
  }
  void interrupt_on(int fd) override { http_.interrupt_on(fd); }
  void while_waiting(WhileWaiting look, int fd) override { http_.while_waiting(std::move(look), fd); }
  std::string describe() const override { return http_.base_url(); }
  bool has_token() const override { return has_token_; }
  std::int64_t good_rtt_ns() const override { return 0; }

 private:
  HttpClient http_;
  bool has_token_;
};

std::string percent_encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || base::is_digit(c) || c == '-' ||
                       c == '.' || c == '_' || c == '~';
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

class Link final : public AgentLink {
 public:
  explicit Link(std::unique_ptr<AgentTransport> transport) : transport_(std::move(transport)) {}

  base::Result<Health> health() override {
    base::Result<HttpReply> reply = ok_reply("/healthz", "application/json", kShortTimeoutMs);
    if (!reply.ok()) return std::move(reply).error();
    const Json json = Json::parse(reply->body, nullptr, false);
    if (!json.is_object()) {
      return base::Error{fmt::format("{} answers, but not as an agent does", describe()),
                         "check host and port: the agent listens on 9123 unless told otherwise",
                         base::Exit::failed};
    }
    Health out;
    out.version = text_of(json, "version");
    out.instance = !reply->instance.empty() ? reply->instance : text_of(json, "instance");
    out.boot_id = !reply->boot_id.empty() ? reply->boot_id : text_of(json, "boot_id");
    out.board = text_of(json, "board");
    out.newest_seq = reply->newest_seq ? reply->newest_seq : number_of<std::uint64_t>(json, "seq");
    out.oldest_seq = number_of<std::uint64_t>(json, "oldest_seq").value_or(0);
    out.rate_hz = number_of<std::uint32_t>(json, "rate_hz").value_or(0);
    out.missed = number_of<std::uint64_t>(json, "missed");
    out.json = std::move(reply->body);
    return out;
  }

  base::Result<void> check_token() override {
    const base::Result<HttpReply> reply = ok_reply("/sampler", "application/json", kShortTimeoutMs);
    // An agent without /sampler still told whether it takes the token.
    if (reply.ok() || reply.error().exit == base::Exit::no_data) return {};
    return reply.error();
  }

  base::Result<PullResult> pull(const PullRequest& request, const OnReply& on_reply,
                                const OnLine& on_line) override {
    std::string since = "newest";
    if (request.cursor.from == Cursor::From::oldest) since = "oldest";
    if (request.cursor.from == Cursor::From::after) since = fmt::format("{}", request.cursor.seq);
    std::string path = fmt::format("/samples?since={}&max={}&wait={}", since, request.max, request.wait_ms);
    if (!request.cursor.instance.empty()) path += "&instance=" + request.cursor.instance;
    const std::string plain_path = path;
    const ReplyDecoder::Standing& standing = decoder_.standing();
    if (!ndjson_only_ && !standing.instance.empty() && standing.instance == request.cursor.instance) {
      path += fmt::format("&schema={:08x}", standing.schema_hash);
      if (request.cursor.from == Cursor::From::after && request.cursor.seq == standing.seq &&
          standing.seq != 0)
        path += "&cont=1";
    }
    const long timeout_ms = static_cast<long>(request.wait_ms) + kReplyTimeoutMs;
    base::Result<HttpReply> reply = ndjson_only_
                                        ? ok_reply(path, std::string(proc::kNdjsonMediaType), timeout_ms)
                                        : ok_reply(path, std::string(proc::kFramesMediaType), timeout_ms);
    if (!reply.ok() && reply.error().exit == base::Exit::usage && !ndjson_only_) {  // 406
      ndjson_only_ = true;
      reply = ok_reply(plain_path, std::string(proc::kNdjsonMediaType), timeout_ms);
    }
    if (!reply.ok()) return std::move(reply).error();
    PullResult out;
    out.instance = reply->instance;
    out.boot_id = reply->boot_id;
    out.newest_seq = reply->newest_seq;
    if (on_reply) on_reply(out);
    packed_ = reply->content_type.starts_with(proc::kFramesMediaType);
    base::Result<void> decoded = packed_ ? decoder_.packed(reply->body, on_line, out, request.text)
                                         : decoder_.ndjson(reply->body, on_line, out);
    if (!decoded.ok()) return std::move(decoded).error();
    out.full = out.frames >= request.max || (reply->bounded && out.frames != 0);
    return out;
  }

  base::Result<ClockOffset> measure_clock(int tries) override {
    std::optional<ClockOffset> best;
    base::Error last{"the agent does not tell its clock", "", base::Exit::failed};
    for (int i = 0; i < tries; ++i) {
      const base::Result<HttpReply> reply = ok_reply("/healthz", "application/json", kShortTimeoutMs);
      if (!reply.ok()) {
        last = reply.error();
        if (last.exit == base::Exit::interrupted) break;
        continue;
      }
      const Json json = Json::parse(reply->body, nullptr, false);
      if (!json.is_object()) continue;
      const std::optional<std::int64_t> wall = number_of<std::int64_t>(json, "wall_ns");
      const std::optional<std::int64_t> boot = number_of<std::int64_t>(json, "boot_ns");
      if (!wall) continue;
      ClockOffset now;
      now.rtt_ns = reply->received_boot_ns - reply->sent_boot_ns;
      if (best && best->rtt_ns <= now.rtt_ns) continue;
      now.host_boot_ns = reply->sent_boot_ns + now.rtt_ns / 2;
      now.host_wall_ns = reply->sent_wall_ns + (reply->received_wall_ns - reply->sent_wall_ns) / 2;
      now.wall_offset_ns = *wall - now.host_wall_ns;
      now.boot_known = boot.has_value();
      if (boot) now.boot_offset_ns = *boot - now.host_boot_ns;
      best = now;
      if (best->rtt_ns <= transport_->good_rtt_ns()) break;
    }
    if (!best) return last;
    return *best;
  }

  base::Result<std::string> fetch(const std::string& path) override {
    base::Result<HttpReply> reply = ok_reply(path, "", kReplyTimeoutMs);
    if (!reply.ok()) return std::move(reply).error();
    return std::move(reply->body);
  }

  base::Result<void> capture(std::uint64_t id, const OnLine& on_line) override {
    base::Result<HttpReply> reply =
        ok_reply(fmt::format("/captures/{}", id), std::string(proc::kFramesMediaType), kReplyTimeoutMs);
    if (!reply.ok()) return std::move(reply).error();
    // The window, as its head line says: packed captures begin at the base before it.
    std::uint64_t first = 0;
    std::uint64_t last = UINT64_MAX;
    std::uint64_t promised = 0;
    std::uint64_t samples = 0;
    const OnLine within = [&](const Line& line) -> base::Result<void> {
      if (line.item != nullptr) {
        if (const auto* frame = std::get_if<proc::Frame>(line.item)) {
          if (frame->head.seq < first || frame->head.seq > last) return {};
          ++samples;
        } else if (std::holds_alternative<proc::OtherLine>(*line.item)) {
          const Json head = Json::parse(line.text, nullptr, false);
          if (head.is_object() && head.contains("capture")) {
            first = number_of<std::uint64_t>(head["capture"], "first_seq").value_or(first);
            last = number_of<std::uint64_t>(head["capture"], "last_seq").value_or(last);
            promised = number_of<std::uint64_t>(head["capture"], "samples").value_or(0);
          }
        }
      }
      return on_line(line);
    };
    ReplyDecoder decoder;
    PullResult counts;
    base::Result<void> done = reply->content_type.starts_with(proc::kFramesMediaType)
                                  ? decoder.packed(reply->body, within, counts)
                                  : decoder.ndjson(reply->body, within, counts);
    if (done.ok() && (counts.malformed != 0 || samples < promised)) {
      done = base::Error{
          fmt::format("capture {} of {} came damaged: {} of {} samples", id, describe(), samples, promised),
          "try again", base::Exit::failed};
    }
    return done;
  }

  base::Result<void> remove_capture(std::uint64_t id) override {
    const base::Result<HttpReply> reply =
        ok_reply({"DELETE", fmt::format("/captures/{}", id), "", kShortTimeoutMs});
    return reply.ok() ? base::Result<void>() : reply.error();
  }

  base::Result<std::string> arm_capture(const std::string& reason) override {
    std::string path = "/capture";
    if (!reason.empty()) path += "?reason=" + percent_encoded(reason);
    base::Result<HttpReply> reply = ok_reply({"POST", path, "", kShortTimeoutMs});
    if (!reply.ok()) return std::move(reply).error();
    return std::move(reply->body);
  }

  void interrupt_on(int fd) override { transport_->interrupt_on(fd); }
  void while_waiting(WhileWaiting look, int fd) override { transport_->while_waiting(std::move(look), fd); }
  std::string describe() const override { return transport_->describe(); }
  bool packed() const override { return packed_; }

 private:
  base::Result<HttpReply> ok_reply(const std::string& path, const std::string& accept, long timeout_ms) {
    return ok_reply({"GET", path, accept, timeout_ms});
  }

  // 200 or 204, or an Error: 401 is Exit::auth, 404 Exit::no_data, 406 Exit::usage, 409 Exit::refused, any
  // other status Exit::failed.
  base::Result<HttpReply> ok_reply(const AgentRequest& request) {
    base::Result<HttpReply> reply = transport_->request(request);
    if (!reply.ok() || reply->status == 200 || reply->status == 204) return reply;
    if (reply->status == 401 || reply->status == 403) {
      return base::Error{
          transport_->has_token() ? fmt::format("the agent at {} refuses the token", describe())
                                  : fmt::format("the agent at {} wants a token", describe()),
          "set MIKROSCOPE_TOKEN, or --token-file F, to the TOKEN that the agent was started with",
          base::Exit::auth};
    }
    const base::Exit exit = reply->status == 404   ? base::Exit::no_data
                            : reply->status == 406 ? base::Exit::usage
                            : reply->status == 409 ? base::Exit::refused
                                                   : base::Exit::failed;
    const std::string said(base::trim(std::string_view(reply->body).substr(0, 200)));
    const std::string& path = request.path;
    return base::Error{fmt::format("{}{} answers {}{}{}", describe(), path.substr(0, path.find('?')),
                                   reply->status, said.empty() ? "" : ": ", said),
                       "", exit};
  }

  std::unique_ptr<AgentTransport> transport_;
  ReplyDecoder decoder_;
  bool ndjson_only_ = false;
  bool packed_ = false;
};

}  // namespace

std::string clean_instance(const std::string& name) {
  const bool good =
      name.size() <= 64 && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
      });
  return good ? name : std::string();
}

std::unique_ptr<AgentLink> make_link(std::unique_ptr<AgentTransport> transport) {
  return std::make_unique<Link>(std::move(transport));
}

std::unique_ptr<AgentLink> make_direct_link(const std::string& url, const std::string& token) {
  return make_link(std::make_unique<DirectTransport>(url, token));
}

}  // namespace mikroscope::cli
