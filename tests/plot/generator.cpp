#include "tests/plot/generator.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <cmath>
#include <fstream>
#include <sstream>

namespace mikroscope::plot::test {

TempDir::TempDir() {
  std::string name = (std::filesystem::temp_directory_path() / "mikroscope-plot-XXXXXX").string();
  dir_ = ::mkdtemp(name.data());
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(dir_, ignored);
}

std::string TempDir::write(std::string_view name, std::string_view text) const {
  std::ofstream(path(name), std::ios::binary) << text;
  return path(name);
}

std::string slurp(const std::string& path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

std::string cpu(const std::vector<int>& busy, int first_id) {
  std::string out = "\"cpu\":[";
  for (std::size_t i = 0; i < busy.size(); ++i) {
    out += fmt::format(
        "{}{{\"cpu\":{},\"user\":{},\"nice\":0,\"system\":0,\"idle\":{},\"iowait\":0,\"irq\":0,"
        "\"softirq\":0,\"steal\":0}}",
        i == 0 ? "" : ",", first_id + static_cast<int>(i), busy[i], 10 - busy[i]);
  }
  return out + "]";
}

std::string mem(int total_kb, int available_kb) {
  return fmt::format("\"mem\":{{\"total_kb\":{},\"available_kb\":{}}}", total_kb, available_kb);
}

std::string softnet(int dropped, int time_squeeze) {
  return fmt::format("\"softnet\":[{{\"cpu\":0,\"processed\":100,\"dropped\":{},\"time_squeeze\":{}}}]",
                     dropped, time_squeeze);
}

Recording& Recording::sample(std::string_view tables) {
  text_ += fmt::format("{{\"seq\":{},\"boot_ns\":{},\"wall_ns\":{},\"dt_ns\":{}{}{}}}\n", ++seq_, boot_,
                       wall_, interval_ns_, tables.empty() ? "" : ",", tables);
  boot_ += interval_ns_;
  wall_ += interval_ns_;
  return *this;
}

Recording& Recording::line(std::string_view text) {
  text_ += text;
  text_ += '\n';
  return *this;
}

Recording& Recording::skip(std::uint64_t samples) {
  seq_ += samples;
  boot_ += static_cast<std::int64_t>(samples) * interval_ns_;
  wall_ += static_cast<std::int64_t>(samples) * interval_ns_;
  return *this;
}

Recording& Recording::step_wall(std::int64_t seconds) {
  wall_ += seconds * 1'000'000'000;
  return *this;
}

Recording& Recording::restart_sequence() {
  seq_ = 0;
  return *this;
}

Recording& Recording::reboot(std::int64_t boot_ns, std::int64_t down_s) {
  seq_ = 0;
  boot_ = boot_ns;
  wall_ += down_s * 1'000'000'000;
  return *this;
}

std::string markers_csv(const std::vector<TestMarker>& markers) {
  std::string out = "wall_ns,wall_utc,seq,kind,label,boot_ns,until_boot_ns\n";
  for (const TestMarker& m : markers) {
    const std::int64_t ns = std::llround(m.at_s * 1e9);
    std::string quoted;
    for (const char c : m.label) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    out += fmt::format("{},,0,{},\"{}\",{},\n", kWall + ns, m.kind, quoted, kBoot + ns);
  }
  return out;
}

}  // namespace mikroscope::plot::test
