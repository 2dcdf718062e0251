// The TLS options that all stores share.
#pragma once

#include "sinks/net/http_post.h"
#include "sinks/pipeline/sink_def.h"

namespace mikroscope::sinks {

constexpr SinkOption kTlsCa{"tls-ca", "FILE", "certificates of those who may vouch for stores"};
constexpr SinkOption kTlsCert{"tls-cert", "FILE", "our own certificate, for stores that ask for one"};
constexpr SinkOption kTlsKey{"tls-key", "FILE", "its key"};
constexpr SinkOption kTlsInsecure{"tls-insecure", "", "believe any certificate of a store"};

inline TlsOptions tls_options(const SinkValues& values) {
  return {values.text("tls-ca"), values.text("tls-cert"), values.text("tls-key"), values.on("tls-insecure")};
}

}  // namespace mikroscope::sinks
