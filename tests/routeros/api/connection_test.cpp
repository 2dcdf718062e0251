#include "routeros/api/connection.h"

#include <gtest/gtest.h>

#include <chrono>

#include "routeros/session/dial.h"
#include "tests/routeros/api/scripted_router.h"

namespace mikroscope::routeros {
namespace {

using namespace std::string_literals;
using test::Interrupt;
using test::Peer;
using test::ScriptedRouter;
using Words = std::vector<std::string>;

Wire plain_wire(int port) {
  auto fd = dial("127.0.0.1", port, "api", within(5000, -1));
  EXPECT_TRUE(fd.ok());
  return Wire(Socket(std::move(fd).value()));
}

LostConnection lost(const Trouble& trouble) {
  EXPECT_TRUE(std::holds_alternative<LostConnection>(trouble));
  const auto* const found = std::get_if<LostConnection>(&trouble);
  return found != nullptr ? *found : LostConnection{};
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

ApiConnection::Tag started(ApiConnection& connection, const ApiCommand& command,
                           std::int64_t timeout_ms = 5000) {
  const auto tag = connection.start(command, timeout_ms);
  EXPECT_TRUE(tag.ok());
  return tag.ok() ? *tag : 0;
}

Answer<ApiResult> run(ApiConnection& connection, const ApiCommand& command, std::int64_t timeout_ms = 5000) {
  const auto tag = connection.start(command, timeout_ms);
  if (!tag.ok()) return tag.error();
  return connection.wait(*tag);
}

std::int64_t ms_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start)
      .count();
}

TEST(ApiConnection, SendsACommandWithItsTag) {
  Words seen;
  ScriptedRouter router([&seen](Peer& peer) {
    seen = peer.read();
    EXPECT_EQ(peer.tag(), "1");
    peer.answer({"!done"});
    peer.hang();
  });
  {
    ApiConnection connection(plain_wire(router.port()));
    const auto result = run(
        connection,
        {"/interface/print", {{".proplist", ".id,name"}, {"stats", ""}}, {"name=ether1", "-comment", "#|"}});
    ASSERT_TRUE(result.ok());
  }
  router.finish();
  EXPECT_EQ(seen, (Words{"/interface/print", "=.proplist=.id,name", "=stats=", "?name=ether1", "?-comment",
                         "?#|"}));
}

TEST(ApiConnection, NoRowsAreNoError) {
  ScriptedRouter router([](Peer& peer) {
    peer.read();
    peer.send("\x06!empty\x06.tag=1\x00\x05!done\x06.tag=1\x00"s);  // since 7.18
    peer.read();
    peer.send("\x05!done\x06.tag=2\x00"s);  // before
    peer.read();
    peer.send("\x06!empty\x00\x05!done\x00"s);  // and without a tag
    peer.hang();
  });
  ApiConnection connection(plain_wire(router.port()));
  for (int i = 0; i < 3; ++i) {
    const auto result = run(connection, {"/queue/print", {}, {}});
    ASSERT_TRUE(result.ok()) << i;
    EXPECT_TRUE(result->rows.empty());
    EXPECT_TRUE(result->traps.empty());
  }
}

TEST(ApiConnection, ARowMayBeEmpty) {
  ScriptedRouter router([](Peer& peer) {
    peer.read();
    peer.answer({"!re"});
    peer.answer({"!re", "=name=a"});
    peer.answer({"!done", "=ret=x"});
    peer.hang();
  });
  ApiConnection connection(plain_wire(router.port()));
  const auto result = run(connection, {"/interface/print", {}, {}});
  ASSERT_TRUE(result.ok());
  ASSERT_EQ(result->rows.size(), 2u);
  EXPECT_EQ(result->rows[0].find("name"), std::nullopt);
  EXPECT_EQ(result->rows[1].text("name"), "a");
  EXPECT_EQ(Row(result->done).text("ret"), "x");
}

TEST(ApiConnection, TakesOneOctetAtATime) {
  const std::string value(300, 'v');
  ScriptedRouter router([&value](Peer& peer) {
    peer.read();
    peer.send_one_by_one("\x00\x03!re\x81\x2f=n="s + value + "\x06.tag=1\x00\x00\x05!done\x06.tag=1\x00"s);
    peer.hang();
  });
  ApiConnection connection(plain_wire(router.port()));
  const auto result = run(connection, {"/x/print", {}, {}});
  ASSERT_TRUE(result.ok());
  ASSERT_EQ(result->rows.size(), 1u);
  EXPECT_EQ(result->rows[0].text("n"), value);
}

TEST(ApiConnection, TakesManySentencesInOnePiece) {
  ScriptedRouter router([](Peer& peer) {
    peer.read();
    std::string all;
    for (int i = 0; i < 1000; ++i) all += "\x03!re\x04=a=b\x06.tag=1\x00"s;
    peer.send(all + "\x05!done\x06.tag=1\x00"s);
    peer.hang();
  });
  ApiConnection connection(plain_wire(router.port()));
  const auto result = run(connection, {"/x/print", {}, {}});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->rows.size(), 1000u);
}

