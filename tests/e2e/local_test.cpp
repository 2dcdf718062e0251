// record, mark and status with the real agent on this machine's own kernel.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "plot/markers.h"
#include "tests/support/program.h"

namespace mikroscope::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Json = nlohmann::json;

// Local agents that `parent` started.
std::vector<pid_t> agents_of(pid_t parent) {
  std::vector<pid_t> out;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const std::string stat = slurp(entry.path().string() + "/stat");
    const std::size_t end = stat.rfind(')');
    if (end == std::string::npos || stat.find("(mikroscope-agen") == std::string::npos) continue;
    if (std::stol(stat.substr(end + 4)) == parent) out.push_back(static_cast<pid_t>(std::stol(name)));
  }
  return out;
}

TEST(Local, RecordsThisMachine) {
  TempDir dir;
  const Exited exited = run({"record", "--local", "--for", "2s", "--out", dir / "x", "--json"});
  ASSERT_EQ(exited.code, 0) << exited.err;
  const Json summary = Json::parse(exited.out);
  EXPECT_EQ(summary["samples"], 20);
  EXPECT_EQ(summary["gap_count"], 0);
  EXPECT_EQ(summary["complete"], true);
  std::size_t samples = 0;
  for (const std::string& line : lines_of(slurp(dir / "x.jsonl"))) {
    const Json json = Json::parse(line, nullptr, false);
    ASSERT_TRUE(json.is_object()) << line;
    if (!json.contains("seq")) continue;
    ++samples;
    EXPECT_TRUE(json.contains("cpu"));
    EXPECT_TRUE(json.contains("mem"));
  }
  EXPECT_EQ(samples, 20U);
  EXPECT_EQ(lines_of(slurp(dir / "x.csv")).size(), 21U);
  const Exited drawn = run({"plot", dir / "x"});
  EXPECT_EQ(drawn.code, 0) << drawn.err;
  EXPECT_THAT(slurp(dir / "x.svg"), HasSubstr("<svg"));
}

TEST(Local, PackedFramesAndLinesSayTheSame) {
  // The csv is made from packed frames, recovery makes it from the lines that were written: both must agree.
  TempDir dir;
  ASSERT_EQ(run({"record", "--local", "--rate", "50", "--for", "2s", "--out", dir / "x"}).code, 0);
  std::filesystem::rename(dir / "x.jsonl", dir / "y.jsonl.part");
  ASSERT_EQ(run({"record", "--recover", dir / "y"}).code, 0);
  const auto by_name = [](const std::string& path) {
    const std::vector<std::string> rows = lines_of(slurp(path));
    std::map<std::string, std::vector<std::string>> columns;
    std::vector<std::string> names;
    std::istringstream head(rows.at(0));
    for (std::string cell; std::getline(head, cell, ',');) names.push_back(cell);
    for (std::size_t r = 1; r < rows.size(); ++r) {
      std::istringstream in(rows[r] + ",");
      for (const std::string& name : names) {
        std::string cell;
        std::getline(in, cell, ',');
        columns[name].push_back(cell);
      }
    }
    return columns;
  };
  const auto packed = by_name(dir / "x.csv");
  const auto lines = by_name(dir / "y.csv");
  EXPECT_GT(lines.size(), 100U);
  std::size_t different = 0;
  for (const auto& [name, cells] : lines) {
    const auto it = packed.find(name);
    if (it == packed.end()) {
      ADD_FAILURE() << name << " is in the lines only";
    } else if (it->second != cells && ++different <= 3) {
      ADD_FAILURE() << name << " differs";
    }
  }
}

TEST(Local, TheAgentEndsWithTheRecorderHoweverItEnds) {
  for (const int signal : {SIGTERM, SIGKILL}) {
    TempDir dir;
    Program recorder(mikroscope({"record", "--local", "--out", dir / "x"}));
    const pid_t parent = recorder.pid();
    ASSERT_TRUE(eventually(5000, [&] { return !agents_of(parent).empty(); }));
    const pid_t agent = agents_of(parent)[0];
    ASSERT_TRUE(eventually(5000, [&] { return !slurp(dir / "x.jsonl.part").empty(); }));
    recorder.send(signal);
    recorder.wait(5000);
    EXPECT_TRUE(
        eventually(2000, [&] { return process_state(agent) == '\0' || process_state(agent) == 'Z'; }));
  }
}

