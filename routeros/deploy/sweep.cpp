#include "routeros/deploy/sweep.h"

#include <fmt/format.h>

#include <algorithm>

#include "routeros/session/text.h"

namespace mikroscope::routeros {
namespace {

constexpr std::string_view kListed[] = {"list", "address"};
constexpr std::string_view kMember[] = {"list", "interface"};
constexpr std::string_view kRule[] = {"chain", "action", "dst-address", "dst-port"};
constexpr std::string_view kRoute[] = {"dst-address", "gateway"};
constexpr std::string_view kMount[] = {"list", "name", "src", "dst"};
constexpr std::string_view kAddress[] = {"address", "interface"};
constexpr std::string_view kNamed[] = {"name"};
constexpr std::string_view kDisk[] = {"slot", "type"};

constexpr SweepMenu kMenus[] = {
    {"/ip/firewall/address-list", "address-list entry", kListed},
    {"/interface/list/member", "interface-list member", kMember},
    {"/ip/firewall/nat", "NAT rule", kRule},
    {"/ip/firewall/filter", "filter rule", kRule},
    {"/ip/firewall/raw", "raw rule", kRule},
    {"/ip/firewall/mangle", "mangle rule", kRule},
    {"/ip/route", "route", kRoute},
    {"/container/mounts", "container mount", kMount},
    {"/ip/address", "address", kAddress},
    {"/interface/veth", "veth", kNamed},
    {"/interface/list", "interface list", kNamed},
    {"/disk", "disk", kDisk},
};

struct Wanted {
  std::string path;
  std::string what;
  std::vector<std::string> shown;
};

std::vector<Wanted> wanted_menus(const std::vector<std::string>& more) {
  std::vector<Wanted> out;
  // What is unknown to this version comes first: it may refer to the rest.
  for (const std::string& path : more) {
    const bool known =
        path == "/container" || path == "/container/envs" || path == "/file" ||
        std::any_of(std::begin(kMenus), std::end(kMenus), [&](const SweepMenu& m) { return m.path == path; });
    if (!known) out.push_back({path, "object in " + path, {"name"}});
  }
  for (const SweepMenu& menu : kMenus) {
    out.push_back({std::string(menu.path), std::string(menu.what), {menu.shown.begin(), menu.shown.end()}});
  }
  return out;
}

}  // namespace

std::span<const SweepMenu> all_sweep_menus() {
  return kMenus;
}

base::Result<Sweep> sweep(const Link& link, const std::string& tag, const std::vector<std::string>& more) {
  Sweep out;
  for (const Wanted& menu : wanted_menus(more)) {
    std::vector<std::string> properties = menu.shown;
    properties.emplace_back("comment");
    const Answer<std::vector<Row>> rows = link.session.print({menu.path, properties, {{"comment", tag}}});
    if (!rows.ok()) {
      const DeviceError* const device = device_error(rows.error());
      if (device == nullptr) return link.error(rows.error());
      if (!device->no_such_command())
        out.unreadable.push_back(fmt::format("{}: {}", menu.path, printable(device->message)));
      continue;
    }
    for (const Row& row : *rows) {
      if (row.text("comment") != tag) continue;
      std::string label = menu.what;
      for (const std::string& name : menu.shown) {
        if (row.find(name)) label += fmt::format(" {}={}", name, printable(row.text(name)));
      }
      out.found.push_back({menu.path, std::string(row.id()), std::move(label), {}});
    }
  }
  return out;
}

}  // namespace mikroscope::routeros