TEST(ApiConnection, RepliesOfTwoCommandsMayComeMixed) {
  ScriptedRouter router([](Peer& peer) {
    peer.read();
    peer.read();
    peer.say({"!re", ".tag=2", "=name=b1"});
    peer.say({"!re", "=name=a1", ".tag=1"});
    peer.say({"!re", ".tag=2", "=name=b2"});
    peer.say({"!done", ".tag=2"});
    peer.say({"!re", ".tag=1", "=name=a2"});
    peer.say({"!done", ".tag=1"});
    peer.hang();
  });
  ApiConnection connection(plain_wire(router.port()));
  const auto a = started(connection, {"/a/print", {}, {}});
  const auto b = started(connection, {"/b/print", {}, {}});
  const auto first = connection.wait(a);
  const auto second = connection.wait(b);
  ASSERT_TRUE(first.ok());
  ASSERT_TRUE(second.ok());
  ASSERT_EQ(first->rows.size(), 2u);
  ASSERT_EQ(second->rows.size(), 2u);
  EXPECT_EQ(first->rows[1].text("name"), "a2");
  EXPECT_EQ(second->rows[0].text("name"), "b1");
}

TEST(ApiConnection, NoMoreThanFourRunAtOnce) {
  std::atomic<int> before_an_answer{0};
  ScriptedRouter router([&before_an_answer](Peer& peer) {
    for (int i = 0; i < 4; ++i) {
      peer.read();
      ++before_an_answer;
    }
    // A fifth would be here by now if it did not wait; it comes after this.
    peer.say({"!done", ".tag=2"});
    EXPECT_EQ(peer.read(), (Words{"/5/print"}));
    EXPECT_EQ(peer.tag(), "5");
    for (const char* tag : {"1", "3", "4", "5"}) peer.say({"!done", ".tag="s + tag});
    peer.hang();
  });
  ApiConnection connection(plain_wire(router.port()));
  std::vector<ApiConnection::Tag> tags;
  for (int i = 1; i <= 4; ++i)
    tags.push_back(started(connection, {"/" + std::to_string(i) + "/print", {}, {}}));
  tags.push_back(started(connection, {"/5/print", {}, {}}));
  EXPECT_EQ(before_an_answer, 4);
  for (const auto tag : tags) EXPECT_TRUE(connection.wait(tag).ok());
}

