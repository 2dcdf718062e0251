// Which words a RouterOS version knows for containers: what is sent over the API must be the exact name, an
// unknown one is refused. Source: the console's own command tree of 7.9 to 7.24.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "routeros/deploy/options.h"
#include "routeros/session/row.h"
#include "routeros/session/version.h"

namespace mikroscope::routeros {

// The oldest that an installation is tried on, with a warning and the older words.
inline constexpr Version kOldestVersion{7, 9};
// From here on everything but --privileged works.
inline constexpr Version kFullVersion{7, 20};
inline constexpr Version kPrivilegedVersion{7, 24};

// An attribute of a menu's add and set.
struct AttributeDef {
  std::string_view menu;
  std::string_view name;
  Version since;
  Version until = {UINT16_MAX, 0};  // the first version without it
  // Pre-releases of a later minor version that branched off before it was there: from … to, both without it.
  std::optional<std::pair<Version, Version>> lacks = std::nullopt;
};
std::span<const AttributeDef> all_attributes();

// A pre-release counts as older than its release: what came with 7.24 is not expected of 7.24rc1. Always true
// for menus that all_attributes() does not describe.
bool supports(const Version& version, std::string_view menu, std::string_view attribute);

// The name of a thing whose name has changed, in the words of `version`.
std::string_view env_list_attribute(const Version& version);    // of /container: envlists, envlist
std::string_view env_list_key(const Version& version);          // of /container/envs: list, name
std::string_view mount_list_attribute(const Version& version);  // of /container: mountlists, mounts
std::string_view mount_list_key(const Version& version);        // of /container/mounts: list, name

// What --privileged comes to.
bool wants_privileged(const Options& options, const Version& version);

enum class ContainerState : std::uint8_t {
  unknown,     // neither a flag nor a status that we know
  extracting,  // downloading or extracting its image
  stopped,
  starting,
  running,
  stopping,
  deleting,
  failed,  // its image could not be downloaded or extracted, or it could not be started
};
std::string_view state_name(ContainerState state);
// RouterOS up to about 7.20 has a text, later ones a flag for each state.
ContainerState container_state(const Row& container);

}  // namespace mikroscope::routeros
