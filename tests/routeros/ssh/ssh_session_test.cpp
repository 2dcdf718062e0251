// The session against OpenSSH's server, which shares no code with the client.

#include "routeros/ssh/ssh_session.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "tests/routeros/ssh/sshd.h"

namespace mikroscope::routeros {
namespace {

using mikroscope::test::slurp;
using mikroscope::test::spill;
using test::Sshd;

#define NEEDS_SSHD() \
  if (!Sshd::present()) GTEST_SKIP() << "openssh-server is not installed"

// Answers the question for the version; other commands go on below it.
const std::string kVersion =
    R"sh(case "$c" in *'/system/resource/get version'*) say "OK:$n 7.24.2 (stable)"; exit 1 ;; esac
)sh";

std::string what(const base::Result<std::unique_ptr<Session>>& session) {
  return session ? "(connected)" : session.error().what + " | " + session.error().fix;
}
template <class T>
std::string trouble(const Answer<T>& answer) {
  if (answer) return "(no trouble)";
  if (const DeviceError* error = device_error(answer.error())) return "device: " + error->message;
  return "lost: " + std::get<LostConnection>(answer.error()).what;
}
bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}
std::int64_t ms_of(const std::function<void()>& doing) {
  const auto start = std::chrono::steady_clock::now();
  doing();
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start)
      .count();
}

TEST(SshSession, LogsInWithTheKeyAndReadsRows) {
  NEEDS_SSHD();
  Sshd router(kVersion + R"sh(
say "R$n *1 {\"name\":\"veth1\",\"address\":\"172.30.10.2/30\",\"comment\":\"a\"}"
say "R$n *2 {\"name\":\"veth2\",\"address\":\"\",\"disabled\":false}"
say "OK:$n"
exit 1)sh");
  auto session = router.connect();
  ASSERT_TRUE(session) << what(session);
  EXPECT_EQ((*session)->via(), Via::ssh);
  EXPECT_EQ((*session)->local_address(), "127.0.0.1");
  EXPECT_EQ((*session)->host(), "127.0.0.1");
  EXPECT_TRUE((*session)->router().ends_with("@127.0.0.1 (ssh)")) << (*session)->router();

  const auto rows = (*session)->print({"/interface/veth", {"name", "comment", "disabled"}, {}});
  ASSERT_TRUE(rows) << trouble(rows);
  ASSERT_EQ(rows->size(), 2u);
  EXPECT_EQ((*rows)[0].id(), "*1");
  EXPECT_EQ((*rows)[0].text("name"), "veth1");
  EXPECT_EQ((*rows)[0].text("comment"), "a");
  EXPECT_FALSE((*rows)[0].find("address")) << "not in the proplist";
  EXPECT_FALSE((*rows)[1].find("comment"));
  EXPECT_FALSE((*rows)[1].flag("disabled"));
  EXPECT_EQ(router.commands().size(), 2u);
}

