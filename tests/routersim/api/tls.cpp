#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "tests/routersim/api/stream.h"

namespace mikroscope::routersim {
namespace {

// As a router's own: a name without subjectAltName.
bool self_sign(SSL_CTX* context) {
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_RSA_gen(2048), EVP_PKEY_free);
  const std::unique_ptr<X509, decltype(&X509_free)> certificate(X509_new(), X509_free);
  if (key == nullptr || certificate == nullptr) return false;
  X509_set_version(certificate.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 365L * 24 * 3600);
  X509_set_pubkey(certificate.get(), key.get());
  X509_NAME* name = X509_get_subject_name(certificate.get());
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("MikroTik"), -1,
                             -1, 0);
  X509_set_issuer_name(certificate.get(), name);
  return X509_sign(certificate.get(), key.get(), EVP_sha256()) != 0 &&
         SSL_CTX_use_certificate(context, certificate.get()) == 1 &&
         SSL_CTX_use_PrivateKey(context, key.get()) == 1;
}

}  // namespace

std::shared_ptr<ssl_ctx_st> make_tls(Tls kind) {
  if (kind == Tls::none) return nullptr;
  std::shared_ptr<ssl_ctx_st> context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  if (context == nullptr) return nullptr;
  if (kind == Tls::certificate) return self_sign(context.get()) ? context : nullptr;
  // certificate=none: anonymous Diffie-Hellman is all there is, and no later version than 1.2 has it.
  SSL_CTX_set_max_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_dh_auto(context.get(), 1);
  if (SSL_CTX_set_cipher_list(context.get(), "ADH-AES256-GCM-SHA384:ADH-AES256-SHA256:@SECLEVEL=0") != 1)
    return nullptr;
  return context;
}

std::string fingerprint(const std::shared_ptr<ssl_ctx_st>& tls) {
  const X509* certificate = tls == nullptr ? nullptr : SSL_CTX_get0_certificate(tls.get());
  if (certificate == nullptr) return "";
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  X509_digest(certificate, EVP_sha256(), digest, &size);
  std::string text;
  for (unsigned i = 0; i < size; ++i) text += fmt::format("{}{:02X}", i == 0 ? "" : ":", digest[i]);
  return text;
}

std::string certificate_pem(const std::shared_ptr<ssl_ctx_st>& tls) {
  X509* certificate = tls == nullptr ? nullptr : SSL_CTX_get0_certificate(tls.get());
  if (certificate == nullptr) return "";
  const std::unique_ptr<BIO, decltype(&BIO_free)> memory(BIO_new(BIO_s_mem()), BIO_free);
  PEM_write_bio_X509(memory.get(), certificate);
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(memory.get(), &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

}  // namespace mikroscope::routersim