TEST(ApiConnection, AFifthCommandWaitsNoLongerThanItsDeadline) {
  ScriptedRouter router([](Peer& peer) { peer.hang(); });
  ApiConnection connection(plain_wire(router.port()));
  for (int i = 0; i < 4; ++i) started(connection, {"/slow/print", {}, {}}, 60'000);
  const auto fifth = connection.start({"/fifth/print", {}, {}}, 50);
  ASSERT_FALSE(fifth.ok());
  EXPECT_TRUE(says(lost(fifth.error()).what, "no answer to /fifth/print within 0.05"))
      << lost(fifth.error()).what;
}

TEST(ApiConnection, ATrapEndsTheCommandAndNothingElse) {
  ScriptedRouter router([](Peer& peer) {
    peer.read();
    peer.answer({"!trap", "=category=4", "=message=failure: already have such entry"});
    peer.answer({"!trap", "=message=no such item"});
    peer.answer({"!done"});
    peer.read();
    peer.answer({"!done"});
    peer.hang();
  });
  ApiConnection connection(plain_wire(router.port()));
  const auto bad = run(connection, {"/x/add", {}, {}});
  ASSERT_TRUE(bad.ok());
  ASSERT_EQ(bad->traps.size(), 2u);
  EXPECT_EQ(bad->traps[0].message, "failure: already have such entry");
  EXPECT_EQ(bad->traps[0].doing, "/x/add");
  EXPECT_TRUE(run(connection, {"/y/print", {}, {}}).ok());
  EXPECT_EQ(router.connections(), 1);
}

TEST(ApiConnection, ACancelledCommandsLateSentencesReachNobody) {
  ScriptedRouter router([](Peer& peer) {
    peer.read();
    EXPECT_EQ(peer.read(), (Words{"/cancel", "=tag=1"}));
    EXPECT_EQ(peer.tag(), "2");
    EXPECT_EQ(peer.read(), (Words{"/next/print"}));
    EXPECT_EQ(peer.tag(), "3") << "no tag is used twice";
    peer.say({"!re", ".tag=1", "=name=late"});
    peer.say({"!trap", ".tag=1", "=category=2", "=message=interrupted"});
    peer.say({"!done", ".tag=2"});
    peer.say({"!re", ".tag=3", "=name=right"});
    peer.say({"!done", ".tag=1"});
    peer.say({"!re", ".tag=1", "=name=after its end"});
    peer.say({"!re", ".tag=99", "=name=of nobody"});
    peer.say({"!done", ".tag=3"});
    peer.hang();
  });
  ApiConnection connection(plain_wire(router.port()));
  const auto tag = started(connection, {"/interface/listen", {}, {}}, ApiConnection::kNoDeadline);
  ASSERT_TRUE(connection.cancel(tag).ok());
  const auto next = run(connection, {"/next/print", {}, {}});
  ASSERT_TRUE(next.ok());
  ASSERT_EQ(next->rows.size(), 1u);
  EXPECT_EQ(next->rows[0].text("name"), "right");
  EXPECT_EQ(connection.stray_sentences(), 2u);
}

TEST(ApiConnection, ACancelMayComeTooLate) {
  ScriptedRouter router([](Peer& peer) {
    peer.read();
    peer.read();
    peer.say({"!done", ".tag=1"});
    peer.say({"!trap", ".tag=2", "=message=no such item"});
    peer.say({"!done", ".tag=2"});
    peer.read();
    peer.say({"!done", ".tag=3"});
    peer.hang();
  });
  ApiConnection connection(plain_wire(router.port()));
  ASSERT_TRUE(connection.cancel(started(connection, {"/x/print", {}, {}})).ok());
  EXPECT_TRUE(run(connection, {"/y/print", {}, {}}).ok());
  EXPECT_TRUE(connection.cancel(77).ok()) << "a tag that is done with needs no cancelling";
}

TEST(ApiConnection, ListensForChangesAndRemovals) {
  ScriptedRouter router([](Peer& peer) {
    peer.read();
    peer.answer({"!re", "=.id=*1", "=name=ether1"});
    peer.answer({"!re", "=.id=*1", "=.dead=true"});
    peer.answer({"!re", "=.id=*2", "=.dead=yes"});
    peer.answer({"!trap", "=category=2", "=message=interrupted"});
    peer.answer({"!done"});
    peer.hang();
  });
  ApiConnection connection(plain_wire(router.port()));
  const auto tag = started(connection, {"/interface/listen", {}, {}}, ApiConnection::kNoDeadline);
  std::vector<Row> rows;
  for (int i = 0; i < 3; ++i) {
    auto row = connection.next_row(tag, 5000);
    ASSERT_TRUE(row.ok() && row->has_value()) << i;
    rows.push_back(std::move(**row));
  }
  EXPECT_EQ(rows[0].text("name"), "ether1");
  EXPECT_FALSE(rows[0].flag(".dead"));
  EXPECT_TRUE(rows[1].flag(".dead"));
  EXPECT_EQ(rows[2].id(), "*2");
  EXPECT_TRUE(rows[2].flag(".dead"));
  const auto end = connection.next_row(tag, 5000);
  ASSERT_FALSE(end.ok());
  ASSERT_NE(device_error(end.error()), nullptr);
  EXPECT_EQ(device_error(end.error())->category, 2);
  EXPECT_FALSE(connection.running(tag));
}

TEST(ApiConnection, NothingNewIsNoLoss) {
  ScriptedRouter router([](Peer& peer) {
    peer.read();
    peer.read();
    peer.say({"!done", ".tag=2"});
    peer.hang();
  });
  ApiConnection connection(plain_wire(router.port()));
  const auto tag = started(connection, {"/log/listen", {}, {}}, ApiConnection::kNoDeadline);
  const auto nothing = connection.next_row(tag, 20);
  ASSERT_TRUE(nothing.ok());
  EXPECT_FALSE(nothing->has_value());
  EXPECT_TRUE(connection.running(tag));
  EXPECT_TRUE(run(connection, {"/x/print", {}, {}}).ok());
}

TEST(ApiConnection, AFatalsReasonIsTold) {
  ScriptedRouter router([](Peer& peer) {
    peer.read();
    peer.send("\x06!fatal\x0dnot logged in\x00"s);
  });
  ApiConnection connection(plain_wire(router.port()));
  const auto result = run(connection, {"/x/print", {}, {}});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(lost(result.error()).what, "the router ended the session: not logged in");
  const auto again = run(connection, {"/y/print", {}, {}});
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(lost(again.error()).what, "the router ended the session: not logged in") << "and it stays so";
}

TEST(ApiConnection, UnknownReplyWordsArePassedOverAndNamedOnce) {
  ScriptedRouter router([](Peer& peer) {
    peer.read();
    for (int i = 0; i < 3; ++i) peer.answer({"!progress", "=done=1"});
    peer.answer({"!other"});
    peer.answer({"!re", "=name=a"});
    peer.answer({"!done"});
    peer.hang();
  });
  ApiConnection connection(plain_wire(router.port()));
  const auto result = run(connection, {"/x/print", {}, {}});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->rows.size(), 1u);
  EXPECT_EQ(connection.unknown_words(), (Words{"!progress", "!other"}));
}

