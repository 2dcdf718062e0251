// Packed replies over a real connection: what the recorder is given.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/agent_link.h"
#include "tests/proc/sender.h"
#include "tests/support/canned_server.h"

namespace mikroscope::cli {
namespace {

using proc::RecordKind;
using test::CannedServer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kFrames[] = "application/vnd.mikroscope.frames";

std::string record(RecordKind kind, std::string_view payload) {
  char head[1 + proc::kMaxVarint];
  const std::size_t n = proc::record_head(kind, payload.size(), head);
  return std::string(head, n) + std::string(payload);
}

// An agent of one table: single.count, 100 more with each sample, which are a second apart.
class Agent {
 public:
  explicit Agent(std::string instance) : instance_(std::move(instance)) {
    tick(0);
    proc::prime(s_.layout, s_.now, s_.track);
  }

  std::string hello() {
    char buffer[256];
    proc::ByteWriter w(buffer, sizeof buffer);
    proc::Hello h;
    h.instance = instance_;
    h.boot_id = "boot";
    h.schema_hash = proc::schema_hash(s_.layout);
    proc::write_hello(w, h);
    std::string out = record(RecordKind::hello, w.view());
    std::string schema(1 << 16, '\0');
    proc::ByteWriter to(schema.data(), schema.size());
    proc::write_schema(to, s_.layout);
    return out + record(RecordKind::schema, to.view());
  }
  std::string base() { return record(RecordKind::base, s_.base()); }
  std::string frame() {
    tick(++seq_);
    return record(RecordKind::frame, s_.frame());
  }
  // What a reply begins with that continues nothing, up to its first sample. (Operands of + have no order.)
  std::string start() {
    std::string out = hello();
    out += base();
    out += frame();
    return out;
  }

