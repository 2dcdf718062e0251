// The client's half of TLS as a machine without a socket: octets of the other side go in, octets for it come
// out. So one place waits, for plain connections and these alike, and no write can raise SIGPIPE.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/host/result.h"

struct ssl_st;

namespace mikroscope::routeros {

struct TlsSettings {
  std::string host;     // as it was given; sent as the server's name unless it is an address
  std::string ca_file;  // PEM; the router's certificate must come from these. Empty: any certificate
  // No certificate at all, and so no proof of who answers: what a router without a certificate offers.
  bool anonymous = false;
};

class TlsEngine {
 public:
  // Exit::usage for a CA file that cannot be read.
  static base::Result<TlsEngine> make(const TlsSettings& settings);

  enum class Step : std::uint8_t {
    done,
    more,    // octets of the other side are needed; send take_output() first
    closed,  // the other side said goodbye
    failed,  // see why() and reason()
  };
  Step handshake();
  // Appends what has come.
  Step read(std::string& plain);
  Step write(std::string_view plain);
  void feed(std::string_view octets);
  std::string take_output();
  void say_goodbye();

  const std::string& why() const { return why_; }
  int reason() const { return reason_; }  // SSL_R_…; 0 when OpenSSL named none

  // The SHA-256 of the router's certificate as 64 lower-case hexadecimal digits; "" when it showed none.
  std::string fingerprint() const;
  // Whether the certificate is made out to that name or address.
  bool names(const std::string& host) const;
  // The name that the certificate is made out to, for messages.
  std::string subject() const;

 private:
  struct Free {
    void operator()(ssl_st* ssl) const;
  };
  explicit TlsEngine(ssl_st* ssl) : ssl_(ssl) {}
  Step outcome(int result);

  std::unique_ptr<ssl_st, Free> ssl_;
  std::string why_;
  int reason_ = 0;
};

}  // namespace mikroscope::routeros