TEST(SshSession, RecordsTheHostKeyAsSshKeygenShowsIt) {
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

TEST(SshSession, AChangedHostKeyStopsBeforeTheLogin) {
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

TEST(SshSession, AnRsaKeyIsAsGood) {
  NEEDS_SSHD();
  Sshd::Options options;
  options.user_key = "rsa";
  options.host_key = "rsa";
  Sshd router(kVersion, options);
  const auto session = router.connect();
  EXPECT_TRUE(session) << what(session);
}

TEST(SshSession, ConnectsWhereOnlyTheGroupExchangeIsLeft) {
  NEEDS_SSHD();
  Sshd::Options options;
  options.config = {"KexAlgorithms diffie-hellman-group-exchange-sha256"};
  Sshd router(kVersion, options);
  const auto session = router.connect();
  EXPECT_TRUE(session) << what(session);
}

TEST(SshSession, SaysWhenNoAlgorithmFits) {
  NEEDS_SSHD();
  Sshd::Options options;
  options.config = {"KexAlgorithms sntrup761x25519-sha512@openssh.com"};
  Sshd router(kVersion, options);
  const auto session = router.connect();
  ASSERT_FALSE(session);
  EXPECT_TRUE(has(session.error().what, "no match for method")) << what(session);
}

TEST(SshSession, OffersOnlyTheKeyThatIsNamed) {
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

TEST(SshSession, KeysThatCannotBeUsedAreExplained) {
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

TEST(SshSession, AKeyOfTheAgentIsUsed) {
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

TEST(SshSession, APasswordThatIsRefusedIsExplained) {
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

TEST(SshSession, NobodyThereIsSaid) {
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

TEST(SshSession, TheVersionDecides) {
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

TEST(SshSession, AnotherKindOfServerIsSaid) {
  NEEDS_SSHD();
  Sshd server(R"sh(echo "sh: 1: :put: not found"; exit 127)sh");
  EXPECT_TRUE(has(what(server.connect()), "not answer as a RouterOS console")) << what(server.connect());
}

TEST(SshSession, TheExitStatusSaysNothing) {
  NEEDS_SSHD();
  Sshd router(kVersion + R"sh(
case "$c" in
  *'/container/start'*) say "OK:$n"; exit 1 ;;
  *) say "failure: already have interface with such name"; exit 0 ;;
esac)sh");
  auto session = router.connect();
  ASSERT_TRUE(session) << what(session);
  EXPECT_TRUE((*session)->call({"/container/start", {{".id", "*1"}}}));
  const auto id = (*session)->add("/interface/veth", {{"name", "a"}});
  EXPECT_EQ(trouble(id), "device: failure: already have interface with such name");
  ASSERT_NE(device_error(id.error()), nullptr);
  EXPECT_TRUE(device_error(id.error())->already_exists());
  EXPECT_TRUE((*session)->call({"/container/start", {{".id", "*1"}}})) << "the session goes on";
}

TEST(SshSession, WritesAreJudgedByTheirMarker) {
  NEEDS_SSHD();
  Sshd router(kVersion + R"sh(
case "$c" in
  *'/interface/veth/add'*) say "OK:$n *1A" ;;
  *'/interface/veth/set'*) say "warning: something"; say "OK:$n" ;;
  *'/interface/veth/remove'*) : ;;
esac)sh");
  auto session = router.connect();
  ASSERT_TRUE(session) << what(session);
  const auto id = (*session)->add("/interface/veth", {{"name", "a b"}, {"comment", "x;y\n"}});
  ASSERT_TRUE(id) << trouble(id);
  EXPECT_EQ(*id, "*1A");
  EXPECT_TRUE(has(router.commands().back(), R"sh([/interface/veth/add name="a\20b" comment="x\3By\0A"])sh"));
  EXPECT_EQ(trouble((*session)->set("/interface/veth", "*1A", {{"name", "b"}})),
            "device: warning: something");
  EXPECT_EQ(trouble((*session)->remove("/interface/veth", "*1A")), "device: the router reported an error");
}

TEST(SshSession, AMenuOfSettingsIsFoundOut) {
  NEEDS_SSHD();
  Sshd router(kVersion + R"sh(
case "$c" in
  *'/system/ntp/client/find'*) say "bad command name find (line 1 column 17)" ;;
  *'/system/ntp/client/get'*) say "R$n - {\"enabled\":true}"; say "OK:$n" ;;
  *) say "bad command name nothing (line 1 column 7)" ;;
esac)sh");
  auto session = router.connect();
  ASSERT_TRUE(session) << what(session);
  for (int i = 0; i < 2; ++i) {
    const auto rows = (*session)->print({"/system/ntp/client", {"enabled"}, {}});
    ASSERT_TRUE(rows) << trouble(rows);
    ASSERT_EQ(rows->size(), 1u);
    EXPECT_TRUE(rows->at(0).flag("enabled"));
  }
  EXPECT_EQ(router.commands().size(), 4u) << "version, find, get, and only get the second time";
  const auto absent = (*session)->print({"/nothing", {"a"}, {}});
  ASSERT_FALSE(absent);
  ASSERT_NE(device_error(absent.error()), nullptr);
  EXPECT_TRUE(device_error(absent.error())->no_such_command());
}

