// An HTTP server for tests of sinks (libmicrohttpd): it answers as it is told, and keeps what it was asked.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace mikroscope::sinks::test {

struct Asked {
  std::string method;
  std::string url;                             // path and query as sent
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;                            // gzip undone

  std::string header(const std::string& lower_case_name) const {
    const auto found = headers.find(lower_case_name);
    return found == headers.end() ? "" : found->second;
  }
};

struct Answer {
  unsigned status = 200;
  std::string body = {};
  std::map<std::string, std::string> headers = {};
  bool hang = false;   // no answer until the server ends
  bool reset = false;  // the connection ends in the middle of the answer's body
};

class FaultServer {
 public:
  FaultServer();  // 127.0.0.1, a free port
  ~FaultServer();
  FaultServer(const FaultServer&) = delete;
  FaultServer& operator=(const FaultServer&) = delete;

  std::string url() const;  // http://127.0.0.1:40123
  int port() const;
  // The next answers, one for each request; then 200 with an empty body.
  void answer(std::vector<Answer> answers);
  // For requests whose path and query begin so, whenever they come.
  void answer_always(const std::string& begin, Answer answer);
  std::vector<Asked> asked() const;
  // False: fewer requests than that in 10 s.
  bool wait_for(std::size_t requests) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mikroscope::sinks::test
