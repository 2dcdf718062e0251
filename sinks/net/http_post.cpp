#include "sinks/net/http_post.h"

#include <curl/curl.h>
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <ctime>

#include "sinks/net/http_server.h"

namespace mikroscope::sinks {
namespace {

constexpr std::size_t kMaxBody = std::size_t{8} << 20;
constexpr std::size_t kWorthGzip = 1000;
constexpr long kTimeoutMs = 10'000;
constexpr long kConnectMs = 5'000;
constexpr std::size_t kShown = 300;
constexpr int kGzipLevel = 1;

struct CurlStart {
  CurlStart() { curl_global_init(CURL_GLOBAL_DEFAULT); }
};

std::size_t on_body(char* data, std::size_t size, std::size_t count, void* to) {
  std::string& body = *static_cast<std::string*>(to);
  const std::size_t bytes = size * count;
  body.append(data, std::min(bytes, kMaxBody - std::min(kMaxBody, body.size())));
  return bytes;
}

struct Unsent {
  std::string_view rest;
};
std::size_t on_send(char* to, std::size_t size, std::size_t count, void* from) {
  std::string_view& rest = static_cast<Unsent*>(from)->rest;
  const std::size_t bytes = std::min(size * count, rest.size());
  rest.copy(to, bytes);
  rest.remove_prefix(bytes);
  return bytes;
}

// Seconds, or a date.
std::optional<std::int64_t> retry_after(std::string_view text) {
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error == std::errc() && end == text.data() + text.size() && seconds >= 0)
    return seconds * 1'000'000'000;
  const time_t date = curl_getdate(std::string(text).c_str(), nullptr);
  if (date < 0) return std::nullopt;
  return std::max<std::int64_t>(0, date - std::time(nullptr)) * 1'000'000'000;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::size_t on_header(char* data, std::size_t size, std::size_t count, void* to) {
  const std::string_view line(data, size * count);
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return size * count;
  std::string name(line.substr(0, colon));
  for (char& c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  const std::string_view value = trimmed(line.substr(colon + 1));
  HttpResponse& response = *static_cast<HttpResponse*>(to);
  if (name == "retry-after") response.retry_after_ns = retry_after(value);
  response.headers[std::move(name)] = std::string(value);
  return size * count;
}

// A failed compression is an empty string: the body then goes as it is.
std::string gzipped(std::string_view body) {
  z_stream stream{};
  if (deflateInit2(&stream, kGzipLevel, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) return {};
  std::string out(deflateBound(&stream, static_cast<uLong>(body.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(body.data()));
  stream.avail_in = static_cast<uInt>(body.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int done = deflate(&stream, Z_FINISH);
  out.resize(done == Z_STREAM_END ? stream.total_out : 0);
  deflateEnd(&stream);
  return out;
}

std::string one_line(std::string_view text) {
  std::string out(text.substr(0, kShown));
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

}  // namespace

struct HttpPoster::Impl {
  CURL* curl = nullptr;
  std::vector<std::string> headers;
  TlsOptions tls;
  std::atomic<bool> interrupted{false};

  static int on_progress(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
    return static_cast<Impl*>(self)->interrupted.load() ? 1 : 0;
  }

  // Everything anew: what one request set does not stay for the next. The connection does.
  void prepare(const std::string& url) {
    interrupted.store(false);
    curl_easy_reset(curl);
    curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
    curl_easy_setopt(curl, CURLOPT_PROXY, "");
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, kTimeoutMs);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, kConnectMs);
    curl_easy_setopt(curl, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "mikroscope/" MIKROSCOPE_VERSION);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, on_progress);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, this);
    if (!tls.ca_file.empty()) curl_easy_setopt(curl, CURLOPT_CAINFO, tls.ca_file.c_str());
    if (!tls.cert_file.empty()) curl_easy_setopt(curl, CURLOPT_SSLCERT, tls.cert_file.c_str());
    if (!tls.key_file.empty()) curl_easy_setopt(curl, CURLOPT_SSLKEY, tls.key_file.c_str());
    if (tls.insecure) {
      curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 0L);
      curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 0L);
    }
  }

  base::Result<HttpResponse> perform(const std::string& url, curl_slist* list) {
    HttpResponse response;
    char reason[CURL_ERROR_SIZE] = "";
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, list);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &response.body);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, &response);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, reason);
    const CURLcode done = curl_easy_perform(curl);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, nullptr);
    curl_slist_free_all(list);
    if (done != CURLE_OK) {
      return base::Error{
          fmt::format("{}: {}", url, reason[0] != '\0' ? one_line(reason) : curl_easy_strerror(done)), "",
          done == CURLE_ABORTED_BY_CALLBACK ? base::Exit::interrupted : base::Exit::failed};
    }
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &response.status);
    return response;
  }
};

HttpPoster::HttpPoster(std::vector<std::string> headers, TlsOptions tls) : impl_(std::make_unique<Impl>()) {
  static const CurlStart start;
  impl_->curl = curl_easy_init();
  impl_->headers = std::move(headers);
  impl_->tls = std::move(tls);
}

HttpPoster::~HttpPoster() {
  curl_easy_cleanup(impl_->curl);
}

