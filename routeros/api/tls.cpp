#include "routeros/api/tls.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

namespace mikroscope::routeros {
namespace {

struct FreeContext {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};
struct FreeCertificate {
  void operator()(X509* certificate) const { X509_free(certificate); }
};
using Certificate = std::unique_ptr<X509, FreeCertificate>;

Certificate certificate_of(const SSL* ssl) {
  return Certificate(SSL_get1_peer_certificate(ssl));
}

bool is_address(const std::string& host) {
  unsigned char address[sizeof(in6_addr)];
  return ::inet_pton(AF_INET, host.c_str(), address) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), address) == 1;
}

std::string last_error() {
  const unsigned long code = ERR_peek_last_error();
  const char* const reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return reason == nullptr ? "no reason given" : reason;
}

}  // namespace

void TlsEngine::Free::operator()(ssl_st* ssl) const {
  SSL_free(ssl);
}

base::Result<TlsEngine> TlsEngine::make(const TlsSettings& settings) {
  ERR_clear_error();
  const std::unique_ptr<SSL_CTX, FreeContext> context(SSL_CTX_new(TLS_client_method()));
  if (!context) return base::Error{"OpenSSL could not be started: " + last_error(), ""};
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION);
  if (settings.anonymous) {
    // TLS 1.3 has no anonymous key exchange, and OpenSSL rates such suites at level 0.
    SSL_CTX_set_max_proto_version(context.get(), TLS1_2_VERSION);
    if (SSL_CTX_set_cipher_list(context.get(), "ADH:@SECLEVEL=0") != 1)
      return base::Error{"this OpenSSL has no anonymous key exchange",
                         "give the router a certificate instead: docs/routeros-sessions.md"};
  }
  if (!settings.ca_file.empty()) {
    if (SSL_CTX_load_verify_file(context.get(), settings.ca_file.c_str()) != 1) {
      return base::Error{fmt::format("cannot read certificates from {}: {}", settings.ca_file, last_error()),
                         "give a file of PEM certificates", base::Exit::usage};
    }
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
    X509_STORE_set_flags(SSL_CTX_get_cert_store(context.get()), X509_V_FLAG_PARTIAL_CHAIN);
  }
  SSL* const ssl = SSL_new(context.get());
  BIO* const in = BIO_new(BIO_s_mem());
  BIO* const out = BIO_new(BIO_s_mem());
  if (ssl == nullptr || in == nullptr || out == nullptr) {
    SSL_free(ssl);
    BIO_free(in);
    BIO_free(out);
    return base::Error{"OpenSSL could not be started: " + last_error(), ""};
  }
  // An empty one means "more is to come", not the end.
  BIO_set_mem_eof_return(in, -1);
  BIO_set_mem_eof_return(out, -1);
  SSL_set_bio(ssl, in, out);
  SSL_set_connect_state(ssl);
  if (!settings.host.empty() && !is_address(settings.host))
    SSL_set_tlsext_host_name(ssl, settings.host.c_str());
  return TlsEngine(ssl);
}

TlsEngine::Step TlsEngine::outcome(int result) {
  switch (SSL_get_error(ssl_.get(), result)) {
    case SSL_ERROR_NONE:
      return Step::done;
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
      return Step::more;
    case SSL_ERROR_ZERO_RETURN:
      return Step::closed;
    default:
      why_ = last_error();
      reason_ = ERR_GET_REASON(ERR_peek_last_error());
      if (const long verdict = SSL_get_verify_result(ssl_.get()); reason_ == SSL_R_CERTIFICATE_VERIFY_FAILED)
        why_ = X509_verify_cert_error_string(verdict);
      return Step::failed;
  }
}

TlsEngine::Step TlsEngine::handshake() {
  ERR_clear_error();
  return outcome(SSL_do_handshake(ssl_.get()));
}

TlsEngine::Step TlsEngine::read(std::string& plain) {
  ERR_clear_error();
  char buffer[16384];
  const int n = SSL_read(ssl_.get(), buffer, sizeof buffer);
  if (n > 0) plain.append(buffer, static_cast<std::size_t>(n));
  return outcome(n);
}

TlsEngine::Step TlsEngine::write(std::string_view plain) {
  ERR_clear_error();
  std::size_t written = 0;
  return outcome(plain.empty() ? 1 : SSL_write_ex(ssl_.get(), plain.data(), plain.size(), &written));
}

void TlsEngine::feed(std::string_view octets) {
  BIO_write(SSL_get_rbio(ssl_.get()), octets.data(), static_cast<int>(octets.size()));
}

std::string TlsEngine::take_output() {
  BIO* const out = SSL_get_wbio(ssl_.get());
  std::string octets(BIO_ctrl_pending(out), '\0');
  if (!octets.empty()) BIO_read(out, octets.data(), static_cast<int>(octets.size()));
  return octets;
}

void TlsEngine::say_goodbye() {
  ERR_clear_error();
  SSL_shutdown(ssl_.get());
}

std::string TlsEngine::fingerprint() const {
  const Certificate certificate = certificate_of(ssl_.get());
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  std::string out;
  if (certificate && X509_digest(certificate.get(), EVP_sha256(), digest, &size) == 1) {
    for (unsigned i = 0; i < size; ++i) out += fmt::format("{:02x}", digest[i]);
  }
  return out;
}

bool TlsEngine::names(const std::string& host) const {
  const Certificate certificate = certificate_of(ssl_.get());
  if (!certificate) return false;
  // A certificate without alternative names, as RouterOS makes them, may hold an address as its common name.
  return X509_check_ip_asc(certificate.get(), host.c_str(), 0) == 1 ||
         X509_check_host(certificate.get(), host.c_str(), host.size(), 0, nullptr) == 1;
}

std::string TlsEngine::subject() const {
  const Certificate certificate = certificate_of(ssl_.get());
  if (!certificate) return "";
  char text[256] = "";
  X509_NAME_get_text_by_NID(X509_get_subject_name(certificate.get()), NID_commonName, text, sizeof text);
  return text;
}

}  // namespace mikroscope::routeros
