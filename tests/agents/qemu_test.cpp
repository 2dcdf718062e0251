// The router agents of all four architectures, run under the processor that each is built for.

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "proc/reader/reader.h"
#include "process.h"

namespace mikroscope::agents_test {
namespace {

struct Machine {
  const char* arch;
  std::vector<std::string> emulator;  // empty: runs as it is
};

void PrintTo(const Machine& machine, std::ostream* out) {
  *out << machine.arch;
}

// armv5: a v5TE core without floating point unit, as in the oldest boards; armv7: without NEON extensions
// used.
const Machine kMachines[] = {
    {"amd64", {}},
    {"arm64", {"qemu-aarch64-static"}},
    {"armv7", {"qemu-arm-static", "-cpu", "cortex-a7"}},
    {"armv5", {"qemu-arm-static", "-cpu", "pxa255"}},
};

class AgentOn : public testing::TestWithParam<Machine> {
 protected:
  void SetUp() override {
    if (::access(agent_path(GetParam().arch).c_str(), X_OK) != 0)
      GTEST_SKIP() << "no " << GetParam().arch << " agent in this build";
    const auto& emulator = GetParam().emulator;
    if (!emulator.empty() && !have(emulator[0]))
      GTEST_SKIP() << emulator[0] << " is not installed (qemu-user-static)";
#ifndef __x86_64__
    if (emulator.empty()) GTEST_SKIP() << "this is no amd64 machine";
#endif
  }
  std::vector<std::string> command(const std::vector<std::string>& arguments = {}) const {
    std::vector<std::string> argv = GetParam().emulator;
    argv.push_back(agent_path(GetParam().arch));
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    return argv;
  }
};

TEST_P(AgentOn, TellsItsVersion) {
  const RunResult result = run(command({"-version"}));
  EXPECT_TRUE(result.ok()) << result.exited.code << result.output;
  EXPECT_NE(result.output.find(MIKROSCOPE_VERSION), std::string::npos) << result.output;
}

TEST_P(AgentOn, RefusesABadConfiguration) {
  const RunResult result = run(command(), {"RATE_HZ=0"});
  EXPECT_FALSE(result.exited.signalled);
  EXPECT_EQ(result.exited.code, 2);
  EXPECT_NE(result.output.find("RATE_HZ"), std::string::npos) << result.output;
}

TEST_P(AgentOn, SamplesServesAndEnds) {
  const std::uint16_t port = free_port();
  Process agent(command(), {"ADDR=127.0.0.1", "PORT=" + std::to_string(port), "RATE_HZ=20", "BUFFER_S=10"});
  EXPECT_NE(http_get_until(port, "/healthz", "{", 20'000), "") << agent.output();
  const std::string samples = http_get_until(port, "/samples?since=oldest&max=50", "\"seq\":5,", 20'000);
  EXPECT_NE(samples.find("\"seq\":5,"), std::string::npos) << samples << agent.output();
  EXPECT_NE(samples.find("\"cpu\":[{"), std::string::npos) << samples;
  EXPECT_NE(samples.find("\"mem\":{\"total_kb\":"), std::string::npos) << samples;
  EXPECT_NE(http_get(port, "/capabilities").find("\"cpu\""), std::string::npos);
  agent.signal(SIGTERM);
  const auto exited = agent.wait(10'000);
  ASSERT_TRUE(exited) << "still running 10 s after SIGTERM";
  EXPECT_FALSE(exited->signalled) << exited->code;
  EXPECT_EQ(exited->code, 0) << agent.output();
}

// What both readers make of two seconds of samples: the same samples, of sane times and counters.
struct Decoded {
  std::vector<std::uint64_t> seqs;
  std::vector<std::int64_t> boot_ns;
  std::vector<std::int64_t> context_switches;
  std::size_t cores = 0;
  std::size_t malformed = 0;
};

Decoded decode(proc::ItemReader& reader, const std::string& body) {
  Decoded out;
  reader.feed(body);
  reader.finish();
  while (auto item = reader.next()) {
    if (std::holds_alternative<proc::Malformed>(*item)) ++out.malformed;
    const auto* const frame = std::get_if<proc::Frame>(&*item);
    if (frame == nullptr) continue;
    out.seqs.push_back(frame->head.seq);
    out.boot_ns.push_back(frame->head.boot_ns);
    const int stat = frame->layout->find("stat");
    const int cpu = frame->layout->find("cpu");
    if (stat < 0 || cpu < 0) continue;
    const auto table = static_cast<std::uint32_t>(stat);
    const int column = frame->layout->tables[stat].schema->column("ctxt");
    const auto cell = frame->cell(table, 0, static_cast<std::uint32_t>(column));
    out.context_switches.push_back(cell.value_or(-1));
    out.cores = frame->rows[static_cast<std::size_t>(cpu)];
  }
  return out;
}

TEST_P(AgentOn, BothFormsOfTwoSecondsDecodeToTheSame) {
  const std::uint16_t port = free_port();
  Process agent(command(), {"ADDR=127.0.0.1", "PORT=" + std::to_string(port), "RATE_HZ=10", "BUFFER_S=30"});
  ASSERT_NE(http_get_until(port, "/samples?since=oldest&max=21", "\"seq\":21,", 30'000).find("\"seq\":21,"),
            std::string::npos)
      << agent.output();
  proc::NdjsonReader lines;
  const Decoded text = decode(lines, http_get(port, "/samples?since=0&max=20"));
  proc::PackedReader records;
  const Decoded packed = decode(
      records, http_get(port, "/samples?since=0&max=20", "Accept: application/vnd.mikroscope.frames\r\n"));
  EXPECT_EQ(text.malformed, 0u);
  EXPECT_EQ(packed.malformed, 0u);
  ASSERT_EQ(text.seqs.size(), 20u);
  EXPECT_EQ(text.seqs, packed.seqs);
  EXPECT_EQ(text.boot_ns, packed.boot_ns);
  EXPECT_EQ(text.context_switches, packed.context_switches);
  EXPECT_EQ(text.cores, packed.cores);
  EXPECT_GE(text.cores, 1u);
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(text.seqs[i], i + 1);
    if (i != 0) {
      EXPECT_GT(text.boot_ns[i], text.boot_ns[i - 1]);
    }
    EXPECT_GT(text.context_switches[i], 0) << i;  // the agent's own, at least
    EXPECT_LT(text.context_switches[i], 100'000'000) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Agents, AgentOn, testing::ValuesIn(kMachines),
                         [](const testing::TestParamInfo<Machine>& machine) {
                           return std::string(machine.param.arch);
                         });

// Shows that the processor model above is strict enough for the armv5 runs to mean something: it is what a
// board with an EN7562CT does to the armv7 image.
TEST(AgentOnWrongProcessor, Armv7IsAnIllegalInstructionOnAnArmv5Core) {
  if (!have("qemu-arm-static")) GTEST_SKIP() << "qemu-arm-static is not installed (qemu-user-static)";
  if (::access(agent_path("armv7").c_str(), X_OK) != 0) GTEST_SKIP() << "no armv7 agent in this build";
  const RunResult result = run({"qemu-arm-static", "-cpu", "pxa255", agent_path("armv7"), "-version"});
  EXPECT_TRUE(result.exited.signalled);
  EXPECT_EQ(result.exited.code, SIGILL) << result.output;
}

}  // namespace
}  // namespace mikroscope::agents_test
