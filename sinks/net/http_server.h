// A small HTTP server (libmicrohttpd) for what is looked at: metrics, health. GET and HEAD only. A reply is
// made whole before its first byte is sent, so a slow client holds nothing but its own connection.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/host/result.h"

namespace mikroscope::sinks {

struct ListenAddress {
  std::string host;  // numeric; empty: every address of the machine
  std::uint16_t port = 0;
};
// "9124" is the loopback only, ":9124" every address, "192.0.2.1:9124", "[2001:db8::1]:9124",
// "localhost:9124".
base::Result<ListenAddress> parse_listen(std::string_view text);

// What follows "Basic " in an Authorization header.
std::string basic_credentials(std::string_view user, std::string_view password);

struct HttpRequest {
  std::string path;                            // without the query
  std::map<std::string, std::string> headers;  // names in lower case
  std::string_view header(const std::string& lower_case_name) const;
};

struct HttpReply {
  unsigned status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
};

class HttpServer {
 public:
  struct Options {
    ListenAddress listen;
    std::string bearer;    // asked for where not empty: Authorization: Bearer …
    std::string user;      // or Basic, where not empty
    std::string password;  //
    unsigned timeout_s = 10;
    unsigned max_connections = 64;
  };
  // Called from the server's thread, one request at a time.
  using Handler = std::function<HttpReply(const HttpRequest&)>;

  // Listens when it returns. Bodies of 1 kB and more are compressed for clients that take gzip.
  static base::Result<std::unique_ptr<HttpServer>> start(Options options, Handler handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::uint16_t port() const;
  std::string url() const;  // http://127.0.0.1:9124

 private:
  struct Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace mikroscope::sinks