TEST(SshSession, RowsThatGoWhileTheListIsReadAreReadAgain) {
  NEEDS_SSHD();
  Sshd router(kVersion + R"sh(
case "$c" in *'/log/'*) say "G$n *9"; say "OK:$n"; exit ;; esac
if [ $(grep -c '/file/find' "${0%/*}/commands") = 1 ]; then say "G$n *9"; fi
say "R$n *1 {\"name\":\"a\"}"; say "OK:$n")sh");
  auto session = router.connect();
  ASSERT_TRUE(session) << what(session);
  const auto rows = (*session)->print({"/file", {"name"}, {}});
  ASSERT_TRUE(rows) << trouble(rows);
  EXPECT_EQ(rows->size(), 1u);
  EXPECT_EQ(trouble((*session)->print({"/log", {"message"}, {}})), "device: cannot read item *9 of /log");
}

TEST(SshSession, FlagConditionsAreAppliedHere) {
  NEEDS_SSHD();
  Sshd router(kVersion + R"sh(
say "R$n *1 {\"name\":\"a\",\"running\":true}"
say "R$n *2 {\"name\":\"a\"}"
say "OK:$n")sh");
  auto session = router.connect();
  ASSERT_TRUE(session) << what(session);
  const auto running = (*session)->print({"/container", {"name"}, {{"running", "yes"}}});
  ASSERT_TRUE(running) << trouble(running);
  ASSERT_EQ(running->size(), 1u);
  EXPECT_EQ(running->at(0).id(), "*1");
  const auto stopped = (*session)->print({"/container", {"name"}, {{"running", "false"}, {".id", "*2"}}});
  ASSERT_TRUE(stopped) << trouble(stopped);
  EXPECT_EQ(stopped->size(), 1u);
}

TEST(SshSession, ACommandThatHangsEndsAtItsDeadline) {
  NEEDS_SSHD();
  Sshd router(kVersion + "exec sleep 30");
  auto session = router.connect();
  ASSERT_TRUE(session) << what(session);
  std::int64_t took = ms_of([&] {
    const auto answer = (*session)->call({"/tool/fetch", {}, true, 300});
    EXPECT_EQ(trouble(answer), "lost: no answer to /tool/fetch in time");
  });
  EXPECT_GE(took, 290);
  EXPECT_LT(took, 5000);
  took = ms_of([&] {
    EXPECT_EQ(trouble((*session)->print({"/interface", {"name"}, {}})),
              "lost: no answer to /tool/fetch in time");
  });
  EXPECT_LT(took, 100) << "a lost session fails at once";
}

TEST(SshSession, AnInterruptEndsARequest) {
  NEEDS_SSHD();
  Sshd router(kVersion + "exec sleep 30");
  auto session = router.connect();
  ASSERT_TRUE(session) << what(session);
  int ends[2] = {-1, -1};
  ASSERT_EQ(::pipe(ends), 0);
  const base::Fd read_end(ends[0]);
  const base::Fd write_end(ends[1]);
  (*session)->interrupt_on(read_end.get());
  std::thread user([&] {
    while (router.commands().size() < 2) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_EQ(::write(write_end.get(), "x", 1), 1);
  });
  const std::int64_t took = ms_of([&] {
    const auto answer = (*session)->print({"/interface", {"name"}, {}});
    ASSERT_FALSE(answer);
    const auto* lost = std::get_if<LostConnection>(&answer.error());
    ASSERT_NE(lost, nullptr);
    EXPECT_EQ(lost->exit, base::Exit::interrupted);
  });
  user.join();
  EXPECT_LT(took, 9000);
}

