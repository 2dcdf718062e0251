// The state of one pretended RouterOS device. The API server, the console and the SSH server share it; tests
// may also drive it without any of them.
//
// It is a double: it behaves as RouterOS is documented and reported to, by no part of RouterOS.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/routersim/accounts.h"
#include "tests/routersim/config.h"
#include "tests/routersim/faults.h"
#include "tests/routersim/files.h"
#include "tests/routersim/log.h"
#include "tests/routersim/request.h"
#include "tests/routersim/request_log.h"

namespace mikroscope::routersim {

struct State;
class Ticker;

// The answer to a login.
struct Login {
  std::optional<User> user;
  std::string refusal;  // "invalid user name or password (6)", "not enough permissions (9)", …
};

// A file that arrives in pieces (SFTP). It appears under its name at once, growing, and is listed after the
// lag.
class Upload {
 public:
  virtual ~Upload() = default;
  // False: the disk is full, or a fault ends the transfer; `cut` says that the connection goes too.
  virtual bool append(std::string_view bytes) = 0;
  virtual bool cut() const = 0;
  // The transfer is complete. Without it (destroyed early) a part of the file stays, as on a router.
  virtual void commit() = 0;
};

class Router {
 public:
  explicit Router(Config config = {});
  ~Router();
  Router(const Router&) = delete;
  Router& operator=(const Router&) = delete;

  // --- what both servers use; every one of these is safe from any thread ---

  // Runs one command. Blocks while /tool/fetch does its work; never holds the lock meanwhile.
  Outcome execute(const User& user, const Request& request);

  // `via` decides which policy is asked for (api or ssh). Each is logged, on the router and in requests().
  Login login(Via via, const std::string& name, const std::string& password, const std::string& from);
  // The scheme before 6.43; `response` is "00" + md5 as sent. `challenge` are 16 octets.
  Login login_challenge(Via via, const std::string& name, const std::string& challenge,
                        const std::string& response, const std::string& from);
  // `blob` is the public key's base64 of its wire form, without type and comment.
  Login login_key(const std::string& name, const std::string& blob, const std::string& from);
  // A user without password, and without key: SSH lets him in by `none`.
  Login login_none(const std::string& name, const std::string& from);
  // False once the user has a key (password-authentication=yes-if-no-key).
  bool ssh_password_allowed(const std::string& name) const;
  bool has_key(const std::string& name, const std::string& blob) const;
  void logout(const User& user);

  // Null: refused, no room at all or no such disk. `path` as the client gave it; it is cleaned and sanitised.
  // Asks nobody for policies: see may_upload().
  std::unique_ptr<Upload> upload(const std::string& path);
  bool may_upload(const User& user) const { return user.may("ftp") && user.may("write"); }
  // What SFTP and the console read back. Nothing when there is no such file.
  std::optional<std::string> read_file(const std::string& path) const;
  bool remove_file(const std::string& path);
  // All paths, directories with a trailing '/', whether listed yet or not.
  std::vector<std::string> file_paths() const;

  // --- what tests ask ---

  // Every configured row as `/export` shows it, sorted by menu: equal before and after means nothing was
  // left. No dynamic rows, files, logs, counters.
  std::string export_text() const;
  RequestLog& requests() { return requests_; }
  const Config& config() const { return config_; }
  Clock& clock() const { return *config_.clock; }
  // Knobs that change while it runs. Take them by set_fault("NAME=ARG") from other threads.
  std::optional<std::string> set_fault(const std::string& spec);  // the error's text when it is not known
  void clear_faults();
  Faults faults() const;  // a copy
  std::vector<LogLine> log_lines() const;
  void log(const std::string& topics, const std::string& message);
  // Runs what is due now. execute() does it as well; a router with a real clock also does it every 20 ms.
  void tick();
  // As /system/reboot does: containers end, tmpfs is emptied, connections are cut by whoever watches boots().
  void reboot();
  std::uint64_t boots() const;
  // Where a container's agent can be reached from the caller ("127.0.0.1:40123"), by container name, address
  // or comment; "" when it does not run.
  std::string agent_at(const std::string& name) const;
  // Runs `work` in the router's network namespace (netns), else here. For sockets that the router listens on.
  void in_router_network(const std::function<void()>& work) const;
  // The processes that hold the namespaces, for nsenter: the router's, the LAN's (192.168.88.10) and the
  // provider's (198.51.100.1); 0 in other modes.
  int router_pid() const;
  int lan_pid() const;
  int wan_pid() const;

  // "" when the namespaces of RunMode::netns came up (and in other modes); else what failed.
  std::string trouble() const;

  // Counts API connections against /ip/service max-sessions and its address list. False: drop it unanswered.
  bool admit(Via via, const std::string& from);
  void leave(Via via);

  // Rows of a menu as it is now, for servers (/ip/service) and listeners. Not logged.
  std::vector<Row> rows(const std::string& menu) const;
  // Whether booleans, !empty and so on follow a version: "7.18" or later.
  bool at_least(std::string_view version) const;

 private:
  Outcome run(const User& user, const Request& request);

  Config config_;
  mutable std::recursive_mutex lock_;
  RequestLog requests_;
  std::unique_ptr<State> state_;
  std::unique_ptr<Ticker> ticker_;  // last: its thread uses the rest
};

}  // namespace mikroscope::routersim
