// Logins at OpenSSH's server, which shares no code with the client.

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "routeros/ssh/ssh_session.h"
#include "tests/routeros/ssh/sshd.h"

namespace mikroscope::routeros {
namespace {

using mikroscope::test::slurp;
using mikroscope::test::spill;
using test::has;
using test::kVersion;
using test::ms_of;
using test::Sshd;
using test::trouble;
using test::what;

TEST(SshLogin, RecordsTheHostKeyAsSshKeygenShowsIt) {
  NEEDS_SSHD();
  Sshd router(kVersion);
  std::vector<std::string> notes;
  SshTarget target = router.target();
  target.note = [&notes](const std::string& line) { notes.push_back(line); };
  ASSERT_TRUE(connect_ssh(target));
  ASSERT_TRUE(connect_ssh(target));
  EXPECT_EQ(router.trust().only(), router.fingerprint());
  ASSERT_EQ(notes.size(), 1u) << "once";
  EXPECT_TRUE(has(notes[0], router.fingerprint())) << notes[0];
}

TEST(SshLogin, AChangedHostKeyStopsBeforeTheLogin) {
  NEEDS_SSHD();
  Sshd router(kVersion);
  ASSERT_TRUE(router.connect());
  const std::string before = router.fingerprint();
  router.change_host_key("rsa");
  const auto refused = router.connect();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().exit, base::Exit::refused);
  EXPECT_TRUE(has(refused.error().what, before)) << what(refused);
  EXPECT_TRUE(has(refused.error().what, router.fingerprint())) << what(refused);
  EXPECT_EQ(router.commands().size(), 1u);

  SshTarget target = router.target();
  target.accept_changed_key = true;
  EXPECT_TRUE(connect_ssh(target));
  EXPECT_TRUE(router.connect()) << "the new key is recorded";
}

TEST(SshLogin, AnRsaKeyIsAsGood) {
  NEEDS_SSHD();
  Sshd::Options options;
  options.user_key = "rsa";
  options.host_key = "rsa";
  Sshd router(kVersion, options);
  const auto session = router.connect();
  EXPECT_TRUE(session) << what(session);
}

TEST(SshLogin, ConnectsWhereOnlyTheGroupExchangeIsLeft) {
  NEEDS_SSHD();
  Sshd::Options options;
  options.config = {"KexAlgorithms diffie-hellman-group-exchange-sha256"};
  Sshd router(kVersion, options);
  const auto session = router.connect();
  EXPECT_TRUE(session) << what(session);
}

TEST(SshLogin, SaysWhenNoAlgorithmFits) {
  NEEDS_SSHD();
  Sshd::Options options;
  options.config = {"KexAlgorithms sntrup761x25519-sha512@openssh.com"};
  Sshd router(kVersion, options);
  const auto session = router.connect();
  ASSERT_FALSE(session);
  EXPECT_TRUE(has(session.error().what, "no match for method")) << what(session);
}

TEST(SshLogin, OffersOnlyTheKeyThatIsNamed) {
  NEEDS_SSHD();
  Sshd router(kVersion);
  mikroscope::test::TempDir home;
  test::output_of({"/usr/bin/ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", home / "other"});
  SshTarget target = router.target();
  spill(home / "id_ed25519", slurp(target.key_file));
  ::chmod((home / "id_ed25519").c_str(), 0600);
  target.key_directory = home.path();
  target.key_file = home / "other";
  const auto refused = connect_ssh(target);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().exit, base::Exit::auth);
  EXPECT_TRUE(has(what(refused), "other was refused")) << what(refused);
  EXPECT_TRUE(has(what(refused), "/user/ssh-keys/import")) << what(refused);

  target.key_file.clear();
  const auto session = connect_ssh(target);
  EXPECT_TRUE(session) << what(session);
}

TEST(SshLogin, KeysThatCannotBeUsedAreExplained) {
  NEEDS_SSHD();
  Sshd router(kVersion);
  mikroscope::test::TempDir home;
  test::output_of(
      {"/usr/bin/ssh-keygen", "-q", "-t", "ed25519", "-N", "secret words", "-f", home / "locked"});
  SshTarget target = router.target();
  target.key_file = home / "locked";
  const auto locked = connect_ssh(target);
  EXPECT_TRUE(has(what(locked), "has a passphrase")) << what(locked);

  int asked = 0;
  target.ask = [&asked](const std::string& question) {
    ++asked;
    EXPECT_TRUE(has(question, "passphrase of ")) << question;
    return base::Result<std::string>("wrong words");
  };
  const auto wrong = connect_ssh(target);
  EXPECT_TRUE(has(what(wrong), "did not open with that passphrase")) << what(wrong);
  EXPECT_FALSE(has(what(wrong), "wrong words"));
  EXPECT_EQ(asked, 1);

  target.ask = [](const std::string&) { return base::Result<std::string>("secret words"); };
  const std::string own = slurp(router.path("user_key.pub"));
  spill(router.path("user_key.pub"), slurp(home / "locked.pub"));
  const auto session = connect_ssh(target);
  EXPECT_TRUE(session) << what(session);
  spill(router.path("user_key.pub"), own);

  target = router.target();
  target.key_file = router.path("user_key.pub");
  EXPECT_TRUE(has(what(connect_ssh(target)), "not a private key")) << what(connect_ssh(target));
  target.key_file = home / "absent";
  EXPECT_TRUE(has(what(connect_ssh(target)), "cannot be read")) << what(connect_ssh(target));
}

