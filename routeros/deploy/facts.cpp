#include "routeros/deploy/facts.h"

#include <algorithm>

namespace mikroscope::routeros {
namespace {

const MenuRead* find_read(const std::vector<MenuRead>& menus, std::string_view path) {
  const auto found =
      std::find_if(menus.begin(), menus.end(), [path](const MenuRead& m) { return m.menu->path == path; });
  return found == menus.end() ? nullptr : &*found;
}

MenuRead& read_of(std::vector<MenuRead>& menus, std::string_view path) {
  const auto found =
      std::find_if(menus.begin(), menus.end(), [path](const MenuRead& m) { return m.menu->path == path; });
  if (found != menus.end()) return *found;
  menus.push_back({find_menu(path), {}, std::nullopt});
  return menus.back();
}

}  // namespace

const std::vector<Row>* Facts::rows(std::string_view path) const {
  const MenuRead* const read = find_read(menus, path);
  return read == nullptr || read->refused ? nullptr : &read->rows;
}

const DeviceError* Facts::refused(std::string_view path) const {
  const MenuRead* const read = find_read(menus, path);
  return read == nullptr || !read->refused ? nullptr : &*read->refused;
}

const Row& Facts::settings(std::string_view path) const {
  static const Row kNone;
  const std::vector<Row>* const all = rows(path);
  return all == nullptr || all->empty() ? kNone : all->front();
}

void Facts::put(std::string_view path, std::vector<Row> rows) {
  if (find_menu(path) == nullptr) return;
  MenuRead& read = read_of(menus, path);
  read.rows = std::move(rows);
  read.refused.reset();
}

void Facts::put_refused(std::string_view path, DeviceError error) {
  if (find_menu(path) == nullptr) return;
  MenuRead& read = read_of(menus, path);
  read.rows.clear();
  read.refused = std::move(error);
}

std::optional<Version> Facts::version() const {
  return parse_version(settings("/system/resource").text("version"));
}

std::string_view Facts::architecture() const {
  return settings("/system/resource").text("architecture-name");
}

Facts assumed_facts(const Version& version, std::string_view architecture) {
  Facts out;
  out.assumed = true;
  for (const MenuDef& menu : all_menus()) {
    if (menu.exists == nullptr || menu.exists(version)) out.menus.push_back({&menu, {}, std::nullopt});
  }
  Row resource;
  resource.put("version", format_version(version));
  resource.put("architecture-name", std::string(architecture));
  out.put("/system/resource", {resource});
  return out;
}

}  // namespace mikroscope::routeros
