// What the tests of a connection share.
#pragma once

#include <gtest/gtest.h>

#include <chrono>

#include "routeros/api/connection.h"
#include "routeros/session/dial.h"
#include "tests/routeros/api/scripted_router.h"

namespace mikroscope::test {

using Words = std::vector<std::string>;

inline routeros::Wire plain_wire(int port) {
  auto fd = routeros::dial("127.0.0.1", port, "api", routeros::within(5000, -1));
  EXPECT_TRUE(fd.ok());
  return routeros::Wire(routeros::Socket(std::move(fd).value()));
}

inline routeros::LostConnection lost(const routeros::Trouble& trouble) {
  EXPECT_TRUE(std::holds_alternative<routeros::LostConnection>(trouble));
  const auto* const found = std::get_if<routeros::LostConnection>(&trouble);
  return found != nullptr ? *found : routeros::LostConnection{};
}

inline bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline routeros::ApiConnection::Tag started(routeros::ApiConnection& connection,
                                            const routeros::ApiCommand& command,
                                            std::int64_t timeout_ms = 5000) {
  const auto tag = connection.start(command, timeout_ms);
  EXPECT_TRUE(tag.ok());
  return tag.ok() ? *tag : 0;
}

inline routeros::Answer<routeros::ApiResult> run(routeros::ApiConnection& connection,
                                                 const routeros::ApiCommand& command,
                                                 std::int64_t timeout_ms = 5000) {
  const auto tag = connection.start(command, timeout_ms);
  if (!tag.ok()) return tag.error();
  return connection.wait(*tag);
}

inline std::int64_t ms_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start)
      .count();
}

}  // namespace mikroscope::test
