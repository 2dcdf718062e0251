#include "routeros/deploy/fetch_upload.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>

#include <algorithm>

#include "routeros/deploy/fetch_upload_server.h"
#include "routeros/session/text.h"

namespace mikroscope::routeros {
namespace {

// Slow links get 20 kB/s at least.
constexpr std::int64_t kLeastMs = 60'000;
constexpr std::int64_t kBytesPerMs = 20;

std::vector<std::string> addresses_of(const std::string& host) {
  std::vector<std::string> out;
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0) return out;
  for (const addrinfo* a = found; a != nullptr; a = a->ai_next) {
    char text[NI_MAXHOST];
    if (::getnameinfo(a->ai_addr, a->ai_addrlen, text, sizeof text, nullptr, 0, NI_NUMERICHOST) == 0)
      out.emplace_back(text);
  }
  ::freeaddrinfo(found);
  return out;
}

}  // namespace

base::Result<void> fetch_upload(Session& session, const std::string& name, std::string_view bytes,
                                const Progress& progress, const std::string& listen_on) {
  const std::string address = listen_on.empty() ? session.local_address() : listen_on;
  if (address.empty()) {
    return base::Error{
        "it is unknown at which address the router sees this machine, so it cannot fetch the image",
        "upload by SFTP instead: --upload sftp"};
  }
  const std::vector<std::string> readers = addresses_of(session.host());
  base::Result<std::unique_ptr<OneFileServer>> server =
      OneFileServer::start(address, readers, bytes, progress);
  if (!server.ok()) return std::move(server).error();
  Call call;
  call.command = "/tool/fetch";
  // The path is as good as a password while the file is served.
  call.attributes = {{"url", (*server)->url(), true}, {"dst-path", name}, {"output", "file"}};
  call.returns = true;
  call.timeout_ms = std::max(kLeastMs, static_cast<std::int64_t>(bytes.size()) / kBytesPerMs);
  const Answer<std::vector<Row>> rows = session.call(call);
  (*server)->stop();
  if (!rows.ok()) {
    base::Error error = to_error(rows.error(), session.router());
    if (const DeviceError* device = device_error(rows.error())) {
      if (!(*server)->turned_away().empty()) {
        error.what +=
            fmt::format("; the request came from {}, not from {}", (*server)->turned_away(), session.host());
        error.fix = "name the router by that address (--router), or upload by SFTP: --upload sftp";
      } else if (device->not_permitted()) {
        error.fix = "the account needs the policy test for this, or ssh and ftp for --upload sftp";
      } else if (error.fix.empty()) {
        error.fix = "the router must reach this machine's " + address +
                    " (firewall, device-mode fetch=yes); or upload by SFTP: --upload sftp";
      }
    }
    return error;
  }
  if ((*server)->served()) return {};
  std::string said;
  for (const Row& row : *rows) {
    if (!row.text("status").empty()) said = row.text("status");
  }
  return base::Error{
      fmt::format("{}: the router did not fetch the whole image{}", session.router(),
                  said.empty() ? "" : fmt::format(" (status {})", printable(said))),
      "see that the router reaches this machine's " + address + ", or upload by SFTP: --upload sftp"};
}

}  // namespace mikroscope::routeros
