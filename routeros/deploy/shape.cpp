#include "routeros/deploy/shape.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "routeros/deploy/attributes.h"
#include "routeros/deploy/step_environment.h"
#include "routeros/session/value.h"

namespace mikroscope::routeros {
namespace {

// Collects the options that single objects tell.
class Reader {
 public:
  Reader(const Facts& facts, Shape& shape) : facts_(facts), shape_(shape), tag_(shape.options.tag()) {}

  // The only tagged row of a menu; null where there is none or several.
  const Row* only(std::string_view menu, std::string_view what) {
    const std::vector<const Row*> rows = tagged_rows(facts_, menu, tag_);
    if (rows.size() > 1)
      shape_.unsure.push_back(fmt::format("{} objects in {} carry the tag: {}", rows.size(), menu, what));
    return rows.size() == 1 ? rows.front() : nullptr;
  }

  // False for a value outside the option's bounds: then it is none of ours.
  bool take(std::string_view option, std::string_view value) {
    const OptionDef* const def = find_option(option);
    if (def == nullptr || !def->set(shape_.options, std::string(value)).ok()) return false;
    shape_.known.insert(std::string(option));
    return true;
  }

 private:
  const Facts& facts_;
  Shape& shape_;
  std::string tag_;
};

// "172.30.10.1/30" is in 172.30.10.0/30.
std::string network_of(std::string_view address) {
  const std::size_t slash = address.find('/');
  const std::size_t dot = address.rfind('.', slash);
  std::uint64_t last = 0;
  if (slash == std::string_view::npos || dot == std::string_view::npos || address.substr(slash) != "/30" ||
      !base::parse_u64(address.substr(dot + 1, slash - dot - 1), last)) {
    return {};
  }
  return fmt::format("{}.{}/30", address.substr(0, dot), last & ~std::uint64_t{3});
}

// "/usb1/mikroscope/_NAME": the disk is usb1, the slot b.
void take_root_dir(Reader& reader, Shape& shape, std::string_view root) {
  root = without_slash(root);
  for (const Slot slot : kSlots) {
    const std::string tail = fmt::format("mikroscope/{}{}", slot == Slot::b ? "_" : "", shape.options.name);
    if (!root.ends_with(tail)) continue;
    std::string_view disk = root.substr(0, root.size() - tail.size());
    if (!disk.empty() && !disk.ends_with('/')) continue;
    if (!disk.empty()) disk.remove_suffix(1);
    if (reader.take("disk", disk)) shape.slot = slot;
    return;
  }
}

void take_environment(const Facts& facts, Reader& reader, Shape& shape) {
  const std::vector<Row>* const envs = facts.rows("/container/envs");
  if (envs == nullptr) return;
  const std::string list = step_names(shape.options, shape.slot).env_list;
  if (!list_is_ours(*envs, list, shape.options.tag())) return;
  for (const Row& entry : *envs) {
    if (env_list_of(entry) != list) continue;
    const std::string_view key = entry.text("key");
    if (key == "TOKEN") shape.token = true;
    if (key == "PORT") reader.take("port", entry.text("value"));
    for (const OptionDef& option : all_options()) {
      if (!option.variable.empty() && option.variable == key) reader.take(option.name, entry.text("value"));
    }
  }
  if (!shape.token) reader.take("no-token", "yes");
}

void read_objects(const Facts& facts, Shape& shape) {
  Reader reader(facts, shape);
  if (const Row* veth = reader.only("/interface/veth", "the interface is unknown")) {
    shape.installed = true;
    reader.take("veth", veth->text("name"));
  }
  if (const Row* address = reader.only("/ip/address", "the subnet is unknown"))
    reader.take("subnet", network_of(address->text("address")));
  if (const Row* member = reader.only("/interface/list/member", "the interface list is unknown"))
    reader.take("iface-list", member->text("list"));
  if (const Row* entry = reader.only("/ip/firewall/address-list", "the address list is unknown"))
    reader.take("addr-list", entry->text("list"));
  if (const Row* nat = reader.only("/ip/firewall/nat", "what is exposed is unknown")) {
    if (reader.take("lan-address", nat->text("dst-address"))) reader.take("expose", "yes");
    reader.take("port", nat->text("dst-port"));
    const std::string_view from =
        nat->find("src-address") ? nat->text("src-address") : nat->text("in-interface-list");
    if (!from.empty()) reader.take("expose-from", from);
  }
  const std::vector<const Row*> containers = tagged_rows(facts, "/container", shape.options.tag());
  const Row* current = nullptr;
  for (const Row* container : containers) {
    // An upgrade that was cut short leaves two: the one that runs counts.
    if (current == nullptr || container_state(*container) == ContainerState::running) current = container;
  }
  if (current != nullptr) {
    shape.installed = true;
    take_root_dir(reader, shape, current->text("root-dir"));
    reader.take("start-on-boot", current->flag("start-on-boot") ? "yes" : "no");
    if (current->find("privileged")) reader.take("privileged", current->flag("privileged") ? "yes" : "no");
    if (!current->text("remote-image").empty()) reader.take("remote-image", current->text("remote-image"));
  }
  take_environment(facts, reader, shape);
}

}  // namespace

std::vector<ManifestFile> manifest_files(const Facts& facts, std::string_view name) {
  std::vector<ManifestFile> out;
  const std::vector<Row>* const files = facts.rows("/file");
  if (files == nullptr) return out;
  for (const Row& file : *files) {
    if (!is_manifest_path(file.text("name"), name)) continue;
    out.push_back({std::string(without_slash(file.text("name"))), std::string(file.text("contents")),
                   file.find("contents").has_value()});
  }
  return out;
}

Shape read_shape(const Facts& facts, const Options& asked) {
  Shape shape;
  shape.options = asked;
  const std::string tag = asked.tag();
  int ours = 0;
  for (const ManifestFile& file : manifest_files(facts, asked.name)) {
    if (!holds_tag_line(file.contents, tag)) continue;
    shape.installed = true;
    if (++ours > 1) {
      shape.unsure.push_back(fmt::format("a second manifest is at {}; the first counts", file.path));
      continue;
    }
    shape.manifest_path = file.path;
    base::Result<Manifest> manifest = read_manifest(file.contents);
    if (!manifest.ok()) {
      shape.manifest_trouble = manifest.error().what;
    } else if (manifest->options.name != asked.name) {
      shape.manifest_trouble = "it belongs to another installation";
    } else {
      shape.manifest = std::move(*manifest);
    }
  }
  if (shape.manifest) {
    const std::string token = shape.options.token;
    const Options before = std::move(shape.options);
    shape.options = shape.manifest->options;
    shape.options.token = token;
    shape.options.agent_tar = before.agent_tar;
    shape.options.extract_timeout_s = before.extract_timeout_s;
    shape.slot = shape.manifest->slot;
    shape.token = shape.manifest->token;
    for (const OptionDef& option : all_options()) {
      if (option.in_manifest) shape.known.insert(std::string(option.name));
    }
    return shape;
  }
  read_objects(facts, shape);
  return shape;
}

base::Result<Options> merge_options(const Shape& shape, const Options& asked,
                                    const std::set<std::string, std::less<>>& given) {
  Options out = asked;
  for (const OptionDef& option : all_options()) {
    if (!shape.known.contains(option.name)) continue;
    const std::string installed = option.get(shape.options);
    if (!given.contains(option.name)) {
      base::Result<void> stored = option.set(out, installed);
      if (!stored.ok()) return std::move(stored).error();
      continue;
    }
    const bool stands = option.group == "Network" || option.group == "Storage";
    if (!stands || option.get(asked) == installed) continue;
    return base::Error{
        fmt::format("--{} {} contradicts the installation \"{}\", which was made with {}", option.name,
                    option.get(asked), asked.name, installed.empty() ? "none" : installed),
        "leave it out; to change it, uninstall and install again, or install a second one "
        "under another --name",
        base::Exit::usage};
  }
  return out;
}

std::vector<const Row*> tagged_rows(const Facts& facts, std::string_view menu, std::string_view tag) {
  std::vector<const Row*> out;
  const std::vector<Row>* const rows = facts.rows(menu);
  if (rows == nullptr) return out;
  for (const Row& row : *rows) {
    if (row.text("comment") == tag) out.push_back(&row);
  }
  return out;
}

std::string_view env_list_of(const Row& entry) {
  return entry.find("list") ? entry.text("list") : entry.text("name");
}

bool value_is_hidden(const Row& entry) {
  return entry.text("value").find_first_not_of('*') == std::string_view::npos;
}

bool list_is_ours(const std::vector<Row>& envs, std::string_view list, std::string_view tag,
                  const Manifest* manifest) {
  const bool recorded =
      manifest != nullptr &&
      std::any_of(manifest->objects.begin(), manifest->objects.end(), [&](const ManifestObject& object) {
        return object.menu == "/container/envs" && !object.identity.empty() &&
               object.identity[0].value == list;
      });
  return std::any_of(envs.begin(), envs.end(), [&](const Row& entry) {
    return env_list_of(entry) == list && entry.text("key") == kMarkerKey &&
           (entry.text("value") == tag || (recorded && value_is_hidden(entry)));
  });
}

}  // namespace mikroscope::routeros
