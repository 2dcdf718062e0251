#include "routeros/api/connection.h"

#include <gtest/gtest.h>

#include "tests/routeros/api/connection_help.h"

namespace mikroscope::routeros {
namespace {

using namespace std::string_literals;
using namespace test;

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

}  // namespace
}  // namespace mikroscope::routeros
