// A router whose every octet the test writes down. It shares no code with the client.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

struct ssl_ctx_st;
struct ssl_st;

namespace mikroscope::test {

// The router's end of one connection.
class Peer {
 public:
  Peer(int fd, ssl_st* tls, const std::atomic<bool>& stop) : fd_(fd), tls_(tls), stop_(stop) {}

  // The next request, without its tag; empty when the client has gone.
  std::vector<std::string> read();
  const std::string& tag() const { return tag_; }  // of the last request

  void send(std::string_view octets);
  void send_one_by_one(std::string_view octets);
  // Sentences of words shorter than 128 octets.
  void say(const std::vector<std::string>& words);
  void answer(std::vector<std::string> words);  // with the last request's tag
  // Reads a login and lets it in.
  void let_in();
  // Until the client goes or takes its leave.
  void hang();
  void hang_up_with_reset();

 private:
  bool octet(char& out);

  int fd_;
  ssl_st* tls_;
  const std::atomic<bool>& stop_;
  std::string tag_;
};

std::string sentence(const std::vector<std::string>& words);

// What a server shows in TLS.
class TlsServer {
 public:
  // With a certificate of its own making for that common name…
  explicit TlsServer(const std::string& common_name);
  // … or none, and anonymous key exchange only.
  TlsServer();
  ~TlsServer();
  TlsServer(const TlsServer&) = delete;
  TlsServer& operator=(const TlsServer&) = delete;

  ssl_ctx_st* context() const { return context_; }
  const std::string& pem() const { return pem_; }
  const std::string& fingerprint() const { return fingerprint_; }

 private:
  ssl_ctx_st* context_;
  std::string pem_;
  std::string fingerprint_;
};

class ScriptedRouter {
 public:
  // Serves connections one after another, each by the script; it hangs up where the script ends.
  explicit ScriptedRouter(std::function<void(Peer&)> script, const TlsServer* tls = nullptr,
                          bool ipv6 = false);
  ~ScriptedRouter();
  ScriptedRouter(const ScriptedRouter&) = delete;
  ScriptedRouter& operator=(const ScriptedRouter&) = delete;

  // Serves nobody any more; what the script wrote down may be read after that.
  void finish();

  int port() const { return port_; }
  int connections() const { return connections_; }

 private:
  void serve();

  std::function<void(Peer&)> script_;
  const TlsServer* tls_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<int> connections_{0};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

// A descriptor that can be made readable.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  void raise() const;
  int fd() const { return fd_; }

 private:
  int fd_;
};

}  // namespace mikroscope::test
