// One SSH connection: login, then channels with a command or SFTP.
#pragma once

#include <libssh/callbacks.h>
#include <libssh/libssh.h>
#include <libssh/server.h>

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "tests/routersim/console/console.h"
#include "tests/routersim/router.h"
#include "tests/routersim/ssh/sftp_server.h"

namespace mikroscope::routersim {

class SshConnection {
 public:
  SshConnection(Router& router, ssh_session session, std::string from);
  ~SshConnection();
  SshConnection(const SshConnection&) = delete;
  SshConnection& operator=(const SshConnection&) = delete;

  // Until the client goes, `over` is set, the router reboots, or a fault cuts the connection.
  void serve(const std::atomic<bool>& over);

 private:
  struct Channel {
    SshConnection* connection = nullptr;
    ssh_channel channel = nullptr;
    ssh_channel_callbacks_struct callbacks{};
    std::unique_ptr<SftpServer> sftp;
    std::string in;
    // A command runs beside the connection, which must go on answering.
    std::thread worker;
    std::atomic<bool> done{false};
    std::atomic<bool> cancelled{false};
    console::Result result;
    std::string out;  // not sent yet
    bool ending = false;
    int exit_status = 0;
  };

  static int on_none(ssh_session, const char* user, void* self);
  static int on_password(ssh_session, const char* user, const char* password, void* self);
  static int on_key(ssh_session, const char* user, ssh_key_struct* key, char state, void* self);
  static ssh_channel on_channel(ssh_session, void* self);
  static int on_exec(ssh_session, ssh_channel, const char* command, void* channel);
  static int on_subsystem(ssh_session, ssh_channel, const char* name, void* channel);
  static int on_data(ssh_session, ssh_channel, void* data, std::uint32_t size, int is_stderr, void* channel);

  int let(const Login& login);
  bool serve_channel(Channel& channel);  // false: cut
  void finish(Channel& channel, const Faults& faults);

  Router& router_;
  ssh_session session_;
  std::string from_;
  ssh_server_callbacks_struct callbacks_{};
  std::optional<User> user_;
  std::list<Channel> channels_;
  std::int64_t requests_ = 0;
};

}  // namespace mikroscope::routersim
