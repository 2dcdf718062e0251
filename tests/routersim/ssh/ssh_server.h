// The router's SSH service on a TCP port: the console by exec, and SFTP. One thread for each connection, with
// libssh's server underneath.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "tests/routersim/router.h"

struct ssh_key_struct;

namespace mikroscope::routersim {

class SshServer {
 public:
  struct Options {
    std::string host = "127.0.0.1";
    std::uint16_t port = 0;            // 0: a free one
    std::string host_key = "ed25519";  // or rsa: one key, as a router has
    bool strong_crypto = false;        // leaves no key exchange but diffie-hellman-group-exchange-sha256
  };

  explicit SshServer(Router& router) : SshServer(router, Options{}) {}
  SshServer(Router& router, Options options);
  // Ends every connection.
  ~SshServer();
  SshServer(const SshServer&) = delete;
  SshServer& operator=(const SshServer&) = delete;

  // "" when it listens; what failed otherwise.
  const std::string& trouble() const { return trouble_; }
  std::uint16_t port() const { return port_; }
  std::string host() const { return options_.host; }
  // Of the host key: "SHA256:…", as ssh-keygen -l prints it.
  std::string fingerprint() const;
  // As /ip/ssh/regenerate-host-key does: for connections from now on.
  void new_host_key();

 private:
  struct Worker {
    std::thread thread;
    std::atomic<bool> over{false};
  };
  using Key = std::shared_ptr<ssh_key_struct>;

  void listen();
  void accept_all();
  void serve(int fd, const std::string& from);
  Key make_key() const;
  Key key() const;

  Router& router_;
  Options options_;
  mutable std::mutex key_lock_;
  Key key_;
  std::string trouble_;
  int fd_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<bool> over_{false};
  std::list<Worker> workers_;  // touched by the accepting thread, then by the destructor
  std::thread acceptor_;
};

}  // namespace mikroscope::routersim
