#include "tests/routersim/presets.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/routersim/accounts.h"
#include "tests/routersim/menu.h"
#include "tests/routersim/state.h"

namespace mikroscope::routersim {
namespace {

constexpr Preset kPresets[] = {
    {"bare", "ports, a bridge with 192.168.88.1/24, nothing else", R"rsc(
/interface/bridge/add name=bridge comment=defconf
/interface/bridge/port/add bridge=bridge interface=ether2
/interface/bridge/port/add bridge=bridge interface=ether3
/ip/address/add address=192.168.88.1/24 interface=bridge comment=defconf
)rsc"},
    {"home", "the default of a home router: bare, lists, an uplink by DHCP, the default firewall", R"rsc(
@bare
/interface/list/add name=WAN comment=defconf
/interface/list/add name=LAN comment=defconf
/interface/list/member/add list=LAN interface=bridge comment=defconf
/interface/list/member/add list=WAN interface=ether1 comment=defconf
@uplink
/ip/dns/set allow-remote-requests=yes
/ip/firewall/nat/add chain=srcnat action=masquerade ipsec-policy=out,none out-interface-list=WAN comment="defconf: masquerade"
/ip/firewall/filter/add chain=input action=accept connection-state=established,related,untracked comment="defconf: accept established,related,untracked"
/ip/firewall/filter/add chain=input action=drop connection-state=invalid comment="defconf: drop invalid"
/ip/firewall/filter/add chain=input action=accept protocol=icmp comment="defconf: accept ICMP"
/ip/firewall/filter/add chain=input action=accept dst-address=127.0.0.1 comment="defconf: accept to local loopback (for CAPsMAN)"
/ip/firewall/filter/add chain=input action=drop in-interface-list=!LAN comment="defconf: drop all not coming from LAN"
/ip/firewall/filter/add chain=forward action=accept ipsec-policy=in,ipsec comment="defconf: accept in ipsec policy"
/ip/firewall/filter/add chain=forward action=accept ipsec-policy=out,ipsec comment="defconf: accept out ipsec policy"
/ip/firewall/filter/add chain=forward action=fasttrack-connection connection-state=established,related hw-offload=yes comment="defconf: fasttrack"
/ip/firewall/filter/add chain=forward action=accept connection-state=established,related,untracked comment="defconf: accept established,related, untracked"
/ip/firewall/filter/add chain=forward action=drop connection-state=invalid comment="defconf: drop invalid"
/ip/firewall/filter/add chain=forward action=drop connection-state=new connection-nat-state=!dstnat in-interface-list=WAN comment="defconf: drop all from WAN not DSTNATed"
)rsc"},
    {"advanced", "raw rules that drop what comes from no LAN port, or from no address of the list LANs",
     R"rsc(
/ip/firewall/address-list/add list=LANs address=192.168.88.0/24 comment="my networks"
/ip/firewall/raw/add chain=prerouting action=accept protocol=icmp comment="icmp"
/ip/firewall/raw/add chain=prerouting action=accept in-interface-list=WAN comment="to the filter"
/ip/firewall/raw/add chain=prerouting action=drop in-interface-list=!LAN comment="drop the rest"
/ip/firewall/raw/add chain=prerouting action=drop in-interface-list=LAN src-address-list=!LANs comment="drop bogus sources"
)rsc"},
    {"advanced-range", "the same with a literal network in place of the list", R"rsc(
/ip/firewall/raw/add chain=prerouting action=accept protocol=icmp
/ip/firewall/raw/add chain=prerouting action=accept in-interface-list=WAN
/ip/firewall/raw/add chain=prerouting action=drop in-interface-list=LAN src-address=!192.168.88.0/24
/ip/firewall/raw/add chain=prerouting action=drop in-interface-list=!LAN
)rsc"},
    {"advanced-jump", "the same behind a jump", R"rsc(
/ip/firewall/address-list/add list=LANs address=192.168.88.0/24
/ip/firewall/raw/add chain=prerouting action=jump jump-target=bogus protocol=tcp
/ip/firewall/raw/add chain=bogus action=drop in-interface-list=LAN src-address-list=!LANs
/ip/firewall/raw/add chain=bogus action=drop in-interface-list=!LAN
)rsc"},
    {"other-lists", "lists of other names: trusted, and addresses in inside", R"rsc(
/interface/list/add name=trusted
/interface/list/member/add list=trusted interface=bridge
/ip/firewall/address-list/add list=inside address=192.168.88.0/24
/ip/firewall/raw/add chain=prerouting action=drop in-interface-list=!trusted protocol=tcp
/ip/firewall/raw/add chain=prerouting action=drop in-interface-list=trusted src-address-list=!inside
)rsc"},
    {"uplink", "ether1 with an address by DHCP", R"rsc(
!/ip/address address=198.51.100.10/24 network=198.51.100.0 interface=ether1 dynamic=true disabled=false
!/ip/route dst-address=0.0.0.0/0 gateway=198.51.100.1 immediate-gw=198.51.100.1%ether1 distance=1 routing-table=main scope=30 target-scope=10 dynamic=true dhcp=true disabled=false
!/ip/dns name=dynamic servers=198.51.100.1 dynamic=true
)rsc"},
    {"pppoe", "the uplink is a PPPoE client: the default route's gateway is an interface", R"rsc(
!/interface name=pppoe-out1 type=pppoe-out mtu=1480 dynamic=false
!/ip/address address=198.51.100.20/32 network=198.51.100.1 interface=pppoe-out1 dynamic=true disabled=false
!/ip/route dst-address=0.0.0.0/0 gateway=pppoe-out1 immediate-gw=pppoe-out1 distance=1 routing-table=main dynamic=true disabled=false
!/ip/dns name=dynamic servers=198.51.100.1 dynamic=true
)rsc"},
    {"no-dns", "no DNS server at all: containers without dns= do not start", R"rsc(
~/ip/dns
)rsc"},
    {"tmpfs", "a tmpfs disk tmpfs of 64 MiB", R"rsc(
/disk/add type=tmpfs tmpfs-max-size=64M slot=tmpfs
)rsc"},
    {"usb", "a USB disk usb1-part1", R"rsc(
!/disk slot=usb1-part1 type=partition
)rsc"},
    {"lookalike", "somebody else's objects that look like ours, but for the mark", R"rsc(
/interface/veth/add name=veth-other address=172.31.99.2/30 gateway=172.31.99.1 comment="mikroscope:default (mine, by hand)"
/ip/address/add address=172.31.99.1/30 interface=veth-other comment="mikroscope:default"
/interface/list/add name=keep comment="mikroscope"
/interface/list/member/add list=keep interface=veth-other comment="mikroscope:default (managed by mikroscope) "
/ip/firewall/address-list/add list=keep address=172.31.99.0/30 comment="MIKROSCOPE:DEFAULT (managed by mikroscope)"
/ip/firewall/filter/add chain=forward action=accept dst-address=172.31.99.2 comment="mikroscope:default2 (managed by mikroscope)"
/container/envs/add list=other-env key=RATE_HZ value=10
/container/envs/add list=other-env key=TOKEN value=not-yours
/container/mounts/add list=other src=/mikroscope/other dst=/data
/file/add name=mikroscope/other.manifest.txt contents="not a manifest"
/file/add name=mikroscope-notes.txt contents="somebody's notes"
)rsc"},
    {"foreign-veth", "the veth's default name is taken", R"rsc(
/interface/veth/add name=veth-mikroscope address=172.31.98.2/30 gateway=172.31.98.1
/interface/veth/add name=mikroscope address=172.31.97.2/30 gateway=172.31.97.1
)rsc"},
    {"foreign-envs", "the env list's default name is taken", R"rsc(
/container/envs/add list=mikroscope-env key=RATE_HZ value=10
/container/envs/add list=default-env key=RATE_HZ value=10
)rsc"},
    {"foreign-files", "the tar's and the manifest's default names are taken", R"rsc(
/file/add name=mikroscope.tar contents="not an image"
/file/add name=mikroscope/mikroscope.manifest.txt contents="not a manifest"
)rsc"},
    {"overlap", "a connected network that holds 172.30.10.0/24", R"rsc(
/interface/bridge/add name=bridge-lab
/ip/address/add address=172.30.10.1/24 interface=bridge-lab
)rsc"},
    {"deleted-list", "a rule that names an interface list which is gone", R"rsc(
/interface/list/add name=gone
/ip/firewall/raw/add chain=prerouting action=drop in-interface-list=!gone protocol=udp
/interface/list/remove numbers=gone
)rsc"},
    {"policies", "users reader, writer and relay (read,api,test), each with the password \"password\"", R"rsc(
/user/group/add name=relay policy=read,api,test
/user/add name=reader group=read password=password
/user/add name=writer group=write password=password
/user/add name=relay group=relay password=password
)rsc"},
    {"clients", "queues, and everything that serves somebody: leases, PPP, hotspot, wifi, IPv6 neighbours",
     R"rsc(
/queue/simple/add name=guests target=192.168.88.128/25 max-limit=5M/20M
/queue/tree/add name=uplink parent=ether1 max-limit=50M
!/queue/simple name=<l2tp-office> target=<l2tp-office> dynamic=true
!/interface name=wifi1 default-name=wifi1 type=wifi mtu=1500 dynamic=false mac-address=02:00:5E:00:01:01
!/interface/wifi/registration-table interface=wifi1 mac-address=02:00:5E:20:00:01 ssid=home signal=-52
!/interface/wifi/registration-table interface=wifi1 mac-address=02:00:5E:20:00:02 ssid=home signal=-71
!/ip/dhcp-server/lease address=192.168.88.10 mac-address=02:00:5E:20:00:01 server=defconf status=bound dynamic=true
!/ip/dhcp-server/lease address=192.168.88.11 mac-address=02:00:5E:20:00:02 server=defconf status=bound dynamic=true
!/ip/dhcp-server/lease address=192.168.88.12 mac-address=02:00:5E:20:00:03 server=defconf status=waiting dynamic=false
!/ppp/active name=office service=l2tp caller-id=198.51.100.7 address=192.168.89.2 uptime=1h2m3s
!/ip/hotspot/active user=guest address=192.168.90.5 uptime=5m
!/ipv6/neighbor address=fe80::1 interface=ether1 status=reachable
!/ipv6/neighbor address=fe80::2 interface=bridge status=stale
)rsc"},
};

[[noreturn]] void give_up(std::string_view preset, const std::string& line, const std::string& why) {
  std::fprintf(stderr, "mikroscope-routersim: preset %s: %s: %s\n", std::string(preset).c_str(), line.c_str(),
               why.c_str());
  std::exit(2);
}

// name=value pairs; a value in double quotes may hold blanks.
Attributes parse_pairs(std::string_view text) {
  Attributes pairs;
  while (true) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) return pairs;
    const std::string name(text.substr(0, equals));
    text.remove_prefix(equals + 1);
    const bool quoted = !text.empty() && text.front() == '"';
    if (quoted) text.remove_prefix(1);
    const std::size_t end = std::min(text.find(quoted ? '"' : ' '), text.size());
    pairs.append(name, std::string(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void run_preset(State& state, std::string_view name);

// '/': a command; '!': a row put there as the router's own; '@': another preset; '~': a menu emptied.
void run_line(State& state, std::string_view preset, const std::string& line) {
  if (line[0] == '@') return run_preset(state, line.substr(1));
  if (line[0] == '~') {
    state.table(line.substr(1)).rows.clear();
    return;
  }
  const std::size_t blank = std::min(line.find(' '), line.size());
  Attributes pairs = parse_pairs(std::string_view(line).substr(blank));
  if (line[0] == '!') {
    Table& table = state.table(line.substr(1, blank - 1));
    Row row{{".id", fmt::format("*{:X}", table.next++)}};
    for (const auto& [key, value] : pairs) row.append(key, value);
    if (line.rfind("!/disk ", 0) == 0)
      state.files.add_volume(row.text("slot"), {std::uint64_t{8} << 30, 0, false}, 0);
    table.rows.push_back(std::move(row));
    return;
  }
  const std::size_t slash = line.rfind('/', blank);
  Request request;
  request.menu = line.substr(0, slash);
  request.verb = line.substr(slash + 1, blank - slash - 1);
  request.attributes = std::move(pairs);
  Menu* menu = state.menus->find(request.menu);
  if (menu == nullptr) give_up(preset, line, "no such menu");
  // Menus and arguments that this version does not have yet are left out.
  if (!menu->present(state)) return;
  if (request.menu == "/container/envs" && !state.at_least("7.20")) {
    request.attributes.append("name", request.attributes.text("list"));
    request.attributes.erase("list");
  }
  if (request.menu == "/container/mounts" && !state.at_least("7.21")) {
    request.attributes.append("name", request.attributes.text("list"));
    request.attributes.erase("list");
  }
  const Outcome outcome = menu->execute(state, User{"system", {}, Via::local, ""}, request);
  if (!outcome.traps.empty()) give_up(preset, line, outcome.traps.front().message);
}

void run_preset(State& state, std::string_view name) {
  for (const Preset& preset : kPresets) {
    if (preset.name != name) continue;
    std::string_view text = preset.lines;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      if (end > 0) run_line(state, name, std::string(text.substr(0, end)));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return;
  }
  give_up(name, "", "there is no such preset; --help lists them");
}

void put_row(State& state, std::string_view menu, Row row) {
  Table& table = state.table(menu);
  Row whole{{".id", fmt::format("*{:X}", table.next++)}};
  for (const auto& [name, value] : row) whole.append(name, value);
  table.rows.push_back(std::move(whole));
}

void factory(State& state) {
  state.files.add_volume("", {state.config.disk, state.config.disk - state.config.free_disk, false}, 0);
  if (state.config.flash_directory) state.files.make_directory("flash", 0);
  state.files.make_directory("skins", 0);
  put_row(state, "/interface", {{"name", "lo"}, {"type", "loopback"}, {"mtu", "65536"}, {"dynamic", "true"}});
  for (int port = 1; port <= 5; ++port) {
    put_row(state, "/interface",
            {{"name", fmt::format("ether{}", port)},
             {"default-name", fmt::format("ether{}", port)},
             {"type", "ether"},
             {"mtu", "1500"},
             {"mac-address", fmt::format("02:00:5E:00:00:{:02X}", port)},
             {"orig-mac-address", fmt::format("02:00:5E:00:00:{:02X}", port)},
             {"running", port <= 2 ? "true" : "false"}});
  }
  for (const std::string_view name : {"all", "none", "dynamic", "static"})
    put_row(state, "/interface/list",
            {{"name", std::string(name)}, {"builtin", "true"}, {"dynamic", "false"}});
  struct Service {
    const char* name;
    const char* port;
    bool disabled;
  };
  for (const Service& service : {Service{"ftp", "21", true},
                                 {"ssh", "22", false},
                                 {"telnet", "23", true},
                                 {"www", "80", true},
                                 {"www-ssl", "443", true},
                                 {"winbox", "8291", false},
                                 {"api", "8728", false},
                                 {"api-ssl", "8729", false}}) {
    put_row(
        state, "/ip/service",
        {{"name", service.name}, {"port", service.port}, {"disabled", service.disabled ? "true" : "false"}});
  }
  struct Group {
    const char* name;
    const char* policy;
  };
  for (const Group& group :
       {Group{"read",
              "local,telnet,ssh,reboot,read,test,winbox,password,web,sniff,sensitive,api,romon,rest-api"},
        {"write",
         "local,telnet,ssh,reboot,read,write,test,winbox,password,web,sniff,sensitive,api,romon,rest-api"},
        {"full",
         "local,telnet,ssh,ftp,reboot,read,write,policy,test,winbox,password,web,sniff,sensitive,api,romon,"
         "rest-api"}}) {
    put_row(state, "/user/group", {{"name", group.name}, {"policy", group.policy}, {"builtin", "true"}});
  }
  put_row(state, "/user",
          {{"name", "admin"},
           {"group", "full"},
           {"password", state.config.admin_password},
           {"comment", "system default user"}});
  state.setting("/system/identity").put("name", state.config.identity);
}

}  // namespace

std::span<const Preset> all_presets() {
  return kPresets;
}

void load_presets(State& state) {
  const Faults wrong = std::exchange(state.faults, Faults{});
  factory(state);
  for (const std::string& name : state.config.presets) run_preset(state, name);
  state.faults = wrong;
}

}  // namespace mikroscope::routersim
