// mikroscope-routersim: the double as a program of its own.
#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>

#include "tests/routersim/api/api_server.h"
#include "tests/routersim/control.h"
#include "tests/routersim/presets.h"
#include "tests/routersim/router.h"
#include "tests/routersim/ssh/ssh_server.h"

namespace mikroscope::routersim {
namespace {

constexpr std::string_view kAbout =
    "A double of a MikroTik router for tests: it speaks the RouterOS API, keeps the menus that an "
    "installation of\n"
    "mikroscope touches, refuses what a router refuses, and can run the installed agent. It is not RouterOS, "
    "and\n"
    "holds no part of it.\n\n"
    "Prints one line for each listening port, then \"ready\". Ends on SIGTERM, SIGINT, or the end of "
    "--control.";

struct Ports {
  int api = 0;
  int api_ssl = 0;
  int api_adh = -1;
  int ssh = 0;
  std::string host;
};

struct Extras {
  bool control = false;
  bool fake_clock = false;
  bool die_with_parent = false;
  std::string certificate;
  std::string host_key = "ed25519";
  bool strong_crypto = false;
};

std::string lists() {
  std::string text = "\nPresets (--preset):\n";
  for (const Preset& preset : all_presets()) text += fmt::format("  {:<22} {}\n", preset.name, preset.help);
  text += "\nFaults (--fault):\n";
  for (const FaultDef& fault : all_faults()) {
    const std::string name = fmt::format("{}{}{}", fault.name, fault.arg.empty() ? "" : "=", fault.arg);
    text += fmt::format("  {:<22} {}\n", name, fault.help);
  }
  text += "\nLines of --control (each answer ends with a line \".\"):\n";
  for (const ControlDef& def : all_controls())
    text += fmt::format("  {:<22} {}\n", fmt::format("{} {}", def.name, def.arg), def.help);
  return text;
}

void declare(CLI::App& app, Config& config, Ports& ports, Extras& extras) {
  app.add_option("--ros", config.ros, "RouterOS version, 7.9 to 7.24.x, also 7.24beta1")
      ->capture_default_str();
  app.add_option("--arch", config.arch, "architecture-name: arm64, arm, x86_64, mipsbe")
      ->capture_default_str();
  app.add_option("--board", config.board, "board-name; by default one that fits the architecture");
  app.add_option("--identity", config.identity, "identity")->capture_default_str();
  app.add_option("--preset", config.presets, "what is configured (several, in order)")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--password", config.admin_password,
                 "of the user admin; empty by default, as on a fresh router");
  app.add_option("--container-package", config.container_package, "enabled, disabled or absent")
      ->capture_default_str();
  app.add_option("--device-mode", config.device_mode, "keys that are on, by commas")->capture_default_str();
  app.add_flag("--flagged", config.flagged, "device-mode flagged=yes");
  app.add_option("--free-memory", config.free_memory, "octets")->capture_default_str();
  app.add_option("--free-disk", config.free_disk, "octets")->capture_default_str();
  app.add_flag("--flash", config.flash_directory, "a small board: only flash/ survives a reboot");
  app.add_flag("--no-empty", config.no_empty, "never sends !empty (for clients that do not know it)");
  app.add_flag("--yes-no", config.words_yes_no, "booleans as yes and no");
  app.add_option("--extract-ms", config.timing.extract, "from add to stopped, of a tar")
      ->capture_default_str();
  app.add_option("--start-ms", config.timing.start, "from start to running")->capture_default_str();
  app.add_option("--stop-ms", config.timing.stop, "from stop to stopped, with --run none")
      ->capture_default_str();
  app.add_option("--remove-ms", config.timing.remove, "from remove to gone")->capture_default_str();
  app.add_option("--listing-lag-ms", config.timing.listing_lag, "until a new file is listed")
      ->capture_default_str();
  app.add_option("--registry", config.registry, "REFERENCE TAR: what remote-image=REFERENCE pulls")
      ->type_size(2);
  app.add_option("--run", config.run,
                 "what a container does: none (pretends), loopback (the agent runs on this machine), netns "
                 "(in namespaces behind nftables; root)")
      ->transform(CLI::CheckedTransformer(std::map<std::string, RunMode>{
          {"none", RunMode::none}, {"loopback", RunMode::loopback}, {"netns", RunMode::netns}}));
  app.add_flag("--host-route", config.host_route,
               "netns: the LAN is this machine, with a route to the containers");
  app.add_option("--fault", config.faults, "NAME or NAME=ARG (several)");
  app.add_option("--request-log", config.request_log,
                 "a file for one JSON line per login and command, secrets masked");
  app.add_option("--host", ports.host, "address to listen on (default 127.0.0.1; 0.0.0.0 with netns)");
  app.add_option("--api-port", ports.api, "plain API; 0 takes a free port, -1 none")->capture_default_str();
  app.add_option("--api-ssl-port", ports.api_ssl, "API over TLS with a self-signed certificate; -1 none")
      ->capture_default_str();
  app.add_option("--api-adh-port", ports.api_adh, "API over anonymous TLS (certificate=none); -1 none")
      ->capture_default_str();
  app.add_option("--ssh-port", ports.ssh, "SSH: console and SFTP; -1 none")->capture_default_str();
  app.add_option("--host-key", extras.host_key, "ed25519 or rsa: a router has one")->capture_default_str();
  app.add_flag("--strong-crypto", extras.strong_crypto, "only diffie-hellman-group-exchange-sha256 is left");
  app.add_option("--certificate", extras.certificate, "writes the TLS certificate (PEM) to this file");
  app.add_flag("--control", extras.control, "takes commands from stdin, and ends with it");
  app.add_flag("--fake-clock", extras.fake_clock, "time moves by the control \"advance\" only");
  app.add_flag("--die-with-parent", extras.die_with_parent, "ends when the process that started it does");
}

int complain(const std::string& what) {
  fmt::print(stderr, "mikroscope-routersim: {}\n", what);
  return 1;
}

// False: it is over.
bool take_lines(Router& router, std::string& buffer) {
  char octets[4096];
  const ssize_t got = ::read(STDIN_FILENO, octets, sizeof octets);
  if (got <= 0) return false;
  buffer.append(octets, static_cast<std::size_t>(got));
  for (std::size_t end = buffer.find('\n'); end != std::string::npos; end = buffer.find('\n')) {
    const std::string line = buffer.substr(0, end);
    buffer.erase(0, end + 1);
    if (line == "quit") return false;
    fmt::print("{}.\n", control(router, line));
    std::fflush(stdout);
  }
  return true;
}

int serve(const Config& config, const Ports& ports, const Extras& extras, int signals) {
  Router router(config);
  if (!router.trouble().empty()) return complain(router.trouble());
  struct Wanted {
    const char* name;
    int port;
    Tls tls;
  };
  std::vector<std::unique_ptr<ApiServer>> servers;
  const std::string host = !ports.host.empty()            ? ports.host
                           : config.run == RunMode::netns ? "0.0.0.0"
                                                          : "127.0.0.1";
  for (const Wanted& wanted :
       {Wanted{"api", ports.api, Tls::none}, Wanted{"api-ssl", ports.api_ssl, Tls::certificate},
        Wanted{"api-adh", ports.api_adh, Tls::anonymous}}) {
    if (wanted.port < 0) continue;
    auto server = std::make_unique<ApiServer>(
        router, ApiServer::Options{host, static_cast<std::uint16_t>(wanted.port), wanted.tls});
    if (!server->trouble().empty()) return complain(server->trouble());
    const std::string print = server->tls_fingerprint();
    fmt::print("{} {}:{}{}{}\n", wanted.name, server->host(), server->port(), print.empty() ? "" : " sha256 ",
               print);
    if (!extras.certificate.empty() && wanted.tls == Tls::certificate) {
      std::FILE* out = std::fopen(extras.certificate.c_str(), "we");
      if (out == nullptr) return complain("cannot write " + extras.certificate);
      std::fputs(server->tls_certificate().c_str(), out);
      std::fclose(out);
    }
    servers.push_back(std::move(server));
  }
  std::unique_ptr<SshServer> ssh;
  if (ports.ssh >= 0) {
    ssh = std::make_unique<SshServer>(router, SshServer::Options{host, static_cast<std::uint16_t>(ports.ssh),
                                                                 extras.host_key, extras.strong_crypto});
    if (!ssh->trouble().empty()) return complain(ssh->trouble());
    fmt::print("ssh {}:{} {}\n", ssh->host(), ssh->port(), ssh->fingerprint());
  }
  if (router.router_pid() != 0)
    fmt::print("netns router {} lan {} wan {}\n", router.router_pid(), router.lan_pid(), router.wan_pid());
  fmt::print("ready\n");
  std::fflush(stdout);

  std::string buffer;
  while (true) {
    pollfd waiting[2] = {{signals, POLLIN, 0}, {extras.control ? STDIN_FILENO : -1, POLLIN, 0}};
    if (::poll(waiting, 2, -1) < 0) continue;
    if (waiting[0].revents != 0) return 0;
    if (waiting[1].revents != 0 && !take_lines(router, buffer)) return 0;
  }
}

int run(int argc, char** argv) {
  Config config;
  Ports ports;
  Extras extras;
  CLI::App app{std::string(kAbout), "mikroscope-routersim"};
  app.footer(lists());
  declare(app, config, ports, extras);
  CLI11_PARSE(app, argc, argv);
  Faults known;
  for (const std::string& spec : config.faults) {
    if (const auto wrong = apply_fault(known, spec)) return complain(*wrong);
  }
  if (extras.fake_clock) config.clock = std::make_shared<FakeClock>();
  if (extras.die_with_parent) ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  // Before any thread is: all of them leave these to the loop above.
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, number);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  const int signals = ::signalfd(-1, &set, SFD_CLOEXEC);
  return serve(config, ports, extras, signals);
}

}  // namespace
}  // namespace mikroscope::routersim

int main(int argc, char** argv) {
  return mikroscope::routersim::run(argc, argv);
}
