#include "tests/e2e/real_influxd.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "cli/http.h"

namespace mikroscope::test {
namespace {

std::string encoded(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

}  // namespace

std::string path_of(const std::string& program) {
  std::stringstream path(std::getenv("PATH") == nullptr ? "" : std::getenv("PATH"));
  for (std::string directory; std::getline(path, directory, ':');) {
    if (access((directory + "/" + program).c_str(), X_OK) == 0) return directory + "/" + program;
  }
  return {};
}

RealInfluxd::RealInfluxd() : port_(free_port()) {
  std::ofstream(dir_ / "influx.conf") << fmt::format(
      "reporting-disabled = true\nbind-address = \"127.0.0.1:{}\"\n[meta]\ndir = \"{}/meta\"\n[data]\ndir = "
      "\"{}/data\"\n"
      "wal-dir = \"{}/wal\"\n[http]\nbind-address = \"127.0.0.1:{}\"\nlog-enabled = "
      "false\n[monitor]\nstore-enabled = false\n"
      "[subscriber]\nenabled = false\n",
      free_port(), dir_.path(), dir_.path(), dir_.path(), port_);
}

RealInfluxd::~RealInfluxd() {
  stop();
}

std::string RealInfluxd::url() const {
  return fmt::format("http://127.0.0.1:{}", port_);
}

bool RealInfluxd::start() {
  server_ = std::make_unique<Program>(
      std::vector<std::string>{path_of("influxd"), "run", "-config", dir_ / "influx.conf"});
  return eventually(20'000, [&] {
    cli::HttpClient client(url(), "");
    const auto reply =
        client.request("POST", "/query?q=" + encoded("CREATE DATABASE " + database_), "", 2000);
    return reply.ok() && reply->status == 200;
  });
}

void RealInfluxd::stop() {
  if (!server_) return;
  server_->send(SIGTERM);
  server_->wait(20'000);
  server_.reset();
}

std::vector<std::string> RealInfluxd::rows(const std::string& query) {
  cli::HttpClient client(url(), "");
  const auto reply = client.get(fmt::format("/query?db={}&epoch=ns&q={}", database_, encoded(query)),
                                "application/csv", 20'000);
  std::vector<std::string> out;
  if (!reply.ok()) return out;
  std::stringstream lines(reply->body);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    if (!line.empty()) out.push_back(line);
  }
  return out;
}

std::vector<std::int64_t> RealInfluxd::integers(const std::string& query, std::size_t column) {
  std::vector<std::int64_t> out;
  for (const std::string& row : rows(query)) {
    std::stringstream cells(row);
    std::string cell;
    for (std::size_t i = 0; i <= column; ++i) std::getline(cells, cell, ',');
    out.push_back(std::strtoll(cell.c_str(), nullptr, 10));
  }
  return out;
}

}  // namespace mikroscope::test