TEST(Local, TheTokenIsInNoArgumentListAndNoFile) {
  TempDir dir;
  Program recorder(mikroscope({"record", "--local", "--out", dir / "x"}));
  ASSERT_TRUE(eventually(
      5000, [&] { return !agents_of(recorder.pid()).empty() && !slurp(dir / "x.jsonl.part").empty(); }));
  const pid_t agent = agents_of(recorder.pid())[0];
  std::string token;
  const std::string environment = slurp("/proc/" + std::to_string(agent) + "/environ");
  const std::size_t at = environment.find("TOKEN=");
  ASSERT_NE(at, std::string::npos);
  token = environment.substr(at + 6, environment.find('\0', at) - at - 6);
  EXPECT_EQ(token.size(), 48U);
  EXPECT_THAT(slurp("/proc/" + std::to_string(agent) + "/cmdline"), Not(HasSubstr(token)));
  recorder.send(SIGINT);
  EXPECT_EQ(recorder.wait(5000).code, 0);
  for (const std::string& name : dir.names()) EXPECT_THAT(slurp(dir / name), Not(HasSubstr(token))) << name;
}

TEST(Local, AKillLosesAtMostASecond) {
  TempDir dir;
  Program recorder(mikroscope({"record", "--local", "--out", dir / "x"}));
  ASSERT_TRUE(eventually(5000, [&] { return !slurp(dir / "x.jsonl.part").empty(); }));
  const std::int64_t begun = now_ms();
  ASSERT_TRUE(eventually(5000, [&] { return now_ms() - begun >= 3000; }));
  recorder.send(SIGKILL);
  recorder.wait(2000);
  std::size_t samples = 0;
  for (const std::string& line : lines_of(slurp(dir / "x.jsonl.part")))
    samples += line.starts_with("{\"seq\"") ? 1 : 0;
  EXPECT_GE(samples, 20U);
  EXPECT_EQ(run({"record", "--recover", dir / "x"}).code, 0);
  EXPECT_EQ(run({"plot", dir / "x"}).code, 0);
}

TEST(Local, BadAgentSettingsAreSaid) {
  TempDir dir;
  const Exited exited =
      run({"record", "--local", "--for", "1s", "--out", dir / "x", "--agent-env", "SOURCES=stat,frobs"});
  EXPECT_EQ(exited.code, 1);
  EXPECT_THAT(exited.err, HasSubstr("frobs"));
  EXPECT_THAT(dir.names(), IsEmpty());
}

TEST(Local, StatusShowsSourcesAndCost) {
  const Exited text = run({"status", "--local"});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out, AllOf(HasSubstr("ok"), HasSubstr("softnet"), HasSubstr("% of one core"),
                              HasSubstr("resident")));
  const Exited json = run({"status", "--local", "--json"});
  const Json parsed = Json::parse(json.out, nullptr, false);
  ASSERT_TRUE(parsed.is_object());
  EXPECT_EQ(parsed["health"]["ok"], true);
  EXPECT_EQ(parsed["capabilities"]["sources"]["stat"]["status"], "ok");
  EXPECT_GT(parsed["cost"]["rss_bytes"].get<double>(), 0);
}

// --- on a terminal

