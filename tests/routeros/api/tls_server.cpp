#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <csignal>

#include "tests/routeros/api/scripted_router.h"

namespace mikroscope::test {

TlsServer::TlsServer(const std::string& common_name) : context_(SSL_CTX_new(TLS_server_method())) {
  std::signal(SIGPIPE, SIG_IGN);  // of the server's own writes
  EVP_PKEY* const key = EVP_EC_gen("P-256");
  X509* const certificate = X509_new();
  X509_set_version(certificate, X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
  X509_set_pubkey(certificate, key);
  X509_NAME* const name = X509_get_subject_name(certificate);
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(common_name.c_str()), -1, -1, 0);
  X509_set_issuer_name(certificate, name);
  X509_sign(certificate, key, EVP_sha256());
  SSL_CTX_use_certificate(context_, certificate);
  SSL_CTX_use_PrivateKey(context_, key);

  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  X509_digest(certificate, EVP_sha256(), digest, &size);
  for (unsigned i = 0; i < size; ++i) {
    constexpr char kDigits[] = "0123456789abcdef";
    fingerprint_ += kDigits[digest[i] >> 4];
    fingerprint_ += kDigits[digest[i] & 15];
  }
  BIO* const text = BIO_new(BIO_s_mem());
  PEM_write_bio_X509(text, certificate);
  char* data = nullptr;
  const long length = BIO_get_mem_data(text, &data);
  pem_.assign(data, static_cast<std::size_t>(length));
  BIO_free(text);
  X509_free(certificate);
  EVP_PKEY_free(key);
}

TlsServer::TlsServer() : context_(SSL_CTX_new(TLS_server_method())) {
  std::signal(SIGPIPE, SIG_IGN);
  SSL_CTX_set_max_proto_version(context_, TLS1_2_VERSION);
  SSL_CTX_set_cipher_list(context_, "ADH-AES256-GCM-SHA384:@SECLEVEL=0");
  SSL_CTX_set_dh_auto(context_, 1);
}

TlsServer::~TlsServer() {
  SSL_CTX_free(context_);
}

}  // namespace mikroscope::test
