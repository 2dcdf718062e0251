#include "tests/routersim/menus/menus.h"

namespace mikroscope::routersim {
namespace {

constexpr MakeMenu kMenus[] = {
    make_system,      make_resource,     make_identity,      make_package,        make_device_mode,
    make_health,      make_routerboard,  make_clock,         make_license,        make_user,
    make_user_group,  make_ssh_keys,     make_service,       make_ssh_settings,   make_ip_address,
    make_ip6_address, make_route,        make_dns,           make_interface,      make_ethernet,
    make_veth,        make_bridge,       make_bridge_port,   make_interface_list, make_list_member,
    make_filter,      make_nat,          make_raw,           make_mangle,         make_filter6,
    make_raw6,        make_address_list, make_address_list6, make_container,      make_container_config,
    make_envs,        make_mounts,       make_file,          make_disk,           make_log,
    make_tool,        make_cores,        make_connections,   make_neighbors6,     make_simple_queue,
    make_queue_tree,  make_ppp_active,   make_leases,        make_hotspot_active, make_wifi_clients,
};

}  // namespace

Menus::Menus() {
  for (const MakeMenu make : kMenus) menus_.push_back(make());
}

Menus::~Menus() = default;

Menu* Menus::find(std::string_view path) const {
  for (const auto& menu : menus_) {
    if (menu->def().path == path) return menu.get();
  }
  return nullptr;
}

}  // namespace mikroscope::routersim
