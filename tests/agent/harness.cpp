#include "harness.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace mikroscope::agent {
namespace {

const char* look_up(void* context, const char* name) {
  const auto& environment = *static_cast<std::map<std::string, std::string>*>(context);
  const auto found = environment.find(name);
  return found == environment.end() ? nullptr : found->second.c_str();
}

std::size_t header_end(std::string_view text) {
  const std::size_t at = text.find("\r\n\r\n");
  return at == std::string_view::npos ? at : at + 4;
}

// Bytes of the whole response at the start of `text`, 0 while it is incomplete.
std::size_t response_size(std::string_view text, bool end) {
  const std::size_t head = header_end(text);
  if (head == std::string_view::npos) return 0;
  const std::string length = header_of(text, "Content-Length");
  if (!length.empty()) {
    const std::size_t size = head + std::strtoul(length.c_str(), nullptr, 10);
    return text.size() >= size ? size : 0;
  }
  if (status_of(text) == 204) return head;
  if (header_of(text, "Transfer-Encoding") == "chunked") {
    std::size_t at = head;
    for (;;) {
      const std::size_t line = text.find("\r\n", at);
      if (line == std::string_view::npos) return 0;
      const std::size_t size = std::strtoul(std::string(text.substr(at, line - at)).c_str(), nullptr, 16);
      at = line + 2 + size + 2;
      if (at > text.size()) return 0;
      if (size == 0) return at;
    }
  }
  return end ? text.size() : 0;
}

}  // namespace

Tree::Tree() {
  char name[] = "/tmp/mikroscope-agent-test-XXXXXX";
  path_ = mkdtemp(name);
}

Tree::~Tree() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void Tree::write(const std::string& path, std::string_view text) const {
  const std::filesystem::path file = path_ + "/" + path;
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
}

void Tree::remove(const std::string& path) const {
  std::error_code ignored;
  std::filesystem::remove_all(path_ + "/" + path, ignored);
}

Harness::Harness(Env environment, ServerTimes times)
    : environment_(std::move(environment)), agent_(std::make_unique<Agent>()) {
  environment_.emplace("PROC_ROOT", tree.path() + "/proc");
  environment_.emplace("SYS_ROOT", tree.path() + "/sys");
  environment_.emplace("ADDR", "127.0.0.1");
  write_stat(100);
  tree.write("proc/meminfo",
             "MemTotal:        1000000 kB\nMemFree:          500000 kB\nMemAvailable:     600000 kB\n");
  tree.write("proc/loadavg", "0.01 0.06 0.09 1/153 41\n");
  tree.write("proc/version", "Linux version 5.6.3 (build@host) (gcc) #2 SMP\n");
  tree.write("proc/sys/kernel/random/boot_id", "11111111-2222-3333-4444-555555555555\n");
  tree.write("sys/devices/system/cpu/possible", "0-1\n");
  tree.write("sys/devices/system/cpu/online", "0-1\n");
  Config config;
  char text[2048];
  base::Writer out(text, sizeof text);
  AgentOptions options;
  options.handle_signals = false;
  options.timer = false;
  options.port = 0;
  options.times = times;
  started = parse_config(look_up, &environment_, config, out) && agent_->start(config, options, out);
  error = out.view();
}

Harness::~Harness() = default;

void Harness::write_stat(unsigned user_ticks, unsigned context_switches) {
  tree.write("proc/stat", "cpu  " + std::to_string(user_ticks + 50) + " 0 20 1000 0 0 0 0 0 0\ncpu0 " +
                              std::to_string(user_ticks) +
                              " 0 10 500 0 0 0 0 0 0\ncpu1 50 0 10 500 0 0 0 0 0 0\n" +
                              "intr 5000 1 2\nctxt " + std::to_string(context_switches) +
                              "\nbtime 1\nprocesses 77\nprocs_running 1\nprocs_blocked 0\n");
}

void Harness::samples(unsigned count) {
  for (unsigned i = 0; i < count; ++i) agent_->sample(0, 0);
}

Client::Client(Harness& harness) : harness_(harness) {
  fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(harness.port()));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd_, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) close();
  if (fd_ >= 0) fcntl(fd_, F_SETFL, O_NONBLOCK);
}

Client::~Client() {
  close();
}

void Client::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

void Client::send(std::string_view bytes) {
  while (!bytes.empty() && fd_ >= 0) {
    const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
    if (sent < 0) break;
  }
}

void Client::turn() {
  harness_.agent().turn(1);
  char buffer[65536];
  while (fd_ >= 0 && !end) {
    const ssize_t got = recv(fd_, buffer, sizeof buffer, 0);
    if (got < 0) return;
    if (got == 0) end = true;
    received.append(buffer, static_cast<std::size_t>(got));
  }
}

std::string Client::response() {
  if (!until([&](const std::string& r) { return response_size(r, end) != 0; })) return {};
  const std::size_t size = response_size(received, end);
  std::string out = received.substr(0, size);
  received.erase(0, size);
  return out;
}

bool Client::closed() {
  return until([&](const std::string&) { return end; });
}

std::string Client::get(const std::string& target, const std::string& headers) {
  send("GET " + target + " HTTP/1.1\r\nHost: agent\r\n" + headers + "\r\n");
  return response();
}

int status_of(std::string_view response) {
  return response.size() > 12 ? std::atoi(std::string(response.substr(9, 3)).c_str()) : 0;
}

std::string header_of(std::string_view response, std::string_view name) {
  const std::string head(response.substr(0, header_end(response)));
  const std::size_t at = head.find("\r\n" + std::string(name) + ": ");
  if (at == std::string::npos) return {};
  const std::size_t from = at + 2 + name.size() + 2;
  return head.substr(from, head.find("\r\n", from) - from);
}

std::string body_of(std::string_view response) {
  const std::size_t head = header_end(response);
  if (head == std::string_view::npos) return {};
  if (header_of(response, "Transfer-Encoding") != "chunked") return std::string(response.substr(head));
  std::string body;
  std::size_t at = head;
  for (;;) {
    const std::size_t line = response.find("\r\n", at);
    if (line == std::string_view::npos) return body;
    const std::size_t size = std::strtoul(std::string(response.substr(at, line - at)).c_str(), nullptr, 16);
    if (size == 0) return body;
    body += response.substr(line + 2, size);
    at = line + 2 + size + 2;
  }
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

long long number_in(std::string_view line, std::string_view name) {
  const std::string key = "\"" + std::string(name) + "\":";
  const std::size_t at = line.find(key);
  return at == std::string_view::npos ? -1
                                      : std::atoll(std::string(line.substr(at + key.size(), 24)).c_str());
}

std::vector<long long> seqs_of(std::string_view body) {
  std::vector<long long> out;
  for (const std::string& line : lines_of(body)) {
    if (line.rfind("{\"seq\":", 0) == 0) out.push_back(number_in(line, "seq"));
  }
  return out;
}

}  // namespace mikroscope::agent
