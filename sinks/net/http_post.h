// Requests to stores over one kept connection (libcurl). A request is sent once: nothing is repeated behind
// the caller's back. Proxies of the environment are not used.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/host/result.h"
#include "sinks/pipeline/sink.h"

namespace mikroscope::sinks {

// The same for all stores: --tls-ca, --tls-cert, --tls-key, --tls-insecure.
struct TlsOptions {
  std::string ca_file;  // empty: the system's
  std::string cert_file;
  std::string key_file;
  bool insecure = false;
};

struct HttpResponse {
  long status = 0;
  std::string body;  // at most 8 MiB of it
  std::optional<std::int64_t> retry_after_ns;
  std::map<std::string, std::string, std::less<>> headers;  // names in lower case
};

class HttpPoster {
 public:
  // `headers` go into every request ("Authorization: Token …"); they never appear in an error.
  HttpPoster(std::vector<std::string> headers, TlsOptions tls);
  ~HttpPoster();
  HttpPoster(const HttpPoster&) = delete;
  HttpPoster& operator=(const HttpPoster&) = delete;

  // Any status is a response; an Error means that none came. `gzip` compresses bodies of 1 kB and more.
  base::Result<HttpResponse> post(const std::string& url, std::string_view content_type,
                                  std::string_view body, bool gzip,
                                  const std::vector<std::string>& more_headers = {});
  base::Result<HttpResponse> get(const std::string& url);
  // From another thread: a request under way ends soon, as an error; the next one works again.
  void interrupt();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// A header for HttpPoster: "Authorization: Basic …".
std::string basic_authorization(std::string_view user, std::string_view password);

// What most stores mean by a status: 2xx done; 408, 425, 429, 5xx retry (Retry-After kept); 413 split; 401,
// 403, 404 and 3xx (never followed) fatal; other 4xx reject. The reason holds the status and the first 300
// bytes of the body on one line.
Delivery classify(const base::Result<HttpResponse>& response);

// scheme and host required, userinfo taken out of the URL; the path where the URL has none.
struct StoreUrl {
  std::string url;  // without userinfo: safe to show
  std::string user;
  std::string password;
  bool has_path = false;
};
base::Result<StoreUrl> parse_store_url(const std::string& text, std::string_view default_path);

}  // namespace mikroscope::sinks
