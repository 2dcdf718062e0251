// The options of an installation other than the agent's settings.

#include "agent/config.h"
#include "base/text.h"
#include "routeros/deploy/options_bounds.h"
#include "routeros/image.h"

namespace mikroscope::routeros {
namespace {

using Done = base::Result<void>;

struct Named {
  std::string_view name, group, value, fallback, bounds, help;
};

OptionDef def(const Named& n) {
  OptionDef d;
  d.name = n.name;
  d.group = n.group;
  d.value = n.value;
  d.fallback = n.fallback;
  d.bounds = n.bounds;
  d.help = n.help;
  return d;
}

OptionDef text(const Named& n, std::string Options::*member, bool (*good)(const std::string&)) {
  OptionDef d = def(n);
  d.set = [member, good, bounds = n.bounds](Options& o, const std::string& given) -> Done {
    if (!good(given)) return refuse(given, bounds);
    o.*member = given;
    return {};
  };
  d.get = [member](const Options& o) { return o.*member; };
  return d;
}

OptionDef choice(const Named& n, std::string Options::*member, std::string_view choices) {
  OptionDef d = def(n);
  d.choices = choices;
  d.set = [member, n, choices](Options& o, const std::string& given) -> Done {
    std::string_view rest = choices;
    for (std::string_view item; agent::next_item(rest, item);) {
      if (item != given) continue;
      o.*member = given;
      return {};
    }
    return refuse(given, n.bounds);
  };
  d.get = [member](const Options& o) { return o.*member; };
  return d;
}

OptionDef number(const Named& n, std::uint32_t Options::*member, std::uint32_t low, std::uint32_t high) {
  OptionDef d = def(n);
  d.set = [member, low, high, bounds = n.bounds](Options& o, const std::string& given) -> Done {
    std::uint64_t parsed = 0;
    if (!parse_digits(given, parsed) || parsed < low || parsed > high) return refuse(given, bounds);
    o.*member = static_cast<std::uint32_t>(parsed);
    return {};
  };
  d.get = [member](const Options& o) { return std::to_string(o.*member); };
  return d;
}

OptionDef toggle(const Named& n, bool Options::*member) {
  OptionDef d = def(n);
  d.fallback = "no";
  d.bounds = "yes or no";
  d.set = [member](Options& o, const std::string& given) -> Done {
    const bool yes = given.empty() || given == "yes" || given == "true" || given == "1" || given == "on";
    if (!yes && given != "no" && given != "false" && given != "0" && given != "off") {
      return refuse(given, "yes or no");
    }
    o.*member = yes;
    return {};
  };
  d.get = [member](const Options& o) { return std::string(o.*member ? "yes" : "no"); };
  return d;
}

OptionDef not_kept(OptionDef d) {
  d.in_manifest = false;
  return d;
}

bool is_list(const std::string& text) {
  return text == "none" ||
         (is_word(text, 64, "_.-") && text != "all" && text != "dynamic" && text != "static");
}

bool is_source(const std::string& text) {
  std::uint32_t address = 0;
  std::uint32_t length = 0;
  // What reads as numbers is meant as an address, and a mistyped one must not become a list's name.
  const bool numeric = text.find_first_not_of("0123456789./") == std::string::npos;
  return text.empty() || parse_ipv4(text, address) || parse_network(text, address, length) ||
         (!numeric && is_word(text, 64, "_.-") && text != "none" && text != "dynamic" && text != "static");
}

OptionDef arch_option() {
  OptionDef d = def({"arch", "Image", "ARCH", "auto", "auto, arm64, armv5, armv7 or amd64; arm is armv5",
                     "architecture of the agent; auto: what the router reports"});
  d.choices = "auto,arm64,arm,armv5,armv7,amd64";
  d.set = [bounds = d.bounds](Options& o, const std::string& given) -> Done {
    if (given != "auto") {
      const base::Result<Arch> arch = parse_arch(given);
      if (!arch.ok()) return refuse(given, bounds);
      o.arch = arch_name(*arch);
    } else {
      o.arch = given;
    }
    return {};
  };
  d.get = [](const Options& o) { return o.arch; };
  return d;
}

OptionDef extract_timeout_option() {
  OptionDef d = def({"extract-timeout", "Container", "T", "120s", "10s to 600s, e.g. 120s or 5m",
                     "how long the router may take to unpack or pull the image"});
  d.in_manifest = false;
  d.set = [bounds = d.bounds](Options& o, const std::string& given) -> Done {
    std::uint32_t seconds = 0;
    if (!parse_span(given, seconds) || seconds < 10 || seconds > 600) return refuse(given, bounds);
    o.extract_timeout_s = seconds;
    return {};
  };
  d.get = [](const Options& o) { return std::to_string(o.extract_timeout_s) + "s"; };
  return d;
}

// The registry path is taken as it was written: the router resolves it.
OptionDef remote_image_option() {
  OptionDef d = def({"remote-image", "Image", "REF", "", "[HOST/]PATH[:TAG][@sha256:DIGEST] in lower case",
                     "let the router pull the agent from a registry instead of uploading it"});
  d.set = [](Options& o, const std::string& given) -> Done {
    if (!given.empty()) {
      base::Result<ImageReference> reference = parse_reference(given);
      if (!reference.ok()) return std::move(reference).error();
    }
    o.remote_image = given;
    return {};
  };
  d.get = [](const Options& o) { return o.remote_image; };
  return d;
}

}  // namespace

std::vector<OptionDef> own_options() {
  std::vector<OptionDef> all;
  all.push_back(text(
      {"name", "Installation", "NAME", "mikroscope", "1 to 32 letters, digits, dots, dashes or underscores",
       "which installation: several can stand side by side"},
      &Options::name, [](const std::string& t) { return is_word(t, 32, "_.-"); }));
  all.push_back(text({"veth", "Network", "NAME", "veth-mikro",
                      "1 to 64 letters, digits, dots, dashes or underscores; more than 12 are cut off inside "
                      "the container",
                      "the agent's virtual interface"},
                     &Options::veth, [](const std::string& t) { return is_word(t, 64, "_.-"); }));
  all.push_back(text({"subnet", "Network", "NET", "172.30.10.0/30",
                      "an IPv4 /30 at its network address, e.g. 172.30.10.0/30",
                      "the link between router (first address) and agent (second)"},
                     &Options::subnet, [](const std::string& t) {
                       std::uint32_t address = 0;
                       std::uint32_t length = 0;
                       return parse_network(t, address, length) && length == 30 && address != 0;
                     }));
  all.push_back(text({"iface-list", "Network", "LIST", "LAN",
                      "the name of an interface list other than all, dynamic and static; or none",
                      "interface list that the veth joins, so that the firewall takes it for a part of it"},
                     &Options::interface_list, is_list));
  all.push_back(text({"addr-list", "Network", "LIST", "LANs", "the name of an address list, or none",
                      "firewall address list that the subnet joins"},
                     &Options::address_list, is_list));
  all.push_back(number({"port", "Network", "PORT", "9123", "1 to 65535", "TCP port of the agent"},
                       &Options::port, 1, 65535));
  all.push_back(toggle({"expose", "Network", "", "", "",
                        "make the agent reachable at an address of the router (--lan-address)"},
                       &Options::expose));
  all.push_back(text({"lan-address", "Network", "ADDRESS", "", "an IPv4 address of the router",
                      "where --expose makes the agent reachable"},
                     &Options::lan_address, [](const std::string& t) {
                       std::uint32_t address = 0;
                       return t.empty() || (parse_ipv4(t, address) && address != 0);
                     }));
  all.push_back(text({"expose-from", "Network", "WHO", "",
                      "an IPv4 address, a network such as 192.168.88.0/24, or an interface list",
                      "who may use the exposed address; empty: the interface list of --iface-list"},
                     &Options::expose_from, is_source));
  all.push_back(
      text({"disk", "Storage", "SLOT", "", "1 to 32 letters, digits, dashes or underscores: a slot of /disk",
            "disk for the container; empty: the router's own flash"},
           &Options::disk, [](const std::string& t) { return t.empty() || is_word(t, 32, "_-"); }));
  all.push_back(toggle({"ephemeral", "Storage", "", "", "",
                        "keep everything on the memory disk \"tmpfs\": nothing is written to flash, a reboot "
                        "ends it"},
                       &Options::ephemeral));
  all.push_back(arch_option());
  all.push_back(not_kept(text({"agent-tar", "Image", "FILE", "", "a file that `mikroscope image` wrote",
                               "install this image instead of the built-in one"},
                              &Options::agent_tar, [](const std::string&) { return true; })));
  all.push_back(remote_image_option());
  all.push_back(text({"memory-max", "Container", "SIZE", "64M", "8M to 1G, in bytes or with K, M or G",
                      "memory that the container may use"},
                     &Options::memory_max, [](const std::string& t) {
                       std::uint64_t bytes = 0;
                       return parse_memory(t, bytes) && bytes >= 8ULL << 20 && bytes <= 1ULL << 30;
                     }));
  all.push_back(choice({"privileged", "Container", "WHEN", "auto", "auto, yes or no",
                        "root of the container is root of the router: kernel log, slabs, flash errors and "
                        "performance counters become readable; auto: from RouterOS 7.24"},
                       &Options::privileged, "auto,yes,no"));
  all.push_back(choice({"start-on-boot", "Container", "WHEN", "auto", "auto, yes or no",
                        "start the agent with the router; auto: yes, unless it is ephemeral"},
                       &Options::start_on_boot, "auto,yes,no"));
  all.push_back(text(
      {"container-name", "Container", "NAME", "", "1 to 32 letters, digits, dots, dashes or underscores",
       "name of the container; empty: RouterOS chooses"},
      &Options::container_name, [](const std::string& t) { return t.empty() || is_word(t, 32, "_.-"); }));
  all.push_back(number({"restart-max-count", "Container", "N", "5", "0 to 100",
                        "how often the router restarts an agent that failed"},
                       &Options::restart_max_count, 0, 100));
  all.push_back(text({"restart-interval", "Container", "T", "10s", "1 to 4 digits and s, m or h",
                      "pause before such a restart"},
                     &Options::restart_interval, [](const std::string& t) {
                       std::uint32_t seconds = 0;
                       return parse_span(t, seconds);
                     }));
  all.push_back(extract_timeout_option());
  all.push_back(toggle({"no-token", "Access", "", "", "", "let anyone read the agent who can reach it"},
                       &Options::no_token));
  return all;
}

}  // namespace mikroscope::routeros
