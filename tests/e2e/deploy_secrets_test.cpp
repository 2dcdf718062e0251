// What other accounts of the workstation can see while a router is worked on: the command lines of all
// processes. And the wait after an installation.
#include <dirent.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <set>
#include <thread>

#include "tests/e2e/double_program.h"

namespace mikroscope::test {
namespace {

using ::testing::HasSubstr;

// Looks at the command line of every process again and again, and keeps each that it sees once. The double
// itself is left out: it is the router, and gets its password as an argument.
class CommandLines {
 public:
  CommandLines() : thread_([this] { watch(); }) {}
  ~CommandLines() { stop(); }
  CommandLines(const CommandLines&) = delete;
  CommandLines& operator=(const CommandLines&) = delete;

  // All that were seen, arguments separated by spaces.
  const std::set<std::string>& stop() {
    over_ = true;
    if (thread_.joinable()) thread_.join();
    return seen_;
  }

 private:
  void watch() {
    while (!over_) {
      look();
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
  void look() {
    DIR* const all = ::opendir("/proc");
    if (all == nullptr) return;
    while (const dirent* const entry = ::readdir(all)) {
      const std::string pid = entry->d_name;
      if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
      std::string line = slurp("/proc/" + pid + "/cmdline");
      std::replace(line.begin(), line.end(), '\0', ' ');
      if (line.substr(0, line.find(' ')).ends_with("/mikroscope-routersim")) continue;
      seen_.insert(std::move(line));
    }
    ::closedir(all);
  }

  std::set<std::string> seen_;
  std::atomic<bool> over_{false};
  std::thread thread_;
};

TEST_F(DeployProgram, NoSecretIsOnACommandLine) {
  for (const bool ssh : {false, true}) {
    SCOPED_TRACE(ssh ? "ssh" : "api-ssl");
    const std::string password = "horse-" + std::to_string(::getpid());
    Double router(Where::loopback, password);
    ASSERT_TRUE(router.ready()) << router.complaint();
    const auto with = [&](const std::vector<std::string>& verb) {
      const Exited exited = ssh ? router.over_ssh(verb) : router.on(verb);
      EXPECT_EQ(exited.code, 0) << verb[0] << exited.out << exited.err;
    };
    CommandLines watched;
    with({"install", "--yes"});
    const std::string token =
        slurp(router.directory / "state/mikroscope/tokens/127.0.0.1+mikroscope").substr(0, 64);
    with({"record", "--transport", "relay", "--for", "1s", "--out", router.directory / "x"});
    with({"uninstall", "--yes"});
    const std::set<std::string>& lines = watched.stop();
    ASSERT_EQ(token.size(), 64u);
    const auto shows = [&lines](const std::string& text) {
      return std::any_of(lines.begin(), lines.end(),
                         [&](const std::string& line) { return line.find(text) != std::string::npos; });
    };
    // Each verb was seen, and the agent that was started: else nothing has been looked at.
    EXPECT_TRUE(shows("mikroscope install --yes"));
    EXPECT_TRUE(shows("mikroscope record --transport relay"));
    EXPECT_TRUE(shows("mikroscope uninstall --yes"));
    EXPECT_TRUE(shows("mikroscope-agent"));
    EXPECT_FALSE(shows(password));
    EXPECT_FALSE(shows(token));
  }
}

TEST_F(DeployProgram, TheWaitForTheRoutersCachesCanBeCutShort) {
  Double router;
  ASSERT_TRUE(router.ready()) << router.complaint();
  Program install(mikroscope(router.over_api_line({"install", "--yes", "--wait-flush"})), router.options());
  ASSERT_TRUE(eventually(30'000, [&] {
    return install.out().find("waiting 45 s until the router has written its caches\n") !=
               std::string::npos ||
           !install.running();
  }));
  EXPECT_TRUE(install.running()) << install.out() << install.err();
  install.send(SIGINT);
  const Exited cut = install.wait(10'000);
  EXPECT_EQ(cut.code, 130);
  EXPECT_THAT(cut.err, HasSubstr("installed, but interrupted while waiting"));
  EXPECT_EQ(router.on({"status"}).code, 0);
  EXPECT_EQ(router.on({"uninstall", "--yes"}).code, 0);
}

}  // namespace
}  // namespace mikroscope::test
