// One accepted connection, plain or TLS. Reading and writing may come from different threads.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct ssl_ctx_st;

namespace mikroscope::routersim {

enum class Tls : std::uint8_t { none, certificate, anonymous };

// The key and certificate of a server, made anew at every start. Null when OpenSSL refuses.
std::shared_ptr<ssl_ctx_st> make_tls(Tls kind);
// SHA-256 of the certificate, as upper-case hexadecimal digits with colons; "" without one.
std::string fingerprint(const std::shared_ptr<ssl_ctx_st>& tls);
// The certificate in PEM; "" without one.
std::string certificate_pem(const std::shared_ptr<ssl_ctx_st>& tls);

class Stream {
 public:
  virtual ~Stream() = default;
  // Waits at most `wait_ms`. 1: `out` got octets; 0: nothing came; -1: it is over.
  virtual int read(std::string& out, int wait_ms) = 0;
  // False: the peer is gone, or did not read for 10 s.
  virtual bool write(std::string_view octets) = 0;
  // The peer sees a reset instead of an orderly end.
  virtual void reset() = 0;
};

// Takes over `fd`. With TLS it shakes hands first (5 s at most); null when that fails.
std::unique_ptr<Stream> make_stream(int fd, const std::shared_ptr<ssl_ctx_st>& tls);

}  // namespace mikroscope::routersim
