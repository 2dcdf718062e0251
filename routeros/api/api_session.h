// A Session over the binary API, one command at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "routeros/api/connection.h"
#include "routeros/session/session.h"

namespace mikroscope::routeros {

class ApiSession final : public Session {
 public:
  struct Names {
    Via via = Via::api_ssl;
    std::string host;
    std::string router;  // for messages
  };
  // `connection` is logged in. `timeout_ms` is for each request that names none itself.
  ApiSession(std::unique_ptr<ApiConnection> connection, Names names, std::int64_t timeout_ms)
      : connection_(std::move(connection)), names_(std::move(names)), timeout_ms_(timeout_ms) {}

  Answer<std::vector<Row>> print(const Print& print) override;
  Answer<std::string> add(const std::string& menu, const Attributes& attributes) override;
  Answer<void> set(const std::string& menu, const std::string& id, const Attributes& attributes) override;
  Answer<void> remove(const std::string& menu, const std::string& id) override;
  // Values that come with the end of the command (`ret`: a count, a script's output) are the last row.
  Answer<std::vector<Row>> call(const Call& call) override;

  bool can_upload() const override { return false; }
  Answer<void> upload(const std::string& name, std::string_view bytes, const Progress& progress) override;

  Via via() const override { return names_.via; }
  std::string router() const override { return names_.router; }
  std::string host() const override { return names_.host; }
  std::string local_address() const override { return connection_->local_address(); }
  void interrupt_on(int fd) override { connection_->interrupt_on(fd); }

  ApiConnection& connection() { return *connection_; }

 private:
  Answer<ApiResult> run(const ApiCommand& command, std::int64_t timeout_ms);

  std::unique_ptr<ApiConnection> connection_;
  Names names_;
  std::int64_t timeout_ms_;
};

}  // namespace mikroscope::routeros