TEST(SshLogin, AKeyOfTheAgentIsUsed) {
  NEEDS_SSHD();
  Sshd router(kVersion);
  mikroscope::test::TempDir home;
  const std::string said = test::output_of({"/usr/bin/ssh-agent", "-s", "-a", home / "agent"});
  const std::size_t at = said.find("SSH_AGENT_PID=");
  ASSERT_NE(at, std::string::npos) << said;
  const int agent = std::atoi(said.c_str() + at + 14);
  ASSERT_GT(agent, 1) << said;
  ::setenv("SSH_AUTH_SOCK", (home / "agent").c_str(), 1);
  SshTarget target = router.target();
  test::output_of({"/usr/bin/ssh-add", "-q", target.key_file});
  target.key_file.clear();
  target.use_agent = true;
  const auto session = connect_ssh(target);
  EXPECT_TRUE(session) << what(session);
  ::kill(agent, SIGTERM);
  ::unsetenv("SSH_AUTH_SOCK");
}

TEST(SshLogin, APasswordThatIsRefusedIsExplained) {
  NEEDS_SSHD();
  Sshd::Options options;
  options.config = {"PasswordAuthentication yes", "PubkeyAuthentication no"};
  Sshd router(kVersion, options);
  SshTarget target = router.target();
  target.key_file.clear();
  target.password = "never right";
  const auto session = connect_ssh(target);
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().exit, base::Exit::auth);
  EXPECT_TRUE(has(what(session), "the password was refused")) << what(session);
  EXPECT_TRUE(has(what(session), "--via api-ssl")) << what(session);
  EXPECT_FALSE(has(what(session), "never right"));
}

TEST(SshLogin, NobodyThereIsSaid) {
  SshTarget target;
  test::MemoryTrust trust;
  target.host = "127.0.0.1";
  target.port = 1;
  target.user = "admin";
  target.trust = &trust;
  const auto session = connect_ssh(target);
  ASSERT_FALSE(session);
  EXPECT_TRUE(has(what(session), "Connection refused")) << what(session);
  EXPECT_TRUE(has(what(session), "/ip/service")) << what(session);
}

TEST(SshLogin, TheVersionDecides) {
  NEEDS_SSHD();
  Sshd old(R"sh(say "OK:$n 7.9.2 (stable)")sh");
  EXPECT_TRUE(has(what(old.connect()), "7.9.2")) << what(old.connect());
  EXPECT_TRUE(has(what(old.connect()), "--via api-ssl"));
  SshTarget target = old.target();
  target.upload_only = true;
  EXPECT_TRUE(connect_ssh(target));

  Sshd middle(R"sh(
case "$c" in
  *'resource/get version'*) say "OK:$n 7.16 (stable)" ;;
  *) say "R$n - {\"name\":12.000000}"; say "OK:$n" ;;
esac)sh");
  auto session = middle.connect();
  ASSERT_TRUE(session) << what(session);
  const auto rows = (*session)->print({"/system/identity", {"name"}, {}});
  ASSERT_TRUE(rows) << trouble(rows);
  EXPECT_EQ(rows->at(0).text("name"), "12");
  EXPECT_FALSE(has(middle.commands().back(), "no-string-conversion"));
}

TEST(SshLogin, AnotherKindOfServerIsSaid) {
  NEEDS_SSHD();
  Sshd server(R"sh(echo "sh: 1: :put: not found"; exit 127)sh");
  EXPECT_TRUE(has(what(server.connect()), "not answer as a RouterOS console")) << what(server.connect());
}

TEST(SshLogin, AServerThatSaysNothingEndsAtTheDeadline) {
  SshTarget target;
  test::MemoryTrust trust;
  target.user = "admin";
  target.host = "127.0.0.1";
  target.trust = &trust;
  target.timeout_ms = 200;
  const base::Fd silent(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(silent.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(silent.get(), 1), 0);
  ASSERT_EQ(::getsockname(silent.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  target.port = ntohs(address.sin_port);
  const std::int64_t took = ms_of([&] {
    EXPECT_TRUE(has(what(connect_ssh(target)), "no answer to the SSH greeting in time"))
        << what(connect_ssh(target));
  });
  EXPECT_LT(took, 5000);
}

}  // namespace
}  // namespace mikroscope::routeros
