#include "routeros/deploy/upgrade.h"

#include <fmt/format.h>

#include <algorithm>

#include "routeros/deploy/attributes.h"
#include "routeros/deploy/shape.h"
#include "routeros/deploy/step_environment.h"
#include "routeros/session/text.h"

namespace mikroscope::routeros {
namespace {

// The words with which a router could refuse a second container on an interface.
constexpr std::string_view kTaken[] = {"interface", "veth", "in use", "already"};

bool wants_the_old_one_gone(const DeviceError& error) {
  if (error.not_permitted() || error.unknown_parameter()) return false;
  return std::any_of(std::begin(kTaken), std::end(kTaken),
                     [&](std::string_view words) { return error.message.find(words) != std::string::npos; });
}

class Upgrader {
 public:
  Upgrader(const Plan& plan, const Decisions& decisions, const Occupied& occupied, Applying& a,
           const Probing& probing)
      : plan_(plan),
        decisions_(decisions),
        occupied_(occupied),
        a_(a),
        probing_(probing),
        tag_(plan.options.tag()) {}

  base::Result<UpgradeResult> run() {
    UpgradeResult out;
    base::Result<void> ok = clear_new_slot();
    if (ok.ok()) ok = part([](const Step& s) { return s.family != "manifest" && before_container(s); });
    if (ok.ok()) ok = make_container(out);
    if (ok.ok()) ok = part([](const Step& s) { return s.family == "extraction"; });
    if (!ok.ok()) return still_old(std::move(ok).error(), out.beside);
    const bool old = out.beside && has_old();
    if (old) {
      tell(EventKind::waiting, "swap", "stopping the old agent");
      ok = stop_container(a_.link, tag_, old_id());
      if (!ok.ok()) return bring_back(std::move(ok).error());
    }
    ok = start_container(a_.link, tag_, new_id_);
    if (!ok.ok())
      return old ? bring_back(std::move(ok).error()) : base::Result<UpgradeResult>(std::move(ok).error());
    tell(EventKind::done, "swap", "the new agent runs");
    base::Result<ProbeResult> probe = probing_();
    if (!probe.ok())
      return old ? bring_back(std::move(probe).error())
                 : base::Result<UpgradeResult>(std::move(probe).error());
    out.probe = *probe;
    if (probe->reach == Reach::silent || probe->reach == Reach::not_running) {
      base::Error error{"the new agent does not answer: " + probe->text, probe->fix};
      return old ? bring_back(std::move(error)) : base::Result<UpgradeResult>(std::move(error));
    }
    ok = settle_down(old);
    if (!ok.ok()) return std::move(ok).error();
    return out;
  }

 private:
  bool has_old() const { return !occupied_.old.id().empty(); }
  std::string old_id() const { return std::string(occupied_.old.id()); }

  void tell(EventKind kind, std::string step, std::string text = {}) {
    if (a_.on_event) a_.on_event({kind, std::move(step), std::move(text)});
  }

  static bool before_container(const Step& step) {
    return step.family != "container" && step.family != "extraction" && step.family != "start";
  }

  // apply() on some of the steps.
  template <class Wanted>
  base::Result<void> part(Wanted wanted) {
    Plan some = plan_;
    Decisions theirs;
    some.steps.clear();
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
      if (!wanted(plan_.steps[i])) continue;
      some.steps.push_back(plan_.steps[i]);
      // The new slot is empty by now, whatever was there when it was decided.
      const StepFamily* const family = find_step_family(plan_.steps[i].family);
      const bool fresh = family == nullptr || family->of_container;
      theirs.steps.push_back(fresh ? Decision{} : decisions_.steps[i]);
    }
    return apply(some, theirs, a_);
  }

  // What an upgrade that was cut short left in the place of the new one.
  base::Result<void> clear_new_slot() {
    for (const Row& leftover : occupied_.leftovers) {
      base::Result<void> removed = remove_container(a_.link, tag_, leftover);
      if (!removed.ok()) return removed;
      tell(EventKind::undone, "container", "of an upgrade that was cut short");
    }
    if (!has_old()) {
      // Without a container the slot's own settings are still wanted gone: they are made anew.
      return clear_entries(plan_.names);
    }
    return clear_slot(plan_.names);
  }

  base::Result<void> clear_slot(const StepNames& names) {
    const base::Result<bool> marked = list_marked(names);
    if (!marked.ok()) return marked.error();
    if (*marked) {
      for (const std::string& path : {names.root_dir, names.tar_file}) {
        const base::Result<bool> removed = remove_file(a_.link, path);
        if (!removed.ok()) return removed.error();
      }
    }
    return clear_entries(names);
  }

  base::Result<std::vector<Row>> entries() {
    Answer<std::vector<Row>> rows = a_.link.session.print(
        {"/container/envs", {std::string(env_list_key(plan_.version)), "key", "value"}, {}});
    if (!rows.ok()) return a_.link.error(rows.error());
    return std::move(*rows);
  }

  bool ours(const std::vector<Row>& rows, const StepNames& names) const {
    return list_is_ours(rows, names.env_list, tag_, occupied_.record ? &*occupied_.record : nullptr);
  }

  base::Result<bool> list_marked(const StepNames& names) {
    const base::Result<std::vector<Row>> rows = entries();
    if (!rows.ok()) return rows.error();
    return ours(*rows, names);
  }

