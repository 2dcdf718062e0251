#include "routeros/api/wire.h"

namespace mikroscope::routeros {
namespace {

constexpr std::size_t kKept = 16;
constexpr std::int64_t kGoodbyeMs = 100;

}  // namespace

// What TLS has to say to the other side.
Net Wire::flush(const Wait& wait) {
  return socket_.send(tls_->take_output(), wait);
}

// What the socket has.
Net Wire::fetch(std::string& out, const Wait& wait) {
  const std::size_t before = out.size();
  const Net net = socket_.receive(out, wait);
  if (first_octets_.size() < kKept) first_octets_ += out.substr(before, kKept - first_octets_.size());
  return net;
}

Net Wire::handshake(const Wait& wait) {
  if (!tls_) return Net::ok;
  for (;;) {
    const TlsEngine::Step step = tls_->handshake();
    // Also after a failure: the alert tells the router's log why.
    if (const Net net = flush(wait); net != Net::ok && step != TlsEngine::Step::failed) return net;
    if (step == TlsEngine::Step::done) return Net::ok;
    if (step != TlsEngine::Step::more) {
      tls_failed_ = true;
      return Net::failed;
    }
    std::string octets;
    if (const Net net = fetch(octets, wait); net != Net::ok) return net;
    tls_->feed(octets);
  }
}

Net Wire::receive(std::string& out, const Wait& wait) {
  if (!tls_) return fetch(out, wait);
  for (;;) {
    const std::size_t before = out.size();
    const TlsEngine::Step step = tls_->read(out);
    if (const Net net = flush(wait); net != Net::ok) return net;
    if (out.size() != before) return Net::ok;
    if (step == TlsEngine::Step::closed) return Net::closed;
    if (step == TlsEngine::Step::failed) {
      tls_failed_ = true;
      return Net::failed;
    }
    std::string octets;
    if (const Net net = fetch(octets, wait); net != Net::ok) return net;
    tls_->feed(octets);
  }
}

Net Wire::send(std::string_view octets, const Wait& wait) {
  if (!tls_) return socket_.send(octets, wait);
  if (tls_->write(octets) != TlsEngine::Step::done) {
    tls_failed_ = true;
    return Net::failed;
  }
  return flush(wait);
}

void Wire::close() {
  if (tls_ && !tls_failed_) {
    tls_->say_goodbye();
    (void)flush(within(kGoodbyeMs, -1));
  }
  socket_ = Socket();
}

std::string Wire::why() const {
  return tls_failed_ ? tls_->why() : socket_.why();
}

}  // namespace mikroscope::routeros
