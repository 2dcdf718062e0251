#include "tests/routeros/deploy/fake_router.h"

#include <fmt/format.h>

#include <algorithm>

#include "routeros/deploy/attributes.h"

namespace mikroscope::routeros {
namespace {

constexpr std::string_view kStates[] = {"downloading/extracting",
                                        "download/extract failed",
                                        "stopped",
                                        "starting",
                                        "running",
                                        "stopping",
                                        "deleting"};

Trouble refuse(std::string message, const std::string& doing) {
  return DeviceError{std::move(message), 4, doing};
}

// Row::put() keeps what was there before.
void replace(Row& row, const std::string& name, const std::string& value) {
  Row next;
  bool done = false;
  for (const Attribute& a : row.attributes()) {
    if (a.name == name && done) continue;
    next.put(a.name, a.name == name ? value : a.value);
    done = done || a.name == name;
  }
  if (!done) next.put(name, value);
  row = next;
}

std::string slashless(std::string path) {
  if (path.starts_with('/')) path.erase(0, 1);
  return path;
}

}  // namespace

FakeRouter::FakeRouter(const Version& version) : version_(version) {
  put("/system/resource", {{"version", format_version(version) + " (stable)"},
                           {"architecture-name", "arm64"},
                           {"board-name", "RB5009UG+S+"},
                           {"free-memory", "800000000"},
                           {"free-hdd-space", "900000000"},
                           {"uptime", "1w2d"}});
  put("/system/identity", {{"name", "test"}});
  put("/system/package", {{"name", "container"}, {"version", format_version(version)}});
  put("/system/device-mode", {{"mode", "advanced"}, {"container", "true"}, {"fetch", "true"}});
  put("/interface/list", {{"name", "LAN"}});
  put("/interface/list", {{"name", "WAN"}});
  put("/ip/dns", {{"servers", "192.0.2.53"}});
  for (const char* menu :
       {"/interface/veth", "/interface/list/member", "/ip/address", "/ip/route", "/ip/firewall/address-list",
        "/ip/firewall/nat", "/ip/firewall/filter", "/ip/firewall/raw", "/ip/firewall/mangle", "/container",
        "/container/envs", "/container/mounts", "/container/config", "/file", "/disk", "/log"}) {
    menus_[menu];
  }
}

std::string FakeRouter::next_id() {
  return fmt::format("*{:X}", ++last_id_);
}

std::string FakeRouter::put(const std::string& menu, const Attributes& attributes) {
  Row row(attributes);
  const std::string id = next_id();
  row.put(".id", id);
  menus_[menu].push_back(row);
  return id;
}

std::vector<Row> FakeRouter::rows(const std::string& menu) const {
  const auto found = menus_.find(menu);
  return found == menus_.end() ? std::vector<Row>() : found->second;
}

std::string FakeRouter::exported() const {
  std::string out;
  for (const auto& [menu, rows] : menus_) {
    if (menu == "/log") continue;
    for (const Row& row : rows) {
      out += menu;
      for (const Attribute& a : row.attributes()) {
        if (a.name != ".id") out += fmt::format(" {}={}", a.name, a.value);
      }
      out += '\n';
    }
  }
  return out;
}

void FakeRouter::reconnect() {
  lost_ = false;
  cut_before_write.reset();
  cut_after_write.reset();
  stop_at_write.reset();
}

void FakeRouter::reboot() {
  const auto on_tmpfs = [this](const std::string& path) {
    return std::any_of(menus_["/disk"].begin(), menus_["/disk"].end(), [&](const Row& disk) {
      return disk.text("type") == "tmpfs" && path.starts_with(std::string(disk.text("slot")) + "/");
    });
  };
  std::erase_if(menus_["/file"], [&](const Row& file) { return on_tmpfs(std::string(file.text("name"))); });
  for (Row& container : menus_["/container"]) {
    const bool extracting = container.flag("downloading/extracting");
    const bool starts = container.flag("start-on-boot") && !extracting;
    set_state(container, extracting ? "download/extract failed" : starts ? "running" : "stopped", 0);
  }
  reconnect();
}

std::optional<Trouble> FakeRouter::write(const std::string& what) {
  requests.push_back(what);
  if (lost_ || (cut_before_write && writes >= *cut_before_write)) {
    lost_ = true;
    return LostConnection{"the connection was lost", "", base::Exit::failed};
  }
  ++writes;
  return std::nullopt;
}

Answer<void> FakeRouter::finish() {
  if (cut_after_write && writes >= *cut_after_write) {
    lost_ = true;
    return Trouble(LostConnection{"the connection was lost", "", base::Exit::failed});
  }
  return {};
}

Row* FakeRouter::find(const std::string& menu, const std::string& id) {
  for (Row& row : menus_[menu]) {
    if (row.id() == id) return &row;
  }
  return nullptr;
}

void FakeRouter::log(const std::string& message) {
  menus_["/log"].push_back(
      Row({{".id", next_id()}, {"time", "12:00:00"}, {"topics", "container,info"}, {"message", message}}));
}

void FakeRouter::set_state(Row& container, const std::string& state, std::int64_t for_ns) {
  Row next;
  for (const Attribute& a : container.attributes()) {
    if (std::find(std::begin(kStates), std::end(kStates), a.name) == std::end(kStates))
      next.put(a.name, a.value);
  }
  next.put(state, "true");
  container = next;
  Life& life = lives_[std::string(container.id())];
  life.state = state;
  life.until_ns = now_ns_ + for_ns;
}

void FakeRouter::tick() {
  std::vector<std::string> gone;
  for (Row& container : menus_["/container"]) {
    Life& life = lives_[std::string(container.id())];
    if (now_ns_ < life.until_ns) continue;
    if (life.state == "downloading/extracting") {
      if (extraction_fails) log("download/extract error: no space left on device");
      if (!extraction_fails) make_directories(slashless(std::string(container.text("root-dir"))) + "/");
      set_state(container, extraction_fails ? "download/extract failed" : "stopped", 0);
    } else if (life.state == "starting") {
      if (life.dies) log("*** exited with status 255: execvp /mikroscope-agent: Exec format error");
      set_state(container, life.dies ? "stopped" : "running", 0);
    } else if (life.state == "stopping") {
      set_state(container, "stopped", 0);
    } else if (life.state == "deleting") {
      gone.emplace_back(container.id());
    }
  }
  for (const std::string& id : gone) {
    const Row row = *find("/container", id);
    std::erase_if(menus_["/container"], [&](const Row& r) { return r.id() == id; });
    if (!removes_root_late) drop_files(slashless(std::string(row.text("root-dir"))));
  }
}

void FakeRouter::make_directories(const std::string& path) {
  for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    const std::string directory = path.substr(0, slash);
    const bool disk = std::any_of(menus_["/disk"].begin(), menus_["/disk"].end(),
                                  [&](const Row& d) { return d.text("slot") == directory; });
    const bool there = std::any_of(menus_["/file"].begin(), menus_["/file"].end(),
                                   [&](const Row& f) { return f.text("name") == directory; });
    if (!disk && !there) put("/file", {{"name", directory}, {"type", "directory"}});
  }
}

