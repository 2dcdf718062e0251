#include "routeros/deploy/apply.h"

#include <fmt/format.h>

#include <algorithm>

#include "routeros/deploy/step_environment.h"
#include "routeros/session/text.h"

namespace mikroscope::routeros {
namespace {

class Applier {
 public:
  Applier(const Plan& plan, const Decisions& decisions, Applying& a)
      : plan_(plan), decisions_(decisions), a_(a), tag_(plan.options.tag()) {}

  base::Result<void> run(std::string* container_id) {
    base::Result<void> found = find_container();
    if (!found.ok()) return found;
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
      if (a_.link.pace.stopped()) {
        return base::Error{
            fmt::format("interrupted before the step \"{}\"; {} of {} steps are done", plan_.steps[i].name, i,
                        plan_.steps.size()),
            "`mikroscope install` goes on from here, `mikroscope uninstall` removes what is there",
            base::Exit::interrupted};
      }
      base::Result<void> done = one(plan_.steps[i], decisions_.steps[i]);
      if (!done.ok()) return at_step(plan_.steps[i], std::move(done).error());
    }
    if (container_id != nullptr) *container_id = container_;
    return {};
  }

 private:
  void tell(EventKind kind, const Step& step, std::string text = {}) {
    if (a_.on_event) a_.on_event({kind, step.name, std::move(text)});
  }

  static base::Error at_step(const Step& step, base::Error error) {
    error.what = fmt::format("step \"{}\": {}", step.name, error.what);
    return error;
  }

  base::Result<void> find_container() {
    base::Result<std::vector<Row>> rows = tagged_containers(a_.link, tag_);
    if (!rows.ok()) return std::move(rows).error();
    for (const Row& row : *rows) {
      if (without_slash(row.text("root-dir")) == plan_.names.root_dir) container_ = row.id();
    }
    return {};
  }

  base::Result<void> one(const Step& step, const Decision& decision) {
    if (decision.standing == Standing::ours) {
      tell(EventKind::present, step);
      return {};
    }
    switch (step.kind) {
      case StepKind::row:
        return row(step, decision);
      case StepKind::text_file:
        return text_file(step, decision);
      case StepKind::upload:
        return upload(step, decision);
      case StepKind::wait: {
        tell(EventKind::waiting, step, step.title);
        base::Result<void> ready =
            wait_extracted(a_.link, tag_, container_, step.deadline_s, [&](ContainerState state) {
              if (state == ContainerState::extracting) tell(EventKind::waiting, step, "extracting");
            });
        if (ready.ok()) tell(EventKind::done, step);
        return ready;
      }
      case StepKind::remove_file: {
        const base::Result<bool> removed = remove_file(a_.link, std::string(step.file()));
        if (!removed.ok()) return removed.error();
        tell(EventKind::done, step);
        return {};
      }
      case StepKind::start: {
        base::Result<void> started = start_container(a_.link, tag_, container_);
        if (started.ok()) tell(EventKind::done, step);
        return started;
      }
    }
    return {};
  }

  base::Result<void> row(const Step& step, const Decision& decision) {
    if (decision.standing == Standing::leftover) {
      base::Result<void> cleared = clear_container(decision.id);
      if (!cleared.ok()) return cleared;
    } else if (decision.standing == Standing::differs) {
      if (step.owner != Owner::marker) {
        tell(EventKind::left, step, decision.evidence);
        return {};
      }
      return set_entry(step, decision);
    }
    if (step.menu == "/container") {
      base::Result<void> stale = remove_stale_entries(step);
      if (!stale.ok()) return stale;
    }
    Attributes attributes = step.attributes;
    if (!step.before.empty()) {
      base::Result<std::string> before = find_before(step);
      if (!before.ok()) return std::move(before).error();
      if (!before->empty()) attributes.push_back({"place-before", *before});
    }
    base::Result<void> noted = a_.journal.begin({step.name, step.menu, "", ""});
    if (!noted.ok()) return noted;
    const Answer<std::string> id = a_.link.session.add(step.menu, attributes);
    if (!id.ok()) return a_.link.error(id.error());
    noted = a_.journal.done({step.name, step.menu, *id, ""});
    if (!noted.ok()) return noted;
    if (step.menu == "/container") container_ = *id;
    tell(EventKind::made, step);
    return {};
  }

