#include "routeros/ssh/ssh_session.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <array>

#include "routeros/session/text.h"
#include "routeros/session/value.h"
#include "routeros/ssh/sftp_upload.h"

namespace mikroscope::routeros {
namespace {

// Menus of one row, where find does not exist. Others are found out by the way the router refuses find; this
// spares the common ones a round trip.
constexpr std::array<std::string_view, 12> kSettingsMenus = {
    "/system/resource", "/system/identity", "/system/device-mode", "/system/routerboard",
    "/system/clock",    "/system/license",  "/container/config",   "/ip/dns",
    "/ip/settings",     "/ip/ssh",          "/ipv6/settings",      "/system/package/update",
};

std::string random_hex() {
  unsigned char octets[8] = {};
  // The kernel's generator is ready long before a user can type; the counter keeps nonces apart anyhow.
  const auto got = ::getrandom(octets, sizeof octets, 0);
  std::string out;
  for (std::size_t i = 0; i < sizeof octets && got > 0; ++i) out += fmt::format("{:02x}", octets[i]);
  return out;
}

// What the router's find was not asked: flags, and ids.
bool holds(const Row& row, const Where& where) {
  if (where.name != ".id" && !is_flag_condition(where)) return true;
  if (row.text(where.name) == where.value) return true;
  return is_flag_condition(where) && row.flag(where.name) == parse_bool(where.value);
}

Row only(const Row& row, const std::vector<std::string>& proplist) {
  Row out;
  for (const Attribute& attribute : row.attributes()) {
    if (attribute.name == ".id" ||
        std::find(proplist.begin(), proplist.end(), attribute.name) != proplist.end())
      out.put(attribute.name, attribute.value);
  }
  return out;
}

}  // namespace

SshSession::SshSession(std::unique_ptr<SshLink> link, const SshTarget& target)
    : link_(std::move(link)),
      host_(target.host),
      user_(target.user),
      timeout_ms_(target.timeout_ms),
      requests_(kFirstSerialize),
      nonce_base_(random_hex()) {}

std::string SshSession::router() const {
  return fmt::format("{}@{} (ssh)", user_, host_);
}

std::string SshSession::nonce() {
  return fmt::format("{}x{}x", nonce_base_, ++lines_);
}

Trouble SshSession::lose(LostConnection lost) {
  lost_ = lost;
  return lost;
}

Lost SshSession::learn_version() {
  const std::string mark = nonce();
  const base::Result<std::string, LostConnection> output =
      run_line(*link_, ConsoleRequests::version(mark), within(timeout_ms_, -1), "the version");
  if (!output) return output.error();
  const ConsoleReply reply = parse_console_reply(*output, mark);
  const std::optional<Version> version = parse_version(reply.value);
  if (!reply.ended || !version) {
    const std::string words = printable(reply.ended ? reply.value : reply.complaint);
    return LostConnection{
        fmt::format("the SSH server does not answer as a RouterOS console: {}",
                    words.empty() ? "it printed nothing" : "\"" + words.substr(0, 200) + "\""),
        "check that the address and the port are the router's, and that the account's group has the "
        "policies ssh and read",
        base::Exit::failed};
  }
  if (*version < kFirstSerialize)
    return LostConnection{fmt::format("RouterOS {} cannot be read over SSH: its console has no :serialize, "
                                      "which came with {}",
                                      format_version(*version), format_version(kFirstSerialize)),
                          "use --via api-ssl, or upgrade RouterOS", base::Exit::failed};
  requests_ = ConsoleRequests(*version);
  return {};
}

Answer<ConsoleReply> SshSession::run(const Answer<std::string>& line, const std::string& nonce,
                                     const std::string& doing, std::int64_t timeout_ms) {
  if (!line) return line.error();
  if (lost_) return Trouble(*lost_);
  const base::Result<std::string, LostConnection> output =
      run_line(*link_, *line, within(timeout_ms > 0 ? timeout_ms : timeout_ms_, -1), doing);
  if (!output) return lose(output.error());
  ConsoleReply reply = parse_console_reply(*output, nonce);
  if (reply.ended && reply.complaint.empty()) return reply;
  if (!reply.complaint.empty()) return Trouble(DeviceError{reply.complaint, -1, doing});
  return Trouble(DeviceError{"the router reported an error", -1, doing});
}

Answer<ConsoleReply> SshSession::read_list(const Print& print) {
  const std::string mark = nonce();
  Answer<ConsoleReply> reply = run(requests_.list(print, mark), mark, print.menu + "/print", 0);
  if (!reply || reply->gone.empty()) return reply;
  // A row went while the list was read, or cannot be read at all: the second reading tells.
  const std::string second = nonce();
  reply = run(requests_.list(print, second), second, print.menu + "/print", 0);
  if (!reply || reply->gone.empty()) return reply;
  return Trouble(DeviceError{fmt::format("cannot read item {} of {}", reply->gone.front(), print.menu), -1,
                             print.menu + "/print"});
}

Answer<ConsoleReply> SshSession::read_settings(const Print& print) {
  const std::string mark = nonce();
  return run(requests_.settings(print, mark), mark, print.menu + "/print", 0);
}

Answer<ConsoleReply> SshSession::read_menu(const Print& print) {
  const bool known =
      std::find(kSettingsMenus.begin(), kSettingsMenus.end(), print.menu) != kSettingsMenus.end();
  if (known || settings_menus_.contains(print.menu)) return read_settings(print);
  Answer<ConsoleReply> reply = read_list(print);
  if (reply) return reply;
  const DeviceError* const error = device_error(reply.error());
  if (error == nullptr || !is_parse_error(error->message)) return reply;
  Answer<ConsoleReply> settings = read_settings(print);
  if (settings) settings_menus_.insert(print.menu);
  // When neither works the menu is not there, and the first complaint says so.
  if (!settings && device_error(settings.error()) != nullptr) return reply;
  return settings;
}

Answer<std::vector<Row>> SshSession::print(const Print& print) {
  const Answer<ConsoleReply> reply = read_menu(print);
  if (!reply) return reply.error();
  std::vector<Row> rows;
  for (const Row& row : reply->rows) {
    if (std::all_of(print.where.begin(), print.where.end(),
                    [&row](const Where& where) { return holds(row, where); }))
      rows.push_back(only(row, print.proplist));
  }
  return rows;
}

Answer<std::string> SshSession::add(const std::string& menu, const Attributes& attributes) {
  const std::string mark = nonce();
  const Answer<ConsoleReply> reply =
      run(ConsoleRequests::add(menu, attributes, mark), mark, menu + "/add", 0);
  if (!reply) return reply.error();
  return reply->value;
}

Answer<void> SshSession::set(const std::string& menu, const std::string& id, const Attributes& attributes) {
  const std::string mark = nonce();
  const Answer<ConsoleReply> reply =
      run(ConsoleRequests::set(menu, id, attributes, mark), mark, menu + "/set", 0);
  if (!reply) return reply.error();
  return {};
}

Answer<void> SshSession::remove(const std::string& menu, const std::string& id) {
  const std::string mark = nonce();
  const Answer<ConsoleReply> reply = run(ConsoleRequests::remove(menu, id, mark), mark, menu + "/remove", 0);
  if (!reply) return reply.error();
  return {};
}

Answer<std::vector<Row>> SshSession::call(const Call& call) {
  const std::string mark = nonce();
  const Answer<ConsoleReply> reply = run(requests_.call(call, mark), mark, call.command, call.timeout_ms);
  if (!reply) return reply.error();
  return reply->rows;
}

Answer<void> SshSession::upload(const std::string& name, std::string_view bytes, const Progress& progress) {
  if (lost_) return Trouble(*lost_);
  uploaded_size_.reset();
  const Answer<std::optional<std::uint64_t>> size = sftp_upload(*link_, name, bytes, progress, timeout_ms_);
  if (!size) {
    if (const auto* lost = std::get_if<LostConnection>(&size.error())) return lose(*lost);
    return size.error();
  }
  uploaded_size_ = *size;
  return {};
}

}  // namespace mikroscope::routeros
