// An agent in this process whose every misbehaviour is scripted. Speaks NDJSON only: packed frames are
// answered 406.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace mikroscope::test {

class FakeAgent {
 public:
  struct Script {
    int rate_hz = 10;
    std::string token;
    bool headers = true;              // Mikroscope-Instance and so on
    std::int64_t boot_offset_ns = 0;  // its clocks against this machine's
    std::int64_t wall_offset_ns = 0;
    std::uint64_t ring = 100'000;                 // samples held
    std::uint64_t first_seq = 1;                  // of the first sample
    bool samples = true;                          // false: healthy, and never a sample
    std::map<std::uint64_t, std::string> before;  // lines in front of a sample, each with '\n'
    // Samples from..to are lost; announced with a gap line or not.
    std::uint64_t lost_from = 0;
    std::uint64_t lost_to = 0;
    bool announce_gap = true;
    // From this sample on the wall clock is another.
    std::uint64_t step_from = 0;
    std::int64_t step_ns = 0;
    std::uint64_t without_mem = 0;             // the sample that lacks the memory table
    std::map<std::string, std::string> pages;  // further paths and their bodies
    int delay_ms = 0;                          // how long each request is on its way to it
  };
  explicit FakeAgent(Script script);
  ~FakeAgent();
  FakeAgent(const FakeAgent&) = delete;
  FakeAgent& operator=(const FakeAgent&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  std::uint64_t newest() const;           // the newest sample's number
  void restart(bool reboot = false);      // a new instance that counts from 1
  void silent(bool on) { silent_ = on; }  // takes requests and does not answer
  int requests() const { return requests_; }

 private:
  void serve();
  void connection(int fd);
  std::string reply(const std::string& target, const std::string& head);
  std::string samples(const std::string& query);
  std::string sample(std::uint64_t seq) const;
  std::uint64_t newest_locked() const;

  Script script_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> stop_{false};
  std::atomic<bool> silent_{false};
  std::atomic<int> requests_{0};
  mutable std::mutex mutex_;
  std::string instance_ = "fake1";
  std::string boot_id_ = "11111111-2222-3333-4444-555555555555";
  int starts_ = 1;
  std::int64_t started_boot_ns_ = 0;
  std::vector<std::thread> connections_;
  std::thread thread_;
};

}  // namespace mikroscope::test
