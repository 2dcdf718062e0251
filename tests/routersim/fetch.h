// One HTTP request, by libcurl.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace mikroscope::routersim {

struct FetchRequest {
  std::string url = {};
  std::string method = {};      // "" : get
  std::string data = {};        // the body
  std::string headers = {};     // "Name: value,Name: value"
  std::string connect_to = {};  // "127.0.0.1:40123" in place of the URL's host; "" : the URL's
  std::int64_t idle_ms = 10'000;
  std::int64_t connect_ms = 10'000;
  const std::atomic<bool>* cancelled = nullptr;
};

struct FetchReply {
  std::string trouble;  // "" : there was an answer
  bool cancelled = false;
  long status = 0;
  std::string reason;
  std::string body;
};

FetchReply http_fetch(const FetchRequest& request);
// The host of a URL without port; "" when there is none.
std::string fetch_host(const std::string& url);

}  // namespace mikroscope::routersim
