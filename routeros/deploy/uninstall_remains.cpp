#include <fmt/format.h>

#include <algorithm>

#include "routeros/deploy/shape.h"
#include "routeros/deploy/step_environment.h"
#include "routeros/deploy/uninstall.h"
#include "routeros/session/text.h"

namespace mikroscope::routeros {
namespace {

class Finder {
 public:
  Finder(const Link& link, const Options& options) : link_(link), options_(options), tag_(options.tag()) {}

  base::Result<Remains> run() {
    base::Result<void> ok = files();
    if (ok.ok()) ok = containers();
    if (ok.ok()) ok = entries();
    if (ok.ok()) ok = find_empty_directories();
    if (!ok.ok()) return std::move(ok).error();
    judge_files();
    std::vector<std::string> menus;
    if (out_.manifest) {
      for (const ManifestObject& object : out_.manifest->objects) menus.push_back(object.menu);
    }
    base::Result<Sweep> swept = sweep(link_, tag_, menus);
    if (!swept.ok()) return std::move(swept).error();
    out_.rows = std::move(swept->found);
    for (std::string& menu : swept->unreadable) out_.unreadable.push_back(std::move(menu));
    return std::move(out_);
  }

 private:
  // A menu that is refused costs its own line; nothing: it does not exist.
  base::Result<std::vector<Row>> print(const Print& print) {
    Answer<std::vector<Row>> rows = link_.session.print(print);
    if (rows.ok()) return std::move(*rows);
    const DeviceError* const device = device_error(rows.error());
    if (device == nullptr) return link_.error(rows.error());
    if (!device->no_such_command())
      out_.unreadable.push_back(fmt::format("{}: {}", print.menu, printable(device->message)));
    return std::vector<Row>();
  }

  base::Result<void> files() {
    base::Result<std::vector<Row>> rows = print({"/file", {"name", "type"}, {}});
    if (!rows.ok()) return std::move(rows).error();
    for (const Row& row : *rows) {
      names_.emplace_back(without_slash(row.text("name")));
      if (row.text("type") == "directory") directories_.push_back(names_.back());
    }
    for (const std::string& name : names_) {
      if (!is_manifest_path(name, options_.name)) continue;
      const base::Result<std::vector<Row>> found = print({"/file", {"name", "contents"}, {{"name", name}}});
      if (!found.ok()) return found.error();
      for (const Row& row : *found) {
        if (without_slash(row.text("name")) != name) continue;
        if (!holds_tag_line(row.text("contents"), tag_)) {
          out_.strangers.push_back(name);
          continue;
        }
        out_.manifests.push_back(name);
        base::Result<Manifest> manifest = read_manifest(row.text("contents"));
        if (manifest.ok() && !out_.manifest) out_.manifest = std::move(*manifest);
      }
    }
    return {};
  }

  // The directory of manifests, on the internal flash or on any disk, where it is empty. An installation's
  // root directory can look the same (mikroscope/mikroscope, as empty as the router lists it): only what lies
  // on a disk counts, and nothing that a container has.
  base::Result<void> find_empty_directories() {
    base::Result<std::vector<Row>> disks = print({"/disk", {"slot"}, {}});
    if (!disks.ok()) return std::move(disks).error();
    std::vector<std::string> candidates{"mikroscope"};
    for (const Row& disk : *disks) {
      if (!disk.text("slot").empty()) candidates.push_back(fmt::format("{}/mikroscope", disk.text("slot")));
    }
    for (const std::string& name : candidates) {
      const bool there = std::find(directories_.begin(), directories_.end(), name) != directories_.end();
      const bool held = std::find(held_.begin(), held_.end(), name) != held_.end();
      const bool filled = std::any_of(names_.begin(), names_.end(), [&](const std::string& other) {
        return other.starts_with(name + "/");
      });
      if (there && !held && !filled) out_.directories.push_back(name);
    }
    return {};
  }

  base::Result<void> containers() {
    std::vector<std::string> properties{"comment", "root-dir"};
    if (const MenuDef* menu = find_menu("/container"))
      properties.assign(menu->proplist.begin(), menu->proplist.end());
    base::Result<std::vector<Row>> rows = print({"/container", properties, {}});
    if (!rows.ok()) return std::move(rows).error();
    for (Row& row : *rows) {
      if (row.text("comment") == tag_) {
        out_.containers.push_back(std::move(row));
      } else if (!row.text("root-dir").empty()) {
        held_.emplace_back(without_slash(row.text("root-dir")));
      }
    }
    return {};
  }

