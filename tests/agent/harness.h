// An agent in this process, over a small proc tree that the test writes, with samples taken when the test
// says so.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/agent.h"

namespace mikroscope::agent {

// A directory that is removed with its files at the end.
class Tree {
 public:
  Tree();
  ~Tree();
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;
  void write(const std::string& path, std::string_view text) const;
  void remove(const std::string& path) const;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

using Env = std::map<std::string, std::string>;

class Harness {
 public:
  // Environment variables; PROC_ROOT and SYS_ROOT are those of the tree, RATE_HZ 10.
  explicit Harness(Env environment = {}, ServerTimes times = {});
  ~Harness();

  Tree tree;
  bool started = false;
  std::string error;
  Agent& agent() { return *agent_; }
  std::uint32_t port() { return agent_->server().port(); }
  // /proc/stat with these user ticks of CPU 0, and everything else that the fixture has.
  void write_stat(unsigned user_ticks, unsigned context_switches = 1000);
  void samples(unsigned count);

 private:
  Env environment_;
  std::unique_ptr<Agent> agent_;
};

// One TCP connection to the harness; the agent's loop is turned by whoever waits.
class Client {
 public:
  explicit Client(Harness& harness);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void send(std::string_view bytes);
  void close();
  // Turns the loop until `received` satisfies the test or 5 s have gone.
  template <class Done>
  bool until(Done done) {
    for (int i = 0; i < 5000; ++i) {
      if (done(received)) return true;
      turn();
    }
    return done(received);
  }
  // Until one whole response has come, which is taken out of `received`; "" on failure.
  std::string response();
  // Until the server closed the connection.
  bool closed();
  // Sends a GET and returns its response.
  std::string get(const std::string& target, const std::string& headers = {});
  void turn();  // one turn of the loop, and whatever has come

  std::string received;
  bool end = false;

 private:
  Harness& harness_;
  int fd_ = -1;
};

int status_of(std::string_view response);
std::string body_of(std::string_view response);  // with chunks put together
std::string header_of(std::string_view response, std::string_view name);
std::vector<std::string> lines_of(std::string_view text);
// The number behind "name": in a line; -1 where there is none.
long long number_in(std::string_view line, std::string_view name);
// "seq" of all sample lines.
std::vector<long long> seqs_of(std::string_view body);

}  // namespace mikroscope::agent
