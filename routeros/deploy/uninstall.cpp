#include "routeros/deploy/uninstall.h"

#include <fmt/format.h>

#include <algorithm>

#include "routeros/session/text.h"

namespace mikroscope::routeros {
namespace {

constexpr std::int64_t kImageNs = 15 * kSecondNs;

class Remover {
 public:
  Remover(const Options& options, Removing& r) : options_(options), r_(r), tag_(options.tag()) {}

  base::Result<void> run() {
    base::Result<Remains> before = find_remains(r_.link, options_);
    if (!before.ok()) return std::move(before).error();
    if (before->nothing()) return verdict(*before);
    // The record outlives whatever cannot be removed.
    base::Result<void> removed = objects(*before);
    if (!removed.ok()) return removed;
    base::Result<Remains> between = find_remains(r_.link, options_);
    if (!between.ok()) return std::move(between).error();
    if (!between->only_manifest() || !between->unreadable.empty()) return verdict(*between);
    for (const std::string& manifest : between->manifests) {
      base::Result<void> gone = file(manifest);
      if (!gone.ok()) return gone;
    }
    base::Result<Remains> after = find_remains(r_.link, options_);
    if (!after.ok()) return std::move(after).error();
    for (const std::string& directory : after->directories) {
      base::Result<void> gone = file(directory);
      if (!gone.ok()) return gone;
    }
    after->directories.clear();  // file() has seen them go
    return verdict(*after);
  }

 private:
  void tell(EventKind kind, std::string what, std::string text = {}) {
    if (r_.on_event) r_.on_event({kind, std::move(what), std::move(text)});
  }

  static base::Error stopped() {
    return {"interrupted; the rest is still on the router", "run `mikroscope uninstall --yes` again",
            base::Exit::interrupted};
  }

  base::Result<void> verdict(const Remains& left) {
    if (left.nothing() && left.unreadable.empty()) return {};
    std::vector<std::string> lines = left.lines();
    std::string what = fmt::format("{}: ", r_.link.session.router());
    if (!lines.empty())
      what += fmt::format("{} object(s) are left: {}", lines.size(), fmt::join(lines, "; "));
    if (!left.unreadable.empty())
      what += fmt::format("{}not verified: {}", lines.empty() ? "" : "; ", fmt::join(left.unreadable, "; "));
    std::string fix = "run `mikroscope uninstall --yes` again";
    if (!refusals_.empty()) what += fmt::format("; the router said: {}", fmt::join(refusals_, "; "));
    if (!left.unreadable.empty()) fix = "use an account that may read these menus";
    return base::Error{std::move(what), std::move(fix)};
  }

  base::Result<void> row(const Tagged& tagged) {
    if (r_.link.pace.stopped()) return stopped();
    const Answer<void> removed = r_.link.session.remove(tagged.menu, tagged.id);
    if (removed.ok()) {
      tell(EventKind::undone, tagged.label);
      return {};
    }
    const DeviceError* const device = device_error(removed.error());
    if (device == nullptr) return r_.link.error(removed.error());
    if (device->no_such_item()) return {};
    // One object that cannot be removed does not keep the others; the count tells.
    refusals_.push_back(fmt::format("{}: {}", tagged.label, printable(device->message)));
    tell(EventKind::left, tagged.label, printable(device->message));
    return {};
  }

  base::Result<void> file(const std::string& name) {
    if (r_.link.pace.stopped()) return stopped();
    const base::Result<bool> removed = remove_file(r_.link, name);
    if (!removed.ok()) return removed.error();
    if (*removed) tell(EventKind::undone, name);
    return {};
  }

  // A router that still reads the image refuses its removal for a moment.
  base::Result<void> image(const std::string& name) {
    std::optional<base::Error> last;
    const base::Result<bool> gone = poll_until(r_.link.pace, kImageNs, [&]() -> base::Result<bool> {
      const base::Result<bool> removed = remove_file(r_.link, name);
      if (removed.ok()) return true;
      if (removed.error().exit != base::Exit::failed) return removed.error();
      last = removed.error();
      return false;
    });
    if (!gone.ok()) return gone.error();
    if (!*gone && last) return *last;
    tell(EventKind::undone, name);
    return {};
  }

  base::Result<void> objects(const Remains& there) {
    for (const Row& container : there.containers) {
      if (r_.link.pace.stopped()) return stopped();
      tell(EventKind::waiting, "container", "stopping and removing it");
      base::Result<void> removed = remove_container(r_.link, tag_, container);
      if (!removed.ok()) return removed;
      tell(EventKind::undone, "container");
    }
    for (const std::string& root : there.roots) {
      base::Result<void> removed = file(root);
      if (!removed.ok()) return removed;
    }
    // Before the entries: their marker is what says that the file is ours.
    for (const std::string& name : there.images) {
      if (r_.link.pace.stopped()) return stopped();
      base::Result<void> removed = image(name);
      if (!removed.ok()) return removed;
    }
    for (const Tagged& entry : there.entries) {
      base::Result<void> removed = row(entry);
      if (!removed.ok()) return removed;
    }
    for (const Tagged& tagged : there.rows) {
      base::Result<void> removed = row(tagged);
      if (!removed.ok()) return removed;
    }
    return {};
  }

  const Options& options_;
  Removing& r_;
  std::string tag_;
  std::vector<std::string> refusals_;
};

}  // namespace

base::Result<void> uninstall(const Options& options, Removing& removing) {
  return Remover(options, removing).run();
}

base::Result<bool> remove_empty_directory(const Link& link, const std::string& directory) {
  const Answer<std::vector<Row>> rows = link.session.print({"/file", {"name", "type"}, {}});
  if (!rows.ok()) return link.error(rows.error());
  bool there = false;
  for (const Row& row : *rows) {
    const std::string_view name = without_slash(row.text("name"));
    if (name == directory) there = row.text("type") == "directory";
    if (name.starts_with(directory + "/")) return false;
  }
  return there ? remove_file(link, directory) : base::Result<bool>(false);
}

}  // namespace mikroscope::routeros
