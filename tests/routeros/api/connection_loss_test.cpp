#include <gtest/gtest.h>

#include "routeros/api/connection.h"
#include "tests/routeros/api/connection_help.h"

namespace mikroscope::routeros {
namespace {

using namespace std::string_literals;
using namespace test;

TEST(ApiLoss, AFatalsReasonIsTold) {
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

TEST(ApiLoss, ASilentRouterIsLostAtTheDeadline) {
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
TEST(ApiLoss, ARouterThatNeverEndsIsLostAtTheDeadline) {
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

TEST(ApiLoss, AnEndInMidWordIsTold) {
  ScriptedRouter router([](Peer& peer) {
    peer.read();
    peer.send("\x03!re\x7f=comment=half"s);
  });
  ApiConnection connection(plain_wire(router.port()));
  const auto result = run(connection, {"/x/print", {}, {}});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(lost(result.error()).what, "the connection ended in the middle of the answer to /x/print");
}

TEST(ApiLoss, ACloseWithoutAWordNamesBothCauses) {
  ScriptedRouter router([](Peer& peer) { peer.read(); });
  ApiConnection connection(plain_wire(router.port()));
  const auto result = run(connection, {"/login", {}, {}});
  ASSERT_FALSE(result.ok());
  EXPECT_TRUE(says(lost(result.error()).fix, "addresses")) << lost(result.error()).fix;
  EXPECT_TRUE(says(lost(result.error()).fix, "max-sessions"));
  EXPECT_TRUE(says(lost(result.error()).fix, "api-ssl")) << "and so does a port for TLS";
}

TEST(ApiLoss, AResetIsALoss) {
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

TEST(ApiLoss, AGiantWordIsRefusedAtOnce) {
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

TEST(ApiLoss, EndsWhenTheUserSaysSo) {
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

struct Stranger {
  std::string octets;
  const char* kind;
};

TEST(ApiLoss, SaysWhatAWrongPortSpeaks) {
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
