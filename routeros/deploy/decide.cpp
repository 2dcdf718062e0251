#include "routeros/deploy/decide.h"

#include <fmt/format.h>

#include <algorithm>

#include "routeros/deploy/attributes.h"
#include "routeros/deploy/step_environment.h"
#include "routeros/session/text.h"
#include "routeros/session/value.h"

namespace mikroscope::routeros {
namespace {

// A rule's port, a container's memory: what the router stores may be spelled otherwise than what was sent.
bool same_value(std::string_view sent, std::string_view stored) {
  if (sent == stored) return true;
  const std::optional<bool> a = parse_bool(sent);
  const std::optional<bool> b = parse_bool(stored);
  if (a && b) return *a == *b;
  // A single address, with and without its length.
  return !sent.empty() && fmt::format("{}/32", sent) == stored;
}

std::string identity_text(const Step& step) {
  std::string out;
  for (const Where& where : step.identity)
    out += fmt::format("{}{}={}", out.empty() ? "" : " ", where.name, where.value);
  return out;
}

class Decider {
 public:
  Decider(const Plan& plan, const Facts& facts)
      : plan_(plan),
        facts_(facts),
        files_(manifest_files(facts, plan.options.name)),
        tag_(plan.options.tag()) {
    const std::vector<Row>* const envs = facts.rows("/container/envs");
    if (envs != nullptr) envs_ = *envs;
    for (const ManifestFile& file : files_) {
      if (!holds_tag_line(file.contents, tag_)) continue;
      base::Result<Manifest> read = read_manifest(file.contents);
      if (read.ok() && !manifest_) manifest_ = std::move(*read);
    }
    our_list_ = list_is_ours(envs_, plan.names.env_list, tag_, manifest_ ? &*manifest_ : nullptr);
    for (const Row* row : tagged_rows(facts, "/container", tag_)) {
      if (without_slash(row->text("root-dir")) != plan.names.root_dir) continue;
      container_row_ = row;
      const ContainerState state = container_state(*row);
      container_ = state != ContainerState::failed && state != ContainerState::deleting && !emptied(state);
    }
  }

  Decisions run() {
    Decisions out;
    out.container = container_;
    for (const Step& step : plan_.steps) out.steps.push_back(one(step));
    if (our_list_) {
      for (const Row& entry : envs_) {
        if (env_list_of(entry) == plan_.names.env_list && !planned(entry.text("key")))
          out.stale_entries.emplace_back(entry.id());
      }
    }
    return out;
  }

 private:
  // A reboot empties the memory disk, but the container's row stays.
  bool emptied(ContainerState state) const {
    return plan_.options.ephemeral && state == ContainerState::stopped &&
           file_row(plan_.names.root_dir) == nullptr;
  }

  bool planned(std::string_view key) const {
    return std::any_of(plan_.steps.begin(), plan_.steps.end(), [&](const Step& step) {
      return step.owner == Owner::marker && step.attribute("key") == key;
    });
  }

  Decision one(const Step& step) const {
    if (const DeviceError* refused = facts_.refused(step.menu)) {
      return {Standing::unknown, "", fmt::format("{}: {}", step.menu, printable(refused->message))};
    }
    switch (step.kind) {
      case StepKind::row:
        return step.owner == Owner::marker ? entry(step) : row(step);
      case StepKind::text_file:
        return text_file(step);
      case StepKind::upload:
        return upload(step);
      case StepKind::wait:
        return {container_ && container_state(*container_row_) == ContainerState::running ? Standing::ours
                                                                                          : Standing::absent,
                "", ""};
      case StepKind::remove_file:
        return {container_ && file_row(step.file()) == nullptr ? Standing::ours : Standing::absent, "", ""};
      case StepKind::start:
        return {container_ && container_state(*container_row_) == ContainerState::running ? Standing::ours
                                                                                          : Standing::absent,
                "", ""};
    }
    return {};
  }

  Decision row(const Step& step) const {
    const std::vector<Row>* const rows = facts_.rows(step.menu);
    if (rows == nullptr) return {};
    const Row* theirs = nullptr;
    for (const Row& candidate : *rows) {
      if (!step.identifies(candidate)) continue;
      if (candidate.text("comment") != tag_) {
        theirs = &candidate;
        continue;
      }
      // Of two containers of an upgrade, the plan is about the one of its slot.
      if (step.menu == "/container" && &candidate != container_row_) continue;
      if (step.menu == "/container" && !container_)
        return {Standing::leftover, std::string(candidate.id()),
                "it cannot run: its image was not unpacked, or is gone"};
      return compared(step, candidate);
    }
    if (theirs == nullptr) return {};
    const std::string_view comment = theirs->text("comment");
    return {Standing::foreign, std::string(theirs->id()),
            fmt::format(
                "{} {}{}", step.menu, identity_text(step),
                comment.empty() ? " (no comment)" : fmt::format(" (comment \"{}\")", printable(comment)))};
  }

  Decision compared(const Step& step, const Row& there) const {
    Decision out{Standing::ours, std::string(there.id()), ""};
    for (const std::string& name : step.compared) {
      const std::optional<std::string_view> stored = there.find(name);
      if (!stored || same_value(step.attribute(name), *stored)) continue;
      out.standing = Standing::differs;
      out.evidence = fmt::format("{} is {}, not {}", name, printable(*stored), step.attribute(name));
    }
    return out;
  }