  // An image that could not be extracted: RouterOS keeps the container, but it will never run.
  base::Result<void> clear_container(const std::string& id) {
    base::Result<std::vector<Row>> rows = tagged_containers(a_.link, tag_);
    if (!rows.ok()) return std::move(rows).error();
    for (const Row& container : *rows) {
      if (container.id() == id) return remove_container(a_.link, tag_, container);
    }
    return {};
  }

  base::Result<void> set_entry(const Step& step, const Decision& decision) {
    Attributes value;
    for (const Attribute& attribute : step.attributes) {
      if (attribute.name == "value") value.push_back(attribute);
    }
    const Answer<void> set = a_.link.session.set(step.menu, decision.id, value);
    if (!set.ok()) return a_.link.error(set.error());
    tell(EventKind::made, step, "changed");
    return {};
  }

  base::Result<void> remove_stale_entries(const Step& step) {
    for (const std::string& id : decisions_.stale_entries) {
      const Answer<void> removed = a_.link.session.remove("/container/envs", id);
      if (removed.ok()) continue;
      const DeviceError* const device = device_error(removed.error());
      if (device == nullptr || !device->no_such_item()) return a_.link.error(removed.error());
    }
    if (!decisions_.stale_entries.empty())
      tell(EventKind::done, step,
           fmt::format("{} setting(s) of an earlier run removed", decisions_.stale_entries.size()));
    return {};
  }

  base::Result<std::string> find_before(const Step& step) {
    std::vector<std::string> properties{"dynamic"};
    for (const Where& where : step.before) properties.push_back(where.name);
    const Answer<std::vector<Row>> rows = a_.link.session.print({step.menu, properties, {}});
    if (!rows.ok()) return a_.link.error(rows.error());
    for (const Row& row : *rows) {
      const bool fits = std::all_of(step.before.begin(), step.before.end(),
                                    [&](const Where& w) { return row.text(w.name) == w.value; });
      if (fits && !row.flag("dynamic")) return std::string(row.id());
    }
    return std::string();
  }

  base::Result<void> text_file(const Step& step, const Decision& decision) {
    const std::string name(step.file());
    if (decision.standing == Standing::differs) {
      const Answer<void> set =
          a_.link.session.set("/file", decision.id, {{"contents", std::string(step.attribute("contents"))}});
      if (!set.ok()) return a_.link.error(set.error());
      tell(EventKind::made, step, "changed");
      return {};
    }
    base::Result<void> noted = a_.journal.begin({step.name, step.menu, "", name});
    if (!noted.ok()) return noted;
    const Answer<std::string> made = a_.link.session.add(step.menu, step.attributes);
    if (!made.ok()) return a_.link.error(made.error());
    noted = a_.journal.done({step.name, step.menu, "", name});
    if (noted.ok()) tell(EventKind::made, step);
    return noted;
  }

  base::Result<void> upload(const Step& step, const Decision& decision) {
    const std::string name(step.file());
    if (decision.standing == Standing::leftover) {
      const base::Result<bool> removed = remove_file(a_.link, name);
      if (!removed.ok()) return removed.error();
    }
    base::Result<void> noted = a_.journal.begin({step.name, step.menu, "", name});
    if (!noted.ok()) return noted;
    base::Result<void> sent = a_.upload(name, a_.image);
    if (!sent.ok()) return sent;
    base::Result<void> there = wait_for_file(a_.link, name, a_.image.size());
    if (!there.ok()) return there;
    noted = a_.journal.done({step.name, step.menu, "", name});
    if (noted.ok()) tell(EventKind::sent, step, fmt::format("{} bytes", a_.image.size()));
    return noted;
  }

  const Plan& plan_;
  const Decisions& decisions_;
  Applying& a_;
  std::string tag_;
  std::string container_;
};

}  // namespace

std::string_view event_name(EventKind kind) {
  constexpr std::string_view kNames[] = {"ok", "new", "sent", "wait", "done", "undo", "keep"};
  return kNames[static_cast<std::size_t>(kind)];
}

base::Result<void> apply(const Plan& plan, const Decisions& decisions, Applying& applying,
                         std::string* container_id) {
  return Applier(plan, decisions, applying).run(container_id);
}

}  // namespace mikroscope::routeros
