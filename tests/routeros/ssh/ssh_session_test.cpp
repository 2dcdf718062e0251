// Requests against OpenSSH's server, which shares no code with the client.

#include "routeros/ssh/ssh_session.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <thread>

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

TEST(SshSession, LogsInWithTheKeyAndReadsRows) {
  NEEDS_SSHD();
  Sshd router(std::string(kVersion) + R"sh(
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

TEST(SshSession, TheExitStatusSaysNothing) {
  NEEDS_SSHD();
  Sshd router(std::string(kVersion) + R"sh(
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
  Sshd router(std::string(kVersion) + R"sh(
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
  Sshd router(std::string(kVersion) + R"sh(
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
  Sshd router(std::string(kVersion) + R"sh(
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
  Sshd router(std::string(kVersion) + R"sh(
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
  Sshd router(std::string(kVersion) + "exec sleep 30");
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
  Sshd router(std::string(kVersion) + "exec sleep 30");
  auto session = router.connect();
  ASSERT_TRUE(session) << what(session);
  int ends[2] = {-1, -1};
  ASSERT_EQ(::pipe(ends), 0);
  const base::Fd read_end(ends[0]);
  const base::Fd write_end(ends[1]);
  (*session)->interrupt_on(read_end.get());
  std::thread user([&] {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (router.commands().size() < 2 && std::chrono::steady_clock::now() < deadline)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
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
)sh" + std::string(kVersion),
               options);
  session = closing.connect();
  ASSERT_TRUE(session) << what(session);
  const auto closed = (*session)->upload("agent.tar", "x", {});
  EXPECT_TRUE(has(trouble(closed), "policy ftp")) << trouble(closed);
}

TEST(SshSession, AConnectionThatIsCutIsLost) {
  NEEDS_SSHD();
  Sshd router(std::string(kVersion) + R"sh(kill $PPID; sleep 5)sh");
  auto session = router.connect();
  ASSERT_TRUE(session) << what(session);
  const auto answer = (*session)->print({"/interface", {"name"}, {}});
  ASSERT_FALSE(answer);
  EXPECT_EQ(device_error(answer.error()), nullptr) << trouble(answer);
}

}  // namespace
}  // namespace mikroscope::routeros
