// One SSH connection, libssh underneath, in which nothing waits longer than its deadline.
#pragma once

#include <libssh/libssh.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/file.h"
#include "routeros/session/trouble.h"
#include "routeros/session/wait.h"

namespace mikroscope::routeros {

using Lost = std::optional<LostConnection>;

class SshLink {
 public:
  // Takes the connection over; nothing is sent yet.
  explicit SshLink(base::Fd connection);
  ~SshLink();
  SshLink(const SshLink&) = delete;
  SshLink& operator=(const SshLink&) = delete;

  ssh_session session() const { return session_; }
  const std::string& local_address() const { return local_address_; }
  void interrupt_on(int fd) { interrupt_fd_ = fd; }
  // What libssh says about its last failure, without its own prefixes.
  std::string reason() const;

  // Of every Wait below only the deadline counts: one interrupt_on() serves them all.

  // Repeats a call of libssh for as long as it returns `again`. `doing` completes "no answer to …".
  template <class Step>
  Lost repeat(Step step, int again, const Wait& wait, std::string_view doing, int& result) {
    while ((result = step()) == again) {
      if (Lost lost = turn(wait, doing)) return lost;
    }
    return {};
  }
  // Waits until the connection has something to do, at most a moment: libssh may hold what has arrived.
  Lost turn(const Wait& wait, std::string_view doing);

  LostConnection broken(std::string_view doing) const;

 private:
  ssh_session session_;
  std::string local_address_;
  int interrupt_fd_ = -1;
};

// A session channel; closed with the object.
class SshChannel {
 public:
  static base::Result<SshChannel, LostConnection> open(SshLink& link, const Wait& wait,
                                                       std::string_view doing);

  // False when the router refused.
  base::Result<bool, LostConnection> exec(const std::string& line, const Wait& wait, std::string_view doing);
  base::Result<bool, LostConnection> subsystem(const std::string& name, const Wait& wait,
                                               std::string_view doing);

  // What has arrived is appended, of both streams when `both`. False at the end of the stream.
  base::Result<bool, LostConnection> read_some(std::string& out, bool both, std::string_view doing);
  // How much was taken, maybe nothing: take a turn of the link and try again.
  base::Result<std::size_t, LostConnection> write_some(std::string_view bytes, std::string_view doing);

 private:
  struct Free {
    void operator()(ssh_channel channel) const { ssh_channel_free(channel); }
  };
  using Handle = std::unique_ptr<ssh_channel_struct, Free>;

  SshChannel(SshLink& link, Handle channel) : link_(&link), channel_(std::move(channel)) {}
  template <class Request>
  base::Result<bool, LostConnection> request(Request request, const Wait& wait, std::string_view doing);

  SshLink* link_;
  Handle channel_;
};

// Runs one line of the router's console and returns all that it printed, both streams. At most 64 MiB.
base::Result<std::string, LostConnection> run_line(SshLink& link, const std::string& line, const Wait& wait,
                                                   std::string_view doing);

}  // namespace mikroscope::routeros
