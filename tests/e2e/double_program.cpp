#include "tests/e2e/double_program.h"

#include <algorithm>
#include <cstdlib>

namespace mikroscope::test {
namespace {

// For a build that carries no agents: an image of the amd64 one.
std::string given_image() {
  const char* const path = std::getenv("MIKROSCOPE_TEST_IMAGE");
  return path != nullptr ? path : "";
}

// A CLI that carries no agent cannot install one.
bool agent_is_built_in() {
  const TempDir directory;
  return !given_image().empty() || run({"image", "--arch", "amd64", "--out", directory / "a.tar"}).code == 0;
}

std::string after(const std::string& text, const std::string& words) {
  const std::size_t at = text.find(words);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + words.size();
  return text.substr(begin, text.find_first_of(" \n", begin) - begin);
}

std::vector<std::string> with(std::vector<std::string> arguments, const std::vector<std::string>& way) {
  arguments.insert(arguments.end(), way.begin(), way.end());
  const bool makes = arguments[0] == "install" || arguments[0] == "upgrade";
  if (makes && !given_image().empty()) arguments.insert(arguments.end(), {"--agent-tar", given_image()});
  return arguments;
}

}  // namespace

Double::Double(Where where, std::string password) : password_(std::move(password)) {
  std::vector<std::string> argv{std::string(MIKROSCOPE_BINARY_DIR) + "/tests/mikroscope-routersim",
                                "--arch",
                                "x86_64",
                                "--control",
                                "--die-with-parent",
                                "--password",
                                password_,
                                "--preset",
                                "home,advanced,tmpfs,lookalike",
                                "--request-log",
                                directory / "requests",
                                "--run"};
  argv.emplace_back(where == Where::loopback ? "loopback" : "netns");
  if (where == Where::namespaces) argv.emplace_back("--host-route");
  address_ = where == Where::loopback ? "127.0.0.1" : "192.168.88.1";
  Program::Options options;
  options.pipe_input = true;
  program_ = std::make_unique<Program>(std::move(argv), options);
  ready_ = eventually(20'000,
                      [this] {
                        return program_->out().find("ready\n") != std::string::npos || !program_->running();
                      }) &&
           program_->running();
  const std::string out = program_->out();
  const std::string line = out.substr(std::min(out.find("api-ssl "), out.size()));
  port_ = after(line, ":");
  fingerprint_ = after(line, "sha256 ");
  ssh_port_ = after(out.substr(std::min(out.find("\nssh "), out.size())), ":");
  read_ = out.size();
}

std::string Double::control(const std::string& line) {
  program_->write_input(line + "\n");
  std::string answer;
  EXPECT_TRUE(eventually(10'000, [&] {
    answer = program_->out().substr(read_);
    return answer == ".\n" || answer.ends_with("\n.\n");
  })) << line;
  read_ += answer.size();
  answer.resize(answer.size() - 2);
  return answer;
}

Program::Options Double::options() const {
  Program::Options out;
  out.env = {"MIKROSCOPE_PASSWORD=" + password_, "XDG_STATE_HOME=" + directory.path() + "/state",
             "XDG_CONFIG_HOME=" + directory.path() + "/config"};
  return out;
}

std::vector<std::string> Double::over_api_line(std::vector<std::string> arguments) const {
  return with(std::move(arguments), {"--router", "admin@" + address_, "--via", "api-ssl", "--api-port", port_,
                                     "--fingerprint", fingerprint_});
}

Exited Double::over_ssh(std::vector<std::string> arguments) const {
  return run(
      with(std::move(arguments), {"--router", "admin@" + address_, "--via", "ssh", "--ssh-port", ssh_port_}),
      options(), 60'000);
}

std::string Double::image() const {
  if (!given_image().empty()) return given_image();
  const std::string path = directory / "image.tar";
  return run({"image", "--arch", "amd64", "--out", path}).code == 0 ? path : "";
}

void DeployProgram::SetUp() {
  if (!agent_is_built_in())
    GTEST_SKIP() << "this build carries no amd64 agent (MIKROSCOPE_EMBED_AGENTS), and "
                    "MIKROSCOPE_TEST_IMAGE names none";
}

}  // namespace mikroscope::test
