#include "tests/support/fake_agent.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

#include "base/clock.h"

namespace mikroscope::test {
namespace {

std::string value_of(const std::string& query, const std::string& name) {
  const std::string all = "&" + query + "&";
  const std::size_t at = all.find("&" + name + "=");
  if (at == std::string::npos) return {};
  const std::size_t begin = at + name.size() + 2;
  return all.substr(begin, all.find('&', begin) - begin);
}

}  // namespace

FakeAgent::FakeAgent(Script script) : script_(std::move(script)), started_boot_ns_(base::boot_ns()) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ::bind(listener_, reinterpret_cast<sockaddr*>(&address), size);
  ::listen(listener_, 8);
  ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { serve(); });
}

FakeAgent::~FakeAgent() {
  stop_ = true;
  thread_.join();
  for (std::thread& t : connections_) t.join();
  ::close(listener_);
}

std::uint64_t FakeAgent::newest_locked() const {
  if (!script_.samples) return 0;
  const std::int64_t ticks = (base::boot_ns() - started_boot_ns_) * script_.rate_hz / base::kNsPerSecond;
  const std::uint64_t first = starts_ == 1 ? script_.first_seq : 1;
  return first - 1 + static_cast<std::uint64_t>(ticks);
}
std::uint64_t FakeAgent::newest() const {
  const std::lock_guard lock(mutex_);
  return newest_locked();
}

void FakeAgent::restart(bool reboot) {
  const std::lock_guard lock(mutex_);
  ++starts_;
  instance_ = fmt::format("fake{}", starts_);
  if (reboot) boot_id_ = fmt::format("99999999-2222-3333-4444-{:012}", starts_);
  started_boot_ns_ = base::boot_ns();
}

void FakeAgent::serve() {
  while (!stop_) {
    pollfd p{listener_, POLLIN, 0};
    if (::poll(&p, 1, 20) <= 0) continue;
    const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd >= 0) connections_.emplace_back([this, fd] { connection(fd); });
  }
}

void FakeAgent::connection(int fd) {
  std::string buffer;
  while (!stop_) {
    const std::size_t end = buffer.find("\r\n\r\n");
    if (end != std::string::npos) {
      const std::string head = buffer.substr(0, end + 4);
      buffer.erase(0, end + 4);
      ++requests_;
      while (silent_ && !stop_) {
        pollfd gone{fd, POLLRDHUP, 0};
        if (::poll(&gone, 1, 10) > 0) break;
      }
      if (script_.delay_ms != 0) ::poll(nullptr, 0, script_.delay_ms);
      const std::size_t from = head.find(' ') + 1;
      const std::string answer = reply(head.substr(from, head.find(' ', from) - from), head);
      if (::send(fd, answer.data(), answer.size(), MSG_NOSIGNAL) < 0) break;
      continue;
    }
    pollfd p{fd, POLLIN, 0};
    if (::poll(&p, 1, 20) <= 0) continue;
    char bytes[4096];
    const ssize_t n = ::recv(fd, bytes, sizeof bytes, 0);
    if (n <= 0) break;
    buffer.append(bytes, static_cast<std::size_t>(n));
  }
  ::close(fd);
}

std::string FakeAgent::reply(const std::string& target, const std::string& head) {
  const std::lock_guard lock(mutex_);
  const std::size_t mark = std::min(target.find('?'), target.size());
  const std::string path = target.substr(0, mark);
  const std::string query = mark < target.size() ? target.substr(mark + 1) : "";
  const bool known = script_.token.empty() ||
                     head.find("Authorization: Bearer " + script_.token + "\r\n") != std::string::npos;
  int status = 200;
  std::string type = "application/json";
  std::string body;
  if (path == "/healthz") {
    body = fmt::format("{{\"ok\":true,\"seq\":{}", newest_locked());
    if (known) {
      body += fmt::format(
          ",\"oldest_seq\":1,\"wall_ns\":{},\"boot_ns\":{},\"rate_hz\":{},\"missed\":0,\"version\":\"fake\"",
          base::wall_ns() + script_.wall_offset_ns, base::boot_ns() + script_.boot_offset_ns,
          script_.rate_hz);
      if (script_.headers)
        body += fmt::format(",\"instance\":\"{}\",\"boot_id\":\"{}\"", instance_, boot_id_);
    }
    body += "}\n";
  } else if (!known) {
    status = 401;
    body = "token required\n";
  } else if (path == "/samples" && head.find("vnd.mikroscope.frames") != std::string::npos) {
    status = 406;
    body = "text only\n";
  } else if (path == "/samples") {
    type = "application/x-ndjson";
    body = samples(query);
  } else if (path == "/capabilities") {
    body = fmt::format("{{\"kernel\":\"6.1.0-fake\",\"cores\":2,\"rate_hz\":{}}}\n", script_.rate_hz);
  } else if (path == "/sampler") {
    body = "{\"ticks\":1,\"missed\":0}\n";
  } else if (script_.pages.contains(path)) {
    body = script_.pages.at(path);
  } else {
    status = 404;
    body = "no such path\n";
  }
  std::string out =
      fmt::format("HTTP/1.1 {} X\r\nContent-Type: {}\r\nContent-Length: {}\r\n", status, type, body.size());
  if (script_.headers) {
    out += fmt::format("Mikroscope-Instance: {}\r\nMikroscope-Boot-Id: {}\r\nMikroscope-Newest-Seq: {}\r\n",
                       instance_, boot_id_, newest_locked());
  }
  return out + "\r\n" + body;
}

