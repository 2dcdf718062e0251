// One factory for each menu: a line here, a line in all_menus.cpp.
#pragma once

#include <memory>

#include "tests/routersim/menu.h"

namespace mikroscope::routersim {

using MakeMenu = std::unique_ptr<Menu> (*)();

std::unique_ptr<Menu> make_system();
std::unique_ptr<Menu> make_resource();
std::unique_ptr<Menu> make_cores();
std::unique_ptr<Menu> make_identity();
std::unique_ptr<Menu> make_package();
std::unique_ptr<Menu> make_device_mode();
std::unique_ptr<Menu> make_health();
std::unique_ptr<Menu> make_routerboard();
std::unique_ptr<Menu> make_clock();
std::unique_ptr<Menu> make_license();
std::unique_ptr<Menu> make_user();
std::unique_ptr<Menu> make_user_group();
std::unique_ptr<Menu> make_ssh_keys();
std::unique_ptr<Menu> make_service();
std::unique_ptr<Menu> make_ssh_settings();
std::unique_ptr<Menu> make_ip_address();
std::unique_ptr<Menu> make_ip6_address();
std::unique_ptr<Menu> make_route();
std::unique_ptr<Menu> make_dns();
std::unique_ptr<Menu> make_interface();
std::unique_ptr<Menu> make_ethernet();
std::unique_ptr<Menu> make_veth();
std::unique_ptr<Menu> make_bridge();
std::unique_ptr<Menu> make_bridge_port();
std::unique_ptr<Menu> make_interface_list();
std::unique_ptr<Menu> make_list_member();
std::unique_ptr<Menu> make_filter();
std::unique_ptr<Menu> make_nat();
std::unique_ptr<Menu> make_raw();
std::unique_ptr<Menu> make_mangle();
std::unique_ptr<Menu> make_filter6();
std::unique_ptr<Menu> make_raw6();
std::unique_ptr<Menu> make_address_list();
std::unique_ptr<Menu> make_address_list6();
std::unique_ptr<Menu> make_container();
std::unique_ptr<Menu> make_container_config();
std::unique_ptr<Menu> make_envs();
std::unique_ptr<Menu> make_mounts();
std::unique_ptr<Menu> make_file();
std::unique_ptr<Menu> make_disk();
std::unique_ptr<Menu> make_log();
std::unique_ptr<Menu> make_tool();
std::unique_ptr<Menu> make_connections();
std::unique_ptr<Menu> make_neighbors6();
std::unique_ptr<Menu> make_simple_queue();
std::unique_ptr<Menu> make_queue_tree();
std::unique_ptr<Menu> make_ppp_active();
std::unique_ptr<Menu> make_leases();
std::unique_ptr<Menu> make_hotspot_active();
std::unique_ptr<Menu> make_wifi_clients();

}  // namespace mikroscope::routersim
