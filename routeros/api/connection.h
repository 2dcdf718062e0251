// Commands over one API connection. Each carries a tag of its own, so that several run at once and their
// replies may come mixed.
//
// Not thread-safe: whoever waits for one command also takes in the replies of the others.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "routeros/api/reply.h"
#include "routeros/api/wire.h"
#include "routeros/session/row.h"
#include "routeros/session/trouble.h"

namespace mikroscope::routeros {

// A router was seen to hang or reset with 25 at once.
inline constexpr std::size_t kMaxInFlight = 4;
// What the rows of one command may take of our memory; its own overhead per value is counted.
inline constexpr std::size_t kMaxReply = std::size_t{128} << 20;

struct ApiCommand {
  std::string path;  // "/interface/print"
  Attributes attributes;
  std::vector<std::string> queries;  // without '?': "name=ether1", "-comment", "#|"
};

struct ApiResult {
  std::vector<Row> rows;
  Attributes done;                 // of !done: ret
  std::vector<DeviceError> traps;  // empty: it succeeded
};

class ApiConnection {
 public:
  using Tag = std::uint64_t;
  static constexpr std::int64_t kNoDeadline = -1;

  explicit ApiConnection(Wire wire) : wire_(std::move(wire)) {}
  ~ApiConnection();
  ApiConnection(const ApiConnection&) = delete;
  ApiConnection& operator=(const ApiConnection&) = delete;

  void interrupt_on(int fd) { interrupt_fd_ = fd; }

  // Sends a command, first waiting for one of kMaxInFlight to end. All of it must be done `timeout_ms` from
  // now; kNoDeadline is for `listen`.
  Answer<Tag> start(const ApiCommand& command, std::int64_t timeout_ms);
  // Until the command's end; its tag is of no use after that. What is not done in time loses the connection,
  // since a router that hangs goes on hanging.
  Answer<ApiResult> wait(Tag tag);
  // The next row of a command that runs, for `listen`: a changed row comes whole, a removed one as its .id
  // and the flag .dead. Nothing when none came in time (at least a millisecond), or when the command has
  // ended (see running()); its trap is the error.
  Answer<std::optional<Row>> next_row(Tag tag, std::int64_t wait_ms);
  bool running(Tag tag) const;
  // Ends a command; its tag is of no use after that, and what still comes of it is passed over.
  Answer<void> cancel(Tag tag);
  // Takes leave with /quit, unless the connection is lost. Also on destruction.
  void close();

  std::string local_address() const { return wire_.local_address(); }
  // Reply words of a later version that were passed over, each once.
  const std::vector<std::string>& unknown_words() const { return unknown_words_; }
  std::uint64_t stray_sentences() const { return stray_; }  // of no command that runs

 private:
  struct Pending {
    std::string path;
    std::int64_t timeout_ms = 0;
    Wait wait;
    ApiResult result;
    std::size_t bytes = 0;
    std::size_t given = 0;  // rows that next_row() has handed out
    bool finished = false;
    bool discarded = false;  // nobody waits for it any more
    bool too_large = false;
  };

  Answer<void> send(const ApiCommand& command, Tag tag, const Wait& wait);
  Answer<void> send_cancel(Tag tag);
  Pending* find(Tag tag);
  Net pump(const Wait& wait);
  void take_in(std::string_view octets);
  void dispatch(Reply reply);
  void add_row(Tag tag, Pending& pending, Attributes attributes);
  Pending* whose(const Reply& reply, Tag& tag);
  std::size_t in_flight() const;
  // The connection is lost while `pending` (may be null) was waited for.
  LostConnection lose(Net net, const Pending* pending);
  LostConnection refuse(std::string what, std::string fix);

  Wire wire_;
  SentenceReader reader_;
  std::map<Tag, Pending> pending_;
  std::vector<Tag> to_cancel_;  // whose answers are too large
  Tag last_tag_ = 0;            // never used again: late sentences must not reach another command
  int interrupt_fd_ = -1;
  bool answered_ = false;  // a reply has come
  bool closed_ = false;
  std::uint64_t stray_ = 0;
  std::vector<std::string> unknown_words_;
  std::optional<LostConnection> lost_;
};

}  // namespace mikroscope::routeros
