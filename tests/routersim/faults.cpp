#include "tests/routersim/faults.h"

#include <fmt/format.h>

#include <charconv>

namespace mikroscope::routersim {
namespace {

template <std::int64_t Faults::*Field>
bool number(Faults& faults, const std::string& arg) {
  const char* end = arg.data() + arg.size();
  return std::from_chars(arg.data(), end, faults.*Field).ptr == end && !arg.empty();
}
template <bool Faults::*Field>
bool on(Faults& faults, const std::string& arg) {
  faults.*Field = true;
  return arg.empty();
}
template <std::string Faults::*Field>
bool text(Faults& faults, const std::string& arg) {
  faults.*Field = arg;
  return !arg.empty();
}
template <std::set<std::string> Faults::*Field>
bool insert(Faults& faults, const std::string& arg) {
  return !arg.empty() && (faults.*Field).insert(arg).second;
}

using F = Faults;
constexpr FaultDef kFaults[] = {
    {"accept-close", "", "connections are accepted and dropped without an octet", on<&F::accept_close>},
    {"hang-after", "N", "silence after N requests of a connection", number<&F::hang_after>},
    {"reset-in-reply", "N", "a reset in the middle of a connection's N-th reply", number<&F::reset_in_reply>},
    {"control-octet", "N", "the reserved octet F8 in place of the N-th reply", number<&F::control_octet>},
    {"huge-length", "N", "a word of 2 GiB announced in place of the N-th reply", number<&F::huge_length>},
    {"octet-writes", "", "one octet per write", on<&F::octet_writes>},
    {"interleave", "", "tagged replies come row by row, mixed", on<&F::interleave>},
    {"empty-sentences", "", "an empty sentence before every sentence", on<&F::empty_sentences>},
    {"unknown-reply", "", "a sentence of an unknown kind before every reply", on<&F::unknown_reply>},
    {"tag-first", "", "the tag before the attributes of a reply", on<&F::tag_first>},
    {"cancel-done-first", "", "/cancel is done before the command it cancels", on<&F::cancel_done_first>},
    {"odd-values", "", "comments with Latin-1, emoji, newlines, '=' and 20 000 octets", on<&F::odd_values>},
    {"bare-words", "", "an empty value comes as =name", on<&F::bare_words>},
    {"legacy-login", "", "the login challenge of versions before 6.43", on<&F::legacy_login>},
    {"http-on-port", "", "an HTTP error in place of the API", on<&F::http_on_port>},
    {"reply-delay", "MS", "every reply comes so late", number<&F::reply_delay>},
    {"cut-before-write", "N", "connection cut at the N-th write, which does not happen",
     number<&F::cut_before_write>},
    {"cut-after-write", "N", "connection cut after the N-th write, which did happen",
     number<&F::cut_after_write>},
    {"reboot-at-write", "N", "reboot after the N-th write; tmpfs disks are emptied",
     number<&F::reboot_at_write>},
    {"fail-write", "N", "the N-th write is refused", number<&F::fail_write>},
    {"print-on-write", "N", "the N-th write succeeds and prints something", number<&F::print_on_write>},
    {"uptime", "TEXT", "the uptime in another spelling", text<&F::uptime>},
    {"boot", "MS", "menus read empty for so long after the start", number<&F::boot_ms>},
    {"listing-lag", "MS", "a file is listed so long after it was written", number<&F::listing_lag_ms>},
    {"disk-full", "N", "an upload or fetch fails after N octets", number<&F::disk_full_at>},
    {"upload-cut", "N", "the connection goes after N octets of an upload", number<&F::upload_cut_at>},
    {"slow-extract", "MS", "extraction takes so long", number<&F::extract_ms>},
    {"extract-error", "TEXT", "extraction fails with this log line", text<&F::extract_error>},
    {"slow-stop", "MS", "stopping a container takes so long", number<&F::stop_ms>},
    {"remove-refused", "", "containers cannot be removed", on<&F::remove_refused>},
    {"keep-root", "", "root-dir stays when its container is removed", on<&F::keep_root>},
    {"tar-stays", "", "removing a .tar file fails", on<&F::tar_stays>},
    {"start-error", "TEXT", "a start ends in this", text<&F::start_error>},
    {"no-menu", "PATH", "this menu does not exist (may be given several times)", insert<&F::no_menu>},
    {"no-policy", "NAME", "every login lacks this policy (may be given several times)",
     insert<&F::no_policy>},
    {"wrong-password", "", "every login is refused", on<&F::wrong_password>},
    {"ssh-status-lies", "", "the exit status over SSH is random", on<&F::ssh_status_lies>},
    {"fetch-refused", "", "/tool/fetch ends with a connection timeout", on<&F::fetch_refused>},
    {"monitor-trap", "", "/interface/monitor-traffic is refused", on<&F::monitor_trap>},
    {"hang-menu", "PATH", "this menu is never answered over the API (may be given several times)",
     insert<&F::hang_menu>},
    {"no-read", "PATH", "nobody may read this menu (may be given several times)", insert<&F::no_read>},
    {"cut-once", "PATH", "the connection is cut in place of this menu's next answer", text<&F::cut_once>},
    {"fatal-once", "PATH", "!fatal in place of this menu's next answer", text<&F::fatal_once>},
};

}  // namespace

std::span<const FaultDef> all_faults() {
  return kFaults;
}

std::optional<std::string> apply_fault(Faults& faults, const std::string& spec) {
  const std::size_t equals = spec.find('=');
  const std::string name = spec.substr(0, equals);
  const std::string arg = equals == std::string::npos ? "" : spec.substr(equals + 1);
  for (const FaultDef& def : kFaults) {
    if (def.name != name) continue;
    if (def.set(faults, arg)) return std::nullopt;
    return def.arg.empty() ? fmt::format("fault {} takes no argument, got \"{}\"", name, arg)
                           : fmt::format("fault {} wants ={}, got \"{}\"", name, def.arg, arg);
  }
  return fmt::format("there is no fault \"{}\"; --help lists them", name);
}

}  // namespace mikroscope::routersim
