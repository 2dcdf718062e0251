// What the double's own tests share.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "routeros/image.h"
#include "tests/routeros/fake_program.h"
#include "tests/routersim/router.h"

namespace mikroscope::routersim {

inline User everything() {
  const auto& policies = all_policies();
  return {"admin", {policies.begin(), policies.end()}, Via::local, "192.168.88.10"};
}

// A router whose time moves by advance() only.
struct Fixture {
  explicit Fixture(Config config = {})
      : clock(std::make_shared<FakeClock>()), router(with_clock(std::move(config))) {}

  Outcome run(const std::string& command, Attributes attributes = {}, std::vector<std::string> query = {}) {
    const std::size_t slash = command.rfind('/');
    Request request;
    request.menu = command.substr(0, slash);
    request.verb = command.substr(slash + 1);
    request.attributes = std::move(attributes);
    request.query = std::move(query);
    return router.execute(user, request);
  }
  // The new id; the trap's text where it was refused.
  std::string add(const std::string& menu, Attributes attributes) {
    const Outcome outcome = run(menu + "/add", std::move(attributes));
    return outcome.ok() ? outcome.ret.value_or("no ret") : outcome.traps.front().message;
  }
  // The first trap's text; "" when it went well.
  std::string refusal(const std::string& command, Attributes attributes = {}) {
    const Outcome outcome = run(command, std::move(attributes));
    return outcome.ok() ? "" : outcome.traps.front().message;
  }
  std::vector<Row> print(const std::string& menu, std::vector<std::string> query = {}) {
    return run(menu + "/print", {}, std::move(query)).rows;
  }
  void advance(std::int64_t ms) {
    clock->advance(ms);
    router.tick();
  }
  void store(const std::string& path, const std::string& bytes) {
    const auto upload = router.upload(path);
    ASSERT_NE(upload, nullptr);
    ASSERT_TRUE(upload->append(bytes));
    upload->commit();
  }
  bool logged(const std::string& text) const {
    for (const LogLine& line : router.log_lines()) {
      if (line.message.find(text) != std::string::npos) return true;
    }
    return false;
  }

  User user = everything();
  std::shared_ptr<FakeClock> clock;
  Router router;

 private:
  Config with_clock(Config config) {
    config.clock = clock;
    return config;
  }
};

// An image that passes every inspection; its program cannot run.
inline std::string fake_image(routeros::Arch arch) {
  const std::string program = routeros::fake_program(arch);
  auto image = routeros::build_image(arch, routeros::bytes_of(program));
  return image ? *image : std::string();
}

}  // namespace mikroscope::routersim
