#include "routeros/deploy/options.h"

#include <fmt/format.h>

#include <cstdlib>

#include "routeros/deploy/options_bounds.h"

namespace mikroscope::routeros {
namespace {

using Done = base::Result<void>;

constexpr std::string_view kTmpfsSlot = "tmpfs";

std::uint32_t network_of(const Options& options) {
  std::uint32_t address = 0;
  std::uint32_t length = 0;
  parse_network(options.subnet, address, length);
  return address;
}

std::vector<OptionDef> make_options() {
  std::vector<OptionDef> all = own_options();
  for (OptionDef& option : agent_options()) all.push_back(std::move(option));
  return all;
}

base::Error clash(std::string what, std::string fix) {
  return {std::move(what), std::move(fix), base::Exit::usage};
}

std::string on_disk(const std::string& disk, std::string_view path) {
  return disk.empty() ? std::string(path) : disk + "/" + std::string(path);
}

}  // namespace

std::span<const OptionDef> all_options() {
  static const std::vector<OptionDef> kOptions = make_options();
  return kOptions;
}

const OptionDef* find_option(std::string_view name) {
  for (const OptionDef& option : all_options()) {
    if (option.name == name) return &option;
  }
  return nullptr;
}

Options default_options() {
  Options out;
  for (const OptionDef& option : all_options()) {
    if (!option.variable.empty()) {
      out.agent.emplace_back(option.variable, option.fallback);
    } else if (const Done done = option.set(out, std::string(option.fallback)); !done.ok()) {
      std::abort();  // a default outside its own bounds: every test would see it
    }
  }
  return out;
}

Done settle(Options& options) {
  if (options.ephemeral) {
    if (!options.disk.empty() && options.disk != kTmpfsSlot) {
      return clash(fmt::format("--ephemeral keeps everything on the memory disk \"{}\", --disk says {}",
                               kTmpfsSlot, options.disk),
                   "give one of the two");
    }
    options.disk = kTmpfsSlot;
  }
  if (!options.agent_tar.empty() && !options.remote_image.empty()) {
    return clash("--agent-tar and --remote-image both name the image", "give one of the two");
  }
  if (options.expose && options.lan_address.empty()) {
    return clash("--expose needs the router's address that clients will use",
                 "give it, e.g. --lan-address 192.168.88.1");
  }
  if (!options.expose && !options.lan_address.empty()) {
    return clash("--lan-address has a meaning only with --expose", "add --expose, or leave it out");
  }
  if (!options.expose && !options.expose_from.empty()) {
    return clash("--expose-from has a meaning only with --expose", "add --expose, or leave it out");
  }
  if (options.expose && options.expose_from.empty() && options.interface_list == "none") {
    return clash("--expose without an interface list would open the agent to every network",
                 "say who may use it, e.g. --expose-from 192.168.88.0/24");
  }
  if (options.expose && options.no_token) {
    return clash("--expose with --no-token would let anyone in", "leave out --no-token");
  }
  std::uint32_t lan = 0;
  if (options.expose && parse_ipv4(options.lan_address, lan) && lan >> 2 == network_of(options) >> 2) {
    return clash(fmt::format("--lan-address {} lies in the agent's own subnet {}", options.lan_address,
                             options.subnet),
                 "give the address that the router has in the LAN");
  }
  return ask_agent(options.agent);
}

std::string Options::tag() const {
  return fmt::format("mikroscope:{} {}", name, kTagEnd);
}
std::string Options::gateway() const {
  return ipv4_text(network_of(*this) + 1);
}
std::string Options::address() const {
  return ipv4_text(network_of(*this) + 2);
}
std::string Options::env_list() const {
  return name + "-env";
}
std::string Options::directory() const {
  return on_disk(disk, "mikroscope");
}
std::string Options::root_dir() const {
  return directory() + "/" + name;
}
std::string Options::tar_file() const {
  return on_disk(disk, name + ".tar");
}
std::string Options::manifest_file() const {
  return root_dir() + ".manifest.txt";
}
std::uint64_t Options::memory_bytes() const {
  std::uint64_t bytes = 0;
  return parse_memory(memory_max, bytes) ? bytes : 0;
}
bool Options::starts_on_boot() const {
  return start_on_boot == "yes" || (start_on_boot != "no" && !ephemeral);
}
std::string_view Options::agent_setting(std::string_view variable) const {
  for (const auto& [name_of, value] : agent) {
    if (name_of == variable) return value;
  }
  return {};
}

}  // namespace mikroscope::routeros
