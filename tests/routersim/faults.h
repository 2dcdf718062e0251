// What the double does wrong on purpose. A fault is one line in all_faults() and one field of Faults.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace mikroscope::routersim {

// The state of every knob; as made, all are off.
struct Faults {
  // The connection.
  bool accept_close = false;         // accepted and dropped without an octet
  std::int64_t hang_after = -1;      // requests answered on a connection, then silence
  std::int64_t reset_in_reply = -1;  // reset in the middle of the N-th reply of a connection
  std::int64_t control_octet = -1;   // 0xF8 in place of the N-th reply
  std::int64_t huge_length = -1;     // a word of 2 GiB announced in place of the N-th reply
  bool octet_writes = false;         // one octet per write
  bool interleave = false;           // tagged replies row by row, each in its own time
  bool empty_sentences = false;      // an empty sentence before every sentence
  bool unknown_reply = false;        // a "!later" sentence before every reply
  bool tag_first = false;            // .tag before the attributes
  bool cancel_done_first = false;    // /cancel's own !done before that of the cancelled command
  bool odd_values = false;           // rows get Latin-1, emoji, newline, '=' and long comments in /interface
  bool bare_words = false;           // an empty value comes as =name, without a second '='
  bool legacy_login = false;         // /login answers a challenge, whatever the version
  bool http_on_port = false;         // an HTTP error in place of the API
  std::int64_t reply_delay = 0;      // ms before every reply

  // Writes: counted over all connections, from 1.
  std::int64_t cut_before_write = -1;  // the connection goes, and the write did not happen
  std::int64_t cut_after_write = -1;   // … and it did happen
  std::int64_t reboot_at_write = -1;   // after it
  std::int64_t fail_write = -1;        // refused with "failure: simulated"
  std::int64_t print_on_write = -1;    // it succeeds, and prints something all the same

  // The router.
  std::string uptime;                // what /system/resource says, e.g. "6w6d18:33:07"
  std::int64_t boot_ms = 0;          // menus read empty for so long after a start
  std::int64_t listing_lag_ms = -1;  // a file is listed so late; -1: as Timing says
  std::int64_t disk_full_at = -1;    // octets that one upload or fetch may write
  std::int64_t upload_cut_at = -1;   // the connection goes after so many octets of an upload
  std::int64_t extract_ms = -1;      // extraction takes so long
  std::string extract_error;         // extraction fails with this log line
  std::int64_t stop_ms = -1;         // stopping takes at least so long
  bool remove_refused = false;       // containers cannot be removed
  bool keep_root = false;            // root-dir stays after the container is gone
  bool tar_stays = false;            // removing a .tar file fails
  std::string start_error;           // a start ends in this, e.g. "exited with status 1"
  std::set<std::string> no_menu;     // menus that do not exist
  std::set<std::string> no_policy;   // policies that every login lacks
  bool wrong_password = false;       // every login is refused
  bool ssh_status_lies = false;      // the exit status of exec is random (the SSH server reads it)
  bool fetch_refused = false;        // /tool/fetch ends with a connection timeout
  bool monitor_trap = false;         // /interface/monitor-traffic is refused
  std::set<std::string> hang_menu;   // menus that are never answered over the API
  std::set<std::string> no_read;     // menus that nobody may read
  // Once, in place of the answer of this menu: the connection is cut, or ended with !fatal.
  std::string cut_once;
  std::string fatal_once;
};

struct FaultDef {
  std::string_view name;  // "cut-before-write"
  std::string_view arg;   // placeholder, "N"; "" takes none
  std::string_view help;
  // False: the argument is no good.
  bool (*set)(Faults& faults, const std::string& arg);
};
std::span<const FaultDef> all_faults();

// "NAME" or "NAME=ARG". The error says what is wrong and what there is.
std::optional<std::string> apply_fault(Faults& faults, const std::string& spec);

}  // namespace mikroscope::routersim