TEST(SshSession, AServerThatSaysNothingEndsAtTheDeadline) {
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

TEST(SshSession, UploadsArriveWhole) {
  NEEDS_SSHD();
  Sshd router(kVersion);
  auto session = router.connect();
  ASSERT_TRUE(session) << what(session);
  ASSERT_TRUE((*session)->can_upload());
  std::string bytes(1'000'003, '\0');
  std::uint32_t state = 1;
  for (char& c : bytes) c = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  spill(router.file("agent.tar"), std::string(2'000'000, 'x'));  // an older and longer one
  std::vector<std::uint64_t> steps;
  const auto done = (*session)->upload("agent.tar", bytes, [&](std::uint64_t sent, std::uint64_t total) {
    EXPECT_EQ(total, 1'000'003u);
    steps.push_back(sent);
  });
  ASSERT_TRUE(done) << trouble(done);
  EXPECT_TRUE(slurp(router.file("agent.tar")) == bytes);
  EXPECT_TRUE(std::is_sorted(steps.begin(), steps.end()));
  EXPECT_EQ(steps.size(), 31u) << "1000003 octets at 32768 each";
  EXPECT_EQ(steps.back(), 1'000'003u);
  EXPECT_EQ(dynamic_cast<SshSession&>(**session).uploaded_size(), 1'000'003u);

  ASSERT_TRUE((*session)->upload("empty", "", {}));
  EXPECT_EQ(slurp(router.file("empty")), "");
}

TEST(SshSession, UploadsThatFailSayWhy) {
  NEEDS_SSHD();
  Sshd router(kVersion);
  auto session = router.connect();
  ASSERT_TRUE(session) << what(session);
  EXPECT_EQ(trouble((*session)->upload("no/such/agent.tar", "x", {})),
            "device: no such directory or disk for no/such/agent.tar");
  for (const char* name : {"/agent.tar", "../agent.tar", "a b", "a;b", "", "dir/", "a//b"})
    EXPECT_TRUE(has(trouble((*session)->upload(name, "x", {})), "not a name for a file")) << name;
  ASSERT_EQ(::symlink("/dev/full", router.file("full").c_str()), 0);
  const std::string full = trouble((*session)->upload("full", std::string(100000, 'x'), {}));
  EXPECT_TRUE(has(full, "after 0 of 100000 octets")) << full;
  EXPECT_TRUE(has(full, "disk full")) << full;
  EXPECT_TRUE((*session)->upload("good", "x", {})) << "the session goes on";
}

TEST(SshSession, WithoutThePolicyForSftpTheRouterSaysSo) {
  NEEDS_SSHD();
  Sshd::Options options;
  options.sftp = false;
  Sshd refusing(kVersion, options);
  auto session = refusing.connect();
  ASSERT_TRUE(session) << what(session);
  const auto refused = (*session)->upload("agent.tar", "x", {});
  EXPECT_TRUE(has(trouble(refused), "policy ftp")) << trouble(refused);
  ASSERT_NE(device_error(refused.error()), nullptr);
  EXPECT_TRUE(device_error(refused.error())->not_permitted());

  options.config = {"Subsystem sftp /bin/true"};
  Sshd closing(R"sh(case "$c" in /bin/true) exit 0 ;; esac
)sh" + kVersion,
               options);
  session = closing.connect();
  ASSERT_TRUE(session) << what(session);
  const auto closed = (*session)->upload("agent.tar", "x", {});
  EXPECT_TRUE(has(trouble(closed), "policy ftp")) << trouble(closed);
}

TEST(SshSession, AConnectionThatIsCutIsLost) {
  NEEDS_SSHD();
  Sshd router(kVersion + R"sh(kill $PPID; sleep 5)sh");
  auto session = router.connect();
  ASSERT_TRUE(session) << what(session);
  const auto answer = (*session)->print({"/interface", {"name"}, {}});
  ASSERT_FALSE(answer);
  EXPECT_EQ(device_error(answer.error()), nullptr) << trouble(answer);
}

}  // namespace
}  // namespace mikroscope::routeros