  base::Result<void> entries() {
    // `list` from 7.20 on, `name` before: a router ignores the one that it does not know in a proplist.
    base::Result<std::vector<Row>> rows = print({"/container/envs", {"list", "name", "key", "value"}, {}});
    if (!rows.ok()) return std::move(rows).error();
    for (const Slot slot : kSlots) {
      const std::string list = step_names(options_, slot).env_list;
      const bool ours = list_is_ours(*rows, list, tag_, out_.manifest ? &*out_.manifest : nullptr);
      bool any = false;
      std::optional<Tagged> marker;
      for (const Row& row : *rows) {
        if (env_list_of(row) != list) continue;
        any = true;
        if (!ours) continue;
        Tagged entry{"/container/envs", std::string(row.id()),
                     fmt::format("environment entry {} {}", list, printable(row.text("key"))), list};
        if (row.text("key") == kMarkerKey) {
          if (marker) out_.entries.push_back(*marker);
          marker = std::move(entry);
        } else {
          out_.entries.push_back(std::move(entry));
        }
      }
      if (marker) out_.entries.push_back(std::move(*marker));
      if (ours) marked_.push_back(slot);
      if (any && !ours) out_.strangers.push_back("environment list " + list);
    }
    return {};
  }

  bool recorded(const std::vector<std::string>& paths, const std::string& path) const {
    return std::find(paths.begin(), paths.end(), path) != paths.end();
  }

  void judge_files() {
    const auto listed = [this](const std::string& name) {
      return std::find(names_.begin(), names_.end(), name) != names_.end();
    };
    for (const Slot slot : kSlots) {
      const StepNames names = step_names(options_, slot);
      const bool marked = std::find(marked_.begin(), marked_.end(), slot) != marked_.end();
      if (listed(names.tar_file)) {
        const bool ours = marked || (out_.manifest && recorded(out_.manifest->files, names.tar_file));
        (ours ? out_.images : out_.strangers).push_back(names.tar_file);
      }
      const bool with_container =
          std::any_of(out_.containers.begin(), out_.containers.end(),
                      [&](const Row& row) { return without_slash(row.text("root-dir")) == names.root_dir; });
      if (!listed(names.root_dir) || with_container) continue;
      // An upgrade that was cut short has its new directory in no manifest, but its list is marked.
      const bool ours = marked || (out_.manifest && recorded(out_.manifest->directories, names.root_dir));
      const bool held = std::find(held_.begin(), held_.end(), names.root_dir) != held_.end();
      (ours && !held ? out_.roots : out_.strangers).push_back(names.root_dir);
    }
  }

  Link link_;
  const Options& options_;
  std::string tag_;
  Remains out_;
  std::vector<std::string> names_;        // of all files
  std::vector<std::string> directories_;  // of them
  std::vector<std::string> held_;         // root directories of containers that are not ours
  std::vector<Slot> marked_;
};

}  // namespace

bool Remains::only_manifest() const {
  return containers.empty() && entries.empty() && images.empty() && rows.empty() && roots.empty();
}

bool Remains::nothing() const {
  return only_manifest() && manifests.empty() && directories.empty();
}

std::vector<std::string> Remains::lines() const {
  std::vector<std::string> out;
  for (const Row& row : containers) {
    out.push_back(fmt::format("container {}, {}, and its directory {}", row.id(),
                              state_name(container_state(row)), without_slash(row.text("root-dir"))));
  }
  for (const std::string& image : images) out.push_back("file " + image);
  for (std::size_t i = 0; i < entries.size();) {
    std::size_t end = i;
    while (end < entries.size() && entries[end].list == entries[i].list) ++end;
    out.push_back(fmt::format("environment list {} with {} entries", entries[i].list, end - i));
    i = end;
  }
  for (const Tagged& row : rows) out.push_back(row.label);
  for (const std::string& root : roots) out.push_back("directory " + root);
  for (const std::string& manifest_file : manifests) out.push_back("file " + manifest_file);
  for (const std::string& directory : directories) out.push_back("empty directory " + directory);
  return out;
}

base::Result<Remains> find_remains(const Link& link, const Options& options) {
  return Finder(link, options).run();
}

}  // namespace mikroscope::routeros
