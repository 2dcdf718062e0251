// The tier's one session with its router: dialled when needed, at most so often, and never in a hurry.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "routeros/api/connect.h"
#include "routeros/api/connection.h"

namespace mikroscope::routeros {

class TierLink {
 public:
  // Between two attempts; after a refused login or certificate longer, since every one is in the router's
  // log, as critical.
  static constexpr std::int64_t kRedialNs = 5'000'000'000;
  static constexpr std::int64_t kRefusedNs = 60'000'000'000;

  explicit TierLink(ApiTarget target);

  enum class Dial : std::uint8_t { connected, failed, waiting };
  // Does nothing while connected. `waiting`: the last attempt is too recent, and nothing was done.
  Dial connect(std::int64_t now_ns);
  bool connected() const { return connection_ != nullptr; }
  // Not connected, and too early to dial.
  bool waits(std::int64_t now_ns) const {
    return connection_ == nullptr && next_dial_ns_ && now_ns < *next_dial_ns_;
  }
  const base::Error& why() const { return why_; }  // of the last failed dial

  // Runs all of them, several at once. An answer for each, in order; a router's no is a DeviceError. What was
  // not answered before the session was lost is LostConnection, and then connected() is false.
  std::vector<Answer<ApiResult>> run(const std::vector<ApiCommand>& commands);
  Answer<ApiResult> run(const ApiCommand& command);

  // From any thread: what runs ends soon, and nothing runs any more.
  void interrupt();
  bool interrupted() const;

  std::uint64_t connects() const { return connects_; }
  std::uint64_t failed_dials() const { return failed_dials_; }
  std::int64_t timeout_ns() const { return target_.timeout_ms * 1'000'000; }

 private:
  base::Fd interrupt_;
  ApiTarget target_;
  std::unique_ptr<ApiConnection> connection_;
  std::optional<std::int64_t> next_dial_ns_;
  base::Error why_;
  std::uint64_t connects_ = 0;
  std::uint64_t failed_dials_ = 0;
};

}  // namespace mikroscope::routeros
