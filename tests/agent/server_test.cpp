// Every endpoint over real sockets, with the loop turned by the test.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness.h"
#include "proc/codec.h"

namespace mikroscope::agent {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

const std::string kPacked = "Accept: application/vnd.mikroscope.frames\r\n";

TEST(Server, HealthIsOpenAndFullWithoutAToken) {
  Harness h;
  ASSERT_TRUE(h.started) << h.error;
  h.samples(3);
  const std::string r = Client(h).get("/healthz");
  EXPECT_EQ(status_of(r), 200);
  EXPECT_EQ(header_of(r, "Mikroscope-Boot-Id"), "11111111-2222-3333-4444-555555555555");
  EXPECT_THAT(header_of(r, "Mikroscope-Instance"), SizeIs(16));
  EXPECT_EQ(header_of(r, "Mikroscope-Newest-Seq"), "3");
  EXPECT_THAT(body_of(r), StartsWith("{\"ok\":true,\"seq\":3,\"oldest_seq\":1,"));
}

TEST(Server, HealthIsMinimalWhenATokenIsSet) {
  Harness h(Env{{"TOKEN", "s3cret"}});
  h.samples(2);
  EXPECT_EQ(body_of(Client(h).get("/healthz")), "{\"ok\":true,\"seq\":2}\n");
  EXPECT_THAT(body_of(Client(h).get("/healthz", "Authorization: Bearer s3cret\r\n")),
              HasSubstr("\"version\""));
}

TEST(Server, EverythingElseWantsTheToken) {
  Harness h(Env{{"TOKEN", "s3cret"}});
  for (const char* path :
       {"/", "/capabilities", "/sampler", "/samples", "/stream", "/captures", "/captures/1"}) {
    const std::string r = Client(h).get(path);
    EXPECT_EQ(status_of(r), 401) << path;
    EXPECT_EQ(header_of(r, "WWW-Authenticate"), "Bearer") << path;
  }
  for (const char* wrong : {"Bearer s3cre", "Bearer s3cret0", "s3cret", "Basic s3cret", "Bearer "}) {
    EXPECT_EQ(status_of(Client(h).get("/sampler", "Authorization: " + std::string(wrong) + "\r\n")), 401)
        << wrong;
  }
  EXPECT_EQ(status_of(Client(h).get("/sampler", "Authorization: bearer s3cret\r\n")), 200);
}

TEST(Server, SplitAtEveryByteARequestIsTheSame) {
  Harness h;
  const std::string request = "GET /nothing?a=b HTTP/1.1\r\nHost: x\r\nAccept: */*\r\n\r\n";
  for (std::size_t at = 1; at < request.size(); ++at) {
    Client c(h);
    c.send(request.substr(0, at));
    c.turn();
    c.send(request.substr(at));
    EXPECT_EQ(status_of(c.response()), 404) << at;
  }
}

TEST(Server, PipelinedRequestsAreAnsweredInOrder) {
  Harness h;
  Client c(h);
  c.send(
      "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /none HTTP/1.1\r\nHost: x\r\n\r\nHEAD /healthz "
      "HTTP/1.1\r\nHost: x\r\n"
      "Connection: close\r\n\r\n");
  EXPECT_EQ(status_of(c.response()), 200);
  EXPECT_EQ(status_of(c.response()), 404);
  ASSERT_TRUE(c.closed());
  EXPECT_EQ(status_of(c.received), 200);
  EXPECT_THAT(body_of(c.received), IsEmpty());  // HEAD
  EXPECT_NE(header_of(c.received, "Content-Length"), "0");
}

TEST(Server, KeepsAConnectionOpenAndClosesItWhenAsked) {
  Harness h;
  Client c(h);
  EXPECT_EQ(status_of(c.get("/healthz")), 200);
  EXPECT_EQ(status_of(c.get("/healthz", "Connection: close\r\n")), 200);
  EXPECT_TRUE(c.closed());
  Client old(h);
  old.send("GET /healthz HTTP/1.0\r\n\r\n");
  EXPECT_TRUE(old.closed());
  EXPECT_EQ(status_of(old.received), 200);
}

TEST(Server, RefusesWhatItDoesNotTake) {
  Harness h;
  const std::map<std::string, int> cases = {
      {"POST /samples HTTP/1.1\r\nHost: x\r\n\r\n", 405},
      {"PUT /healthz HTTP/1.1\r\nHost: x\r\n\r\n", 405},
      {"DELETE /captures HTTP/1.1\r\nHost: x\r\n\r\n", 405},
      {"GET /capture HTTP/1.1\r\nHost: x\r\n\r\n", 405},
      {"POST /capture HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc", 413},
      {"POST /capture HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 411},
      {"GET /healthz HTTP/2.0\r\nHost: x\r\n\r\n", 505},
      {"GET /healthz HTTP/1.1\r\n\r\n", 400},
      {"nonsense\r\n\r\n", 400},
      {"GET /samples?since=x HTTP/1.1\r\nHost: x\r\n\r\n", 400},
      {"GET /samples?since=18446744073709551616 HTTP/1.1\r\nHost: x\r\n\r\n", 400},
      {"GET /samples?max=0 HTTP/1.1\r\nHost: x\r\n\r\n", 400},
      {"GET /samples?wait=60001 HTTP/1.1\r\nHost: x\r\n\r\n", 400},
      {"GET /captures/x HTTP/1.1\r\nHost: x\r\n\r\n", 400},
      {"GET /captures/7 HTTP/1.1\r\nHost: x\r\n\r\n", 404},
      {"GET /healthz HTTP/1.1\r\nHost: x\r\nX: " + std::string(4100, 'y') + "\r\n\r\n", 431},
  };
  for (const auto& [request, status] : cases) {
    Client c(h);
    c.send(request);
    c.until([](const std::string& r) { return r.find("\r\n\r\n") != std::string::npos; });
    EXPECT_EQ(status_of(c.received), status) << request.substr(0, 80);
  }
}

TEST(Server, SamplesSinceASequenceNumber) {
  Harness h;
  h.samples(5);
  EXPECT_THAT(seqs_of(body_of(Client(h).get("/samples?since=2"))), ElementsAre(3, 4, 5));
  EXPECT_THAT(seqs_of(body_of(Client(h).get("/samples?since=2&max=2"))), ElementsAre(3, 4));
  EXPECT_THAT(seqs_of(body_of(Client(h).get("/samples?since=0"))), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(seqs_of(body_of(Client(h).get("/samples?since=oldest"))), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(seqs_of(body_of(Client(h).get("/samples"))), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(seqs_of(body_of(Client(h).get("/samples?since=newest"))), IsEmpty());
  EXPECT_THAT(seqs_of(body_of(Client(h).get("/samples?last=2"))), ElementsAre(4, 5));
  EXPECT_THAT(seqs_of(body_of(Client(h).get("/samples?since=5"))), IsEmpty());
}

TEST(Server, DifferencesAndTotals) {
  Harness h;
  h.write_stat(107, 1250);
  h.samples(1);
  const std::string delta = body_of(Client(h).get("/samples?last=1"));
  EXPECT_THAT(delta, HasSubstr("\"cpu\":[{\"cpu\":0,\"user\":7,\"nice\":0,\"system\":0,\"idle\":0,"));
  EXPECT_EQ(number_in(delta, "ctxt"), 250);
  const std::string total = body_of(Client(h).get("/samples?last=1&totals=1"));
  EXPECT_THAT(total, HasSubstr("{\"cpu\":0,\"user\":107,"));
  EXPECT_EQ(number_in(total, "ctxt"), 1250);
}

TEST(Server, ACursorOfAnotherInstanceOrTheFutureIsToldOfTheRestart) {
  Harness h;
  h.samples(3);
  const std::string other = body_of(Client(h).get("/samples?since=900&instance=00ff00ff00ff00ff"));
  EXPECT_THAT(lines_of(other)[0], StartsWith("{\"restart\":{\"instance\":\""));
  EXPECT_THAT(lines_of(other)[0], HasSubstr("\"previous\":\"00ff00ff00ff00ff\",\"boot_id\":\"11111111-2222-"
                                            "3333-4444-555555555555\",\"newest\":3"));
  EXPECT_THAT(seqs_of(other), ElementsAre(1, 2, 3));
  for (const char* since : {"4", "18446744073709551615", "18446744073709551614"}) {
    const std::string future = body_of(Client(h).get("/samples?since=" + std::string(since)));
    EXPECT_THAT(lines_of(future)[0], StartsWith("{\"restart\":")) << since;
    EXPECT_THAT(seqs_of(future), ElementsAre(1, 2, 3)) << since;
  }
  const std::string same(h.agent().facts().instance);
  EXPECT_THAT(seqs_of(body_of(Client(h).get("/samples?since=2&instance=" + same))), ElementsAre(3));
}

TEST(Server, WhatFellOffTheRingIsAGap) {
  Harness h(Env{{"RATE_HZ", "1"}, {"BUFFER_S", "10"}, {"CAPTURE_PRE_S", "1"}});
  ASSERT_TRUE(h.started) << h.error;
  for (unsigned i = 0; h.agent().store().ring.oldest() < 2; ++i) {
    ASSERT_LT(i, 20000u);
    h.write_stat(100 + i * 37, i * 1000);
    h.samples(1);
  }
  const auto oldest = static_cast<long long>(h.agent().store().ring.oldest());
  EXPECT_GE(h.agent().store().ring.held(), 10u);
  const std::string body = body_of(Client(h).get("/samples?since=1"));
  std::string gap;
  for (const std::string& line : lines_of(body)) {
    if (line.rfind("{\"gap\"", 0) == 0) gap = line;
  }
  EXPECT_EQ(gap, "{\"gap\":{\"from\":2,\"to\":" + std::to_string(oldest - 1) + "}}");
  EXPECT_EQ(seqs_of(body).front(), oldest);
  // since=0 asks for what there is: nothing is missing.
  EXPECT_EQ(body_of(Client(h).get("/samples?since=0")).find("\"gap\""), std::string::npos);
}

TEST(Server, LongPollAnswersWithTheFirstNewSample) {
  Harness h;
  h.samples(2);
  Client c(h);
  c.send("GET /samples?since=2&wait=30000 HTTP/1.1\r\nHost: x\r\n\r\n");
  for (int i = 0; i < 20; ++i) c.turn();
  EXPECT_THAT(c.received, IsEmpty());
  h.samples(1);
  EXPECT_THAT(seqs_of(body_of(c.response())), ElementsAre(3));
  c.send("GET /samples?since=3&wait=30000&min=2 HTTP/1.1\r\nHost: x\r\n\r\n");
  c.turn();
  h.samples(1);
  for (int i = 0; i < 20; ++i) c.turn();
  EXPECT_THAT(c.received, IsEmpty());
  h.samples(1);
  EXPECT_THAT(seqs_of(body_of(c.response())), ElementsAre(4, 5));
}

TEST(Server, LongPollEndsEmptyWhenItsTimeIsUp) {
  Harness h;
  h.samples(2);
  const std::string r = Client(h).get("/samples?since=2&wait=20");
  EXPECT_EQ(status_of(r), 200);
  EXPECT_THAT(seqs_of(body_of(r)), IsEmpty());
}

TEST(Server, StreamFollowsAndSaysGoodbye) {
  Harness h;
  h.samples(2);
  Client c(h);
  c.send("GET /stream?since=1 HTTP/1.1\r\nHost: x\r\n\r\n");
  ASSERT_TRUE(c.until([](const std::string& r) { return seqs_of(body_of(r)).size() == 1; }));
  h.samples(1);
  ASSERT_TRUE(c.until([](const std::string& r) { return seqs_of(body_of(r)).size() == 2; }));
  EXPECT_THAT(seqs_of(body_of(c.received)), ElementsAre(2, 3));
  h.agent().stop("signal");
  ASSERT_TRUE(c.closed());
  EXPECT_EQ(lines_of(body_of(c.received)).back(), "{\"bye\":{\"reason\":\"signal\"}}");
  EXPECT_THAT(c.received, testing::EndsWith("0\r\n\r\n"));
}

TEST(Server, StreamWithoutSinceIsLiveOnlyAndBeats) {
  ServerTimes times;
  times.heartbeat_ns = 1;
  Harness h({}, times);
  h.samples(2);
  Client c(h);
  c.send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
  ASSERT_TRUE(c.until([](const std::string& r) { return !r.empty(); }));
  h.samples(1);
  ASSERT_TRUE(c.until([](const std::string& r) { return seqs_of(body_of(r)).size() == 1; }));
  h.samples(1);
  ASSERT_TRUE(c.until([](const std::string& r) { return seqs_of(body_of(r)).size() == 2; }));
  EXPECT_THAT(seqs_of(body_of(c.received)), ElementsAre(3, 4));
  EXPECT_THAT(c.received, HasSubstr("# heartbeat seq="));
}

TEST(Server, AClientThatGoesAwayFreesItsPlace) {
  Harness h;
  for (unsigned i = 0; i < 3 * kConnections; ++i) {
    Client c(h);
    c.send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
    ASSERT_TRUE(c.until([](const std::string& r) { return !r.empty(); })) << i;
    c.close();
    h.samples(1);
    for (int t = 0; t < 200 && h.agent().service().counts.open != 0; ++t) h.agent().turn(1);
    ASSERT_EQ(h.agent().service().counts.open, 0u) << i;
  }
}

TEST(Server, BeyondTheClientsOnlyHealthIsAnswered) {
  Harness h;
  std::vector<std::unique_ptr<Client>> clients;
  for (unsigned i = 0; i < kMaxClients; ++i) {
    clients.push_back(std::make_unique<Client>(h));
    clients.back()->send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
    ASSERT_TRUE(clients.back()->until([](const std::string& r) { return !r.empty(); }));
  }
  const std::string refused = Client(h).get("/sampler");
  EXPECT_EQ(status_of(refused), 503);
  EXPECT_EQ(header_of(refused, "Retry-After"), "1");
  EXPECT_EQ(status_of(Client(h).get("/healthz")), 200);
  clients.pop_back();
  for (int i = 0; i < 50; ++i) h.agent().turn(1);
  EXPECT_EQ(status_of(Client(h).get("/sampler")), 200);
}

TEST(Server, ASilentClientIsClosed) {
  ServerTimes times;
  times.head_ns = 1'000'000;
  Harness h({}, times);
  Client half(h);
  half.send("GET /healthz HT");
  ASSERT_TRUE(half.closed());
  EXPECT_EQ(status_of(half.received), 408);
  ServerTimes idle;
  idle.idle_ns = 1'000'000;
  Harness g({}, idle);
  Client kept(g);
  EXPECT_EQ(status_of(kept.get("/healthz")), 200);
  EXPECT_TRUE(kept.closed());
}

// A reader that takes nothing while the ring goes round gets a gap, and the agent never waits for it.
TEST(Server, ASlowStreamFallsOffAndIsTold) {
  Harness h(Env{{"RATE_HZ", "1"}, {"BUFFER_S", "10"}, {"CAPTURE_PRE_S", "1"}});
  Client c(h);
  c.send("GET /stream?since=oldest HTTP/1.1\r\nHost: x\r\n\r\n");
  h.samples(1);
  h.agent().turn(1);
  for (unsigned i = 0; i < 30000; ++i) {
    if (i % 16 == 0) h.write_stat(100 + i * 37, i * 1000);
    h.samples(1);
    if (i % 4 == 0) h.agent().turn(0);
  }
  const std::uint64_t newest = h.agent().store().ring.newest();
  ASSERT_TRUE(c.until([&](const std::string& r) {
    return r.size() > 40 && r.rfind("{\"seq\":" + std::to_string(newest)) != std::string::npos;
  }));
  long long last = 0;
  bool gap = false;
  for (const std::string& line : lines_of(body_of(c.received))) {
    if (line.rfind("{\"gap\"", 0) == 0) {
      EXPECT_EQ(number_in(line, "from"), last + 1);
      last = number_in(line, "to");
      gap = true;
    } else if (line.rfind("{\"seq\"", 0) == 0) {
      ASSERT_EQ(number_in(line, "seq"), last + 1);
      last = number_in(line, "seq");
    }
  }
  EXPECT_TRUE(gap);
}

// Decodes a packed body with the agent's own layout; returns the seqs of its frames and its event lines.
struct Unpacked {
  std::vector<std::uint64_t> seqs;
  std::vector<std::string> events;
  std::string kinds;
  bool good = true;
};
Unpacked unpack(Harness& h, std::string_view body, proc::FrameDecoder& decoder) {
  Unpacked out;
  proc::Record record;
  int got = 0;
  (void)h;
  while ((got = proc::read_record(body, record, 1 << 24)) == 1) {
    out.kinds += static_cast<char>(record.kind);
    if (record.kind == proc::RecordKind::base) out.good &= decoder.base(record.payload);
    if (record.kind == proc::RecordKind::frame) {
      out.good &= decoder.frame(record.payload);
      out.seqs.push_back(decoder.view().head.seq);
    }
    if (record.kind == proc::RecordKind::event) out.events.emplace_back(record.payload);
  }
  out.good &= got == 0 && body.empty();
  return out;
}

TEST(Server, PackedRepliesDecode) {
  Harness h;
  h.samples(10);
  std::vector<char> memory(1 << 20);
  base::Arena arena(memory.data(), memory.size());
  proc::FrameDecoder decoder(arena, *h.agent().store().layout);
  const std::string first = Client(h).get("/samples?since=7", kPacked);
  EXPECT_EQ(header_of(first, "Content-Type"), "application/vnd.mikroscope.frames");
  const Unpacked a = unpack(h, body_of(first), decoder);
  EXPECT_TRUE(a.good);
  EXPECT_THAT(a.kinds, StartsWith("HSN"));
  EXPECT_THAT(a.seqs,
              ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));  // from the base on; readers skip what they had
  h.samples(2);
  proc::Hello hello;
  proc::Record record;
  std::string_view rest = first;
  rest.remove_prefix(first.find("\r\n\r\n") + 4);
  ASSERT_EQ(proc::read_record(rest, record, 1 << 20), 1);
  ASSERT_TRUE(proc::read_hello(record.payload, hello));
  EXPECT_EQ(hello.instance, h.agent().facts().instance);
  char hash[16];
  std::snprintf(hash, sizeof hash, "%08x", hello.schema_hash);
  const std::string next = Client(h).get("/samples?since=10&cont=1&schema=" + std::string(hash), kPacked);
  const Unpacked b = unpack(h, body_of(next), decoder);
  EXPECT_TRUE(b.good);
  EXPECT_EQ(b.kinds, "HFF");
  EXPECT_THAT(b.seqs, ElementsAre(11, 12));
  const Unpacked restart = unpack(
      h, body_of(Client(h).get("/samples?since=99&cont=1&schema=" + std::string(hash), kPacked)), decoder);
  EXPECT_TRUE(restart.good);
  EXPECT_THAT(restart.events, ElementsAre(StartsWith("{\"restart\":")));
  EXPECT_THAT(restart.seqs, SizeIs(12));
}

const std::string kText = "Accept: application/vnd.mikroscope.frames+base64\r\n";

// Decodes with a table of its own; "" where the text is none.
std::string from_base64(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  unsigned bits = 0;
  int have = 0;
  for (const char c : text) {
    if (c == '=') break;
    const std::size_t digit = digits.find(c);
    if (digit == std::string::npos) return "";
    bits = bits << 6 | static_cast<unsigned>(digit);
    have += 6;
    if (have < 8) continue;
    have -= 8;
    out += static_cast<char>(bits >> have & 0xff);
  }
  return out;
}

TEST(Server, FramesAsTextAreTheSameFrames) {
  Harness h;
  for (unsigned n = 1; n < 12; ++n) {
    h.samples(1);
    const std::string r = Client(h).get("/samples?since=0", kText);
    EXPECT_EQ(status_of(r), 200);
    EXPECT_EQ(header_of(r, "Content-Type"), "application/vnd.mikroscope.frames+base64");
    const std::string text = body_of(r);
    EXPECT_EQ(header_of(r, "Content-Length"), std::to_string(text.size()));
    EXPECT_EQ(text.size() % 4, 0U);
    EXPECT_EQ(from_base64(text), body_of(Client(h).get("/samples?since=0", kPacked))) << n;
  }
}

TEST(Server, ABoundedReplyEndsWithAWholeFrameAndTheNextGoesOn) {
  Harness h(Env{{"RATE_HZ", "100"}, {"BUFFER_S", "20"}});
  for (unsigned i = 0; i < 600; ++i) {
    if (i % 10 == 0) h.write_stat(100 + i, 1000 + i * 11);
    h.samples(1);
  }
  const struct {
    const std::string* form;
    unsigned bytes;
  } kCases[] = {{&kPacked, 4000}, {&kText, 4000}, {&kText, 9999}};
  for (const auto& c : kCases) {
    std::vector<char> memory(1 << 20);
    base::Arena arena(memory.data(), memory.size());
    proc::FrameDecoder decoder(arena, *h.agent().store().layout);
    unsigned long long last = 0;
    std::vector<unsigned long long> seqs;
    std::string hash;
    for (int pulls = 0; last != 600 && pulls < 200; ++pulls) {
      std::string target = "/samples?since=" + std::to_string(last) + "&bytes=" + std::to_string(c.bytes);
      if (!hash.empty()) target += "&cont=1&schema=" + hash;
      std::string body = body_of(Client(h).get(target, *c.form));
      if (c.form == &kText) body = from_base64(body);
      EXPECT_LE(body.size(), c.bytes);
      const Unpacked u = unpack(h, body, decoder);
      ASSERT_TRUE(u.good) << target;
      ASSERT_FALSE(u.seqs.empty()) << target;
      for (const auto seq : u.seqs) seqs.push_back(static_cast<unsigned long long>(seq));
      last = seqs.back();
      proc::Record record;
      proc::Hello hello;
      std::string_view rest = body;
      ASSERT_EQ(proc::read_record(rest, record, 1 << 20), 1);
      ASSERT_TRUE(proc::read_hello(record.payload, hello));
      char text[16];
      std::snprintf(text, sizeof text, "%08x", hello.schema_hash);
      hash = text;
    }
    ASSERT_THAT(seqs, SizeIs(600));
    for (std::size_t i = 0; i < seqs.size(); ++i) ASSERT_EQ(seqs[i], i + 1);
  }
}

TEST(Server, TheBoundOfAReplyIsChecked) {
  Harness h;
  h.samples(2);
  for (const char* bad : {"1023", "48001", "x", ""}) {
    const std::string r = Client(h).get("/samples?bytes=" + std::string(bad), kText);
    EXPECT_EQ(status_of(r), 400) << bad;
    EXPECT_EQ(body_of(r), "bytes must be 1024..48000\n");
  }
}

TEST(Server, ALongCatchUpIsWholeInBothForms) {
  Harness h(Env{{"RATE_HZ", "100"}, {"BUFFER_S", "20"}});
  for (unsigned i = 0; i < 2000; ++i) {
    if (i % 10 == 0) h.write_stat(100 + i, 1000 + i * 11);
    h.samples(1);
  }
  const auto seqs = seqs_of(body_of(Client(h).get("/samples?since=3")));
  ASSERT_THAT(seqs, SizeIs(1997));
  for (std::size_t i = 0; i < seqs.size(); ++i) ASSERT_EQ(seqs[i], static_cast<long long>(i) + 4);
  std::vector<char> memory(1 << 20);
  base::Arena arena(memory.data(), memory.size());
  proc::FrameDecoder decoder(arena, *h.agent().store().layout);
  const Unpacked u = unpack(h, body_of(Client(h).get("/samples?since=0", kPacked)), decoder);
  EXPECT_TRUE(u.good);
  EXPECT_THAT(u.seqs, SizeIs(2000));
}

TEST(Server, CapabilitiesAndReportsAreWhole) {
  Harness h;
  h.samples(2);
  Client c(h);
  const std::string capabilities = body_of(c.get("/capabilities"));
  EXPECT_THAT(capabilities, HasSubstr("\"kernel\":\"5.6.3\""));
  EXPECT_THAT(capabilities, HasSubstr("\"stat\":{\"status\":\"ok\""));
  EXPECT_THAT(capabilities, HasSubstr("\"RATE_HZ\":10"));
  EXPECT_THAT(capabilities, testing::EndsWith("}\n"));
  const std::string sampler = body_of(c.get("/sampler"));
  EXPECT_EQ(number_in(sampler, "ticks"), 2);
  EXPECT_THAT(sampler, HasSubstr("\"promised_samples\":600"));
  EXPECT_THAT(body_of(c.get("/")), HasSubstr("/samples?since="));
}

TEST(Server, ManualCaptureIsMarkedKeptServedAndDeleted) {
  Harness h(Env{{"CAPTURE_PRE_S", "1"}, {"CAPTURE_POST_S", "1"}});
  h.samples(30);
  Client c(h);
  c.send("POST /capture?reason=door%20%22bell%22 HTTP/1.1\r\nHost: x\r\n\r\n");
  const std::string armed = c.response();
  EXPECT_EQ(body_of(armed), "{\"id\":1,\"armed\":true,\"seq\":31}\n");
  h.samples(20);
  const std::string body = body_of(c.get("/samples?since=29"));
  const auto lines = lines_of(body);
  std::size_t at = 0;
  while (at < lines.size() && lines[at].rfind("{\"trigger\"", 0) != 0) ++at;
  ASSERT_LT(at + 1, lines.size());
  EXPECT_THAT(lines[at], HasSubstr("\"id\":1,\"cause\":\"manual\",\"field\":\"door \\\"bell\\\"\""));
  EXPECT_EQ(number_in(lines[at + 1], "seq"), 31);
  const std::string capture = body_of(c.get("/captures/1"));
  EXPECT_THAT(lines_of(capture)[0], StartsWith("{\"capture\":{\"id\":1,\"cause\":\"manual\""));
  EXPECT_THAT(lines_of(capture)[0], HasSubstr("\"complete\":true"));
  const auto seqs = seqs_of(capture);
  ASSERT_THAT(seqs, SizeIs(21));
  EXPECT_EQ(seqs.front(), 21);
  EXPECT_EQ(seqs.back(), 41);
  EXPECT_THAT(body_of(c.get("/captures")), HasSubstr("\"captures\":[{\"id\":1,"));
  c.send("DELETE /captures/1 HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(status_of(c.response()), 204);
  EXPECT_EQ(status_of(c.get("/captures/1")), 404);
  c.send("POST /capture?reason=" + std::string(129, 'x') + " HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(status_of(c.response()), 400);
}

TEST(Server, ACaptureCanBeFetchedInPieces) {
  Harness h(Env{{"CAPTURE_PRE_S", "5"}, {"CAPTURE_POST_S", "1"}});
  h.samples(60);
  Client c(h);
  c.send("POST /capture HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(status_of(c.response()), 200);
  h.samples(20);
  const std::string whole = body_of(c.get("/captures/1", kPacked));
  // The first piece has the head; from then on as many records are skipped as have come.
  std::string joined = from_base64(body_of(c.get("/captures/1?bytes=1024", kText)));
  std::vector<char> memory(1 << 20);
  base::Arena arena(memory.data(), memory.size());
  proc::FrameDecoder decoder(arena, *h.agent().store().layout);
  const std::string head = unpack(h, joined, decoder).kinds;
  std::size_t have = head.size() - (head.rfind('N') + 1);  // behind the names of rows
  int pieces = 1;
  for (; pieces < 100; ++pieces) {
    const std::string piece =
        from_base64(body_of(c.get("/captures/1?bytes=1024&skip=" + std::to_string(have), kText)));
    if (piece.empty()) break;
    EXPECT_LE(piece.size(), 1024U);
    have += unpack(h, piece, decoder).kinds.size();
    joined += piece;
  }
  EXPECT_GT(pieces, 2);
  EXPECT_TRUE(joined == whole);
  EXPECT_EQ(status_of(c.get("/captures/1?skip=x", kText)), 400);
}

TEST(Server, WithoutCaptureMemoryThereAreNoCaptures) {
  Harness h(Env{{"CAPTURE_MB", "0"}});
  EXPECT_EQ(status_of(Client(h).get("/captures")), 404);
  Client c(h);
  c.send("POST /capture HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(status_of(c.response()), 404);
}

}  // namespace
}  // namespace mikroscope::agent
