#include "tests/routersim/fetch.h"

#include <curl/curl.h>

#include <memory>

namespace mikroscope::routersim {
namespace {

std::size_t take_body(char* bytes, std::size_t size, std::size_t count, void* reply) {
  static_cast<FetchReply*>(reply)->body.append(bytes, size * count);
  return size * count;
}

std::size_t take_header(char* bytes, std::size_t size, std::size_t count, void* reply) {
  const std::string line(bytes, size * count);
  if (line.rfind("HTTP/", 0) == 0) {
    const std::size_t code = line.find(' ');
    const std::size_t text = code == std::string::npos ? code : line.find(' ', code + 1);
    std::string reason = text == std::string::npos ? "" : line.substr(text + 1);
    while (!reason.empty() && (reason.back() == '\r' || reason.back() == '\n')) reason.pop_back();
    static_cast<FetchReply*>(reply)->reason = reason;
  }
  return size * count;
}

int still_wanted(void* request, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  const auto* cancelled = static_cast<const FetchRequest*>(request)->cancelled;
  return cancelled != nullptr && *cancelled ? 1 : 0;
}

}  // namespace

std::string fetch_host(const std::string& url) {
  const std::size_t scheme = url.find("://");
  const std::size_t from = scheme == std::string::npos ? 0 : scheme + 3;
  const std::string rest = url.substr(from, url.find('/', from) - from);
  return rest.substr(0, rest.find(':'));
}

FetchReply http_fetch(const FetchRequest& request) {
  FetchReply reply;
  const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl(curl_easy_init(), curl_easy_cleanup);
  curl_slist* raw = nullptr;
  for (std::size_t at = 0; at < request.headers.size();) {
    const std::size_t comma = std::min(request.headers.find(',', at), request.headers.size());
    raw = curl_slist_append(raw, request.headers.substr(at, comma - at).c_str());
    at = comma + 1;
  }
  const std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> headers(raw, curl_slist_free_all);
  const std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> connect_to(
      request.connect_to.empty() ? nullptr : curl_slist_append(nullptr, ("::" + request.connect_to).c_str()),
      curl_slist_free_all);
  curl_easy_setopt(curl.get(), CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_PROXY, "");
  curl_easy_setopt(curl.get(), CURLOPT_USERAGENT, "Mikrotik/7.x Fetch");
  curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, take_body);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, &reply);
  curl_easy_setopt(curl.get(), CURLOPT_HEADERFUNCTION, take_header);
  curl_easy_setopt(curl.get(), CURLOPT_HEADERDATA, &reply);
  curl_easy_setopt(curl.get(), CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(curl.get(), CURLOPT_CONNECT_TO, connect_to.get());
  curl_easy_setopt(curl.get(), CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(request.connect_ms));
  curl_easy_setopt(curl.get(), CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_LOW_SPEED_TIME, static_cast<long>((request.idle_ms + 999) / 1000));
  curl_easy_setopt(curl.get(), CURLOPT_XFERINFOFUNCTION, still_wanted);
  curl_easy_setopt(curl.get(), CURLOPT_XFERINFODATA, const_cast<FetchRequest*>(&request));
  curl_easy_setopt(curl.get(), CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(curl.get(), CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
  if (!request.data.empty()) {
    curl_easy_setopt(curl.get(), CURLOPT_POSTFIELDSIZE, static_cast<long>(request.data.size()));
    curl_easy_setopt(curl.get(), CURLOPT_COPYPOSTFIELDS, request.data.c_str());
  }
  if (!request.method.empty() && request.method != "get") {
    std::string method = request.method;
    for (char& c : method) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
    curl_easy_setopt(curl.get(), CURLOPT_CUSTOMREQUEST, method.c_str());
  }
  const CURLcode code = curl_easy_perform(curl.get());
  curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &reply.status);
  switch (code) {
    case CURLE_OK:
      break;
    case CURLE_ABORTED_BY_CALLBACK:
      reply.cancelled = true;
      reply.trouble = "interrupted";
      break;
    case CURLE_OPERATION_TIMEDOUT:
      reply.trouble = "connection timeout";
      break;
    case CURLE_COULDNT_RESOLVE_HOST:
      reply.trouble = "resolving error";
      break;
    case CURLE_COULDNT_CONNECT:
      reply.trouble = "connection refused";
      break;
    default:
      reply.trouble = curl_easy_strerror(code);
  }
  return reply;
}

}  // namespace mikroscope::routersim
