#include "routeros/api/api_session.h"

#include <gtest/gtest.h>

#include "routeros/api/connect.h"
#include "tests/routeros/api/scripted_router.h"

namespace mikroscope::routeros {
namespace {

using test::Interrupt;
using test::Peer;
using test::ScriptedRouter;
using Words = std::vector<std::string>;

std::unique_ptr<Session> session_with(const ScriptedRouter& router, std::int64_t timeout_ms = 5000) {
  ApiTarget target;
  target.host = "127.0.0.1";
  target.port = router.port();
  target.security = ApiSecurity::plain;
  target.timeout_ms = timeout_ms;
  auto session = connect_api(target);
  EXPECT_TRUE(session.ok()) << session.error().what;
  return session.ok() ? std::move(*session) : nullptr;
}

TEST(ApiSession, PrintAlwaysNamesWhatItWants) {
  Words seen;
  ScriptedRouter router([&seen](Peer& peer) {
    peer.let_in();
    seen = peer.read();
    peer.answer({"!re", "=.id=*1", "=name=veth-a"});
    peer.answer({"!re", "=.id=*2"});
    peer.answer({"!done"});
    peer.read();
  });
  const auto session = session_with(router);
  const auto rows =
      session->print({"/interface/veth", {"name", "comment"}, {{"name", "veth-a"}, {"comment", ""}}});
  ASSERT_TRUE(rows.ok());
  ASSERT_EQ(rows->size(), 2u);
  EXPECT_EQ((*rows)[0].text("name"), "veth-a");
  EXPECT_EQ((*rows)[1].find("name"), std::nullopt);
  router.finish();
  EXPECT_EQ(seen,
            (Words{"/interface/veth/print", "=.proplist=.id,name,comment", "?name=veth-a", "?comment="}));
}

TEST(ApiSession, PrintAsksForTheIdOnce) {
  Words seen;
  ScriptedRouter router([&seen](Peer& peer) {
    peer.let_in();
    seen = peer.read();
    peer.answer({"!re", "=version=7.24.2 (stable)"});
    peer.answer({"!done"});
    peer.read();
  });
  const auto session = session_with(router);
  const auto rows = session->print({"/system/resource", {"version", ".id"}, {}});
  ASSERT_TRUE(rows.ok());
  EXPECT_EQ(rows->front().id(), "");
  router.finish();
  EXPECT_EQ(seen, (Words{"/system/resource/print", "=.proplist=version,.id"}));
}

TEST(ApiSession, AddGivesTheId) {
  ScriptedRouter router([](Peer& peer) {
    peer.let_in();
    EXPECT_EQ(peer.read(), (Words{"/interface/veth/add", "=name=veth-a", "=address=172.30.10.2/30"}));
    peer.answer({"!done", "=ret=*80000003"});
    peer.read();
    peer.answer({"!done"});
    peer.read();
  });
  const auto session = session_with(router);
  const auto id = session->add("/interface/veth", {{"name", "veth-a"}, {"address", "172.30.10.2/30"}});
  ASSERT_TRUE(id.ok());
  EXPECT_EQ(*id, "*80000003");
  const auto none = session->add("/x", {});
  ASSERT_FALSE(none.ok()) << "an object whose id is not known could not be removed again";
  EXPECT_NE(device_error(none.error()), nullptr);
}

TEST(ApiSession, SetAndRemoveNameTheRow) {
  std::vector<Words> seen;
  ScriptedRouter router([&seen](Peer& peer) {
    peer.let_in();
    for (int i = 0; i < 3; ++i) {
      seen.push_back(peer.read());
      peer.answer({"!done"});
    }
    peer.read();
  });
  const auto session = session_with(router);
  EXPECT_TRUE(session->set("/interface/veth", "*5", {{"comment", "a=b"}}).ok());
  EXPECT_TRUE(session->set("/system/identity", "", {{"name", "r"}}).ok());
  EXPECT_TRUE(session->remove("/interface/veth", "*5").ok());
  router.finish();
  EXPECT_EQ(seen, (std::vector<Words>{{"/interface/veth/set", "=.id=*5", "=comment=a=b"},
                                      {"/system/identity/set", "=name=r"},
                                      {"/interface/veth/remove", "=.id=*5"}}));
}

TEST(ApiSession, CallGivesRowsAndTheValueOfTheEnd) {
  std::vector<Words> seen;
  ScriptedRouter router([&seen](Peer& peer) {
    peer.let_in();
    seen.push_back(peer.read());
    peer.answer({"!re", "=status=finished", "=data=hello"});
    peer.answer({"!done"});
    seen.push_back(peer.read());
    peer.answer({"!done", "=ret=17"});
    seen.push_back(peer.read());
    peer.answer({"!done"});
    peer.read();
  });
  const auto session = session_with(router);
  const auto fetched =
      session->call({"/tool/fetch", {{"url", "http://172.30.10.2/"}, {"output", "user"}}, true});
  ASSERT_TRUE(fetched.ok());
  ASSERT_EQ(fetched->size(), 1u);
  EXPECT_EQ(fetched->front().text("data"), "hello");
  const auto count = session->call({"/interface/print", {{"count-only", ""}}, true});
  ASSERT_TRUE(count.ok());
  ASSERT_EQ(count->size(), 1u);
  EXPECT_EQ(count->front().text("ret"), "17");
  const auto started = session->call({"/container/start", {{".id", "*1"}}});
  ASSERT_TRUE(started.ok());
  EXPECT_TRUE(started->empty());
  router.finish();
  EXPECT_EQ(seen, (std::vector<Words>{{"/tool/fetch", "=url=http://172.30.10.2/", "=output=user"},
                                      {"/interface/print", "=count-only="},
                                      {"/container/start", "=.id=*1"}}));
}

// Five menus, of which the account may not read the third.
TEST(ApiSession, ADeviceErrorIsNoLostConnection) {
  ScriptedRouter router([](Peer& peer) {
    peer.let_in();
    for (int menu = 1; menu <= 5; ++menu) {
      peer.read();
      if (menu == 3)
        peer.answer({"!trap", "=message=not enough permissions (9)"});
      else
        peer.answer({"!re", "=name=row of " + std::to_string(menu)});
      peer.answer({"!done"});
    }
    peer.read();
  });
  const auto session = session_with(router);
  for (int menu = 1; menu <= 5; ++menu) {
    const auto rows = session->print({"/menu" + std::to_string(menu), {"name"}, {}});
    EXPECT_EQ(rows.ok(), menu != 3) << menu;
    if (rows.ok()) continue;
    const DeviceError* const error = device_error(rows.error());
    ASSERT_NE(error, nullptr);
    EXPECT_TRUE(error->not_permitted());
    EXPECT_EQ(error->doing, "/menu3/print");
  }
  EXPECT_EQ(router.connections(), 1);
}

TEST(ApiSession, AWordThatIsNotUtf8SpoilsNothing) {
  ScriptedRouter router([](Peer& peer) {
    peer.let_in();
    peer.read();
    peer.answer({"!re", "=comment=Verst\xE4rker"});
    peer.answer({"!re", "=comment=\xF0\x9F\x93\xA1"});
    peer.answer({"!done"});
    peer.read();
  });
  const auto session = session_with(router);
  const auto rows = session->print({"/interface", {"comment"}, {}});
  ASSERT_TRUE(rows.ok());
  ASSERT_EQ(rows->size(), 2u);
  EXPECT_EQ((*rows)[0].text("comment"), "Verst\xE4rker") << "octets as they came";
  EXPECT_EQ((*rows)[1].text("comment"), "\xF0\x9F\x93\xA1");
}

TEST(ApiSession, AnErrorRepeatsNoSecret) {
  ScriptedRouter router([](Peer& peer) {
    peer.let_in();
    peer.read();
    peer.answer({"!trap", "=message=invalid value s3cret-token of s3cret-token"});
    peer.answer({"!done"});
    peer.read();
  });
  const auto session = session_with(router);
  const auto result = session->add("/container/envs", {{"key", "TOKEN"}, {"value", "s3cret-token", true}});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(device_error(result.error())->message, "invalid value (secret) of (secret)");
}

TEST(ApiSession, ACallMayHaveADeadlineOfItsOwn) {
  ScriptedRouter router([](Peer& peer) {
    peer.let_in();
    peer.hang();
  });
  const auto session = session_with(router, 60'000);
  const auto result = session->call({"/tool/fetch", {}, false, 40});
  ASSERT_FALSE(result.ok());
  const base::Error error = to_error(result.error(), session->router());
  EXPECT_NE(error.what.find("no answer to /tool/fetch within 0.04s"), std::string::npos) << error.what;
  const auto after = session->print({"/x", {"name"}, {}});
  ASSERT_FALSE(after.ok());
  EXPECT_EQ(device_error(after.error()), nullptr) << "a session that is lost stays lost";
}

TEST(ApiSession, EndsWhenTheUserSaysSo) {
  const Interrupt interrupt;
  ScriptedRouter router([](Peer& peer) {
    peer.let_in();
    peer.hang();
  });
  const auto session = session_with(router);
  session->interrupt_on(interrupt.fd());
  interrupt.raise();
  const auto result = session->print({"/x", {"name"}, {}});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(to_error(result.error(), "r").exit, base::Exit::interrupted);
}

TEST(ApiSession, SaysWhatItIs) {
  ScriptedRouter router([](Peer& peer) {
    peer.let_in();
    peer.read();
  });
  const auto session = session_with(router);
  EXPECT_EQ(session->via(), Via::api);
  EXPECT_EQ(session->router(), "admin@127.0.0.1:" + std::to_string(router.port()) + " (api)");
  EXPECT_EQ(session->host(), "127.0.0.1");
  EXPECT_EQ(session->local_address(), "127.0.0.1");
  EXPECT_FALSE(session->can_upload());
  const auto uploaded = session->upload("a.tar", "bytes", {});
  ASSERT_FALSE(uploaded.ok());
  EXPECT_NE(device_error(uploaded.error()), nullptr);
}

}  // namespace
}  // namespace mikroscope::routeros
