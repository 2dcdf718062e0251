// Every menu that is read, in the order of reading.

#include <algorithm>

#include "routeros/deploy/facts.h"

namespace mikroscope::routeros {
namespace {

using Names = const std::string_view[];

constexpr Names kResource = {
    "version",   "architecture-name", "board-name",   "uptime",         "cpu",
    "cpu-count", "free-memory",       "total-memory", "free-hdd-space", "total-hdd-space"};
constexpr Names kName = {"name"};
constexpr Names kPackage = {"name", "version", "disabled", "available"};
constexpr Names kDeviceMode = {"mode", "container", "fetch", "flagged"};
constexpr Names kInterface = {".id", "name", "type", "running", "dynamic", "disabled"};
constexpr Names kVeth = {".id", "name", "address", "gateway", "gateway6", "comment", "disabled", "running"};
constexpr Names kInterfaceList = {".id", "name", "include", "exclude", "builtin", "dynamic", "comment"};
constexpr Names kMember = {".id", "list", "interface", "dynamic", "disabled", "comment"};
constexpr Names kAddress = {".id",     "address", "network",  "interface", "actual-interface",
                            "dynamic", "invalid", "disabled", "comment"};
constexpr Names kRoute = {".id",           "dst-address", "gateway", "immediate-gw", "distance",
                          "routing-table", "active",      "dynamic", "connect",      "blackhole",
                          "disabled",      "inactive",    "comment"};
constexpr Names kAddressList = {".id", "list", "address", "timeout", "dynamic", "disabled", "comment"};
// Every matcher that RouterOS 7 has, and what a rule does.
constexpr Names kRule = {".id",
                         "chain",
                         "action",
                         "comment",
                         "disabled",
                         "invalid",
                         "dynamic",
                         ".about",
                         "about",
                         "jump-target",
                         "reject-with",
                         "to-addresses",
                         "to-ports",
                         "address-list",
                         "address-list-timeout",
                         "connection-bytes",
                         "connection-limit",
                         "connection-mark",
                         "connection-nat-state",
                         "connection-rate",
                         "connection-state",
                         "connection-type",
                         "content",
                         "dscp",
                         "dst-address",
                         "dst-address-list",
                         "dst-address-type",
                         "dst-limit",
                         "dst-port",
                         "fragment",
                         "headers",
                         "hop-limit",
                         "hotspot",
                         "hw-offload",
                         "icmp-options",
                         "in-bridge-port",
                         "in-bridge-port-list",
                         "in-interface",
                         "in-interface-list",
                         "ingress-priority",
                         "ipsec-policy",
                         "ipv4-options",
                         "layer7-protocol",
                         "limit",
                         "nth",
                         "out-bridge-port",
                         "out-bridge-port-list",
                         "out-interface",
                         "out-interface-list",
                         "packet-mark",
                         "packet-size",
                         "per-connection-classifier",
                         "port",
                         "priority",
                         "protocol",
                         "psd",
                         "random",
                         "realm",
                         "routing-mark",
                         "routing-table",
                         "socket",
                         "src-address",
                         "src-address-list",
                         "src-address-type",
                         "src-mac-address",
                         "src-port",
                         "tcp-flags",
                         "tcp-mss",
                         "time",
                         "tls-host",
                         "ttl"};
constexpr Names kComment = {".id", "comment", "dynamic"};
constexpr Names kDns = {"servers", "dynamic-servers", "allow-remote-requests", "use-doh-server"};
constexpr Names kContainer = {".id",
                              "name",
                              "comment",
                              "interface",
                              "root-dir",
                              "file",
                              "remote-image",
                              "tag",
                              "os",
                              "arch",
                              "envlist",
                              "envlists",
                              "mounts",
                              "mountlists",
                              "dns",
                              "start-on-boot",
                              "memory-high",
                              "memory-max",
                              "privileged",
                              "ignore-remote-image-change",
                              "restart-count",
                              "status",
                              "stopped",
                              "starting",
                              "starting-with-healthcheck",
                              "running",
                              "healthy",
                              "unhealthy",
                              "stopping",
                              "deleting",
                              "downloading/extracting",
                              "download/extract failed",
                              ".about"};
// Not the password, which nobody needs.
constexpr Names kContainerConfig = {
    "registry-url", "assumed-registry-url", "username",  "tmpdir", "layer-dir",
    "ram-high",     "memory-high",          "memory-max"};
constexpr Names kEnvs = {".id", "list", "name", "key", "value", "comment", "disabled"};
constexpr Names kMounts = {".id", "list", "name", "src", "dst", "comment"};
// Not the contents, which the router would read for every file.
constexpr Names kFile = {".id", "name", "type", "size"};
constexpr Names kDisk = {".id",         "slot",     "type",   "free", "size", "tmpfs-max-size",
                         "mount-point", "disabled", "comment"};

bool has_disks(const Version& version) {
  return version >= Version{7, 10};
}

constexpr std::string_view kRead = "read";

constexpr MenuDef kMenus[] = {
    {"/system/resource", kResource, kRead, "version, architecture, memory and flash"},
    {"/system/identity", kName, kRead, "the router's name"},
    {"/system/package", kPackage, kRead, "whether the container package is there"},
    {"/system/device-mode", kDeviceMode, kRead, "whether containers are allowed"},
    {"/interface", kInterface, kRead, "which names are taken"},
    {"/interface/veth", kVeth, kRead, "whether the veth is free or ours"},
    {"/interface/list", kInterfaceList, kRead, "whether the interface list exists"},
    {"/interface/list/member", kMember, kRead, "what the firewall takes the agent for"},
    {"/ip/address", kAddress, kRead, "whether the subnet is free"},
    {"/ip/route", kRoute, kRead, "whether the subnet is free, and where the uplink is"},
    {"/ip/dns", kDns, kRead, "whether containers can resolve names"},
    {"/ip/firewall/address-list", kAddressList, kRead, "what the firewall takes the agent for"},
    {"/ip/firewall/raw", kRule, kRead, "whether a rule drops the agent's packets"},
    {"/ip/firewall/filter", kRule, kRead, "whether a rule drops the agent's packets"},
    {"/ip/firewall/nat", kRule, kRead, "whether the exposed port is free or ours"},
    {"/ip/firewall/mangle", kComment, kRead, "whether something of the installation is left there"},
    {"/ipv6/firewall/address-list", kAddressList, kRead, "what the IPv6 firewall takes the agent for"},
    {"/ipv6/firewall/raw", kRule, kRead, "whether an IPv6 rule drops the agent's packets"},
    {"/ipv6/firewall/filter", kRule, kRead, "whether an IPv6 rule drops the agent's packets"},
    {"/container", kContainer, kRead, "which containers there are"},
    {"/container/config", kContainerConfig, kRead, "which registry the router's credential is for"},
    {"/container/envs", kEnvs, kRead, "whether the environment list is free or ours"},
    {"/container/mounts", kMounts, kRead, "whether something of the installation is left there"},
    {"/file", kFile, kRead, "whether the installation's files are free or ours"},
    {"/disk", kDisk, kRead, "whether the disk is there and has room", has_disks},
};

}  // namespace

std::span<const MenuDef> all_menus() {
  return kMenus;
}

const MenuDef* find_menu(std::string_view path) {
  const auto found =
      std::find_if(std::begin(kMenus), std::end(kMenus), [path](const MenuDef& m) { return m.path == path; });
  return found == std::end(kMenus) ? nullptr : found;
}

}  // namespace mikroscope::routeros
