#include "routeros/deploy/facts_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "agent/config.h"
#include "routeros/session/text.h"

namespace mikroscope::routeros {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kLeftOut = "(left out)";
constexpr int kFormat = 1;

bool agent_setting(std::string_view key) {
  const std::span<const agent::Setting> all = agent::all_settings();
  const auto found =
      std::find_if(all.begin(), all.end(), [key](const agent::Setting& s) { return s.name == key; });
  return found != all.end() && found->kind != agent::SettingKind::secret;
}

bool secret(std::string_view menu, const Row& row, std::string_view name) {
  if (menu == "/container/envs") return name == "value" && !agent_setting(row.text("key"));
  return menu == "/container/config" && name == "username";
}

Json row_json(std::string_view menu, const Row& row) {
  Json out = Json::object();
  for (const Attribute& a : row.attributes()) {
    const bool hide = !a.value.empty() && secret(menu, row, a.name);
    out[decode_text(a.name)] = hide ? std::string(kLeftOut) : decode_text(a.value);
  }
  return out;
}

std::string text_of(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

base::Error bad(std::string_view why) {
  return {fmt::format("this is no file of facts: {}", why),
          "write one with `mikroscope doctor --save-facts FILE`", base::Exit::usage};
}

}  // namespace

std::string facts_to_json(const Facts& facts) {
  Json out;
  out["mikroscope_facts"] = kFormat;
  out["assumed"] = facts.assumed;
  out["local_address"] = decode_text(facts.local_address);
  out["read_wall_ns"] = facts.read_wall_ns;
  Json& menus = out["menus"] = Json::object();
  for (const MenuRead& read : facts.menus) {
    Json& menu = menus[std::string(read.menu->path)] = Json::object();
    if (read.refused) {
      menu["refused"] = {{"message", decode_text(read.refused->message)},
                         {"category", read.refused->category},
                         {"doing", decode_text(read.refused->doing)}};
      continue;
    }
    Json& rows = menu["rows"] = Json::array();
    for (const Row& row : read.rows) rows.push_back(row_json(read.menu->path, row));
  }
  return out.dump(1) + "\n";
}

base::Result<Facts> facts_from_json(std::string_view text) {
  const Json in = Json::parse(text, nullptr, false);
  if (!in.is_object() || !in.contains("mikroscope_facts")) return bad("it has no \"mikroscope_facts\"");
  if (in["mikroscope_facts"] != kFormat) return bad("it is of another version");
  Facts out;
  out.assumed = in.contains("assumed") && in["assumed"] == true;
  out.local_address = text_of(in, "local_address");
  if (in.contains("read_wall_ns") && in["read_wall_ns"].is_number_integer())
    out.read_wall_ns = in["read_wall_ns"].get<std::int64_t>();
  const auto menus = in.find("menus");
  if (menus == in.end() || !menus->is_object()) return bad("it has no \"menus\"");
  for (const auto& [path, menu] : menus->items()) {
    if (!menu.is_object()) return bad(fmt::format("the menu {} is no object", path));
    if (const auto refused = menu.find("refused"); refused != menu.end() && refused->is_object()) {
      DeviceError error;
      error.message = text_of(*refused, "message");
      error.doing = text_of(*refused, "doing");
      if (const auto c = refused->find("category"); c != refused->end() && c->is_number_integer())
        error.category = c->get<int>();
      out.put_refused(path, std::move(error));
      continue;
    }
    std::vector<Row> rows;
    const auto list = menu.find("rows");
    if (list == menu.end() || !list->is_array()) return bad(fmt::format("the menu {} has no rows", path));
    for (const Json& item : *list) {
      if (!item.is_object()) return bad(fmt::format("a row of {} is no object", path));
      Row row;
      for (const auto& [name, value] : item.items()) {
        if (!value.is_string()) return bad(fmt::format("{} of {} is no text", name, path));
        row.put(name, value.get<std::string>());
      }
      rows.push_back(std::move(row));
    }
    out.put(path, std::move(rows));
  }
  return out;
}

}  // namespace mikroscope::routeros
