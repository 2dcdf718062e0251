// Installations that the program does not make itself: the script of plan --rsc, and the commands of the
// installation guide, both given to the double's console by OpenSSH.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/e2e/double_program.h"

namespace mikroscope::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Json = nlohmann::json;

class DeployByConsole : public DeployProgram {
 protected:
  void SetUp() override {
    DeployProgram::SetUp();
    if (IsSkipped()) return;
    if (::access("/usr/bin/ssh", X_OK) != 0 || ::access("/usr/bin/scp", X_OK) != 0)
      GTEST_SKIP() << "OpenSSH's ssh and scp are not installed";
    ASSERT_TRUE(router.ready()) << router.complaint();
    std::ofstream(router.directory / "ask") << "#!/bin/sh\necho '" << kPassword << "'\n";
    ASSERT_EQ(::chmod((router.directory / "ask").c_str(), 0700), 0);
    before = router.everything();
  }

  Exited open_ssh(const std::string& program, const std::string& port_flag,
                  const std::vector<std::string>& arguments) const {
    std::vector<std::string> argv{"/usr/bin/" + program,
                                  "-F",
                                  "none",
                                  "-o",
                                  "StrictHostKeyChecking=no",
                                  "-o",
                                  "UserKnownHostsFile=/dev/null",
                                  "-o",
                                  "PubkeyAuthentication=no",
                                  port_flag,
                                  router.ssh_port()};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    Program::Options options;
    options.env = {"SSH_ASKPASS=" + (router.directory / "ask"), "SSH_ASKPASS_REQUIRE=force"};
    return Program(std::move(argv), options).wait(90'000);
  }
  void send(const std::string& file, const std::string& name) const {
    const Exited sent = open_ssh("scp", "-P", {file, "admin@127.0.0.1:/" + name});
    ASSERT_EQ(sent.code, 0) << sent.err;
  }
  std::string console(const std::string& command) const {
    return open_ssh("ssh", "-p", {"admin@127.0.0.1", command}).out;
  }
  void send_image() const {
    const std::string tar = router.image();
    ASSERT_NE(tar, "");
    send(tar, "mikroscope.tar");
  }
  // The agent runs, and its token is found on the router.
  void records() const {
    const Exited recorded =
        router.on({"record", "--for", "1s", "--out", router.directory / "x", "--json", "--force"});
    ASSERT_EQ(recorded.code, 0) << recorded.err;
    EXPECT_EQ(Json::parse(recorded.out)["samples"], 10);
  }
  void is_removed() {
    const Exited removed = router.on({"uninstall", "--yes"});
    EXPECT_EQ(removed.code, 0) << removed.err;
    EXPECT_EQ(router.everything(), before);
  }

  Double router;
  std::string before;
};

TEST_F(DeployByConsole, TheScriptOfThePlan) {
  const std::string script = router.directory / "agent.rsc";
  ASSERT_EQ(run({"plan", "--ros", "7.24", "--arch", "amd64", "--rsc", script}).code, 0);
  send(script, "agent.rsc");
  // Its guards end it before the first write.
  EXPECT_THAT(console("/import file-name=agent.rsc"), HasSubstr("upload the image first, as mikroscope.tar"));
  EXPECT_EQ(console("/interface/veth/print count-only where name=veth-mikro"), "0\r\n");
  send_image();
  EXPECT_THAT(console("/import file-name=agent.rsc"), HasSubstr("the agent runs at http://172.30.10.2:9123"));
  EXPECT_THAT(console("/import file-name=agent.rsc"), HasSubstr("there is one already"));
  console("/file/remove agent.rsc");
  const Json status = Json::parse(router.on({"status", "--json"}).out);
  EXPECT_EQ(status["router"]["leftovers"], Json::array());
  EXPECT_EQ(status["health"]["ok"], true);
  records();
  is_removed();
}

TEST_F(DeployByConsole, TheCommandsOfTheGuide) {
  send_image();
  std::istringstream guide(slurp(std::string(MIKROSCOPE_SOURCE_DIR) + "/docs/install.md"));
  std::string line;
  while (std::getline(guide, line) && line != "## By hand") {
  }
  int commands = 0;
  while (std::getline(guide, line) && !line.starts_with("## ")) {
    if (!line.starts_with('/')) continue;
    if (const std::size_t secret = line.find("SECRET"); secret != std::string::npos)
      line.replace(secret, 6, "0123456789abcdef0123456789abcdef");
    if (line.starts_with("/container/start")) {
      // As the guide says: once it is unpacked.
      EXPECT_TRUE(eventually(
          20'000, [&] { return console("/container/print").find("stopped=true") != std::string::npos; }));
    }
    const std::string answer = console(line);
    if (line != "/container/print") {
      EXPECT_THAT(answer, IsEmpty()) << line;
    }
    ++commands;
  }
  EXPECT_EQ(commands, 10);
  // A start returns before the container runs.
  EXPECT_TRUE(eventually(
      20'000, [&] { return console("/container/print").find("running=true") != std::string::npos; }));
  records();
  is_removed();
}

}  // namespace
}  // namespace mikroscope::test
