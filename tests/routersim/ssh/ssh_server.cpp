#include "tests/routersim/ssh/ssh_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <libssh/libssh.h>
#include <libssh/server.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/routersim/ssh/connection.h"

namespace mikroscope::routersim {

SshServer::SshServer(Router& router, Options options) : router_(router), options_(std::move(options)) {
  key_ = make_key();
  if (key_ == nullptr) trouble_ = fmt::format("libssh makes no host key of the type {}", options_.host_key);
  if (trouble_.empty()) router_.in_router_network([this] { listen(); });
  if (trouble_.empty()) acceptor_ = std::thread([this] { accept_all(); });
}

SshServer::~SshServer() {
  over_ = true;
  if (acceptor_.joinable()) acceptor_.join();
  for (Worker& worker : workers_) worker.thread.join();
  if (fd_ >= 0) ::close(fd_);
}

SshServer::Key SshServer::make_key() const {
  ssh_key made = nullptr;
  const bool rsa = options_.host_key == "rsa";
  if (!rsa && options_.host_key != "ed25519") return nullptr;
  if (ssh_pki_generate(rsa ? SSH_KEYTYPE_RSA : SSH_KEYTYPE_ED25519, rsa ? 2048 : 0, &made) != SSH_OK)
    return nullptr;
  return {made, [](ssh_key key) { ssh_key_free(key); }};
}

SshServer::Key SshServer::key() const {
  const std::lock_guard hold(key_lock_);
  return key_;
}

void SshServer::new_host_key() {
  Key made = make_key();
  const std::lock_guard hold(key_lock_);
  key_ = std::move(made);
}

std::string SshServer::fingerprint() const {
  const Key mine = key();
  unsigned char* hash = nullptr;
  std::size_t size = 0;
  if (mine == nullptr || ssh_get_publickey_hash(mine.get(), SSH_PUBLICKEY_HASH_SHA256, &hash, &size) != 0)
    return "";
  char* const text = ssh_get_fingerprint_hash(SSH_PUBLICKEY_HASH_SHA256, hash, size);
  const std::string out = text == nullptr ? "" : text;
  ssh_string_free_char(text);
  ssh_clean_pubkey_hash(&hash);
  return out;
}

void SshServer::listen() {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(options_.port);
  if (inet_pton(AF_INET, options_.host.c_str(), &address.sin_addr) != 1) {
    trouble_ = fmt::format("\"{}\" is no IPv4 address", options_.host);
    return;
  }
  fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  ::setsockopt(fd_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 || ::listen(fd_, 64) != 0) {
    trouble_ = fmt::format("cannot listen on {}:{}: {}", options_.host, options_.port, strerror(errno));
    return;
  }
  socklen_t size = sizeof address;
  ::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
}

void SshServer::accept_all() {
  while (!over_) {
    for (auto it = workers_.begin(); it != workers_.end();) {
      if (it->over) {
        it->thread.join();
        it = workers_.erase(it);
      } else {
        ++it;
      }
    }
    pollfd waiting{fd_, POLLIN, 0};
    if (::poll(&waiting, 1, 50) <= 0) continue;
    sockaddr_in peer{};
    socklen_t size = sizeof peer;
    const int fd = ::accept4(fd_, reinterpret_cast<sockaddr*>(&peer), &size, SOCK_CLOEXEC);
    if (fd < 0) continue;
    const int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    char text[INET_ADDRSTRLEN] = "";
    inet_ntop(AF_INET, &peer.sin_addr, text, sizeof text);
    const std::string from = text;
    if (!router_.admit(Via::ssh, from)) {
      ::close(fd);
      continue;
    }
    Worker& worker = workers_.emplace_back();
    worker.thread = std::thread([this, &worker, fd, from] {
      serve(fd, from);
      router_.leave(Via::ssh);
      worker.over = true;
    });
  }
}

void SshServer::serve(int fd, const std::string& from) {
  const std::unique_ptr<ssh_bind_struct, decltype(&ssh_bind_free)> bind(ssh_bind_new(), &ssh_bind_free);
  const std::unique_ptr<ssh_session_struct, decltype(&ssh_free)> session(ssh_new(), &ssh_free);
  const Key mine = key();
  const bool no = false;
  ssh_bind_options_set(bind.get(), SSH_BIND_OPTIONS_PROCESS_CONFIG, &no);
  ssh_bind_options_set(bind.get(), SSH_BIND_OPTIONS_BANNER, "ROSSSH");
  // libssh takes the key over: a copy for each connection.
  ssh_bind_options_set(bind.get(), SSH_BIND_OPTIONS_IMPORT_KEY, ssh_key_dup(mine.get()));
  if (options_.strong_crypto)
    ssh_bind_options_set(bind.get(), SSH_BIND_OPTIONS_KEY_EXCHANGE, "diffie-hellman-group-exchange-sha256");
  const long patience_s = 5;  // for a client that connects and says nothing
  ssh_options_set(session.get(), SSH_OPTIONS_TIMEOUT, &patience_s);
  if (ssh_bind_accept_fd(bind.get(), session.get(), fd) != SSH_OK) {
    ::close(fd);
    return;
  }
  SshConnection connection(router_, session.get(), from);
  connection.serve(over_);
  ssh_disconnect(session.get());  // libssh may still call back
}

}  // namespace mikroscope::routersim