  // The marker last: until then the rest counts as ours.
  base::Result<void> clear_entries(const StepNames& names) {
    const base::Result<std::vector<Row>> rows = entries();
    if (!rows.ok()) return rows.error();
    if (!ours(*rows, names)) return {};
    for (const bool markers : {false, true}) {
      for (const Row& row : *rows) {
        if (env_list_of(row) != names.env_list || (row.text("key") == kMarkerKey) != markers) continue;
        const Answer<void> removed = a_.link.session.remove("/container/envs", std::string(row.id()));
        if (removed.ok()) continue;
        const DeviceError* const device = device_error(removed.error());
        if (device == nullptr || !device->no_such_item()) return a_.link.error(removed.error());
      }
    }
    return {};
  }

  base::Result<void> make_container(UpgradeResult& out) {
    const Step* const step = plan_.find("container");
    if (step == nullptr) return base::Error{"the plan has no container", ""};
    Answer<std::string> id = a_.link.session.add(step->menu, step->attributes);
    if (!id.ok()) {
      const DeviceError* const device = device_error(id.error());
      if (device == nullptr || !has_old() || !wants_the_old_one_gone(*device))
        return a_.link.error(id.error());
      tell(EventKind::left, "container",
           fmt::format("the router refuses a second one ({}): the old one is removed first",
                       printable(device->message)));
      base::Result<void> removed = remove_container(a_.link, tag_, occupied_.old);
      if (!removed.ok()) return removed;
      out.beside = false;
      id = a_.link.session.add(step->menu, step->attributes);
      if (!id.ok()) return a_.link.error(id.error());
    }
    new_id_ = *id;
    tell(EventKind::made, "container");
    return {};
  }

  // Before the swap: the old agent was not touched, unless it had to go.
  base::Error still_old(base::Error error, bool beside) const {
    if (has_old() && beside) {
      error.what += "; the old agent is as it was";
      error.fix +=
          error.fix.empty() ? "run `mikroscope upgrade` again" : "; then run `mikroscope upgrade` again";
    } else {
      error.what += "; there is no agent now";
      error.fix = "run `mikroscope upgrade` again, or `mikroscope uninstall`";
    }
    return error;
  }

  base::Result<UpgradeResult> bring_back(base::Error error) {
    tell(EventKind::waiting, "swap", "back to the old agent");
    base::Result<void> back = stop_container(a_.link, tag_, new_id_);
    if (back.ok()) back = start_container(a_.link, tag_, old_id());
    if (!back.ok()) {
      // The router's log lines stand in the first part.
      const std::string why = back.error().what.substr(0, back.error().what.find(kLogWords));
      error.what += fmt::format("; and the old one could not be started again: {}", why);
      error.fix = "run `mikroscope upgrade` again";
      return error;
    }
    tell(EventKind::undone, "swap", "the old agent runs again");
    error.what += "; the old agent runs again";
    const base::Result<std::vector<Row>> there = tagged_containers(a_.link, tag_);
    if (!there.ok()) return error;
    for (const Row& row : *there) {
      if (row.id() == new_id_ && !remove_container(a_.link, tag_, row).ok()) return error;
    }
    if (clear_slot(plan_.names).ok()) tell(EventKind::undone, "container", "the new one");
    return error;
  }

  base::Result<void> set_boot(const std::string& id, const std::string& value) {
    Attributes boot{{"start-on-boot", value}};
    // A set that leaves the policy out puts it back to its default.
    for (const Attribute& attribute : plan_.find("container")->attributes) {
      if (attribute.name.starts_with("restart-")) boot.push_back(attribute);
    }
    const Answer<void> set = a_.link.session.set("/container", id, boot);
    if (!set.ok()) return a_.link.error(set.error());
    return {};
  }

  // The new agent has answered: it may start with the router, the old one goes, the record follows.
  base::Result<void> settle_down(bool old) {
    // The old one first: of two that start with the router, neither would have the address for itself.
    base::Result<void> set = old ? set_boot(old_id(), "no") : base::Result<void>();
    if (set.ok()) set = set_boot(new_id_, plan_.options.start_on_boot);
    if (!set.ok()) return set;
    if (has_old()) {
      if (old) {
        base::Result<void> removed = remove_container(a_.link, tag_, occupied_.old);
        if (!removed.ok()) return removed;
      }
      base::Result<void> cleared = clear_slot(step_names(plan_.options, occupied_.old_slot));
      if (!cleared.ok()) return cleared;
      tell(EventKind::undone, "container", "the old one");
    }
    return write_record();
  }

  base::Result<void> write_record() {
    const std::string path = plan_.options.manifest_file();
    const std::string contents(plan_.find("manifest")->attribute("contents"));
    const base::Result<std::optional<Row>> file = find_file(a_.link, path);
    if (!file.ok()) return file.error();
    if (*file) {
      const Answer<void> set =
          a_.link.session.set("/file", std::string((*file)->id()), {{"contents", contents}});
      if (!set.ok()) return a_.link.error(set.error());
    } else {
      const Answer<std::string> made = a_.link.session.add("/file", {{"name", path}, {"contents", contents}});
      if (!made.ok()) return a_.link.error(made.error());
    }
    tell(EventKind::made, "manifest");
    return {};
  }

  const Plan& plan_;
  const Decisions& decisions_;
  const Occupied& occupied_;
  Applying& a_;
  const Probing& probing_;
  std::string tag_;
  std::string new_id_;
};

}  // namespace

base::Result<UpgradeResult> upgrade(const Plan& plan, const Decisions& decisions, const Occupied& occupied,
                                    Applying& applying, const Probing& probing) {
  return Upgrader(plan, decisions, occupied, applying, probing).run();
}

}  // namespace mikroscope::routeros
