#include "tests/support/router_double.h"

#include <unistd.h>

#include <cstdlib>

namespace mikroscope::test {
namespace {

constexpr std::int64_t kStartMs = 10'000;
constexpr std::int64_t kAnswerMs = 10'000;

}  // namespace

RouterDouble::RouterDouble(std::vector<std::string> flags) {
  const std::string path = MIKROSCOPE_BINARY_DIR "/tests/mikroscope-routersim";
  if (::access(path.c_str(), X_OK) != 0) {
    trouble_ = "mikroscope-routersim was not built";
    return;
  }
  std::vector<std::string> argv = {path, "--control",  "--die-with-parent", "--api-ssl-port",
                                   "-1", "--password", "password"};
  argv.insert(argv.end(), flags.begin(), flags.end());
  Program::Options options;
  options.pipe_input = true;
  program_ = std::make_unique<Program>(argv, options);
  const bool ready = eventually(kStartMs, [this] {
    return program_->out().find("ready\n") != std::string::npos || !program_->running();
  });
  const std::string out = program_->out();
  const std::size_t at = out.find("api 127.0.0.1:");
  if (!ready || at == std::string::npos || out.find("ready\n") == std::string::npos) {
    trouble_ = "mikroscope-routersim did not start: " + out + program_->err();
    return;
  }
  api_port_ = std::atoi(out.c_str() + at + 14);
  read_ = out.size();
}

std::string RouterDouble::control(const std::string& line) {
  program_->write_input(line + "\n");
  std::string answer;
  eventually(kAnswerMs, [this, &answer] {
    answer = program_->out().substr(read_);
    return answer == ".\n" || answer.ends_with("\n.\n");
  });
  read_ += answer.size();
  return answer.substr(0, answer.rfind('.'));
}

Exited RouterDouble::run(std::string verb, std::vector<std::string> more, const std::string& user) {
  std::vector<std::string> arguments = {
      std::move(verb), "--router",    user + "@127.0.0.1", "--via",
      "api",           "--api-plain", "--api-port",        std::to_string(api_port_)};
  arguments.insert(arguments.end(), more.begin(), more.end());
  Program::Options options;
  options.env = {"HOME=" + (home_ / ""), "XDG_STATE_HOME=" + (home_ / "state"),
                 "XDG_CONFIG_HOME=" + (home_ / "config"), "MIKROSCOPE_PASSWORD=password"};
  return test::run(std::move(arguments), options);
}

}  // namespace mikroscope::test
