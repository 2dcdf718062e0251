// The double as a program: what it prints, and that nothing of it is left behind.
#include "tests/support/program.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "tests/routersim/test/raw_client.h"

namespace mikroscope::routersim {
namespace {

using test::Program;

Program::Options piped() {
  Program::Options options;
  options.pipe_input = true;
  return options;
}

Program::Options in_directory(const std::string& path) {
  Program::Options options;
  options.env = {"TMPDIR=" + path};
  return options;
}

std::string program() {
  return std::string(MIKROSCOPE_BINARY_DIR) + "/tests/mikroscope-routersim";
}

// The text behind "NAME " on its line of the output; "" while there is none.
std::string line_of(Program& running, const std::string& name) {
  const std::string out = "\n" + running.out();
  const std::size_t at = out.find("\n" + name + " ");
  if (at == std::string::npos) return "";
  const std::size_t from = at + name.size() + 2;
  return out.substr(from, out.find('\n', from) - from);
}

bool ready(Program& running) {
  return test::eventually(15'000, [&] { return running.out().find("ready\n") != std::string::npos; });
}

class ProgramTest : public testing::Test {
 protected:
  void SetUp() override {
    if (::access(program().c_str(), X_OK) != 0) GTEST_SKIP() << "mikroscope-routersim was not built";
  }
  test::TempDir scratch_;
};

TEST_F(ProgramTest, HelpSaysThatItIsADoubleAndListsFaults) {
  Program help({program(), "--help"});
  const test::Exited exited = help.wait(15'000);
  EXPECT_EQ(exited.code, 0);
  for (const char* text :
       {"It is not RouterOS", "cut-before-write=N", "advanced-range", "--listing-lag-ms", "requests"})
    EXPECT_NE(exited.out.find(text), std::string::npos) << text;
}

TEST_F(ProgramTest, RefusesWhatItDoesNotKnow) {
  const test::Exited fault = Program({program(), "--fault", "rain"}).wait(15'000);
  EXPECT_EQ(fault.code, 1);
  EXPECT_EQ(fault.err, "mikroscope-routersim: there is no fault \"rain\"; --help lists them\n");
  const test::Exited preset = Program({program(), "--preset", "castle"}).wait(15'000);
  EXPECT_EQ(preset.code, 2);
  EXPECT_NE(preset.err.find("there is no such preset"), std::string::npos) << preset.err;
}

TEST_F(ProgramTest, ServesTakesControlsAndEndsOnSigterm) {
  Program sim({program(), "--control", "--password", "sesame", "--request-log", scratch_ / "log"}, piped());
  ASSERT_TRUE(ready(sim)) << sim.err();
  const std::string api = line_of(sim, "api");
  ASSERT_EQ(api.substr(0, 10), "127.0.0.1:") << sim.out();
  EXPECT_NE(line_of(sim, "api-ssl").find(" sha256 "), std::string::npos);
  RawClient client(static_cast<std::uint16_t>(std::stoi(api.substr(10))));
  client.login("admin", "sesame");
  client.ask({"/interface/list/add", "=name=x"});
  sim.write_input("counts\n");
  EXPECT_TRUE(test::eventually(5'000, [&] {
    return sim.out().find("logins 1\nwrites 1\n") != std::string::npos;
  })) << sim.out();
  sim.write_input("fault rain\nexecute /interface/list/remove|.id=x\nexport\n");
  EXPECT_TRUE(test::eventually(5'000, [&] {
    return sim.out().find("/interface/list\n") != std::string::npos;
  })) << sim.out();
  EXPECT_NE(sim.out().find("error: there is no fault \"rain\""), std::string::npos);
  EXPECT_EQ(sim.out().find("name=\"x\""), std::string::npos);
  sim.send(SIGTERM);
  EXPECT_EQ(sim.wait(10'000).code, 0);
  const std::string log = test::slurp(scratch_ / "log");
  EXPECT_EQ(log.find("sesame"), std::string::npos);
  EXPECT_NE(log.find("\"kind\":\"login\""), std::string::npos);
}

TEST_F(ProgramTest, EndsWithItsControl) {
  Program sim({program(), "--control"}, piped());
  ASSERT_TRUE(ready(sim));
  sim.close_input();
  EXPECT_EQ(sim.wait(10'000).code, 0);
}

TEST_F(ProgramTest, LeavesNothingBehindWhenItIsKilled) {
  Program sim({program(), "--run", "loopback"}, in_directory(scratch_.path()));
  ASSERT_TRUE(ready(sim)) << sim.err();
  EXPECT_EQ(scratch_.names().size(), 1u);
  sim.send(SIGKILL);
  sim.wait(5'000);
  EXPECT_TRUE(test::eventually(5'000, [&] { return scratch_.names().empty(); }));
}

TEST_F(ProgramTest, ItsNamespacesGoWithIt) {
  if (::geteuid() != 0) GTEST_SKIP() << "network namespaces need root";
  for (const char* tool : {"/usr/sbin/ip", "/usr/sbin/nft", "/usr/bin/nsenter"}) {
    if (::access(tool, X_OK) != 0) GTEST_SKIP() << tool << " is not installed";
  }
  Program sim({program(), "--run", "netns"}, in_directory(scratch_.path()));
  ASSERT_TRUE(ready(sim)) << sim.err();
  int router = 0;
  int lan = 0;
  int wan = 0;
  ASSERT_EQ(std::sscanf(line_of(sim, "netns").c_str(), "router %d lan %d wan %d", &router, &lan, &wan), 3)
      << sim.out();
  EXPECT_NE(test::process_state(router), 0);
  sim.send(SIGKILL);
  sim.wait(5'000);
  for (const int pid : {router, lan, wan})
    EXPECT_TRUE(test::eventually(5'000, [&] { return ::kill(pid, 0) != 0; })) << pid;
}

}  // namespace
}  // namespace mikroscope::routersim
