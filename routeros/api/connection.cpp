#include "routeros/api/connection.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/host/duration.h"
#include "routeros/api/diagnosis.h"
#include "routeros/session/text.h"
#include "routeros/session/value.h"

namespace mikroscope::routeros {
namespace {

constexpr std::int64_t kQuitMs = 500;
constexpr std::int64_t kLastWordsMs = 100;
constexpr std::int64_t kCancelMs = 10'000;
constexpr std::size_t kMaxUnknownWords = 16;
constexpr std::size_t kMaxTraps = 64;

}  // namespace

ApiConnection::~ApiConnection() {
  close();
}

Answer<void> ApiConnection::send(const ApiCommand& command, Tag tag, const Wait& wait) {
  std::string octets;
  append_word(octets, command.path);
  for (const Attribute& attribute : command.attributes)
    append_word(octets, "=" + attribute.name + "=" + attribute.value);
  for (const std::string& query : command.queries) append_word(octets, "?" + query);
  append_word(octets, fmt::format(".tag={}", tag));
  octets += '\0';
  const Net net = wire_.send(octets, wait);
  if (net == Net::ok) return {};
  // The router may have said why before it closed.
  const Wait last_words = within(kLastWordsMs, interrupt_fd_);
  while (net == Net::closed && pump(last_words) == Net::ok) {
  }
  const auto at = pending_.find(tag);
  return Trouble(lose(net, at != pending_.end() ? &at->second : nullptr));
}

Answer<ApiConnection::Tag> ApiConnection::start(const ApiCommand& command, std::int64_t timeout_ms) {
  if (lost_) return Trouble(*lost_);
  Pending pending;
  pending.path = command.path;
  pending.timeout_ms = timeout_ms;
  pending.wait =
      timeout_ms == kNoDeadline ? Wait{INT64_MAX, interrupt_fd_} : within(timeout_ms, interrupt_fd_);
  while (in_flight() >= kMaxInFlight) {
    const Net net = pump(pending.wait);
    if (net != Net::ok) return Trouble(lose(net, &pending));
  }
  const Tag tag = ++last_tag_;
  const Wait wait = pending.wait;
  pending_.emplace(tag, std::move(pending));
  if (const Answer<void> sent = send(command, tag, wait); !sent.ok()) return sent.error();
  return tag;
}

Answer<ApiResult> ApiConnection::wait(Tag tag) {
  Pending* const pending = find(tag);
  if (pending == nullptr) {
    if (lost_) return Trouble(*lost_);
    return Trouble(DeviceError{"no such command is running", -1, "wait"});
  }
  // What has come whole counts, even if the connection was lost right after it.
  while (!pending->finished) {
    const Net net = pump(pending->wait);
    if (net != Net::ok && !pending->finished) return Trouble(lose(net, pending));
  }
  ApiResult result = std::move(pending->result);
  pending_.erase(tag);
  return result;
}

Answer<std::optional<Row>> ApiConnection::next_row(Tag tag, std::int64_t wait_ms) {
  Pending* const pending = find(tag);
  if (pending == nullptr) {
    if (lost_) return Trouble(*lost_);
    return std::optional<Row>();
  }
  const Wait wait = within(std::max<std::int64_t>(wait_ms, 1), interrupt_fd_);
  while (pending->given == pending->result.rows.size()) {
    if (pending->finished) {
      ApiResult result = std::move(pending->result);
      pending_.erase(tag);
      if (!result.traps.empty()) return Trouble(std::move(result.traps.front()));
      return std::optional<Row>();
    }
    pending->given = 0;
    pending->result.rows.clear();
    pending->bytes = 0;
    const Net net = pump(wait);
    if (net == Net::timeout) return std::optional<Row>();
    if (net != Net::ok && pending->result.rows.empty() && !pending->finished)
      return Trouble(lose(net, pending));
  }
  return std::optional(std::move(pending->result.rows[pending->given++]));
}

bool ApiConnection::running(Tag tag) const {
  const auto at = pending_.find(tag);
  return !lost_ && at != pending_.end() && !at->second.finished && !at->second.discarded;
}

// Null: of no use any more, or never was.
ApiConnection::Pending* ApiConnection::find(Tag tag) {
  const auto at = pending_.find(tag);
  return at == pending_.end() || at->second.discarded ? nullptr : &at->second;
}

Answer<void> ApiConnection::cancel(Tag tag) {
  if (lost_) return Trouble(*lost_);
  Pending* const pending = find(tag);
  if (pending == nullptr) return {};
  if (pending->finished) {
    pending_.erase(tag);
    return {};
  }
  pending->discarded = true;
  pending->result = {};
  return send_cancel(tag);
}

// Nobody waits for this command itself: it may end before or after the one that it cancels, or with a trap
// when that one was done already.
Answer<void> ApiConnection::send_cancel(Tag tag) {
  const Tag own = ++last_tag_;
  Pending& cancel = pending_[own];
  cancel.path = "/cancel";
  cancel.timeout_ms = kCancelMs;
  cancel.discarded = true;
  return send({cancel.path, {{"tag", std::to_string(tag)}}, {}}, own, within(kCancelMs, interrupt_fd_));
}

void ApiConnection::close() {
  if (std::exchange(closed_, true)) return;
  if (!lost_) {
    // The answer is !fatal or nothing; both are fine.
    const Wait wait = within(kQuitMs, -1);
    if (wire_.send(encode_sentence({"/quit"}), wait) == Net::ok) {
      while (!lost_ && pump(wait) == Net::ok) {
      }
    }
    lost_ = LostConnection{"the connection was closed", ""};
  }
  wire_.close();
}

Net ApiConnection::pump(const Wait& wait) {
  if (lost_) return Net::failed;
  std::string octets;
  const Net net = wire_.receive(octets, wait);
  if (net == Net::ok) take_in(octets);
  // Not while octets are taken in: sending may have to read on.
  for (const Tag tag : std::exchange(to_cancel_, {})) {
    if (!lost_) (void)send_cancel(tag);  // a failure shows in lost_
  }
  return lost_ ? Net::failed : net;
}

void ApiConnection::take_in(std::string_view octets) {
  while (!octets.empty() && !lost_) {
    octets.remove_prefix(reader_.feed(octets));
    if (!reader_.error().empty()) {
      if (answered_)
        refuse("the router sent " + reader_.error(),
               "the two sides are out of step; if it happens again, report it with the RouterOS version");
      else
        lost_ = not_an_api(wire_.first_octets(), wire_.tls() != nullptr, reader_.error());
      return;
    }
    if (std::optional<Sentence> sentence = reader_.take()) dispatch(parse_reply(std::move(*sentence)));
  }
}

void ApiConnection::dispatch(Reply reply) {
  answered_ = true;
  if (reply.kind == ReplyKind::fatal) {
    refuse("the router ended the session: " + printable(trap_error(reply, "").message), "");
    return;
  }
  if (reply.kind == ReplyKind::unknown) {
    const std::string word = reply.word.substr(0, 32);
    if (unknown_words_.size() < kMaxUnknownWords &&
        std::find(unknown_words_.begin(), unknown_words_.end(), word) == unknown_words_.end())
      unknown_words_.push_back(word);
    return;
  }
  Tag tag = 0;
  Pending* const pending = whose(reply, tag);
  if (pending == nullptr) {
    ++stray_;
    return;
  }
  if (reply.kind == ReplyKind::row) {
    add_row(tag, *pending, std::move(reply.attributes));
  } else if (reply.kind == ReplyKind::trap && pending->result.traps.size() < kMaxTraps) {
    pending->result.traps.push_back(trap_error(reply, pending->path));
  } else if (reply.kind == ReplyKind::done) {
    pending->finished = true;
    pending->result.done = std::move(reply.attributes);
    if (pending->discarded) pending_.erase(tag);
  }
}

void ApiConnection::add_row(Tag tag, Pending& pending, Attributes attributes) {
  if (pending.discarded || pending.too_large) return;
  pending.bytes += sizeof(Row);
  for (const Attribute& a : attributes) pending.bytes += sizeof(Attribute) + a.name.size() + a.value.size();
  if (pending.bytes <= kMaxReply) {
    pending.result.rows.emplace_back(std::move(attributes));
    return;
  }
  pending.too_large = true;
  pending.result.rows = {};
  pending.given = 0;
  pending.result.traps.push_back(
      {fmt::format("the answer is larger than {} MiB and was not read to its end", kMaxReply >> 20), -1,
       pending.path});
  to_cancel_.push_back(tag);
}

// Null: of no command that runs. A reply without a tag belongs to the only command, if there is just one.
ApiConnection::Pending* ApiConnection::whose(const Reply& reply, Tag& tag) {
  if (reply.tag.empty()) {
    if (in_flight() != 1) return nullptr;
    const auto at = std::find_if(pending_.begin(), pending_.end(),
                                 [](const auto& entry) { return !entry.second.finished; });
    tag = at->first;
    return &at->second;
  }
  const auto at = pending_.find(parse_count(reply.tag).value_or(0));
  if (at == pending_.end() || at->second.finished) return nullptr;
  tag = at->first;
  return &at->second;
}

std::size_t ApiConnection::in_flight() const {
  return static_cast<std::size_t>(std::count_if(pending_.begin(), pending_.end(),
                                                [](const auto& entry) { return !entry.second.finished; }));
}

LostConnection ApiConnection::refuse(std::string what, std::string fix) {
  lost_ = LostConnection{std::move(what), std::move(fix), base::Exit::failed};
  return *lost_;
}

LostConnection ApiConnection::lose(Net net, const Pending* pending) {
  if (lost_) return *lost_;
  const std::string doing = pending != nullptr ? pending->path : "a command";
  switch (net) {
    case Net::interrupted:
      lost_ = LostConnection{"interrupted", "", base::Exit::interrupted};
      return *lost_;
    case Net::timeout:
      return refuse(
          fmt::format("no answer to {} within {}", doing,
                      base::format_duration((pending != nullptr ? pending->timeout_ms : 0) * 1'000'000)),
          answered_ ? "the router is busy or hangs: look at its load, then try again"
                    : "is this the API's port? See `/ip/service/print` on the router");
    case Net::closed:
      if (!answered_ && reader_.between_sentences()) {
        lost_ = closed_without_a_word(wire_.tls() != nullptr);
        return *lost_;
      }
      return refuse(reader_.between_sentences()
                        ? fmt::format("the router closed the connection before it answered {}", doing)
                        : fmt::format("the connection ended in the middle of the answer to {}", doing),
                    "was the router rebooted, or the user logged out or removed? Try again");
    default:
      return refuse(fmt::format("the connection broke during {}: {}", doing, wire_.why()), "try again");
  }
}

}  // namespace mikroscope::routeros
