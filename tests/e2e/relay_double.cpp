#include "tests/e2e/relay_double.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>

#include "routeros/api/connect.h"
#include "routeros/deploy/manifest.h"
#include "routeros/deploy/step_names.h"

namespace mikroscope::test {
namespace {

// An address of this machine's loopback that the /30 of the installation has for its agent.
constexpr char kSubnet[] = "127.0.0.0/30";
constexpr char kAgent[] = "127.0.0.2";

int free_port() {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  ::inet_pton(AF_INET, kAgent, &address.sin_addr);
  socklen_t size = sizeof address;
  int port = 0;
  if (::bind(fd, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
      ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0) {
    port = ntohs(address.sin_port);
  }
  ::close(fd);
  return port;
}

}  // namespace

RelayDouble::RelayDouble(Settings settings) {
  std::filesystem::create_directory(home());
  (void)(start_double(settings) && start_agent(settings) && install());
}

bool RelayDouble::start_double(const Settings& settings) {
  const std::string program = MIKROSCOPE_BINARY_DIR "/tests/mikroscope-routersim";
  if (!std::filesystem::exists(program)) {
    trouble_ = "absent: this build has no mikroscope-routersim";
    return false;
  }
  std::vector<std::string> argv{program,
                                "--api-port",
                                "0",
                                "--api-ssl-port",
                                "-1",
                                "--password",
                                password_,
                                "--die-with-parent",
                                "--request-log",
                                dir_ / "requests"};
  argv.insert(argv.end(), settings.double_flags.begin(), settings.double_flags.end());
  double_ = std::make_unique<Program>(argv);
  if (!eventually(
          10'000,
          [&] { return double_->out().find("ready\n") != std::string::npos || !double_->running(); }) ||
      !double_->running()) {
    trouble_ = "the double does not start: " + double_->err();
    return false;
  }
  for (const std::string& line : lines_of(double_->out())) {
    if (line.starts_with("api ")) api_port_ = std::stoi(line.substr(line.rfind(':') + 1));
  }
  if (api_port_ == 0) trouble_ = "the double names no port: " + double_->out();
  return api_port_ != 0;
}

bool RelayDouble::start_agent(const Settings& settings) {
  agent_port_ = free_port();
  Program::Options options;
  options.env = {"ADDR=" + std::string(kAgent), "PORT=" + std::to_string(agent_port_), "TOKEN=" + token_,
                 "RATE_HZ=" + std::to_string(settings.rate_hz)};
  options.env.insert(options.env.end(), settings.agent_env.begin(), settings.agent_env.end());
  agent_ =
      std::make_unique<Program>(std::vector<std::string>{MIKROSCOPE_BINARY_DIR "/mikroscope-agent"}, options);
  if (eventually(10'000, [&] {
        return agent_->out().find("listening") != std::string::npos ||
               agent_->out().find(std::to_string(agent_port_)) != std::string::npos;
      }))
    return true;
  trouble_ = "the agent does not start: " + agent_->out() + agent_->err();
  return false;
}

bool RelayDouble::install() {
  routeros::Options options = routeros::default_options();
  options.subnet = kSubnet;
  options.port = static_cast<std::uint32_t>(agent_port_);
  options.token = token_;
  const routeros::StepNames names = routeros::step_names(options, routeros::Slot::a);
  const auto admin = session();
  if (!admin) {
    trouble_ = "no session with the double";
    return false;
  }
  const auto file = admin->add("/file", {{"name", options.manifest_file(), false},
                                         {"contents", routeros::write_manifest(options, names, {}), false}});
  const auto env = admin->add(
      "/container/envs", {{"list", names.env_list, false}, {"key", "TOKEN", false}, {"value", token_, true}});
  if (file.ok() && env.ok()) return true;
  trouble_ = "the double takes no installation: " +
             routeros::to_error(file.ok() ? env.error() : file.error(), "the double").what;
  return false;
}

std::unique_ptr<routeros::Session> RelayDouble::session() const {
  routeros::ApiTarget target;
  target.host = "127.0.0.1";
  target.port = api_port_;
  target.password = password_;
  target.security = routeros::ApiSecurity::plain;
  auto session = routeros::connect_api(target);
  if (!session.ok()) return nullptr;
  ++own_logins_;
  return std::move(*session);
}

Program::Options RelayDouble::environment() const {
  Program::Options options;
  options.env = {"HOME=" + home(), "MIKROSCOPE_PASSWORD=" + password_};
  return options;
}

std::vector<std::string> RelayDouble::flags() const {
  return {"--router", address(), "--via", "api", "--api-plain", "--api-port", std::to_string(api_port_)};
}

std::vector<std::string> RelayDouble::requests() const {
  return lines_of(slurp(dir_ / "requests"));
}

std::size_t RelayDouble::logins() const {
  std::size_t n = 0;
  for (const std::string& line : requests())
    n += line.find("\"kind\":\"login\"") != std::string::npos ? 1 : 0;
  return n - own_logins_;
}

}  // namespace mikroscope::test