  Decision entry(const Step& step) const {
    const std::string_view list = plan_.names.env_list;
    if (!our_list_) {
      const bool any =
          std::any_of(envs_.begin(), envs_.end(), [&](const Row& e) { return env_list_of(e) == list; });
      if (!any) return {};
      return {Standing::foreign, "",
              fmt::format("{}: the list {} has no marker entry of ours", step.menu, list)};
    }
    for (const Row& there : envs_) {
      if (env_list_of(there) != list || there.text("key") != step.attribute("key")) continue;
      // What cannot be seen cannot be compared, and is taken for what was written.
      const bool same = there.text("value") == step.attribute("value") || value_is_hidden(there);
      return {same ? Standing::ours : Standing::differs, std::string(there.id()),
              same ? "" : fmt::format("{} has another value", step.attribute("key"))};
    }
    return {};
  }

  const Row* file_row(std::string_view name) const {
    const std::vector<Row>* const rows = facts_.rows("/file");
    if (rows == nullptr) return nullptr;
    for (const Row& file : *rows) {
      if (without_slash(file.text("name")) == name) return &file;
    }
    return nullptr;
  }

  const ManifestFile* manifest_at(std::string_view path) const {
    for (const ManifestFile& file : files_) {
      if (without_slash(file.path) == path) return &file;
    }
    return nullptr;
  }

  Decision text_file(const Step& step) const {
    const Row* const there = file_row(step.file());
    if (there == nullptr) return {};
    const ManifestFile* const file = manifest_at(step.file());
    if (file == nullptr || !file->readable) {
      return {Standing::unknown, std::string(there->id()),
              fmt::format("the file {} cannot be read", step.file())};
    }
    if (!holds_tag_line(file->contents, tag_)) {
      return {Standing::foreign, std::string(there->id()),
              fmt::format("the file {} is not of this installation", step.file())};
    }
    const bool same = file->contents == step.attribute("contents");
    return {same ? Standing::ours : Standing::differs, std::string(there->id()),
            same ? "" : "its contents are of an earlier run"};
  }

  // The file has no comment: the marker entry, or our manifest, says whose it is.
  Decision upload(const Step& step) const {
    const Row* const there = file_row(step.file());
    if (container_) return {Standing::ours, "", ""};
    if (there == nullptr) return {};
    const bool recorded = manifest_ && std::find(manifest_->files.begin(), manifest_->files.end(),
                                                 std::string(step.file())) != manifest_->files.end();
    const bool ours = our_list_ || recorded;
    if (ours) return {Standing::leftover, std::string(there->id()), "of a run that was cut short"};
    return {Standing::foreign, std::string(there->id()), fmt::format("the file {}", step.file())};
  }

  const Plan& plan_;
  const Facts& facts_;
  std::vector<ManifestFile> files_;
  std::optional<Manifest> manifest_;
  std::string tag_;
  std::vector<Row> envs_;
  bool our_list_ = false;
  const Row* container_row_ = nullptr;
  bool container_ = false;
};

}  // namespace

std::string_view standing_name(Standing standing) {
  constexpr std::string_view kNames[] = {"absent", "ours", "differs", "leftover", "foreign", "unknown"};
  return kNames[static_cast<std::size_t>(standing)];
}

Decisions decide(const Plan& plan, const Facts& facts) {
  return Decider(plan, facts).run();
}

std::string way_out(const Step& step, const Decision& decision) {
  if (decision.evidence.find(kTagEnd) != std::string::npos) {
    return "that belongs to another installation of mikroscope: give this one its own --veth and --subnet, "
           "beside "
           "its --name";
  }
  const StepFamily* const family = find_step_family(step.family);
  return family != nullptr && !family->way_out.empty() ? std::string(family->way_out)
                                                       : "move that away, or choose another --name";
}

base::Result<void> refuse_collisions(const Plan& plan, const Decisions& decisions) {
  std::vector<std::string> found;
  std::vector<std::string> ways;
  const auto once = [](std::vector<std::string>& list, std::string text) {
    if (!text.empty() && std::find(list.begin(), list.end(), text) == list.end())
      list.push_back(std::move(text));
  };
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const Decision& decision = decisions.steps[i];
    if (decision.standing == Standing::unknown) {
      once(found, "cannot be read: " + decision.evidence);
      const bool absent = DeviceError{decision.evidence, -1, ""}.no_such_command();
      once(ways,
           absent ? "the container package is missing or RouterOS is too old: `mikroscope doctor` says which"
                  : "give the account the policies that `mikroscope doctor` names");
    } else if (decision.standing == Standing::foreign) {
      once(found, "not ours: " + decision.evidence);
      once(ways, way_out(plan.steps[i], decision));
    }
  }
  if (found.empty()) return {};
  return base::Error{fmt::format("refused, and nothing was written; {}", fmt::join(found, "; ")),
                     fmt::format("{}", fmt::join(ways, "; ")), base::Exit::refused};
}

}  // namespace mikroscope::routeros