void FakeRouter::drop_files(const std::string& path) {
  std::erase_if(menus_["/file"], [&](const Row& file) {
    return file.text("name") == path || file.text("name").starts_with(path + "/");
  });
}

bool FakeRouter::wait_ns(std::int64_t span_ns) {
  now_ns_ += span_ns;
  tick();
  return !stopped();
}

Answer<std::vector<Row>> FakeRouter::print(const Print& print) {
  requests.push_back("print " + print.menu);
  if (lost_) return Trouble(LostConnection{"the connection was lost", "", base::Exit::failed});
  tick();
  if (refused_menus.contains(print.menu)) return refuse("not enough permissions (9)", print.menu + "/print");
  const auto menu = menus_.find(print.menu);
  if (menu == menus_.end()) return refuse("no such command prefix", print.menu + "/print");
  std::vector<Row> out;
  for (const Row& row : menu->second) {
    const bool wanted = std::all_of(print.where.begin(), print.where.end(), [&](const Where& w) {
      return row.find(w.name) && row.text(w.name) == w.value;
    });
    if (!wanted) continue;
    Row shown;
    shown.put(".id", std::string(row.id()));
    for (const std::string& name : print.proplist) {
      if (!row.find(name)) continue;
      const bool hidden = hides_values && print.menu == "/container/envs" && name == "value";
      shown.put(name, hidden ? "*****" : std::string(row.text(name)));
    }
    out.push_back(std::move(shown));
  }
  return out;
}