base::Result<HttpResponse> HttpPoster::post(const std::string& url, std::string_view content_type,
                                            std::string_view body, bool gzip,
                                            const std::vector<std::string>& more_headers) {
  Impl& i = *impl_;
  const std::string packed = gzip && body.size() >= kWorthGzip ? gzipped(body) : std::string();
  const std::string_view sent = packed.empty() ? body : std::string_view(packed);
  curl_slist* list = curl_slist_append(nullptr, fmt::format("Content-Type: {}", content_type).c_str());
  if (!packed.empty()) list = curl_slist_append(list, "Content-Encoding: gzip");
  list = curl_slist_append(list, "Expect:");  // no wait for 100 Continue
  for (const std::string& header : i.headers) list = curl_slist_append(list, header.c_str());
  for (const std::string& header : more_headers) list = curl_slist_append(list, header.c_str());
  i.prepare(url);
  curl_easy_setopt(i.curl, CURLOPT_POST, 1L);
  // Read by a function that cannot go back: curl then never sends a body twice, which it does by itself when
  // a kept connection turns out dead, and the store may have had it already.
  Unsent unsent{sent};
  curl_easy_setopt(i.curl, CURLOPT_READFUNCTION, on_send);
  curl_easy_setopt(i.curl, CURLOPT_READDATA, &unsent);
  curl_easy_setopt(i.curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(sent.size()));
  return i.perform(url, list);
}

base::Result<HttpResponse> HttpPoster::get(const std::string& url) {
  Impl& i = *impl_;
  curl_slist* list = nullptr;
  for (const std::string& header : i.headers) list = curl_slist_append(list, header.c_str());
  i.prepare(url);
  return i.perform(url, list);
}

void HttpPoster::interrupt() {
  impl_->interrupted.store(true);
}

std::string basic_authorization(std::string_view user, std::string_view password) {
  return "Authorization: Basic " + basic_credentials(user, password);
}

Delivery classify(const base::Result<HttpResponse>& response) {
  if (!response.ok()) return Delivery::retry(response.error().what);
  const long status = response->status;
  if (status >= 200 && status < 300) return Delivery::done();
  const std::string said = one_line(response->body);
  std::string why = fmt::format("HTTP {}{}{}", status, said.empty() ? "" : ": ", said);
  if (status >= 300 && status < 400) {
    // Not followed: it may lead to somebody who should not see the token.
    const auto to = response->headers.find("location");
    return Delivery::fatal(fmt::format("HTTP {}: it sends us on to {}; give that address if it is right",
                                       status,
                                       to == response->headers.end() ? "nowhere" : one_line(to->second)));
  }
  if (status == 413) return Delivery::split(std::move(why));
  if (status == 401 || status == 403 || status == 404) return Delivery::fatal(std::move(why));
  if (status == 408 || status == 425 || status == 429 || status >= 500) {
    Delivery delivery = Delivery::retry(std::move(why));
    delivery.retry_after_ns = response->retry_after_ns;
    return delivery;
  }
  return Delivery::reject(std::move(why));
}

base::Result<StoreUrl> parse_store_url(const std::string& text, std::string_view default_path) {
  const auto wrong = [&](const std::string& what) {
    // Not the text itself: it may hold a password.
    return base::Error{what, "write it like http://127.0.0.1:8086", base::Exit::usage};
  };
  CURLU* const parsed = curl_url();
  const auto part = [&](CURLUPart which) {
    char* value = nullptr;
    std::string out;
    if (curl_url_get(parsed, which, &value,
                     which == CURLUPART_USER || which == CURLUPART_PASSWORD ? CURLU_URLDECODE : 0) ==
        CURLUE_OK)
      out = value;
    curl_free(value);
    return out;
  };
  StoreUrl out;
  std::string problem;
  if (curl_url_set(parsed, CURLUPART_URL, text.c_str(), CURLU_NON_SUPPORT_SCHEME) != CURLUE_OK ||
      text.find("://") == std::string::npos) {
    problem = "it is no URL with http:// or https:// and a host";
  } else if (const std::string scheme = part(CURLUPART_SCHEME); scheme != "http" && scheme != "https") {
    problem = fmt::format("{}:// is neither http:// nor https://", scheme);
  } else if (part(CURLUPART_HOST).empty()) {
    problem = "the URL names no host";
  } else {
    out.user = part(CURLUPART_USER);
    out.password = part(CURLUPART_PASSWORD);
    curl_url_set(parsed, CURLUPART_USER, nullptr, 0);
    curl_url_set(parsed, CURLUPART_PASSWORD, nullptr, 0);
    const std::string path = part(CURLUPART_PATH);
    out.has_path = !path.empty() && path != "/";
    if (!out.has_path && !default_path.empty())
      curl_url_set(parsed, CURLUPART_PATH, std::string(default_path).c_str(), 0);
    out.url = part(CURLUPART_URL);
    if (!out.has_path && default_path.empty() && out.url.ends_with('/')) out.url.pop_back();
  }
  curl_url_cleanup(parsed);
  if (!problem.empty()) return wrong(problem);
  return out;
}

}  // namespace mikroscope::sinks
