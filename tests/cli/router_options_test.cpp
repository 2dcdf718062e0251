// Which router, and with which secrets: what is decided before anything is connected.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/file.h"
#include "cli/router_address.h"
#include "cli/token_store.h"
#include "tests/support/program.h"

namespace mikroscope::cli {
namespace {

using test::Exited;
using test::run;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(RouterAddress, IsReadAsPeopleWriteIt) {
  const struct {
    const char* text;
    const char* user;
    const char* host;
    int port;
  } kCases[] = {
      {"192.168.88.1", "", "192.168.88.1", 0},
      {"admin@router.lan", "admin", "router.lan", 0},
      {"ops@corp@192.0.2.1:8730", "ops@corp", "192.0.2.1", 8730},
      {"fd00::1", "", "fd00::1", 0},
      {"[fd00::1]:22", "", "fd00::1", 22},
      {"a@[fe80::1%eth0]", "a", "fe80::1%eth0", 0},
  };
  for (const auto& c : kCases) {
    const auto address = parse_router_address(c.text);
    ASSERT_TRUE(address.ok()) << c.text;
    EXPECT_EQ(address->user, c.user) << c.text;
    EXPECT_EQ(address->host, c.host) << c.text;
    EXPECT_EQ(address->port, c.port) << c.text;
  }
  for (const char* bad :
       {"", "@x", "x:", "x:0", "x:65536", "x:1a", "[::1", "[::1]x", "http://x", "a b", "-oProxy", "a@"}) {
    const auto address = parse_router_address(bad);
    ASSERT_FALSE(address.ok()) << bad;
    EXPECT_EQ(address.error().exit, base::Exit::usage);
  }
  // A password that somebody put there is not shown again.
  const auto secret = parse_router_address("admin:hunter2@192.0.2.1");
  ASSERT_FALSE(secret.ok());
  EXPECT_THAT(secret.error().what, Not(HasSubstr("hunter2")));
}

TEST(TokenStore, KeepsFindsAndForgets) {
  test::TempDir dir;
  const TokenStore store(dir / "state/tokens");
  auto found = store.find("192.0.2.1", "mikroscope");
  ASSERT_TRUE(found.ok());
  EXPECT_FALSE(found->has_value());
  ASSERT_TRUE(store.keep("192.0.2.1", "mikroscope", "abc").ok());
  ASSERT_TRUE(store.keep("192.0.2.1", "mikroscope", "def").ok());
  ASSERT_TRUE(store.keep("Router.LAN", "second", "ghi").ok());
  found = store.find("192.0.2.1", "mikroscope");
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(*found, "def");
  EXPECT_EQ(*store.find("router.lan", "second"), "ghi");
  EXPECT_FALSE(store.find("router.lan", "Second")->has_value());
  struct stat info {};
  ASSERT_EQ(::stat(store.path("192.0.2.1", "mikroscope").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
  ASSERT_EQ(::stat((dir / "state/tokens").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0700U);
  ASSERT_TRUE(store.forget("192.0.2.1", "mikroscope").ok());
  ASSERT_TRUE(store.forget("192.0.2.1", "mikroscope").ok());
  EXPECT_FALSE(store.find("192.0.2.1", "mikroscope")->has_value());
}

TEST(TokenStore, NamesNeverLeaveTheDirectoryOrMeet) {
  const TokenStore store("/d");
  EXPECT_EQ(store.path("../x", "n"), "/d/..%2Fx+n");
  EXPECT_NE(store.path("a+b", "c"), store.path("a", "b+c"));
  EXPECT_EQ(store.path("fe80::1%eth0", "m"), "/d/fe80%3A%3A1%25eth0+m");
}

TEST(TokenStore, AFileThatOthersReadIsRefused) {
  test::TempDir dir;
  const TokenStore store(dir.path());
  ASSERT_TRUE(store.keep("192.0.2.1", "m", "sesame").ok());
  ASSERT_EQ(::chmod(store.path("192.0.2.1", "m").c_str(), 0640), 0);
  const auto found = store.find("192.0.2.1", "m");
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().exit, base::Exit::refused);
  EXPECT_THAT(found.error().what, AllOf(HasSubstr("mode 0640"), Not(HasSubstr("sesame"))));
}

TEST(SecretFile, GivesTheFirstLineAsItStands) {
  test::TempDir dir;
  const std::string path = dir / "p";
  test::spill(path, " two words \r\nrest\n");
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  const auto line = read_secret_file(path, "--password-file");
  ASSERT_TRUE(line.ok());
  EXPECT_EQ(*line, " two words ");
  test::spill(path, "\nrest\n");
  EXPECT_THAT(read_secret_file(path, "--password-file").error().what,
              HasSubstr("--password-file: the first line"));
  EXPECT_THAT(read_secret_file(dir / "none", "--password-file").error().what, HasSubstr("--password-file: "));
}

TEST(RouterOptions, WhatDoesNotGoTogetherIsRefusedBeforeAnythingIsTried) {
  const struct {
    std::vector<std::string> args;
    const char* what;
  } kCases[] = {
      {{"--router", "http://192.0.2.1"}, "it is an address, not a URL"},
      {{"--router", "192.0.2.1", "--via", "api"}, "it wants --api-plain too"},
      {{"--router", "192.0.2.1", "--via", "ftp"}, "none of auto, api-ssl, api, ssh"},
      {{"--router", "192.0.2.1", "--api-plain", "--tls-anonymous"}, "exclude each other"},
      {{"--router", "192.0.2.1", "--tls-anonymous", "--fingerprint", "aa"}, "no certificate"},
      {{"--router", "192.0.2.1", "--via", "ssh", "--api-plain"}, "--via ssh has no use for --api-plain"},
      {{"--router", "192.0.2.1", "--ssh-key", "/nonexistent"}, "--ssh-key: there is no /nonexistent"},
      {{"--router", "192.0.2.1", "--name", "a b"}, "--name: "},
      {{"--router", "192.0.2.1", "--rate", "50"}, "set up the agent of --local"},
      {{"--router", "192.0.2.1", "--local"}, "exclude each other"},
  };
  for (const auto& c : kCases) {
    std::vector<std::string> args{"status"};
    args.insert(args.end(), c.args.begin(), c.args.end());
    const Exited exited = run(args);
    EXPECT_EQ(exited.code, 2) << c.what << exited.err;
    EXPECT_THAT(exited.err, HasSubstr(c.what));
  }
}

TEST(RouterOptions, WithoutATerminalAPasswordMustBeGiven) {
  const base::Fd terminal(::open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (terminal) GTEST_SKIP() << "these tests run on a terminal, which would be asked";
  test::TempDir dir;
  test::Program::Options options;
  options.env = {"HOME=" + dir.path()};
  const Exited exited = run({"status", "--router", "192.0.2.1", "--via", "api-ssl"}, options);
  EXPECT_EQ(exited.code, 3) << exited.err;
  EXPECT_THAT(exited.err, AllOf(HasSubstr("no terminal to ask"), HasSubstr("MIKROSCOPE_PASSWORD")));
}

TEST(RouterOptions, ThePromptDoesNotEchoAndCtrlCPutsTheTerminalRight) {
  test::TempDir dir;
  test::Program::Options options;
  options.env = {"HOME=" + dir.path()};
  options.terminal = true;
  // stty runs on the same terminal before and after.
  const std::string command = "stty -a > " + dir / "before" + "; " + test::mikroscope({})[0] +
                              " status --router 127.0.0.1:1 --via api-ssl; echo code $?; stty -a > " +
                              dir / "after";
  test::Program shell({"/bin/sh", "-c", "trap : INT; " + command}, options);
  ASSERT_TRUE(test::eventually(5000, [&] {
    return shell.out().find("password for 127.0.0.1:1:") != std::string::npos;
  })) << shell.out();
  shell.write_input("hunter");
  shell.write_input("\x03");
  ASSERT_TRUE(test::eventually(5000, [&] { return !test::slurp(dir / "after").empty(); })) << shell.out();
  const Exited exited = shell.wait(5000);
  EXPECT_THAT(exited.out, HasSubstr("code 130"));
  EXPECT_THAT(exited.out, Not(HasSubstr("hunter")));
  EXPECT_EQ(test::slurp(dir / "before"), test::slurp(dir / "after"));
}

}  // namespace
}  // namespace mikroscope::cli
