#include "routeros/deploy/attributes.h"

#include <algorithm>

namespace mikroscope::routeros {
namespace {

constexpr std::string_view kContainer = "/container";
constexpr std::string_view kEnvs = "/container/envs";
constexpr std::string_view kMounts = "/container/mounts";
constexpr std::string_view kConfig = "/container/config";
constexpr std::string_view kVeth = "/interface/veth";

constexpr Version kBase{7, 9};
constexpr Version k7_11{7, 11};
constexpr Version k7_19{7, 19};
constexpr Version k7_20{7, 20};
constexpr Version k7_21{7, 21};
constexpr Version k7_21_2{7, 21, 2};
constexpr Version k7_22{7, 22};
constexpr Version k7_23{7, 23};
constexpr Version k7_23_2{7, 23, 2};
constexpr Version k7_24{7, 24};
constexpr Version k7_24alpha{7, 24, 0, Version::Stage::alpha, 0};
constexpr Version k7_24beta1{7, 24, 0, Version::Stage::beta, 1};

constexpr AttributeDef kAttributes[] = {
    {kContainer, "cmd", kBase},
    {kContainer, "comment", kBase},
    {kContainer, "dns", kBase},
    {kContainer, "domain-name", kBase},
    {kContainer, "entrypoint", kBase},
    {kContainer, "envlist", kBase, k7_20},
    {kContainer, "file", kBase},
    {kContainer, "hostname", kBase},
    {kContainer, "interface", kBase},
    {kContainer, "logging", kBase},
    {kContainer, "mounts", kBase, k7_21},
    {kContainer, "remote-image", kBase},
    {kContainer, "root-dir", kBase},
    {kContainer, "start-on-boot", kBase},
    {kContainer, "stop-signal", kBase},
    {kContainer, "user", kBase},
    {kContainer, "workdir", kBase},
    {kContainer, "name", k7_19},
    {kContainer, "auto-restart-interval", k7_20, k7_23},
    {kContainer, "check-certificate", k7_20},
    {kContainer, "devices", k7_20},
    {kContainer, "memory-high", k7_20},
    {kContainer, "envlists", k7_20},
    {kContainer, "cpu-list", k7_21},
    {kContainer, "env", k7_21},
    {kContainer, "hosts", k7_21},
    {kContainer, "layer-dir", k7_21},
    {kContainer, "mount", k7_21},
    {kContainer, "mountlists", k7_21},
    {kContainer, "stop-time", k7_21},
    {kContainer, "shm-size", k7_21_2},
    {kContainer, "tmpfs", k7_21_2},
    {kContainer, "healthcheck-cmd", k7_22},
    {kContainer, "healthcheck-interval", k7_22},
    {kContainer, "healthcheck-timeout", k7_22},
    {kContainer, "healthcheck-start-period", k7_22},
    {kContainer, "healthcheck-start-interval", k7_22},
    {kContainer, "healthcheck-retries", k7_22},
    {kContainer, "default-dns", k7_23},
    {kContainer, "memory-max", k7_23},
    {kContainer, "restart-policy", k7_23},
    {kContainer, "restart-interval", k7_23},
    {kContainer, "restart-max-count", k7_23},
    {kContainer, "shell", k7_23},
    {kContainer, "stop-on-unhealthy", k7_23},
    {kContainer, "ignore-remote-image-change", k7_23_2, {UINT16_MAX, 0}, {{k7_24alpha, k7_24beta1}}},
    {kContainer, "privileged", k7_24},
    {kContainer, "swap-max", k7_24},

    {kEnvs, "name", kBase, k7_20},
    {kEnvs, "list", k7_20},
    {kEnvs, "key", kBase},
    {kEnvs, "value", kBase},
    {kEnvs, "comment", kBase},
    {kEnvs, "disabled", k7_21},

    {kMounts, "name", kBase, k7_21},
    {kMounts, "list", k7_21},
    {kMounts, "src", kBase},
    {kMounts, "dst", kBase},
    {kMounts, "comment", kBase},
    {kMounts, "disabled", k7_21},
    {kMounts, "read-only", k7_20, k7_23},
    {kMounts, "mode", k7_23},

    {kConfig, "registry-url", kBase},
    {kConfig, "username", kBase},
    {kConfig, "password", kBase},
    {kConfig, "tmpdir", kBase},
    {kConfig, "ram-high", kBase, k7_20},
    {kConfig, "layer-dir", k7_11},
    {kConfig, "memory-high", k7_20},
    {kConfig, "memory-max", k7_23},
    {kConfig, "swap-max", k7_24},

    {kVeth, "name", kBase},
    {kVeth, "address", kBase},
    {kVeth, "gateway", kBase},
    {kVeth, "comment", kBase},
    {kVeth, "disabled", kBase},
    {kVeth, "gateway6", k7_11},
    {kVeth, "dhcp", k7_20},
    {kVeth, "mac-address", k7_20},
    {kVeth, "container-mac-address", k7_21},
};

struct StateFlag {
  std::string_view flag;
  ContainerState state;
};
// The first that is true: what ends a container's life counts more than what it did before.
constexpr StateFlag kFlags[] = {
    {"deleting", ContainerState::deleting},
    {"download/extract failed", ContainerState::failed},
    {"download/extract-failed", ContainerState::failed},
    {"downloading/extracting", ContainerState::extracting},
    {"stopping", ContainerState::stopping},
    {"starting", ContainerState::starting},
    {"starting-with-healthcheck", ContainerState::starting},
    {"running", ContainerState::running},
    {"healthy", ContainerState::running},
    {"unhealthy", ContainerState::running},
    {"stopped", ContainerState::stopped},
};
constexpr StateFlag kStatuses[] = {
    {"pulling", ContainerState::extracting},     {"extracting", ContainerState::extracting},
    {"downloading", ContainerState::extracting}, {"downloading/extracting", ContainerState::extracting},
    {"stopped", ContainerState::stopped},        {"starting", ContainerState::starting},
    {"running", ContainerState::running},        {"healthy", ContainerState::running},
    {"unhealthy", ContainerState::running},      {"stopping", ContainerState::stopping},
    {"deleting", ContainerState::deleting},      {"error", ContainerState::failed},
};

std::string_view either(const Version& version, std::string_view menu, std::string_view newer,
                        std::string_view older) {
  return supports(version, menu, newer) ? newer : older;
}

}  // namespace

std::span<const AttributeDef> all_attributes() {
  return kAttributes;
}

bool supports(const Version& version, std::string_view menu, std::string_view attribute) {
  bool described = false;
  for (const AttributeDef& a : kAttributes) {
    if (a.menu != menu) continue;
    described = true;
    if (a.name != attribute || version < a.since || version >= a.until) continue;
    return !(a.lacks && version >= a.lacks->first && version <= a.lacks->second);
  }
  return !described;
}

std::string_view env_list_attribute(const Version& version) {
  return either(version, kContainer, "envlists", "envlist");
}
std::string_view env_list_key(const Version& version) {
  return either(version, kEnvs, "list", "name");
}
std::string_view mount_list_attribute(const Version& version) {
  return either(version, kContainer, "mountlists", "mounts");
}
std::string_view mount_list_key(const Version& version) {
  return either(version, kMounts, "list", "name");
}

bool wants_privileged(const Options& options, const Version& version) {
  return options.privileged == "yes" ||
         (options.privileged == "auto" && supports(version, kContainer, "privileged"));
}

std::string_view state_name(ContainerState state) {
  constexpr std::string_view kNames[] = {"unknown", "extracting", "stopped",  "starting",
                                         "running", "stopping",   "deleting", "failed"};
  return kNames[static_cast<std::size_t>(state)];
}

ContainerState container_state(const Row& container) {
  for (const StateFlag& known : kFlags) {
    if (container.flag(known.flag)) return known.state;
  }
  const std::string_view status = container.text("status");
  const auto known = std::find_if(std::begin(kStatuses), std::end(kStatuses),
                                  [status](const StateFlag& s) { return s.flag == status; });
  return known == std::end(kStatuses) ? ContainerState::unknown : known->state;
}

}  // namespace mikroscope::routeros