TEST(ApiConnection, ASilentRouterIsLostAtTheDeadline) {
  ScriptedRouter router([](Peer& peer) { peer.hang(); });
  ApiConnection connection(plain_wire(router.port()));
  const auto start = std::chrono::steady_clock::now();
  const auto result = run(connection, {"/x/print", {}, {}}, 60);
  const std::int64_t took = ms_since(start);
  ASSERT_FALSE(result.ok());
  EXPECT_TRUE(says(lost(result.error()).what, "no answer to /x/print within 0.06s"))
      << lost(result.error()).what;
  EXPECT_GE(took, 60);
  EXPECT_LT(took, 2000);
}

// Rows without end keep the line busy; the deadline holds all the same.
TEST(ApiConnection, ARouterThatNeverEndsIsLostAtTheDeadline) {
  ScriptedRouter router([](Peer& peer) {
    peer.read();
    const auto start = std::chrono::steady_clock::now();
    while (ms_since(start) < 1500) peer.send("\x03!re\x04=a=b\x06.tag=9\x00"s);
  });
  ApiConnection connection(plain_wire(router.port()));
  const auto start = std::chrono::steady_clock::now();
  const auto result = run(connection, {"/x/print", {}, {}}, 60);
  ASSERT_FALSE(result.ok());
  EXPECT_LT(ms_since(start), 1000);
}

TEST(ApiConnection, AnEndInMidWordIsTold) {
  ScriptedRouter router([](Peer& peer) {
    peer.read();
    peer.send("\x03!re\x7f=comment=half"s);
  });
  ApiConnection connection(plain_wire(router.port()));
  const auto result = run(connection, {"/x/print", {}, {}});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(lost(result.error()).what, "the connection ended in the middle of the answer to /x/print");
}

TEST(ApiConnection, ACloseWithoutAWordNamesBothCauses) {
  ScriptedRouter router([](Peer& peer) { peer.read(); });
  ApiConnection connection(plain_wire(router.port()));
  const auto result = run(connection, {"/login", {}, {}});
  ASSERT_FALSE(result.ok());
  EXPECT_TRUE(says(lost(result.error()).fix, "addresses")) << lost(result.error()).fix;
  EXPECT_TRUE(says(lost(result.error()).fix, "max-sessions"));
}

TEST(ApiConnection, AResetIsALoss) {
  ScriptedRouter router([](Peer& peer) {
    peer.read();
    peer.answer({"!re", "=a=b"});
    peer.read();
    peer.hang_up_with_reset();
  });
  ApiConnection connection(plain_wire(router.port()));
  const auto first = started(connection, {"/x/print", {}, {}});
  started(connection, {"/y/print", {}, {}});
  const auto result = connection.wait(first);
  ASSERT_FALSE(result.ok());
  EXPECT_TRUE(says(lost(result.error()).what, "/x/print")) << lost(result.error()).what;
}

