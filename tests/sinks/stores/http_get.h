// A client of its own (libcurl) for tests of servers.
#pragma once

#include <curl/curl.h>

#include <string>
#include <vector>

namespace mikroscope::sinks::test {

struct Got {
  long status = 0;  // 0: no answer
  std::string body;
  std::string content_type;
  std::string header;  // all of them
};

inline std::size_t append_to(char* data, std::size_t size, std::size_t count, void* to) {
  static_cast<std::string*>(to)->append(data, size * count);
  return size * count;
}

// `method` empty: GET, or POST where there is a body.
inline Got http_get(const std::string& url, const std::vector<std::string>& headers = {},
                    const std::string& method = {}, const std::string& body = {}) {
  Got got;
  CURL* const easy = curl_easy_init();
  curl_slist* list = nullptr;
  for (const std::string& header : headers) list = curl_slist_append(list, header.c_str());
  curl_easy_setopt(easy, CURLOPT_URL, url.c_str());
  curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_TIMEOUT, 10L);
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, list);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, append_to);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &got.body);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, append_to);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, &got.header);
  if (!body.empty()) {
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
    curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, body.c_str());
  }
  if (method == "HEAD") curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
  if (!method.empty() && method != "HEAD") curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method.c_str());
  if (curl_easy_perform(easy) == CURLE_OK) {
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &got.status);
    const char* type = nullptr;
    curl_easy_getinfo(easy, CURLINFO_CONTENT_TYPE, &type);
    if (type != nullptr) got.content_type = type;
  }
  curl_slist_free_all(list);
  curl_easy_cleanup(easy);
  return got;
}

}  // namespace mikroscope::sinks::test
