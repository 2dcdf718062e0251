// The binary API on a TCP port: one thread for each connection.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "tests/routersim/api/stream.h"
#include "tests/routersim/router.h"

namespace mikroscope::routersim {

class ApiServer {
 public:
  struct Options {
    std::string host = "127.0.0.1";
    std::uint16_t port = 0;  // 0: a free one
    Tls tls = Tls::none;     // what a client finds: certificate is a self-signed one, anonymous is ADH
  };

  explicit ApiServer(Router& router) : ApiServer(router, Options{}) {}
  ApiServer(Router& router, Options options);
  // Ends every connection.
  ~ApiServer();
  ApiServer(const ApiServer&) = delete;
  ApiServer& operator=(const ApiServer&) = delete;

  // "" when it listens; what failed otherwise.
  const std::string& trouble() const { return trouble_; }
  std::uint16_t port() const { return port_; }
  std::string host() const { return options_.host; }
  // Of its certificate; "" without one.
  std::string tls_fingerprint() const { return fingerprint(tls_); }
  std::string tls_certificate() const { return certificate_pem(tls_); }

 private:
  struct Worker {
    std::thread thread;
    std::atomic<bool> over{false};
  };

  void listen();
  void accept_all();

  Router& router_;
  Options options_;
  std::shared_ptr<ssl_ctx_st> tls_;
  std::string trouble_;
  int fd_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<bool> over_{false};
  std::list<Worker> workers_;  // touched by the accepting thread, then by the destructor
  std::thread acceptor_;
};

}  // namespace mikroscope::routersim
