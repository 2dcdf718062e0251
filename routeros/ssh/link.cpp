#include "routeros/ssh/link.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>

#include "base/clock.h"
#include "routeros/session/dial.h"

namespace mikroscope::routeros {
namespace {

constexpr std::int64_t kTurnNs = 100'000'000;
constexpr std::size_t kMaxOutput = std::size_t{64} << 20;

}  // namespace

SshLink::SshLink(base::Fd connection)
    : session_(ssh_new()), local_address_(routeros::local_address(connection.get())) {
  socket_t fd = connection.release();  // closed by libssh
  ssh_options_set(session_, SSH_OPTIONS_FD, &fd);
  ssh_set_blocking(session_, 0);
}

SshLink::~SshLink() {
  ssh_disconnect(session_);
  ssh_free(session_);
}

std::string SshLink::reason() const {
  std::string_view text = ssh_get_error(session_);
  for (const std::string_view prefix : {"Socket error: ", "Error: "}) {
    if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
  }
  return text.empty() ? "the connection was closed" : std::string(text);
}

Lost SshLink::turn(const Wait& wait, std::string_view doing) {
  const int flags = ssh_get_poll_flags(session_);
  const short events = static_cast<short>(POLLIN | ((flags & SSH_WRITE_PENDING) != 0 ? POLLOUT : 0));
  const std::int64_t now_ns = base::monotonic_ns();
  if (now_ns < wait.deadline_ns) {
    const Wait moment{std::min(wait.deadline_ns, now_ns + kTurnNs), interrupt_fd_};
    if (wait_for(ssh_get_fd(session_), events, moment) == Net::interrupted)
      return LostConnection{fmt::format("interrupted while waiting for an answer to {}", doing), "",
                            base::Exit::interrupted};
    return {};
  }
  return LostConnection{fmt::format("no answer to {} in time", doing),
                        "the router is busy or the command hangs: look at its /log and try again",
                        base::Exit::failed};
}

LostConnection SshLink::broken(std::string_view doing) const {
  return {fmt::format("the SSH connection broke during {}: {}", doing, reason()),
          "the router may have restarted, or its sessions were ended: try again", base::Exit::failed};
}

base::Result<SshChannel, LostConnection> SshChannel::open(SshLink& link, const Wait& wait,
                                                          std::string_view doing) {
  Handle handle(ssh_channel_new(link.session()));
  if (!handle) return link.broken(doing);
  int result = 0;
  if (Lost lost =
          link.repeat([&] { return ssh_channel_open_session(handle.get()); }, SSH_AGAIN, wait, doing, result))
    return *lost;
  if (result != SSH_OK) return link.broken(doing);
  return SshChannel(link, std::move(handle));
}

template <class Request>
base::Result<bool, LostConnection> SshChannel::request(Request request, const Wait& wait,
                                                       std::string_view doing) {
  int result = 0;
  if (Lost lost = link_->repeat(request, SSH_AGAIN, wait, doing, result)) return *lost;
  if (result == SSH_OK) return true;
  if (ssh_is_connected(link_->session()) == 0) return link_->broken(doing);
  return false;
}

base::Result<bool, LostConnection> SshChannel::exec(const std::string& line, const Wait& wait,
                                                    std::string_view doing) {
  return request([&] { return ssh_channel_request_exec(channel_.get(), line.c_str()); }, wait, doing);
}

base::Result<bool, LostConnection> SshChannel::subsystem(const std::string& name, const Wait& wait,
                                                         std::string_view doing) {
  return request([&] { return ssh_channel_request_subsystem(channel_.get(), name.c_str()); }, wait, doing);
}

base::Result<bool, LostConnection> SshChannel::read_some(std::string& out, bool both,
                                                         std::string_view doing) {
  char buffer[16384];
  while (true) {
    bool any = false;
    for (const int is_stderr : {0, 1}) {
      const int got = ssh_channel_read_nonblocking(channel_.get(), buffer, sizeof buffer, is_stderr);
      if (got == SSH_ERROR) return link_->broken(doing);
      if (got <= 0) continue;
      any = true;
      if (is_stderr == 0 || both) out.append(buffer, static_cast<std::size_t>(got));
      if (out.size() > kMaxOutput)
        return LostConnection{fmt::format("the answer to {} is larger than {} MiB", doing, kMaxOutput >> 20),
                              "", base::Exit::failed};
    }
    if (any) continue;
    if (ssh_channel_is_eof(channel_.get()) != 0 || ssh_channel_is_open(channel_.get()) == 0) {
      // A channel ends with its connection too.
      if (ssh_is_connected(link_->session()) == 0) return link_->broken(doing);
      return false;
    }
    return true;
  }
}

base::Result<std::size_t, LostConnection> SshChannel::write_some(std::string_view bytes,
                                                                 std::string_view doing) {
  const std::size_t window = ssh_channel_window_size(channel_.get());
  const std::size_t size = std::min({bytes.size(), window, std::size_t{32768}});
  if (size == 0) return std::size_t{0};
  const int sent = ssh_channel_write(channel_.get(), bytes.data(), static_cast<std::uint32_t>(size));
  if (sent == SSH_AGAIN) return std::size_t{0};
  if (sent < 0) return link_->broken(doing);
  return static_cast<std::size_t>(sent);
}

base::Result<std::string, LostConnection> run_line(SshLink& link, const std::string& line, const Wait& wait,
                                                   std::string_view doing) {
  base::Result<SshChannel, LostConnection> channel = SshChannel::open(link, wait, doing);
  if (!channel) return channel.error();
  const auto accepted = channel->exec(line, wait, doing);
  if (!accepted) return accepted.error();
  if (!*accepted)
    return LostConnection{fmt::format("the SSH server refused to run {}", doing),
                          "the account's group needs the policy ssh", base::Exit::failed};
  std::string output;
  while (true) {
    const auto more = channel->read_some(output, true, doing);
    if (!more) return more.error();
    if (!*more) return output;
    if (Lost lost = link.turn(wait, doing)) return *lost;
  }
}

}  // namespace mikroscope::routeros
