#include "routeros/deploy/gather.h"

#include "base/clock.h"
#include "routeros/deploy/attributes.h"
#include "routeros/session/value.h"

namespace mikroscope::routeros {
namespace {

constexpr std::string_view kResourceMenu = "/system/resource";
constexpr std::string_view kFiles = "/file";

// Menus fill up for some seconds after a boot.
constexpr int kBootTries = 20;
constexpr std::int64_t kBootPauseMs = 500;
constexpr std::int64_t kSettledUptimeNs = 60 * base::kNsPerSecond;
constexpr std::int64_t kSettlePauseMs = 2000;
constexpr std::size_t kMostManifests = 16;

LostConnection ended() {
  return {"interrupted while the router was still booting", "", base::Exit::interrupted};
}

// What this version has of the menu's list: over SSH an unknown name would cost the whole menu.
std::vector<std::string> proplist(const MenuDef& menu, const std::optional<Version>& version) {
  std::vector<std::string> out;
  for (const std::string_view name : menu.proplist) {
    bool known = true;
    for (const AttributeDef& a : all_attributes()) {
      if (a.menu != menu.path || a.name != name || !version) continue;
      known = supports(*version, menu.path, name);
      break;
    }
    if (known) out.emplace_back(name);
  }
  return out;
}

class Reading {
 public:
  Reading(Session& session, const GatherOptions& options) : session_(session), options_(options) {}

  Answer<Facts> run() {
    facts_.local_address = session_.local_address();
    facts_.read_wall_ns = base::wall_ns();
    if (std::optional<LostConnection> lost = read_resource()) return Trouble(std::move(*lost));
    const std::optional<Version> version = facts_.version();
    for (const MenuDef& menu : all_menus()) {
      if (menu.path == kResourceMenu) continue;
      if (menu.exists != nullptr && version && !menu.exists(*version)) continue;
      if (std::optional<LostConnection> lost = read(menu)) return Trouble(std::move(*lost));
    }
    if (std::optional<LostConnection> lost = read_again()) return Trouble(std::move(*lost));
    if (std::optional<LostConnection> lost = read_manifests()) return Trouble(std::move(*lost));
    return std::move(facts_);
  }

 private:
  using Lost = std::optional<LostConnection>;

  Lost read(const MenuDef& menu) {
    Answer<std::vector<Row>> rows =
        session_.print({std::string(menu.path), proplist(menu, facts_.version()), {}});
    if (rows.ok()) {
      facts_.put(menu.path, std::move(*rows));
    } else if (const DeviceError* const refused = device_error(rows.error())) {
      facts_.put_refused(menu.path, *refused);
    } else {
      return std::get<LostConnection>(rows.error());
    }
    return std::nullopt;
  }

  Lost read_resource() {
    for (int i = 0; i < kBootTries; ++i) {
      if (Lost lost = read(*find_menu(kResourceMenu))) return lost;
      const Row& resource = facts_.settings(kResourceMenu);
      if (!resource.text("version").empty() && !resource.text("uptime").empty()) return std::nullopt;
      if (facts_.refused(kResourceMenu) != nullptr || !options_.pause) return std::nullopt;
      if (!options_.pause(kBootPauseMs)) return ended();
    }
    return std::nullopt;
  }

  // What is missing shortly after a boot is looked for once more before anyone acts on it.
  Lost read_again() {
    const std::optional<std::int64_t> uptime_ns = parse_time(facts_.settings(kResourceMenu).text("uptime"));
    if (!uptime_ns || *uptime_ns >= kSettledUptimeNs || !options_.pause) return std::nullopt;
    if (!options_.pause(kSettlePauseMs)) return ended();
    for (const MenuDef& menu : all_menus()) {
      const std::vector<Row>* const rows = facts_.rows(menu.path);
      const DeviceError* const refused = facts_.refused(menu.path);
      const bool missing = rows != nullptr ? rows->empty() : refused != nullptr && !refused->not_permitted();
      if (!missing) continue;
      if (Lost lost = read(menu)) return lost;
    }
    return std::nullopt;
  }

  Lost read_manifests() {
    const std::vector<Row>* const files = facts_.rows(kFiles);
    if (files == nullptr) return std::nullopt;
    std::vector<Row> rows = *files;
    std::size_t count = 0;
    for (Row& row : rows) {
      const std::string name(row.text("name"));
      constexpr std::string_view kFolder = "mikroscope/";
      const std::size_t folder = name.find(kFolder);
      if (!name.ends_with(".manifest.txt") || folder == std::string::npos ||
          (folder != 0 && name[folder - 1] != '/') || ++count > kMostManifests) {
        continue;
      }
      const Answer<std::vector<Row>> found =
          session_.print({std::string(kFiles), {".id", "name", "contents"}, {{"name", name}}});
      if (!found.ok()) {
        if (device_error(found.error()) != nullptr) continue;
        return std::get<LostConnection>(found.error());
      }
      for (const Row& content : *found) {
        if (const auto text = content.find("contents"); text && content.text("name") == name)
          row.put("contents", std::string(*text));
      }
    }
    facts_.put(kFiles, std::move(rows));
    return std::nullopt;
  }

  Session& session_;
  const GatherOptions& options_;
  Facts facts_;
};

}  // namespace

Answer<Facts> gather(Session& session, const GatherOptions& options) {
  return Reading(session, options).run();
}

}  // namespace mikroscope::routeros
