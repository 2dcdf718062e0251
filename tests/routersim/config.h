// What a double is made with: the flags of the program, or the literals of a test.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/routersim/clock.h"

namespace mikroscope::routersim {

enum class RunMode : std::uint8_t {
  none,      // containers pretend to run
  loopback,  // the agent runs on this machine's loopback
  netns,     // in network namespaces of its own, behind nftables; needs root
};

// Milliseconds of the double's clock.
struct Timing {
  std::int64_t extract = 300;        // add -> stopped, of a tar
  std::int64_t pull = 2000;          // add -> stopped, of a remote image
  std::int64_t start = 100;          // start -> running
  std::int64_t stop = 400;           // stop -> stopped, where no process decides it
  std::int64_t stop_kill = 10000;    // stop -> SIGKILL, unless stop-time says
  std::int64_t remove = 300;         // remove -> the row is gone
  std::int64_t remove_root = 600;    // remove -> root-dir is gone
  std::int64_t listing_lag = 0;      // a file is listed so long after it was written
  std::int64_t tar_deleted = 3000;   // tar deleted without ignore-remote-image-change -> container gone
  std::int64_t dynamic_invalid = 0;  // a new firewall rule reads invalid for so long
};

struct Config {
  std::string ros = "7.24.2";
  std::string channel = {};    // "" : stable, testing or development as the version says
  std::string arch = "arm64";  // of /system/resource: arm64, arm, x86_64, mipsbe, …
  std::string board = {};      // "": one that fits arch
  std::string identity = "MikroTik";
  // Of presets.h: "home" (bridge, DHCP uplink, default firewall), "advanced" (home plus the raw rules of the
  // advanced firewall guide), …; several are applied in order.
  std::vector<std::string> presets = {"home"};
  std::string admin_password = {};              // of the user admin; empty as on a fresh router
  std::string container_package = "enabled";    // enabled, disabled, absent
  std::string device_mode = "container,fetch";  // keys that are on
  bool flagged = false;
  std::uint64_t memory = std::uint64_t{1} << 30;
  std::uint64_t free_memory = std::uint64_t{800} << 20;
  std::uint64_t disk = std::uint64_t{1} << 30;
  std::uint64_t free_disk = std::uint64_t{900} << 20;
  bool flash_directory = false;                      // 16 MB boards: only flash/ survives a reboot
  bool no_empty = false;                             // never sends !empty, whatever the version
  bool words_yes_no = false;                         // booleans as yes/no instead of true/false
  std::map<std::string, std::string> registry = {};  // of remote-image: reference -> a tar of this machine
  Timing timing = {};
  RunMode run = RunMode::none;
  bool host_route = false;            // netns: the LAN end lies in the caller's own namespace, with a route
  std::string request_log = {};       // a file for the JSON lines; "": kept in memory only
  std::shared_ptr<Clock> clock = {};  // null: real time
  std::vector<std::string> faults = {};  // "NAME" or "NAME=ARG" of faults.h
};

}  // namespace mikroscope::routersim