TEST(ApiConnection, AGiantWordIsRefusedAtOnce) {
  ScriptedRouter router([](Peer& peer) {
    peer.read();
    peer.answer({"!re", "=a=b"});
    peer.send("\x03!re\xF0\x7F\xFF\xFF\xFF"s);
    peer.hang();
  });
  ApiConnection connection(plain_wire(router.port()));
  const auto start = std::chrono::steady_clock::now();
  const auto result = run(connection, {"/x/print", {}, {}}, 10'000);
  ASSERT_FALSE(result.ok());
  EXPECT_TRUE(says(lost(result.error()).what, "2147483647")) << lost(result.error()).what;
  EXPECT_LT(ms_since(start), 5000);
}

TEST(ApiConnection, MoreRowsThanMemoryIsGivenForEndOnlyTheirCommand) {
  ScriptedRouter router([](Peer& peer) {
    peer.read();
    // Rows of 1 MiB: 0x100000 is a length of three octets.
    const std::string row =
        "\x03!re\x06.tag=1\xD0\x00\x00"s + "=v=" + std::string((1 << 20) - 3, 'x') + "\x00"s;
    for (int i = 0; i < 140; ++i) peer.send(row);
    EXPECT_EQ(peer.read(), (Words{"/cancel", "=tag=1"}));
    peer.say({"!trap", ".tag=1", "=category=2", "=message=interrupted"});
    peer.say({"!done", ".tag=1"});
    peer.say({"!done", ".tag=2"});
    peer.read();
    peer.answer({"!done"});
    peer.hang();
  });
  ApiConnection connection(plain_wire(router.port()));
  const auto result = run(connection, {"/ip/route/print", {}, {}}, 60'000);
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(result->rows.empty());
  ASSERT_FALSE(result->traps.empty());
  EXPECT_TRUE(says(result->traps[0].message, "128 MiB")) << result->traps[0].message;
  EXPECT_TRUE(run(connection, {"/x/print", {}, {}}).ok());
}

TEST(ApiConnection, EndsWhenTheUserSaysSo) {
  const Interrupt interrupt;
  ScriptedRouter router([&interrupt](Peer& peer) {
    peer.read();
    interrupt.raise();
    peer.hang();
  });
  ApiConnection connection(plain_wire(router.port()));
  connection.interrupt_on(interrupt.fd());
  const auto result = run(connection, {"/x/print", {}, {}}, 60'000);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(lost(result.error()).exit, base::Exit::interrupted);
}

TEST(ApiConnection, TakesLeave) {
  Words last;
  std::atomic<bool> gone{false};
  {
    ScriptedRouter router([&last, &gone](Peer& peer) {
      last = peer.read();
      peer.send("\x06!fatal\x1dsession terminated on request\x00"s);
      peer.hang();
      gone = true;
    });
    {
      ApiConnection connection(plain_wire(router.port()));
      connection.close();
      connection.close();
      EXPECT_FALSE(connection.start({"/x/print", {}, {}}, 1000).ok());
    }
    const auto start = std::chrono::steady_clock::now();
    while (!gone && ms_since(start) < 5000) std::this_thread::yield();
  }
  EXPECT_EQ(last, Words{"/quit"});
  EXPECT_TRUE(gone);
}

struct Stranger {
  std::string octets;
  const char* kind;
};

TEST(ApiConnection, SaysWhatAWrongPortSpeaks) {
  const Stranger strangers[] = {
      {"HTTP/1.1 400 Bad Request\r\n\r\n", "an HTTP server"},
      {"SSH-2.0-ROSSSH\r\n", "an SSH server"},
      {"\x15\x03\x03\x00\x02\x02\x46"s, "a TLS server"},
      {"220 ready\r\n", "an FTP or mail server"},
      {"\xFF\xFD\x01", "octet 0xFF"},
      {"\x10garbage", "octet 0x67"},
  };
  for (const Stranger& stranger : strangers) {
    ScriptedRouter router([&stranger](Peer& peer) {
      peer.send(stranger.octets);
      peer.hang();
    });
    ApiConnection connection(plain_wire(router.port()));
    const auto start = std::chrono::steady_clock::now();
    const auto result = run(connection, {"/login", {}, {}}, 20'000);
    ASSERT_FALSE(result.ok());
    const LostConnection error = lost(result.error());
    EXPECT_TRUE(says(error.what, stranger.kind)) << error.what;
    EXPECT_TRUE(says(error.what, "does not speak the")) << error.what;
    EXPECT_TRUE(says(error.fix, "/ip/service/print")) << error.fix;
    EXPECT_LT(ms_since(start), 5000) << "no wait for a word of 72 octets";
  }
}

}  // namespace
}  // namespace mikroscope::routeros
