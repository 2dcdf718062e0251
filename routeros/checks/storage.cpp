#include <fmt/format.h>

#include "routeros/checks/support.h"
#include "routeros/deploy/attributes.h"
#include "routeros/session/text.h"
#include "routeros/session/value.h"

namespace mikroscope::routeros {
namespace {

// The uploaded image and the container made from it lie there side by side; the agent is under 200 KiB.
constexpr std::uint64_t kNeeded = 5ULL << 20;
constexpr std::string_view kTmpfsCommand = "`/disk/add type=tmpfs tmpfs-max-size=64M slot=tmpfs`";

const Row* find_disk(const Facts& facts, std::string_view slot) {
  const std::vector<Row>* const disks = facts.rows("/disk");
  if (disks == nullptr) return nullptr;
  for (const Row& row : *disks) {
    if (row.text("slot") == slot) return &row;
  }
  return nullptr;
}

// Routers with 16 MB of flash have a directory of that name, and keep everything beside it in memory.
bool has_flash_directory(const Facts& facts) {
  const std::vector<Row>* const files = facts.rows("/file");
  if (files == nullptr) return false;
  for (const Row& row : *files) {
    if (row.text("name") == "flash" && row.text("type") == "directory") return true;
  }
  return false;
}

Finding on_flash(const Facts& facts) {
  if (std::optional<Finding> hidden = unreadable(facts, {"/system/resource"})) return *hidden;
  const std::optional<std::uint64_t> free =
      parse_bytes(facts.settings("/system/resource").text("free-hdd-space"));
  if (!free) return warn("the router did not say how much flash is free", "see `/system/resource/print`");
  const std::string evidence = fmt::format("{} free on the flash, {} needed", mib(*free), mib(kNeeded));
  return *free >= kNeeded ? ok(evidence)
                          : missing(evidence, fmt::format("give --ephemeral (after {}), or --disk with a USB "
                                                          "disk",
                                                          kTmpfsCommand));
}

Finding run_storage(const Facts& facts, const Options& options) {
  if (options.disk.empty() || options.disk == "flash") {
    const bool flash = has_flash_directory(facts);
    if (options.disk.empty() && flash) {
      return warn(
          "this router has a directory \"flash\": what lies beside it is in memory and a reboot "
          "removes it",
          "--disk flash, or --ephemeral if that is what you want");
    }
    if (options.disk.empty() || flash) return on_flash(facts);
  }
  if (std::optional<Finding> hidden = unreadable(facts, {"/disk"})) return *hidden;
  const Row* const disk = find_disk(facts, options.disk);
  if (disk == nullptr) {
    return missing(fmt::format("there is no disk \"{}\"", options.disk),
                   options.ephemeral ? std::string(kTmpfsCommand)
                                     : "name one that `/disk/print` shows with --disk, or leave it out");
  }
  const std::optional<std::uint64_t> free = parse_bytes(disk->text("free"));
  if (!free) {
    return warn(fmt::format("disk \"{}\" does not say how much is free", options.disk),
                fmt::format("see `/disk/print where slot={}`: it may have to be formatted or mounted",
                            quoted(options.disk)));
  }
  const std::string evidence =
      fmt::format("{} free on \"{}\", {} needed", mib(*free), options.disk, mib(kNeeded));
  return *free >= kNeeded ? ok(evidence) : missing(evidence, "free some of it, or name another with --disk");
}

Finding run_ephemeral(const Facts& facts, const Options& options) {
  if (!options.ephemeral) return skip("--ephemeral was not asked for");
  if (std::optional<Finding> hidden = unreadable(facts, {"/disk"})) return *hidden;
  const Row* const disk = find_disk(facts, options.disk);
  if (disk == nullptr) return missing("there is no memory disk yet", std::string(kTmpfsCommand));
  const std::string type = printable(disk->text("type"));
  if (type == "tmpfs") return ok("the disk is in memory");
  return missing(fmt::format("disk \"{}\" is of type {}: --ephemeral would write to it", options.disk, type),
                 fmt::format("give that disk another name (`/disk/set [find slot={}] slot=…`), then {}",
                             quoted(options.disk), kTmpfsCommand));
}

Finding run_restart(const Facts& facts, const Options& options) {
  const Row* const disk = options.disk.empty() ? nullptr : find_disk(facts, options.disk);
  const bool in_memory = options.ephemeral || (disk != nullptr && disk->text("type") == "tmpfs");
  if (!in_memory) {
    return options.starts_on_boot() ? ok("the agent starts with the router")
                                    : ok("the agent stays off after a reboot, as asked");
  }
  if (!options.starts_on_boot()) return ok("gone after a reboot, and not started then");
  return warn("a reboot empties the memory disk: there will be nothing to start",
              "--start-on-boot no, or another --disk");
}

}  // namespace

const Check kStorageCheck{"storage", "there is room for the container", "/system/resource, /disk, /file",
                          "The image and the container made from it lie side by side for a moment.",
                          run_storage};
const Check kEphemeralCheck{
    "ephemeral-disk", "the memory disk is one", "/disk",
    "--ephemeral keeps everything on a disk of type tmpfs, so that nothing is written "
    "to flash.",
    run_ephemeral};
const Check kRestartCheck{"start-on-boot", "what a reboot does to the agent", "/disk",
                          "What lies on a memory disk is gone after a reboot, and the router would report an "
                          "error when it starts the container.",
                          run_restart};

}  // namespace mikroscope::routeros
