#include "routeros/api/connect.h"

#include <gtest/gtest.h>

#include <cctype>
#include <chrono>

#include "base/host/files.h"
#include "tests/routeros/api/scripted_router.h"
#include "tests/support/temp_dir.h"

namespace mikroscope::routeros {
namespace {

using namespace std::string_literals;
using test::Peer;
using test::ScriptedRouter;
using test::TlsServer;
using Words = std::vector<std::string>;

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::int64_t ms_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start)
      .count();
}

void greet(Peer& peer) {
  peer.let_in();
  if (peer.read() == Words{"/system/identity/print", "=.proplist=name,.id"}) {
    peer.answer({"!re", "=name=r1"});
    peer.answer({"!done"});
    peer.read();
  }
}

std::string identity(Session& session) {
  const auto rows = session.print({"/system/identity", {"name", ".id"}, {}});
  return rows.ok() && rows->size() == 1 ? std::string(rows->front().text("name")) : "no answer";
}

class Connecting : public testing::Test {
 protected:
  ApiTarget target(const ScriptedRouter& router, ApiSecurity security = ApiSecurity::tls) {
    ApiTarget t;
    t.host = "127.0.0.1";
    t.port = router.port();
    t.user = "operator";
    t.password = "hunter2";
    t.security = security;
    t.trust = &store_;
    t.note = [this](const std::string& line) { notes_.push_back(line); };
    return t;
  }

  test::TempDir dir_;
  KnownRouters store_{dir_ / "known"};
  std::vector<std::string> notes_;
};

TEST_F(Connecting, ACertificateIsTrustedOnFirstUseAndRecorded) {
  const TlsServer certificate("router");
  ScriptedRouter router(greet, &certificate);
  for (int time = 0; time < 2; ++time) {
    auto session = connect_api(target(router));
    ASSERT_TRUE(session.ok()) << session.error().what;
    EXPECT_EQ(identity(**session), "r1");
    EXPECT_EQ((*session)->via(), Via::api_ssl);
  }
  ASSERT_EQ(notes_.size(), 1u) << "said once";
  EXPECT_TRUE(says(notes_[0], certificate.fingerprint())) << notes_[0];
  EXPECT_EQ(test::slurp(dir_ / "known"),
            "tls 127.0.0.1 " + std::to_string(router.port()) + " " + certificate.fingerprint() + "\n");
}

TEST_F(Connecting, AChangedCertificateStopsBeforeThePasswordIsSent) {
  const TlsServer before("router");
  const TlsServer after("router");
  Words seen;
  ScriptedRouter router([&seen](Peer& peer) { seen = peer.read(); }, &after);
  ASSERT_TRUE(store_.remember(KeyKind::tls, "127.0.0.1", router.port(), before.fingerprint()).ok());
  auto t = target(router);
  t.shown_as = "home";
  const auto session = connect_api(t);
  ASSERT_FALSE(session.ok());
  EXPECT_EQ(session.error().exit, base::Exit::refused);
  EXPECT_TRUE(says(session.error().what, before.fingerprint())) << session.error().what;
  EXPECT_TRUE(says(session.error().what, after.fingerprint()));
  EXPECT_TRUE(says(session.error().fix, "mikroscope doctor --router home --accept-new-key"))
      << session.error().fix;
  router.finish();
  EXPECT_EQ(seen, Words{});
}

TEST_F(Connecting, AChangedCertificateCanBeAccepted) {
  const TlsServer before("router");
  const TlsServer after("router");
  ScriptedRouter router(greet, &after);
  ASSERT_TRUE(store_.remember(KeyKind::tls, "127.0.0.1", router.port(), before.fingerprint()).ok());
  auto t = target(router);
  t.accept_new_key = true;
  EXPECT_TRUE(connect_api(t).ok());
  t.accept_new_key = false;
  EXPECT_TRUE(connect_api(t).ok()) << "the new one is recorded";
}