 private:
  void tick(std::uint64_t seq) {
    const auto at = static_cast<std::int64_t>(seq) * 1'000'000'000;
    s_.begin(seq, at, 1'000'000'000, 7'000'000'000'000 + at);
    proc::TableWriter single(s_.layout, s_.now, 0);
    single.single();
    single.set(0, seq * 100);
  }

  std::string instance_;
  proc::test::Sender s_;
  std::uint64_t seq_ = 0;
};

CannedServer::Reply frames(const std::string& instance, const std::string& body) {
  return {200, kFrames, body, instance, 0};
}

struct Pulled {
  bool ok = false;
  PullResult result;
  std::vector<std::string> lines;  // without the line break
};

Pulled pull(AgentLink& link, Cursor cursor) {
  Pulled out;
  const auto result = link.pull({cursor, 1000, 0}, {}, [&](const Line& line) -> base::Result<void> {
    out.lines.emplace_back(line.text.substr(0, line.text.size() - 1));
    return {};
  });
  out.ok = result.ok();
  if (result.ok()) out.result = *result;
  return out;
}

std::string sample(int seq, int count) {
  return "{\"seq\":" + std::to_string(seq) + ",\"boot_ns\":" + std::to_string(seq) +
         "000000000,\"wall_ns\":" + std::to_string(7000 + seq) +
         "000000000,\"dt_ns\":1000000000,\"single\":{\"count\":" + std::to_string(count) + "}}";
}

TEST(PackedLink, FramesBecomeLinesAndRepliesContinue) {
  Agent a("one");
  std::string first = a.start();
  first += a.frame();
  const std::string second = a.frame();  // neither schema nor base: the client said where it stands
  CannedServer server({frames("one", first), frames("one", a.hello() + second)});
  const auto link = make_direct_link(server.url(), "secret");
  Pulled p = pull(*link, {Cursor::From::oldest, 0, "one"});
  ASSERT_TRUE(p.ok);
  EXPECT_TRUE(link->packed());
  EXPECT_THAT(p.lines, ElementsAre(sample(1, 100), sample(2, 100)));
  EXPECT_EQ(p.result.frames, 2U);
  p = pull(*link, {Cursor::From::after, 2, "one"});
  EXPECT_THAT(p.lines, ElementsAre(sample(3, 100)));
  const std::vector<std::string> asked = server.requests();
  ASSERT_EQ(asked.size(), 2U);
  EXPECT_THAT(asked[0], HasSubstr("GET /samples?since=oldest&max=1000&wait=0&instance=one HTTP/1.1"));
  EXPECT_THAT(asked[0], HasSubstr("Authorization: Bearer secret\r\n"));
  EXPECT_THAT(asked[0], HasSubstr(std::string("Accept: ") + kFrames));
  EXPECT_THAT(asked[1], HasSubstr("since=2&"));
  EXPECT_THAT(asked[1], HasSubstr("&cont=1"));
  EXPECT_THAT(asked[1], HasSubstr("&schema="));
}

TEST(PackedLink, AGapIsALineInItsPlace) {
  Agent a("one");
  std::string body = a.start();
  const std::string gap = "{\"gap\":{\"from\":2,\"to\":4}}";
  for (int lost = 0; lost < 3; ++lost) (void)a.frame();
  body += record(RecordKind::event, gap);
  body += a.base();
  body += a.frame();
  CannedServer server({frames("one", body)});
  const auto link = make_direct_link(server.url(), "");
  EXPECT_THAT(pull(*link, {Cursor::From::oldest, 0, "one"}).lines,
              ElementsAre(sample(1, 100), gap, sample(5, 100)));
}

TEST(PackedLink, ARestartBeginsAnew) {
  Agent one("one");
  Agent two("two");
  const std::string restart = "{\"restart\":{\"instance\":\"two\",\"previous\":\"one\"}}";
  const std::string first = one.start();
  std::string second = two.hello() + record(RecordKind::event, restart);
  second += two.base();
  second += two.frame();
  CannedServer server({frames("one", first), frames("two", second)});
  const auto link = make_direct_link(server.url(), "");
  EXPECT_THAT(pull(*link, {Cursor::From::oldest, 0, "one"}).lines, ElementsAre(sample(1, 100)));
  const Pulled p = pull(*link, {Cursor::From::after, 1, "one"});
  // The reply's head says it first; the event that repeats it is no second restart.
  EXPECT_THAT(p.lines,
              ElementsAre("{\"restart\":{\"instance\":\"two\",\"previous\":\"one\",\"reboot\":false}}",
                          sample(1, 100)));
  EXPECT_EQ(p.result.instance, "two");
}

TEST(PackedLink, OfAReplyCutOffWhatCameCountsAndTheRestIsAskedForAgain) {
  Agent a("one");
  const std::string head = a.hello();
  const std::string base = a.base();
  const std::string first = a.frame();
  const std::string base2 = a.base();
  const std::string second = a.frame();
  CannedServer server({
      frames("one", head + base + first + second.substr(0, second.size() - 1)),
      frames("one", head + base2 + second),
  });
  const auto link = make_direct_link(server.url(), "");
  Pulled p = pull(*link, {Cursor::From::oldest, 0, "one"});
  EXPECT_THAT(p.lines, ElementsAre(sample(1, 100)));
  EXPECT_EQ(p.result.malformed, 1U);
  p = pull(*link, {Cursor::From::after, 1, "one"});
  EXPECT_THAT(p.lines, ElementsAre(sample(2, 100)));
  EXPECT_EQ(p.result.malformed, 0U);
  // After damage nothing may be left out of the reply.
  EXPECT_THAT(server.requests()[1], Not(HasSubstr("cont=1")));
}

TEST(PackedLink, AConnectionLostWithinAReplyIsAnErrorAndTheNextPullWorks) {
  Agent a("one");
  const std::string body = a.start();
  CannedServer::Reply cut = frames("one", body.substr(0, body.size() / 2));
  cut.promise = body.size();
  CannedServer server({cut, frames("one", body)});
  const auto link = make_direct_link(server.url(), "");
  Pulled p = pull(*link, {Cursor::From::oldest, 0, "one"});
  EXPECT_FALSE(p.ok);
  EXPECT_TRUE(p.lines.empty());
  p = pull(*link, {Cursor::From::oldest, 0, "one"});
  EXPECT_THAT(p.lines, ElementsAre(sample(1, 100)));
}

TEST(PackedLink, AnAgentWithoutPackedFramesIsAskedForLines) {
  const std::string lines = sample(1, 100) + "\n" + sample(2, 100) + "\n";
  CannedServer server({{406, "text/plain", "text only\n", "one", 0},
                       {200, "application/x-ndjson", lines, "one", 0},
                       {200, "application/x-ndjson", sample(3, 100) + "\n", "one", 0}});
  const auto link = make_direct_link(server.url(), "");
  EXPECT_THAT(pull(*link, {Cursor::From::oldest, 0, "one"}).lines,
              ElementsAre(sample(1, 100), sample(2, 100)));
  EXPECT_FALSE(link->packed());
  EXPECT_THAT(pull(*link, {Cursor::From::after, 2, "one"}).lines, ElementsAre(sample(3, 100)));
  const std::vector<std::string> asked = server.requests();
  ASSERT_EQ(asked.size(), 3U);
  EXPECT_THAT(asked[1], HasSubstr("Accept: application/x-ndjson"));
  EXPECT_THAT(asked[2], HasSubstr("Accept: application/x-ndjson"));  // not asked again
}

TEST(PackedLink, LinesWithoutBeingAskedForAreTakenToo) {
  CannedServer server({{200, "application/x-ndjson", sample(1, 100) + "\n", "one", 0}});
  const auto link = make_direct_link(server.url(), "");
  EXPECT_THAT(pull(*link, {Cursor::From::oldest, 0, "one"}).lines, ElementsAre(sample(1, 100)));
  EXPECT_FALSE(link->packed());
}

}  // namespace
}  // namespace mikroscope::cli
