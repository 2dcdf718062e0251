// The program as it is run: arguments, exit codes, signals, and the sandbox with every endpoint behind it.

#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;
using Clock = std::chrono::steady_clock;
using Env = std::map<std::string, std::string>;

const std::string kProgram = std::string(MIKROSCOPE_BINARY_DIR) + "/mikroscope-agent";

class Process {
 public:
  Process(const Env& environment, const std::vector<std::string>& arguments) {
    int out[2];
    if (pipe2(out, O_CLOEXEC) != 0) return;
    std::vector<std::string> texts;
    for (const auto& [name, value] : environment) texts.push_back(name + "=" + value);
    std::vector<char*> env;
    for (std::string& t : texts) env.push_back(t.data());
    env.push_back(nullptr);
    std::vector<std::string> words = arguments;
    words.insert(words.begin(), kProgram);
    std::vector<char*> argv;
    for (std::string& w : words) argv.push_back(w.data());
    argv.push_back(nullptr);
    pid_ = fork();
    if (pid_ == 0) {
      dup2(out[1], 1);
      execve(kProgram.c_str(), argv.data(), env.data());
      _exit(127);
    }
    close(out[1]);
    out_ = out[0];
  }
  ~Process() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    if (out_ >= 0) close(out_);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Reads standard output until it holds `text` or ends.
  bool until(const std::string& text) {
    const auto deadline = Clock::now() + std::chrono::seconds(10);
    while (output.find(text) == std::string::npos && Clock::now() < deadline) {
      pollfd p{out_, POLLIN, 0};
      if (poll(&p, 1, 100) <= 0) continue;
      char buffer[4096];
      const ssize_t got = read(out_, buffer, sizeof buffer);
      if (got <= 0) break;
      output.append(buffer, static_cast<std::size_t>(got));
    }
    return output.find(text) != std::string::npos;
  }
  int wait() {
    until("\x01");  // to the end of the output
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  int port() {
    if (!until(", port ") || !until(" sandbox:")) return 0;
    return std::atoi(output.substr(output.find(", port ") + 7).c_str());
  }
  pid_t pid() const { return pid_; }
  std::string output;

 private:
  pid_t pid_ = -1;
  int out_ = -1;
};

int connect_to(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  timeval limit{5, 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0) return fd;
  close(fd);
  return -1;
}

std::string request(int port, const std::string& head) {
  const int fd = connect_to(port);
  if (fd < 0) return {};
  const std::string text = head + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
  (void)!write(fd, text.data(), text.size());
  std::string out;
  char buffer[16384];
  for (ssize_t got = 0; (got = read(fd, buffer, sizeof buffer)) > 0;)
    out.append(buffer, static_cast<std::size_t>(got));
  close(fd);
  return out;
}

// A free port: bound, read, given back.
std::string free_port() {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof at;
  bind(fd, reinterpret_cast<const sockaddr*>(&at), sizeof at);
  getsockname(fd, reinterpret_cast<sockaddr*>(&at), &size);
  close(fd);
  return std::to_string(ntohs(at.sin_port));
}

class Program : public testing::Test {
 protected:
  void SetUp() override {
    if (access(kProgram.c_str(), X_OK) != 0) GTEST_SKIP() << kProgram << " is not built";
  }
};

TEST_F(Program, Version) {
  for (const char* word : {"-version", "--version"}) {
    // It opens nothing and reads no configuration.
    Process p({{"RATE_HZ", "nonsense"}}, {word});
    EXPECT_EQ(p.wait(), 0);
    EXPECT_THAT(p.output, StartsWith("mikroscope-agent "));
  }
}

TEST_F(Program, BadConfigurationIsOneLineAndTwo) {
  Process p({{"RATE_HZ", "101"}}, {});
  EXPECT_EQ(p.wait(), 2);
  EXPECT_EQ(p.output, "mikroscope-agent: bad configuration: RATE_HZ=\"101\": want an integer in 1..100\n");
  Process unknown({}, {"-verbose"});
  EXPECT_EQ(unknown.wait(), 2);
}

TEST_F(Program, RuntimeFailureIsOne) {
  Process p({{"PROC_ROOT", "/nonexistent"}}, {});
  EXPECT_EQ(p.wait(), 1);
  EXPECT_THAT(p.output, StartsWith("mikroscope-agent: /nonexistent/stat cannot be read"));
  const std::string port = free_port();
  Process first({{"ADDR", "127.0.0.1"}, {"PORT", port}}, {});
  ASSERT_NE(first.port(), 0) << first.output;
  Process second({{"ADDR", "127.0.0.1"}, {"PORT", port}}, {});
  EXPECT_EQ(second.wait(), 1);
  EXPECT_THAT(second.output, HasSubstr("port " + port + ": "));
  EXPECT_THAT(second.output, HasSubstr("choose another PORT"));
}

TEST_F(Program, CheckTriesEverythingAndEnds) {
  Process p({}, {"-check"});
  EXPECT_EQ(p.wait(), 0);
  EXPECT_THAT(p.output, HasSubstr("stat        ok"));
  EXPECT_THAT(p.output, HasSubstr("in all"));
}

TEST_F(Program, HelpNamesEveryVariable) {
  Process p({}, {"-help"});
  EXPECT_EQ(p.wait(), 0);
  for (const char* name : {"RATE_HZ", "BUFFER_S", "TOKEN", "TRIGGERS", "CAPTURE_MB", "SUBTICK", "kmsg<=N"}) {
    EXPECT_THAT(p.output, HasSubstr(name));
  }
}

TEST_F(Program, SigtermEndsItAtOnceWithStreamsOpen) {
  Process p({{"ADDR", "127.0.0.1"}, {"PORT", free_port()}}, {});
  const int port = p.port();
  ASSERT_NE(port, 0) << p.output;
  const int fd = connect_to(port);
  const std::string text = "GET /stream HTTP/1.1\r\nHost: x\r\n\r\n";
  ASSERT_EQ(write(fd, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  char buffer[65536];
  ASSERT_GT(read(fd, buffer, sizeof buffer), 0);
  const auto asked = Clock::now();
  kill(p.pid(), SIGTERM);
  EXPECT_EQ(p.wait(), 0);
  EXPECT_LT(Clock::now() - asked, std::chrono::milliseconds(500));
  std::string rest;
  for (ssize_t got = 0; (got = read(fd, buffer, sizeof buffer)) > 0;)
    rest.append(buffer, static_cast<std::size_t>(got));
  close(fd);
  EXPECT_THAT(rest, HasSubstr("{\"bye\":{\"reason\":\"signal\"}}\n"));
  EXPECT_THAT(p.output, EndsWith(" missed\n"));
}

// Two runs of one minute cannot be told apart without waiting; the filter is asked of the kernel instead, and
// every endpoint must work behind it.
TEST_F(Program, EveryEndpointWorksInTheSandbox) {
  Process p({{"ADDR", "127.0.0.1"},
             {"PORT", free_port()},
             {"RATE_HZ", "100"},
             {"SUBTICK", "2"},
             {"CAPTURE_POST_S", "1"},
             {"CAPTURE_PRE_S", "1"}},
            {});
  const int port = p.port();
  ASSERT_NE(port, 0) << p.output;
  if (p.output.find("seccomp refused") != std::string::npos)
    GTEST_SKIP() << "this kernel refuses seccomp filters";
  std::ifstream status("/proc/" + std::to_string(p.pid()) + "/status");
  std::stringstream facts;
  facts << status.rdbuf();
  EXPECT_THAT(facts.str(), HasSubstr("Seccomp:\t2\n"));
  EXPECT_THAT(facts.str(), HasSubstr("NoNewPrivs:\t1\n"));
  EXPECT_THAT(facts.str(), HasSubstr("CapEff:\t0000000000000000\n"));
  EXPECT_THAT(facts.str(), HasSubstr("CapBnd:\t0000000000000000\n"));
  for (const char* path :
       {"GET /", "GET /healthz", "GET /capabilities", "GET /sampler", "GET /captures", "HEAD /samples"}) {
    EXPECT_THAT(request(port, path), StartsWith("HTTP/1.1 200 OK")) << path;
  }
  EXPECT_THAT(request(port, "GET /samples?since=newest&wait=5000"), HasSubstr("\"seq\":"));
  EXPECT_THAT(request(port, "POST /capture?reason=x"), HasSubstr("\"armed\":true"));
  const auto deadline = Clock::now() + std::chrono::seconds(10);
  std::string capture;
  while (capture.find("\"complete\":true") == std::string::npos && Clock::now() < deadline) {
    request(port, "GET /samples?since=newest&wait=500&min=20");
    capture = request(port, "GET /captures/1");
  }
  EXPECT_THAT(capture, HasSubstr("{\"capture\":{\"id\":1,"));
  EXPECT_THAT(capture, HasSubstr("\"subtick\":["));
  EXPECT_THAT(request(port, "DELETE /captures/1"), StartsWith("HTTP/1.1 204"));
  EXPECT_THAT(request(port, "GET /nothing"), StartsWith("HTTP/1.1 404"));
  EXPECT_EQ(kill(p.pid(), SIGTERM), 0);
  EXPECT_EQ(p.wait(), 0);
}

// All numbers of a JSON member in a text, in order.
std::vector<long long> numbers(const std::string& text, const std::string& name) {
  std::vector<long long> out;
  const std::string key = "\"" + name + "\":";
  for (std::size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + 1))
    out.push_back(std::atoll(text.c_str() + at + key.size()));
  return out;
}

// Packets over the loopback device, sent as fast as they can be; each is processed once by some CPU.
unsigned send_burst(unsigned packets) {
  const int to = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const int from = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof at;
  bind(to, reinterpret_cast<const sockaddr*>(&at), sizeof at);
  getsockname(to, reinterpret_cast<sockaddr*>(&at), &size);
  unsigned sent = 0;
  for (unsigned i = 0; i < packets; ++i)
    sent += sendto(from, "x", 1, 0, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 1 ? 1 : 0;
  close(from);
  close(to);
  return sent;
}

TEST_F(Program, SubticksShowABurstWithinATick) {
  Process p({{"ADDR", "127.0.0.1"}, {"PORT", free_port()}, {"RATE_HZ", "10"}, {"SUBTICK", "10"}}, {});
  const int port = p.port();
  ASSERT_NE(port, 0) << p.output;
  const std::string before = request(port, "GET /samples?since=newest&wait=5000&min=2");
  if (before.find("\"softnet\":[") == std::string::npos) GTEST_SKIP() << "this machine has no softnet_stat";
  ASSERT_GE(send_burst(5000), 4000u);
  const std::string after = request(port, "GET /samples?since=oldest");
  const std::string rest = request(port, "GET /samples?since=newest&wait=5000&min=18");  // 2 s in all
  const std::string all = after + rest;
  const std::vector<long long> least = numbers(all, "processed_min");
  const std::vector<long long> most = numbers(all, "processed_max");
  const std::vector<long long> last = numbers(all, "processed_last");
  ASSERT_GE(last.size(), 18u);
  ASSERT_EQ(least.size(), last.size());
  ASSERT_EQ(most.size(), last.size());
  for (std::size_t i = 0; i < last.size(); ++i) {
    EXPECT_GE(least[i], 0);
    EXPECT_LE(least[i], last[i]);
    EXPECT_LE(last[i], most[i]);
  }
  const std::vector<long long> busy_least = numbers(all, "busy_min");
  const std::vector<long long> busy_most = numbers(all, "busy_max");
  ASSERT_EQ(busy_least.size(), busy_most.size());
  for (std::size_t i = 0; i < busy_most.size(); ++i) EXPECT_LE(busy_least[i], busy_most[i]);
  // A part is 10 ms: unless the sender was held up, some part saw far more than a tenth of the burst. On one
  // CPU all of it; spread over several, each had its share.
  const long long peak = *std::max_element(most.begin(), most.end());
  EXPECT_GE(peak, 500) << all;
  EXPECT_LE(peak, 100000);
  for (const long long ns : numbers(all, "interval_ns")) EXPECT_GT(ns, 1'000'000);
}

}  // namespace