TEST_F(Connecting, APinnedFingerprintDecidesAlone) {
  const TlsServer certificate("router");
  ScriptedRouter router(greet, &certificate);
  auto t = target(router);
  t.trust = nullptr;
  // AA:BB:… as other tools print it.
  for (std::size_t i = 0; i < 64; i += 2) {
    if (i != 0) t.fingerprint += ':';
    for (const char c : certificate.fingerprint().substr(i, 2))
      t.fingerprint += static_cast<char>(std::toupper(c));
  }
  EXPECT_TRUE(connect_api(t).ok());
  t.fingerprint = std::string(64, '0');
  const auto wrong = connect_api(t);
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().exit, base::Exit::refused);
  EXPECT_TRUE(says(wrong.error().what, certificate.fingerprint())) << wrong.error().what;
  t.fingerprint = "12:34";
  const auto no_fingerprint = connect_api(t);
  ASSERT_FALSE(no_fingerprint.ok());
  EXPECT_EQ(no_fingerprint.error().exit, base::Exit::usage);
}

TEST_F(Connecting, AnAuthorityVouchesForTheNameToo) {
  const TlsServer certificate("127.0.0.1");
  ScriptedRouter router(greet, &certificate);
  test::spill(dir_ / "ca.pem", certificate.pem());
  auto t = target(router);
  t.ca_file = dir_ / "ca.pem";
  const auto session = connect_api(t);
  EXPECT_TRUE(session.ok()) << session.error().what;

  const TlsServer elsewhere("192.0.2.99");
  ScriptedRouter other(greet, &elsewhere);
  test::spill(dir_ / "other.pem", elsewhere.pem());
  auto named = target(other);
  named.ca_file = dir_ / "other.pem";
  const auto wrong_name = connect_api(named);
  ASSERT_FALSE(wrong_name.ok());
  EXPECT_EQ(wrong_name.error().exit, base::Exit::refused);
  EXPECT_TRUE(says(wrong_name.error().what, "192.0.2.99")) << wrong_name.error().what;

  named.ca_file = dir_ / "ca.pem";
  const auto wrong_authority = connect_api(named);
  ASSERT_FALSE(wrong_authority.ok());
  EXPECT_EQ(wrong_authority.error().exit, base::Exit::refused);
  EXPECT_TRUE(says(wrong_authority.error().what, "authorities")) << wrong_authority.error().what;

  named.ca_file = dir_ / "none.pem";
  const auto no_file = connect_api(named);
  ASSERT_FALSE(no_file.ok());
  EXPECT_EQ(no_file.error().exit, base::Exit::usage);
}

TEST_F(Connecting, ARouterWithoutACertificateIsExplained) {
  const TlsServer anonymous;
  ScriptedRouter router(greet, &anonymous);
  const auto session = connect_api(target(router));
  ASSERT_FALSE(session.ok());
  EXPECT_TRUE(says(session.error().fix, "--tls-anonymous")) << session.error().what << session.error().fix;
  EXPECT_TRUE(says(session.error().fix, "certificate"));
}

TEST_F(Connecting, AnonymousTlsWorksWhenAskedFor) {
  const TlsServer anonymous;
  ScriptedRouter router(greet, &anonymous);
  auto session = connect_api(target(router, ApiSecurity::tls_anonymous));
  ASSERT_TRUE(session.ok()) << session.error().what;
  EXPECT_EQ(identity(**session), "r1");
  EXPECT_TRUE(notes_.empty());
  EXPECT_FALSE(base::exists(store_.path())) << "there is nothing to record";
}

TEST_F(Connecting, AnonymousTlsIsNeverFallenInto) {
  const TlsServer certificate("router");
  ScriptedRouter router(greet, &certificate);
  const auto session = connect_api(target(router, ApiSecurity::tls_anonymous));
  ASSERT_FALSE(session.ok());
  EXPECT_TRUE(says(session.error().fix, "leave out --tls-anonymous")) << session.error().fix;
}

TEST_F(Connecting, APlainServiceOnATlsPortIsExplained) {
  ScriptedRouter router([](Peer& peer) {
    peer.send("HTTP/1.1 400 Bad Request\r\n\r\n");
    peer.hang();
  });
  const auto session = connect_api(target(router));
  ASSERT_FALSE(session.ok());
  EXPECT_TRUE(says(session.error().what, "an HTTP server")) << session.error().what;
}

TEST_F(Connecting, AServiceThatWaitsForMoreIsGivenUp) {
  ScriptedRouter router([](Peer& peer) { peer.hang(); });
  auto t = target(router);
  t.connect_timeout_ms = 60;
  const auto start = std::chrono::steady_clock::now();
  const auto session = connect_api(t);
  ASSERT_FALSE(session.ok());
  EXPECT_TRUE(says(session.error().what, "no TLS handshake within 0.06s")) << session.error().what;
  EXPECT_LT(ms_since(start), 2000);
}

