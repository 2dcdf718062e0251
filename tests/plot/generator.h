// Makes recordings line by line, in the form that the recorder writes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace mikroscope::plot::test {

constexpr std::int64_t kBoot = 5'000'000'000'000;          // boot_ns of sample 1
constexpr std::int64_t kWall = 1'790'000'000'000'000'000;  // 2026-09-21T14:13:20Z

// A directory of its own that goes away with the object.
class TempDir {
 public:
  TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir();
  std::string path(std::string_view name) const { return (dir_ / name).string(); }
  std::string write(std::string_view name, std::string_view text) const;

 private:
  std::filesystem::path dir_;
};

std::string slurp(const std::string& path);

// {"cpu":[…]} with `busy` ticks of user time for each core.
std::string cpu(const std::vector<int>& busy, int first_id = 0);
std::string mem(int total_kb, int available_kb);
std::string softnet(int dropped, int time_squeeze);

class Recording {
 public:
  explicit Recording(std::int64_t interval_ms = 100) : interval_ns_(interval_ms * 1'000'000) {}

  // The next sample: `tables` are members without braces, as cpu() gives them, joined by commas.
  Recording& sample(std::string_view tables);
  Recording& line(std::string_view text);
  // Samples that never came: the clocks and the sequence move on.
  Recording& skip(std::uint64_t samples);
  Recording& step_wall(std::int64_t seconds);
  // The next sample has seq 1 again; with `boot_ns` the machine booted anew.
  Recording& restart_sequence();
  Recording& reboot(std::int64_t boot_ns, std::int64_t down_s);
  const std::string& text() const { return text_; }

 private:
  std::int64_t interval_ns_;
  std::uint64_t seq_ = 0;
  std::int64_t boot_ = kBoot;
  std::int64_t wall_ = kWall;
  std::string text_;
};

// "wall_ns,…" with one row per marker, at seconds after the first sample.
struct TestMarker {
  double at_s = 0;
  std::string kind;
  std::string label;
};
std::string markers_csv(const std::vector<TestMarker>& markers);

}  // namespace mikroscope::plot::test
