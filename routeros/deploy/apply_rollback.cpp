#include <fmt/format.h>

#include <algorithm>

#include "routeros/deploy/apply.h"
#include "routeros/deploy/shape.h"
#include "routeros/deploy/uninstall.h"

namespace mikroscope::routeros {
namespace {

constexpr std::string_view kEnvs = "/container/envs";

class Undo {
 public:
  Undo(const Options& options, const Version& version, Applying& a)
      : options_(options), version_(version), a_(a), tag_(options.tag()) {}

  base::Result<void> run() {
    const std::vector<JournalEntry> entries = a_.journal.entries();
    for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
      base::Result<void> undone = one(*entry, entries);
      if (!undone.ok()) {
        base::Error error = std::move(undone).error();
        error.what = fmt::format("undoing \"{}\": {}", entry->step, error.what);
        error.fix = "`mikroscope uninstall` removes everything that carries the tag";
        return error;
      }
    }
    base::Result<bool> directory = remove_empty_directory(a_.link, options_.directory());
    if (!directory.ok()) return std::move(directory).error();
    a_.journal.close();
    return {};
  }

 private:
  void tell(EventKind kind, const JournalEntry& entry, std::string text = {}) {
    if (a_.on_event) a_.on_event({kind, entry.step, std::move(text)});
  }

  base::Result<void> one(const JournalEntry& entry, const std::vector<JournalEntry>& all) {
    if (!entry.file.empty()) {
      const base::Result<bool> removed = remove_file(a_.link, entry.file);
      if (!removed.ok()) return removed.error();
      if (*removed) tell(EventKind::undone, entry);
      return {};
    }
    if (entry.menu == "/container") return container(entry);
    base::Result<std::string> id = find(entry, all);
    if (!id.ok()) return std::move(id).error();
    if (id->empty()) {
      if (!entry.id.empty()) tell(EventKind::left, entry, "it is gone, or no longer as it was made");
      return {};
    }
    const Answer<void> removed = a_.link.session.remove(entry.menu, *id);
    if (!removed.ok()) {
      const DeviceError* const device = device_error(removed.error());
      if (device == nullptr || !device->no_such_item()) return a_.link.error(removed.error());
    }
    tell(EventKind::undone, entry);
    return {};
  }

  base::Result<void> container(const JournalEntry& entry) {
    const base::Result<std::vector<Row>> rows = tagged_containers(a_.link, tag_);
    if (!rows.ok()) return rows.error();
    for (const Row& row : *rows) {
      if (!entry.id.empty() && row.id() != entry.id) continue;
      base::Result<void> removed = remove_container(a_.link, tag_, row);
      if (!removed.ok()) return removed;
      tell(EventKind::undone, entry);
    }
    return {};
  }

  // The row of the entry, if it is still ours. One that was begun but whose id was not learnt is the tagged
  // row of its menu that no other entry names: had it been there before, the step would not have been begun.
  base::Result<std::string> find(const JournalEntry& entry, const std::vector<JournalEntry>& all) {
    const bool in_list = entry.menu == kEnvs;
    const std::string list_key(env_list_key(version_));
    const std::vector<std::string> properties =
        in_list ? std::vector<std::string>{list_key, "key"} : std::vector<std::string>{"comment"};
    const Answer<std::vector<Row>> rows = a_.link.session.print({entry.menu, properties, {}});
    if (!rows.ok()) return a_.link.error(rows.error());
    for (const Row& row : *rows) {
      bool ours = row.text("comment") == tag_;
      if (in_list) {
        ours = entry.step == fmt::format("environment {}", row.text("key")) &&
               std::any_of(std::begin(kSlots), std::end(kSlots), [&](Slot slot) {
                 return env_list_of(row) == step_names(options_, slot).env_list;
               });
      }
      if (!ours) continue;
      if (entry.id == row.id()) return std::string(row.id());
      const bool named = std::any_of(all.begin(), all.end(), [&](const JournalEntry& e) {
        return e.menu == entry.menu && e.id == row.id();
      });
      if (entry.id.empty() && !named) return std::string(row.id());
    }
    return std::string();
  }

  const Options& options_;
  const Version& version_;
  Applying& a_;
  std::string tag_;
};

}  // namespace

base::Result<void> roll_back(const Options& options, const Version& version, Applying& applying) {
  return Undo(options, version, applying).run();
}

}  // namespace mikroscope::routeros