Answer<std::string> FakeRouter::add(const std::string& menu, const Attributes& attributes) {
  const std::string doing = menu + "/add";
  if (std::optional<Trouble> lost = write("add " + menu)) return std::move(*lost);
  if (!menus_.contains(menu)) return refuse("no such command prefix", doing);
  Row row;
  std::string before;
  for (const Attribute& a : attributes) {
    if (a.name == "place-before") {
      before = a.value;
      continue;
    }
    if (!supports(version_, menu, a.name)) return refuse("unknown parameter " + a.name, doing);
    row.put(a.name, a.value);
  }
  for (const Row& there : menus_[menu]) {
    if (menu == "/interface/veth" && there.text("name") == row.text("name"))
      return refuse("failure: already have interface with such name", doing);
    if (menu == "/file" && there.text("name") == row.text("name"))
      return refuse("failure: file already exists", doing);
  }
  if (menu == "/file") {
    row.put("type", ".txt file");
    row.put("size", fmt::format("{}", row.text("contents").size()));
    make_directories(std::string(row.text("name")));
  }
  if (menu == "/interface/list/member" && menus_["/interface/list"].size() != 0) {
    const bool known = std::any_of(menus_["/interface/list"].begin(), menus_["/interface/list"].end(),
                                   [&](const Row& l) { return l.text("name") == row.text("list"); });
    if (!known) return refuse("input does not match any value of list", doing);
  }
  if (menu == "/container") {
    const auto veth = std::any_of(menus_["/interface/veth"].begin(), menus_["/interface/veth"].end(),
                                  [&](const Row& v) { return v.text("name") == row.text("interface"); });
    if (!veth) return refuse("input does not match any value of interface", doing);
    const auto file = std::any_of(menus_["/file"].begin(), menus_["/file"].end(),
                                  [&](const Row& f) { return f.text("name") == row.text("file"); });
    if (row.find("file") && !file) return refuse("failure: no such file", doing);
    if (refuses_second_container && !menus_["/container"].empty())
      return refuse("failure: interface already in use", doing);
    row.put("root-dir", "/" + std::string(row.text("root-dir")));
  }
  row.put(".id", next_id());
  const std::string id(row.id());
  std::vector<Row>& rows = menus_[menu];
  const auto at = std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.id() == before; });
  rows.insert(at, row);
  if (menu == "/container") set_state(*find(menu, id), "downloading/extracting", extraction_ns);
  if (Answer<void> cut = finish(); !cut.ok()) return std::move(cut).error();
  return id;
}

Answer<void> FakeRouter::set(const std::string& menu, const std::string& id, const Attributes& attributes) {
  if (std::optional<Trouble> lost = write("set " + menu)) return std::move(*lost);
  Row* const row = find(menu, id);
  if (row == nullptr) return refuse("no such item", menu + "/set");
  for (const Attribute& a : attributes) {
    if (!supports(version_, menu, a.name)) return refuse("unknown parameter " + a.name, menu + "/set");
    replace(*row, a.name, a.value);
    if (a.name == "contents") replace(*row, "size", fmt::format("{}", a.value.size()));
  }
  return finish();
}

Answer<void> FakeRouter::remove(const std::string& menu, const std::string& id) {
  const std::string doing = menu + "/remove";
  if (std::optional<Trouble> lost = write("remove " + menu)) return std::move(*lost);
  if (refused_removals.contains(menu)) return refuse(refused_removals[menu], doing);
  Row* const row = find(menu, id);
  if (row == nullptr) return refuse("no such item", doing);
  if (menu == "/container") {
    const std::string& state = lives_[id].state;
    if (state == "running" || state == "stopping" || state == "starting")
      return refuse("failure: cannot remove running container", doing);
    set_state(*row, "deleting", kSecondNs);
    return finish();
  }
  if (menu == "/interface/veth") {
    const bool used = std::any_of(menus_["/container"].begin(), menus_["/container"].end(),
                                  [&](const Row& c) { return c.text("interface") == row->text("name"); });
    if (used) return refuse("failure: in use by container", doing);
  }
  if (menu == "/file") {
    drop_files(std::string(row->text("name")));
  } else {
    std::erase_if(menus_[menu], [&](const Row& r) { return r.id() == id; });
  }
  return finish();
}

Answer<std::vector<Row>> FakeRouter::call(const Call& call) {
  if (call.command != "/container/start" && call.command != "/container/stop") {
    requests.push_back(call.command);
    if (call.command == "/tool/fetch") return refuse("failure: connection timeout", call.command);
    return refuse("no such command", call.command);
  }
  if (std::optional<Trouble> lost = write(call.command)) return std::move(*lost);
  std::string id;
  for (const Attribute& a : call.attributes) {
    if (a.name == ".id") id = a.value;
  }
  Row* const row = find("/container", id);
  if (row == nullptr) return refuse("no such item", call.command);
  Life& life = lives_[id];
  if (call.command == "/container/start") {
    if (life.state != "stopped") return refuse("failure: container not stopped", call.command);
    life.dies = dies_at_start;
    set_state(*row, "starting", kSecondNs / 2);
  } else {
    if (life.state != "running") return refuse("failure: container not running", call.command);
    set_state(*row, "stopping", stopping_ns);
  }
  if (Answer<void> cut = finish(); !cut.ok()) return std::move(cut).error();
  return std::vector<Row>();
}

Answer<void> FakeRouter::upload(const std::string& name, std::string_view bytes, const Progress&) {
  if (std::optional<Trouble> lost = write("upload")) return std::move(*lost);
  std::erase_if(menus_["/file"], [&](const Row& file) { return file.text("name") == name; });
  put("/file", {{"name", name}, {"type", ".tar file"}, {"size", fmt::format("{}", bytes.size())}});
  return finish();
}

}  // namespace mikroscope::routeros