TEST(Terminal, TypedLinesBecomeMarkersWithin20Milliseconds) {
  TempDir dir;
  Program::Options options;
  options.terminal = true;
  Program recorder(mikroscope({"record", "--local", "--out", dir / "x"}), options);
  ASSERT_TRUE(eventually(8000, [&] { return !slurp(dir / "x.meta.json.part").empty(); }));
  std::vector<std::int64_t> sent;
  for (int i = 0; i < 10; ++i) {
    timespec now{};
    ::clock_gettime(CLOCK_BOOTTIME, &now);
    sent.push_back(now.tv_sec * 1'000'000'000LL + now.tv_nsec);
    recorder.write_input("mark " + std::to_string(i) + "\n");
    ASSERT_TRUE(eventually(3000, [&] {
      (void)recorder.out();
      return slurp(dir / "x.markers.csv").find("mark " + std::to_string(i)) != std::string::npos;
    }));
  }
  recorder.write_input("\x03");
  const Exited exited = recorder.wait(5000);
  EXPECT_EQ(exited.code, 0) << exited.out;
  EXPECT_THAT(exited.out, AllOf(HasSubstr("type a line"), HasSubstr("rec 0:"), HasSubstr("10 markers")));
  const auto file = plot::load_markers(dir / "x.markers.csv");
  ASSERT_EQ(file->markers.size(), 10U);
  for (std::size_t i = 0; i < 10; ++i) {
    ASSERT_TRUE(file->markers[i].boot_ns);
    EXPECT_NEAR(static_cast<double>(*file->markers[i].boot_ns - sent[i]) / 1e6, 0, 20)
        << "milliseconds, marker " << i;
  }
}

TEST(Terminal, AJobInTheBackgroundIsNotStopped) {
  if (!std::filesystem::exists("/bin/bash")) GTEST_SKIP() << "needs bash for job control";
  TempDir dir;
  Program::Options options;
  options.terminal = true;
  const std::string command = mikroscope({})[0] + " record --local --for 3s --out " + dir / "x" +
                              " & echo pid=$!; wait $!; echo code=$?";
  Program shell({"/bin/bash", "--norc", "-c", "set -m; " + command}, options);
  pid_t recorder = 0;
  ASSERT_TRUE(eventually(5000, [&] {
    const std::string out = shell.out();
    const std::size_t at = out.find("pid=");
    if (at == std::string::npos || out.find('\n', at) == std::string::npos) return false;
    recorder = static_cast<pid_t>(std::stol(out.substr(at + 4)));
    return true;
  }));
  shell.write_input("typed to the shell, not to the recorder\n");
  bool stopped = false;
  EXPECT_TRUE(eventually(12000, [&] {
    stopped |= process_state(recorder) == 'T';
    return shell.out().find("code=") != std::string::npos;
  }));
  EXPECT_FALSE(stopped);
  EXPECT_THAT(shell.out(), AllOf(HasSubstr("code=0"), HasSubstr("not read")));
  EXPECT_THAT(plot::load_markers(dir / "x.markers.csv")->markers, IsEmpty());
  EXPECT_EQ(shell.wait(5000).code, 0);
}

TEST(Terminal, CtrlZAndFgLoseNothing) {
  if (!std::filesystem::exists("/bin/bash")) GTEST_SKIP() << "needs bash for job control";
  TempDir dir;
  Program::Options options;
  options.terminal = true;
  Program shell({"/bin/bash", "--norc", "--noprofile", "-i"}, options);
  shell.write_input(mikroscope({})[0] + " record --local --for 4s --out " + dir / "x" + "\n");
  ASSERT_TRUE(eventually(8000, [&] {
    (void)shell.out();
    return slurp(dir / "x.jsonl.part").find("{\"seq\":5,") != std::string::npos;
  }));
  shell.write_input("\x1a");
  ASSERT_TRUE(eventually(5000, [&] { return shell.out().find("Stopped") != std::string::npos; }))
      << shell.out();
  const std::int64_t begun = now_ms();
  ASSERT_TRUE(eventually(5000, [&] { return now_ms() - begun >= 1000; }));
  shell.write_input("fg; echo 'co'de=$?\n");
  EXPECT_TRUE(eventually(15000, [&] { return shell.out().find("code=0") != std::string::npos; }))
      << shell.out();
  shell.write_input("exit\n");
  EXPECT_EQ(shell.wait(5000).code, 0);
  const Json meta = Json::parse(slurp(dir / "x.meta.json"));
  EXPECT_EQ(meta["samples"], 40);  // the agent's process group is its own: it was not stopped
  EXPECT_EQ(meta["gap_count"], 0);
}

TEST(Local, NeedsNoRoot) {
  TempDir dir;
  std::filesystem::permissions(dir.path(), std::filesystem::perms::all);
  std::vector<std::string> command = mikroscope({"record", "--local", "--for", "1s", "--out", dir / "x"});
  if (::geteuid() == 0) {
    const char* const setpriv = "/usr/bin/setpriv";
    if (!std::filesystem::exists(setpriv)) GTEST_SKIP() << "needs setpriv to run as another user";
    const std::vector<std::string> as_nobody{setpriv, "--reuid=65534", "--regid=65534", "--clear-groups"};
    std::vector<std::string> look = as_nobody;
    look.insert(look.end(), {"/usr/bin/test", "-x", command[0]});
    if (Program(look).wait(5000).code != 0) GTEST_SKIP() << "another user cannot reach " << command[0];
    command.insert(command.begin(), as_nobody.begin(), as_nobody.end());
  }
  Program recorder(command);
  const Exited exited = recorder.wait(15000);
  EXPECT_EQ(exited.code, 0) << exited.err;
  EXPECT_EQ(Json::parse(slurp(dir / "x.meta.json"))["samples"], 10);
}

TEST(Terminal, NoColourWhereItIsNotWanted) {
  Program::Options options;
  options.terminal = true;
  EXPECT_THAT(run({"help", "record"}, options).out, HasSubstr("\033["));
  options.env = {"NO_COLOR=1"};
  EXPECT_THAT(run({"help", "record"}, options).out, Not(HasSubstr("\033[")));
  EXPECT_THAT(run({"help", "record"}).out, Not(HasSubstr("\033[")));
}

}  // namespace
}  // namespace mikroscope::test
