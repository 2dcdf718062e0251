// An agent through its router: a real agent, and a session that fetches from it as RouterOS does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "cli/local_agent.h"
#include "cli/recorder.h"
#include "cli/relay_link.h"
#include "cli/relay_text.h"
#include "tests/cli/fetching_router.h"
#include "tests/support/program.h"

namespace mikroscope::cli {
namespace {

using routeros::Answer;
using routeros::Call;
using routeros::DeviceError;
using routeros::LostConnection;
using routeros::Row;
using routeros::Trouble;
using test::FetchScript;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

using Rows = std::optional<Answer<std::vector<Row>>>;

Rows data(std::string text) {
  Row row;
  row.put("status", "finished");
  row.put("data", std::move(text));
  return Answer<std::vector<Row>>(std::vector<Row>{row});
}

RouterConnection::Connect connect_to(FetchScript& script) {
  return [&script](int fd) -> base::Result<std::unique_ptr<routeros::Session>> {
    auto session = test::make_fetching_router(script);
    session->interrupt_on(fd);
    return session;
  };
}

// An agent of this build with its settings; its address and token.
std::unique_ptr<LocalAgent> start_agent(std::uint32_t rate_hz,
                                        std::vector<std::pair<std::string, std::string>> env = {}) {
  ::setenv("MIKROSCOPE_AGENT", MIKROSCOPE_BINARY_DIR "/mikroscope-agent", 1);
  auto agent = LocalAgent::start({rate_hz, 60, std::move(env)});
  ::unsetenv("MIKROSCOPE_AGENT");
  if (agent.ok()) return std::move(*agent);
  ADD_FAILURE() << agent.error().what;
  return nullptr;
}

struct Relayed {
  explicit Relayed(FetchScript& script, const std::string& url, const std::string& token)
      : connection(test::make_fetching_router(script), connect_to(script)),
        link(make_link(make_relay_transport(connection, url, token))) {}
  RouterConnection connection;
  std::unique_ptr<AgentLink> link;
};

std::vector<std::string> pull_all(AgentLink& link, Cursor cursor, std::uint32_t max,
                                  PullResult* result = nullptr) {
  std::vector<std::string> lines;
  const auto pulled = link.pull({cursor, max, 0}, {}, [&](const Line& line) -> base::Result<void> {
    lines.emplace_back(line.text);
    return {};
  });
  EXPECT_TRUE(pulled.ok()) << pulled.error().what;
  if (pulled.ok() && result != nullptr) *result = *pulled;
  return lines;
}

TEST(RelayText, Base64) {
  // RFC 4648, section 10.
  EXPECT_EQ(decode_base64(""), "");
  EXPECT_EQ(decode_base64("Zg=="), "f");
  EXPECT_EQ(decode_base64("Zm8="), "fo");
  EXPECT_EQ(decode_base64("Zm9v"), "foo");
  EXPECT_EQ(decode_base64("Zm9vYmFy"), "foobar");
  EXPECT_EQ(decode_base64("+/8A"), std::string("\xfb\xff\0", 3));
  for (const char* bad : {"Z", "Zg", "Zg=", "Zg==Zg==", "Z!==", "====", "Zm9v\n"})
    EXPECT_EQ(decode_base64(bad), std::nullopt) << bad;
}

TEST(RelayText, TheStatusOfAFailedFetch) {
  EXPECT_EQ(fetch_status("failure: Status 404, Not Found"), 404);
  EXPECT_EQ(fetch_status("failure: fetch failed: status 401"), 401);
  EXPECT_EQ(fetch_status("failure: connection timeout"), std::nullopt);
  EXPECT_EQ(fetch_status("status 1"), std::nullopt);
  EXPECT_EQ(fetch_status("status 999"), std::nullopt);
}

TEST(RelayLink, TheTokenIsAHeaderAndNowhereElse) {
  FetchScript script;
  script.instead = [](const Call&) { return data("{\"ok\":true,\"seq\":7}"); };
  Relayed relayed(script, "http://172.30.10.2:9123", "sesame");
  const auto health = relayed.link->health();
  ASSERT_TRUE(health.ok());
  EXPECT_EQ(health->newest_seq, 7U);
  ASSERT_THAT(script.calls, SizeIs(1));
  EXPECT_EQ(script.calls[0].command, "/tool/fetch");
  const Row asked(script.calls[0].attributes);
  EXPECT_EQ(asked.text("url"), "http://172.30.10.2:9123/healthz");
  EXPECT_EQ(asked.text("output"), "user");
  EXPECT_EQ(asked.text("http-header-field"), "Authorization: Bearer sesame,Accept: application/json");
  for (const routeros::Attribute& a : script.calls[0].attributes)
    EXPECT_EQ(a.secret, a.name == "http-header-field") << a.name;
  EXPECT_EQ(relayed.link->describe(), "http://172.30.10.2:9123 relayed by ops@192.0.2.1 (api-ssl)");
}

TEST(RelayLink, FramesAreAskedForAsTextWithinTheLimit) {
  FetchScript script;
  script.instead = [](const Call&) { return data(""); };
  Relayed relayed(script, "http://172.30.10.2:9123", "");
  pull_all(*relayed.link, {Cursor::From::after, 5, "abc"}, 1000);
  const Row asked(script.calls.at(0).attributes);
  EXPECT_EQ(asked.text("url"),
            "http://172.30.10.2:9123/samples?since=5&max=1000&wait=0&instance=abc&bytes=48000");
  EXPECT_EQ(asked.text("http-header-field"), "Accept: application/vnd.mikroscope.frames+base64");
}

TEST(RelayLink, WhatTheRouterCutIsAnErrorAndNotData) {
  FetchScript script;
  Relayed relayed(script, "http://172.30.10.2:9123", "");
  script.instead = [](const Call&) { return data(std::string(64'512, 'A')); };
  const auto pulled = relayed.link->pull({}, {}, [](const Line&) -> base::Result<void> { return {}; });
  ASSERT_FALSE(pulled.ok());
  EXPECT_THAT(pulled.error().what, HasSubstr("longer than the 64512 octets"));
  const auto page = relayed.link->fetch("/capabilities");
  ASSERT_FALSE(page.ok());
  EXPECT_THAT(page.error().what, AllOf(HasSubstr("/capabilities"), HasSubstr("64512")));
  script.instead = [](const Call&) { return data("Zg="); };
  const auto damaged = relayed.link->pull({}, {}, [](const Line&) -> base::Result<void> { return {}; });
  ASSERT_FALSE(damaged.ok());
  EXPECT_THAT(damaged.error().what, HasSubstr("damaged"));
}

TEST(RelayLink, WhatTheRouterSaysIsTold) {
  FetchScript script;
  Relayed relayed(script, "http://172.30.10.2:9123", "sesame");
  const struct {
    const char* message;
    base::Exit exit;
    const char* what;
    const char* fix;
  } kCases[] = {
      {"failure: Status 401, Unauthorized", base::Exit::auth, "refuses the token", "MIKROSCOPE_TOKEN"},
      {"failure: Status 404, Not Found", base::Exit::no_data, "answers 404", ""},
      {"not enough permissions (9)", base::Exit::auth, "may not use /tool/fetch", "policy test"},
      {"failure: not allowed by device-mode", base::Exit::failed, "does not let /tool/fetch run",
       "fetch=yes"},
      {"failure: connection timeout", base::Exit::failed, "could not fetch http://172.30.10.2:9123/sampler",
       "mikroscope status"},
  };
  for (const auto& c : kCases) {
    script.instead = [&c](const Call&) -> Rows {
      return Answer<std::vector<Row>>(Trouble(DeviceError{c.message, 4, "/tool/fetch"}));
    };
    const auto checked = relayed.link->fetch("/sampler");
    ASSERT_FALSE(checked.ok()) << c.message;
    EXPECT_EQ(checked.error().exit, c.exit) << c.message;
    EXPECT_THAT(checked.error().what, AllOf(HasSubstr(c.what), Not(HasSubstr("sesame"))));
    EXPECT_THAT(checked.error().fix, HasSubstr(c.fix));
  }
  EXPECT_EQ(script.sessions, 1);  // the router said no; the session is as good as before
}

TEST(RelayLink, ALostSessionIsOpenedAgainAndARefusedLoginIsNot) {
  FetchScript script;
  int lost = 1;
  script.instead = [&lost](const Call&) -> Rows {
    if (lost-- > 0)
      return Answer<std::vector<Row>>(
          Trouble(LostConnection{"the router closed the connection", "", base::Exit::failed}));
    return data("{\"ok\":true}");
  };
  Relayed relayed(script, "http://172.30.10.2:9123", "");
  EXPECT_FALSE(relayed.link->health().ok());
  EXPECT_TRUE(relayed.link->health().ok());
  EXPECT_EQ(script.sessions, 2);

  int tries = 0;
  RouterConnection refused(nullptr, [&tries](int) -> base::Result<std::unique_ptr<routeros::Session>> {
    ++tries;
    return base::Error{"invalid user name or password", "", base::Exit::auth};
  });
  for (int i = 0; i < 3; ++i) EXPECT_EQ(refused.session().error().exit, base::Exit::auth);
  EXPECT_EQ(tries, 1);

  tries = 0;
  RouterConnection away(nullptr, [&tries](int) -> base::Result<std::unique_ptr<routeros::Session>> {
    ++tries;
    return base::Error{"connection refused", "", base::Exit::failed};
  });
  for (int i = 0; i < 3; ++i) EXPECT_EQ(away.session().error().what, "connection refused");
  EXPECT_EQ(tries, 1);  // the next one is due in a second
}

TEST(RelayLink, WhileTheRouterFetchesOthersGetTheirTurnAndMayEndIt) {
  FetchScript script;
  script.delay_ms = [](int call) { return std::int64_t{call == 0 ? 700 : 60'000}; };
  script.instead = {};
  RouterConnection connection(test::make_fetching_router(script), connect_to(script));
  const auto link = make_link(make_relay_transport(connection, "http://127.0.0.1:1", "", 1'000'000'000));
  int looks = 0;
  link->while_waiting(
      [&looks](std::int64_t) {
        ++looks;
        return false;
      },
      -1);
  // The router gives up by itself: the session stays.
  auto health = link->health();
  ASSERT_FALSE(health.ok());
  EXPECT_THAT(health.error().what, HasSubstr("could not fetch"));
  EXPECT_THAT(looks, Ge(3));
  EXPECT_EQ(script.sessions, 1);
  // It does not: the request ends, and with it the session.
  const std::int64_t begun = base::monotonic_ns();
  health = link->health();
  ASSERT_FALSE(health.ok());
  EXPECT_EQ(health.error().exit, base::Exit::interrupted);
  EXPECT_LT(base::monotonic_ns() - begun, 20'000'000'000);
}

TEST(RelayLink, GivesTheSameLinesAsADirectLink) {
  const auto agent = start_agent(100);
  ASSERT_NE(agent, nullptr);
  const auto direct = make_direct_link(agent->url(), agent->token());
  ASSERT_TRUE(test::eventually(10'000, [&] { return direct->health()->newest_seq.value_or(0) >= 150; }));
  FetchScript script;
  Relayed relayed(script, agent->url(), agent->token());
  const auto health = relayed.link->health();
  ASSERT_TRUE(health.ok()) << health.error().what;
  EXPECT_TRUE(relayed.link->check_token().ok());
  const Cursor cursor{Cursor::From::after, 20, health->instance};
  PullResult result;
  const auto through = pull_all(*relayed.link, cursor, 120, &result);
  EXPECT_EQ(through, pull_all(*direct, cursor, 120));
  EXPECT_GE(result.frames, 120U);  // those up to the base before the cursor come again
  EXPECT_EQ(result.instance, health->instance);
  EXPECT_EQ(result.boot_id, health->boot_id);
  // It goes on where it stands, with neither schema nor base.
  const Cursor next{Cursor::From::after, 140, health->instance};
  EXPECT_EQ(pull_all(*relayed.link, next, 5), pull_all(*direct, next, 5));
  EXPECT_THAT(std::string(Row(script.calls.back().attributes).text("url")), HasSubstr("&cont=1"));
  const auto clock = relayed.link->measure_clock(3);
  ASSERT_TRUE(clock.ok());
  EXPECT_LE(std::abs(clock->boot_offset_ns), clock->rtt_ns / 2 + 1);  // the same machine
}

TEST(RelayLink, ACaptureComesWholeInPieces) {
  const auto agent = start_agent(100, {{"CAPTURE_PRE_S", "3"}, {"CAPTURE_POST_S", "1"}, {"TRIGGERS", ""}});
  ASSERT_NE(agent, nullptr);
  const auto direct = make_direct_link(agent->url(), agent->token());
  ASSERT_TRUE(test::eventually(15'000, [&] { return direct->health()->newest_seq.value_or(0) >= 400; }));
  FetchScript script;
  Relayed relayed(script, agent->url(), agent->token());
  const auto armed = relayed.link->arm_capture("a reason, with %41 & more");
  ASSERT_TRUE(armed.ok()) << armed.error().what;
  EXPECT_THAT(*armed, StartsWith("{\"id\":1,\"armed\":true"));
  ASSERT_TRUE(test::eventually(10'000, [&] {
    const auto index = direct->fetch("/captures");
    return index.ok() && index->find("\"complete\":true") != std::string::npos;
  }));
  const auto lines_of = [](AgentLink& link) {
    std::vector<std::string> lines;
    const auto done = link.capture(1, [&](const Line& line) -> base::Result<void> {
      lines.emplace_back(line.text);
      return {};
    });
    EXPECT_TRUE(done.ok()) << done.error().what;
    return lines;
  };
  script.calls.clear();
  const auto through = lines_of(*relayed.link);
  const auto straight = lines_of(*direct);
  EXPECT_EQ(through, straight);
  EXPECT_THAT(script.calls, SizeIs(Ge(2)));
  ASSERT_FALSE(straight.empty());
  EXPECT_THAT(straight[0], HasSubstr("a reason, with %41 & more"));
  std::size_t samples = 0;
  for (const std::string& line : straight) samples += line.starts_with("{\"seq\":") ? 1 : 0;
  EXPECT_THAT(samples, AllOf(Ge(400U), Le(402U)));
  ASSERT_TRUE(relayed.link->remove_capture(1).ok());
  EXPECT_EQ(relayed.link->remove_capture(1).error().exit, base::Exit::no_data);
}

// The worst that RouterOS was seen to do: every call takes a second.
TEST(RelayRecording, AHundredHertzWithoutAGapAtOneFetchASecond) {
  const auto agent = start_agent(100);
  ASSERT_NE(agent, nullptr);
  FetchScript script;
  int slow_from = INT32_MAX;
  script.delay_ms = [&slow_from](int call) { return std::int64_t{call >= slow_from ? 1000 : 0}; };
  test::TempDir dir;
  Target target;
  target.kind = "router";
  target.url = agent->url();
  target.transport = "relay";
  target.router = std::make_unique<RouterConnection>(test::make_fetching_router(script), connect_to(script));
  target.link = make_link(make_relay_transport(*target.router, agent->url(), agent->token()));
  slow_from = 4;  // health, token, capabilities and clock come first: setting up may be quick
  const auto csv = plot::CsvSelection::parse("none");
  auto writer = plot::RecordingWriter::create({dir / "x", false, *csv});
  ASSERT_TRUE(writer.ok());
  auto markers = MarkerInput::open("none");
  ASSERT_TRUE(markers.ok());
  StopSignals signals;
  StatusLine status(stderr, true);
  RecorderOptions options;
  options.for_ns = 6'000'000'000;
  options.quiet = true;
  Recorder recorder(options, target, **writer, **markers, signals, status);
  const auto exit = recorder.run();
  ASSERT_TRUE(exit.ok()) << exit.error().what;
  const auto& meta = recorder.summary();
  // A busy machine lets the agent miss ticks; that is no gap.
  const std::size_t samples = meta["samples"].get<std::size_t>();
  EXPECT_THAT(samples, AllOf(Ge(500U), Le(601U)));
  EXPECT_NEAR(meta["covered_s"].get<double>(), 6, 0.1);
  EXPECT_EQ(meta["gap_count"], 0);
  EXPECT_EQ(meta["lost_samples"], 0);
  EXPECT_EQ(meta["target"]["transport"], "relay");
  EXPECT_LE(script.longest, 64'000U);
  EXPECT_EQ(script.sessions, 1);
  std::vector<std::uint64_t> seqs;
  for (const std::string& line : test::lines_of(test::slurp(dir / "x.jsonl"))) {
    if (line.starts_with("{\"seq\":")) seqs.push_back(std::stoull(line.substr(7)));
  }
  ASSERT_THAT(seqs, SizeIs(samples));
  for (std::size_t i = 1; i < seqs.size(); ++i) ASSERT_EQ(seqs[i], seqs[i - 1] + 1);
  // 600 samples in at most 8 pulls of a second: the fullest carried more than 70.
  std::size_t pulls = 0;
  for (std::size_t i = 4; i < script.calls.size(); ++i) {
    if (Row(script.calls[i].attributes).text("url").find("/samples") != std::string_view::npos) ++pulls;
  }
  EXPECT_THAT(pulls, AllOf(Ge(1U), Le(8U)));
}

}  // namespace
}  // namespace mikroscope::cli