TEST_F(Connecting, ACloseWithoutAWordNamesBothCauses) {
  for (const ApiSecurity security : {ApiSecurity::tls, ApiSecurity::plain}) {
    ScriptedRouter router([](Peer&) {});
    const auto session = connect_api(target(router, security));
    ASSERT_FALSE(session.ok());
    EXPECT_TRUE(says(session.error().fix, "addresses")) << session.error().what << "\n"
                                                        << session.error().fix;
    EXPECT_TRUE(says(session.error().fix, "max-sessions"));
  }
}

TEST_F(Connecting, ARefusedLoginIsNotTriedAgain) {
  ScriptedRouter router([](Peer& peer) {
    peer.read();
    peer.answer({"!trap", "=message=invalid user name or password (6)"});
    peer.answer({"!done"});
    EXPECT_EQ(peer.read(), Words{"/quit"});
  });
  const auto session = connect_api(target(router, ApiSecurity::plain));
  ASSERT_FALSE(session.ok());
  EXPECT_EQ(session.error().exit, base::Exit::auth);
  EXPECT_EQ(session.error().what,
            "operator@127.0.0.1:" + std::to_string(router.port()) +
                " (api): the router refused the login of operator: invalid user name or "
                "password (6)");
  EXPECT_FALSE(says(session.error().what + session.error().fix, "hunter2"));
  EXPECT_EQ(router.connections(), 1);
}

TEST_F(Connecting, APortWhereNobodyListensIsNamed) {
  ApiTarget t;
  {
    const ScriptedRouter router([](Peer&) {});
    t = target(router, ApiSecurity::plain);
  }
  const auto session = connect_api(t);
  ASSERT_FALSE(session.ok());
  EXPECT_TRUE(says(session.error().what, "Connection refused")) << session.error().what;
  EXPECT_TRUE(says(session.error().fix, "/ip/service/print"));
}

TEST_F(Connecting, ANameThatDoesNotExistIsNamed) {
  ApiTarget t;
  t.host = std::string(64, 'x');  // longer than a part of a name may be: the resolver asks nobody
  t.security = ApiSecurity::plain;
  const auto session = connect_api(t);
  ASSERT_FALSE(session.ok());
  EXPECT_TRUE(says(session.error().what, "no connection to " + t.host + " port 8728"))
      << session.error().what;
}

TEST_F(Connecting, WorksOverIpv6) {
  ScriptedRouter router(greet, nullptr, true);
  if (router.port() == 0) GTEST_SKIP() << "this machine has no IPv6 loopback";
  auto t = target(router, ApiSecurity::plain);
  t.host = "::1";
  auto session = connect_api(t);
  ASSERT_TRUE(session.ok()) << session.error().what;
  EXPECT_EQ(identity(**session), "r1");
  EXPECT_EQ((*session)->local_address(), "::1");
  EXPECT_EQ((*session)->router(), "operator@[::1]:" + std::to_string(router.port()) + " (api)");
}

TEST_F(Connecting, NamesAreLookedUp) {
  ScriptedRouter router(greet);
  auto t = target(router, ApiSecurity::plain);
  t.host = "localhost";
  const auto session = connect_api(t);
  EXPECT_TRUE(session.ok()) << session.error().what;
}

TEST_F(Connecting, EndsWhenTheUserSaysSo) {
  const test::Interrupt interrupt;
  interrupt.raise();
  for (const ApiSecurity security : {ApiSecurity::tls, ApiSecurity::plain}) {
    ScriptedRouter router([](Peer& peer) { peer.hang(); });
    auto t = target(router, security);
    t.interrupt_fd = interrupt.fd();
    const auto session = connect_api(t);
    ASSERT_FALSE(session.ok());
    EXPECT_EQ(session.error().exit, base::Exit::interrupted);
  }
}

TEST_F(Connecting, OneOctetAtATimeThroughTlsIsTheSame) {
  const TlsServer certificate("router");
  ScriptedRouter router(
      [](Peer& peer) {
        peer.let_in();
        peer.read();
        peer.send_one_by_one("\x03!re\x08=name=r1\x06.tag=2\x00\x05!done\x06.tag=2\x00"s);
        peer.read();
      },
      &certificate);
  auto session = connect_api(target(router));
  ASSERT_TRUE(session.ok()) << session.error().what;
  EXPECT_EQ(identity(**session), "r1");
}

}  // namespace
}  // namespace mikroscope::routeros
