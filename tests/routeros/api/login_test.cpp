#include "routeros/api/login.h"

#include <gtest/gtest.h>

#include "routeros/session/dial.h"
#include "tests/routeros/api/scripted_router.h"

namespace mikroscope::routeros {
namespace {

using namespace std::string_literals;
using test::Peer;
using test::ScriptedRouter;
using Words = std::vector<std::string>;

base::Result<void, LostConnection> log_in_at(int port, const std::string& user, const std::string& password,
                                             std::int64_t timeout_ms = 5000) {
  auto fd = dial("127.0.0.1", port, "api", within(5000, -1));
  if (!fd.ok()) return fd.error();
  ApiConnection connection{Wire(Socket(std::move(fd).value()))};
  return log_in(connection, user, password, timeout_ms);
}

TEST(Login, ChallengesAreAnsweredOverTheirOctets) {
  EXPECT_EQ(challenge_response("passTest", "abc123"), "0021277bff9ac7caf06aa608e46616d47f");
  EXPECT_EQ(challenge_response("test", "ad7fe8f6d3cf5d58f0c8e9a3b1b2c3d4"),
            "007b56809cb829ad99e915848eea5d92a7");
  EXPECT_EQ(challenge_response("test", "AD7FE8F6D3CF5D58F0C8E9A3B1B2C3D4"),
            "007b56809cb829ad99e915848eea5d92a7");
  for (const char* none : {"", "abc", "xy", "*3"}) EXPECT_EQ(challenge_response("test", none), std::nullopt);
}

TEST(Login, SendsNameAndPassword) {
  Words seen;
  ScriptedRouter router([&seen](Peer& peer) {
    seen = peer.read();
    peer.answer({"!done"});
    EXPECT_EQ(peer.read(), Words{"/quit"});
  });
  EXPECT_TRUE(log_in_at(router.port(), "admin", "pass word=1").ok());
  router.finish();
  EXPECT_EQ(seen, (Words{"/login", "=name=admin", "=password=pass word=1"}));
}

TEST(Login, AnEmptyPasswordIsSent) {
  Words seen;
  ScriptedRouter router([&seen](Peer& peer) {
    seen = peer.read();
    peer.say({"!done"});  // a router that does not repeat the tag
    peer.read();
  });
  EXPECT_TRUE(log_in_at(router.port(), "admin", "").ok());
  router.finish();
  EXPECT_EQ(seen, (Words{"/login", "=name=admin", "=password="}));
}

TEST(Login, AnOldRoutersChallengeIsAnswered) {
  Words seen;
  ScriptedRouter router([&seen](Peer& peer) {
    peer.read();
    peer.answer({"!done", "=ret=ad7fe8f6d3cf5d58f0c8e9a3b1b2c3d4"});
    seen = peer.read();
    peer.answer({"!done"});
    peer.read();
  });
  EXPECT_TRUE(log_in_at(router.port(), "admin", "test").ok());
  router.finish();
  EXPECT_EQ(seen, (Words{"/login", "=name=admin", "=response=007b56809cb829ad99e915848eea5d92a7"}));
}

TEST(Login, AChallengeThatIsNoneIsRefused) {
  ScriptedRouter router([](Peer& peer) {
    peer.read();
    peer.answer({"!done", "=ret=*3"});
    EXPECT_EQ(peer.read(), Words{"/quit"});
  });
  const auto result = log_in_at(router.port(), "admin", "test");
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().what.find("*3"), std::string::npos);
  EXPECT_EQ(result.error().exit, base::Exit::failed);
}

TEST(Login, ARefusalIsFinal) {
  for (const char* words : {"invalid user name or password (6)", "cannot log in", "incorrect login"}) {
    std::atomic<int> logins{0};
    ScriptedRouter router([words, &logins](Peer& peer) {
      while (true) {
        const Words request = peer.read();
        if (request.empty() || request.front() != "/login") return;
        ++logins;
        peer.answer({"!trap", "=message="s + words});
        // A challenge beside a refusal is not answered either.
        peer.answer({"!done", "=ret=ad7fe8f6d3cf5d58f0c8e9a3b1b2c3d4"});
      }
    });
    const auto result = log_in_at(router.port(), "operator", "hunter2");
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().exit, base::Exit::auth);
    EXPECT_EQ(result.error().what, "the router refused the login of operator: "s + words);
    EXPECT_EQ(result.error().fix.find("hunter2"), std::string::npos);
    EXPECT_EQ(logins, 1);
    EXPECT_EQ(router.connections(), 1);
  }
}

TEST(Login, AMissingPolicyIsNamed) {
  ScriptedRouter router([](Peer& peer) {
    peer.read();
    peer.answer({"!trap", "=message=not enough permissions (9)"});
    peer.answer({"!done"});
    peer.read();
  });
  const auto result = log_in_at(router.port(), "operator", "x");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().exit, base::Exit::auth);
  EXPECT_NE(result.error().fix.find("policy api"), std::string::npos) << result.error().fix;
}

TEST(Login, ASilentPortIsGivenUp) {
  ScriptedRouter router([](Peer& peer) { peer.hang(); });
  const auto result = log_in_at(router.port(), "admin", "x", 50);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().what, "no answer to /login within 0.05s");
  EXPECT_NE(result.error().fix.find("/ip/service/print"), std::string::npos);
}

}  // namespace
}  // namespace mikroscope::routeros
