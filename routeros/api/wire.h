// A connection to a router's API, plain or through TLS.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "routeros/api/socket.h"
#include "routeros/api/tls.h"
#include "routeros/session/dial.h"

namespace mikroscope::routeros {

class Wire {
 public:
  explicit Wire(Socket socket, std::optional<TlsEngine> tls = std::nullopt)
      : socket_(std::move(socket)), tls_(std::move(tls)) {}

  // Nothing to do without TLS.
  Net handshake(const Wait& wait);
  // Appends what has come, at least one octet.
  Net receive(std::string& out, const Wait& wait);
  Net send(std::string_view octets, const Wait& wait);
  // Tells the other side that nothing more comes, without waiting for long.
  void close();

  std::string why() const;  // after closed and failed; may be ""
  const TlsEngine* tls() const { return tls_ ? &*tls_ : nullptr; }
  std::string local_address() const { return routeros::local_address(socket_.fd()); }
  // The first octets that ever came, as they came: what kind of server this is. At most 16.
  const std::string& first_octets() const { return first_octets_; }

 private:
  Net flush(const Wait& wait);
  Net fetch(std::string& out, const Wait& wait);

  Socket socket_;
  std::optional<TlsEngine> tls_;
  std::string first_octets_;
  bool tls_failed_ = false;
};

}  // namespace mikroscope::routeros