std::string FakeAgent::samples(const std::string& query) {
  const std::uint64_t newest = newest_locked();
  const std::string since_text = value_of(query, "since");
  std::uint64_t since = since_text == "newest"   ? newest
                        : since_text == "oldest" ? 0
                                                 : std::stoull(since_text);
  const std::uint64_t most = std::stoull(value_of(query, "max"));
  const std::string of = value_of(query, "instance");
  std::string out;
  if (script_.headers && ((!of.empty() && of != instance_) || since > newest)) {
    out += fmt::format("{{\"restart\":{{\"instance\":\"{}\",\"previous\":\"{}\"}}}}\n", instance_, of);
    since = 0;
  }
  const std::uint64_t oldest =
      std::max(newest >= script_.ring ? newest - script_.ring + 1 : 1, starts_ == 1 ? script_.first_seq : 1);
  if (since + 1 < oldest) {
    if (since != 0) out += fmt::format("{{\"gap\":{{\"from\":{},\"to\":{}}}}}\n", since + 1, oldest - 1);
    since = oldest - 1;
  }
  std::uint64_t sent = 0;
  for (std::uint64_t seq = since + 1; seq <= newest && sent < most; ++seq) {
    if (starts_ == 1 && seq >= script_.lost_from && seq <= script_.lost_to) {
      if (seq == script_.lost_from && script_.announce_gap) {
        out += fmt::format("{{\"gap\":{{\"from\":{},\"to\":{}}}}}\n", script_.lost_from, script_.lost_to);
      }
      continue;
    }
    const auto extra = script_.before.find(seq);
    if (starts_ == 1 && extra != script_.before.end()) out += extra->second;
    out += sample(seq);
    ++sent;
  }
  return out;
}

std::string FakeAgent::sample(std::uint64_t seq) const {
  const std::uint64_t first = starts_ == 1 ? script_.first_seq : 1;
  const std::int64_t period = base::kNsPerSecond / script_.rate_hz;
  const std::int64_t at = started_boot_ns_ + static_cast<std::int64_t>(seq - first + 1) * period;
  const std::int64_t wall = at + (base::wall_ns() - base::boot_ns()) / 1'000'000 * 1'000'000 +
                            script_.wall_offset_ns +
                            (script_.step_from != 0 && seq >= script_.step_from ? script_.step_ns : 0);
  std::string out = fmt::format("{{\"seq\":{},\"boot_ns\":{},\"wall_ns\":{},\"dt_ns\":{}", seq,
                                at + script_.boot_offset_ns, wall, period);
  // Core 0: 3 of 10 ticks busy, core 1: 1 of 10.
  out +=
      ",\"cpu\":[{\"cpu\":0,\"user\":2,\"nice\":0,\"system\":1,\"idle\":7},{\"cpu\":1,\"user\":1,\"nice\":0,"
      "\"system\":0,\"idle\":9}]";
  out += ",\"stat\":{\"ctxt\":100,\"intr\":50,\"forks\":0}";
  if (seq != script_.without_mem) out += ",\"mem\":{\"total_kb\":1024000,\"available_kb\":512000}";
  return out + "}\n";
}

}  // namespace mikroscope::test
