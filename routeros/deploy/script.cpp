#include "routeros/deploy/script.h"

#include <fmt/format.h>

#include "routeros/deploy/attributes.h"
#include "routeros/deploy/listing.h"
#include "routeros/session/console.h"

namespace mikroscope::routeros {
namespace {

constexpr int kRunSeconds = 30;

// Versions that know exactly the attributes that the plan uses: this minor version from this patch on. A
// pre-release only itself.
std::string version_pattern(const Version& v) {
  const std::string base = fmt::format("^{}\\.{}", v.major, v.minor);
  if (v.stage != Version::Stage::release) return fmt::format("^{}( |$)", format_version(v));
  if (v.patch == 0) return base + "(\\.[0-9]+)?( |$)";
  if (v.patch >= 9) return base + fmt::format("\\.({}|[1-9][0-9])( |$)", v.patch);
  return base + fmt::format("\\.([{}-9]|[1-9][0-9])( |$)", v.patch);
}

class Writer {
 public:
  explicit Writer(const Plan& plan) : plan_(plan) {}

  std::string run() {
    head();
    line("{");
    guards();
    std::string family;
    for (const Step& step : plan_.steps) {
      if (step.family != family) line("# " + step.family);
      family = step.family;
      one(step);
    }
    result();
    line("}");
    return std::move(out_);
  }

 private:
  void line(std::string_view text) { out_ += fmt::format("{}\n", text); }

  // Ends the script when `condition` holds.
  void guard(std::string_view condition, std::string_view message) {
    line(fmt::format(":if ({}) do={{ :error {} }}", condition, console_value(message)));
  }

  static std::string count(std::string_view menu, const std::vector<Where>& where) {
    return fmt::format("[:len {}]", console_find(menu, where));
  }

  void head() {
    line(fmt::format("# Installs the agent \"{}\", {}, on RouterOS {}.{}", plan_.options.name,
                     plan_.image.remote.empty() ? plan_.image.arch : plan_.image.remote, plan_.version.major,
                     plan_.version.minor));
    if (const Step* upload = plan_.find("upload")) {
      line(fmt::format("# Upload the image first, as {}: mikroscope image --arch {} --out {}.tar",
                       upload->file(), plan_.image.arch, plan_.options.name));
    }
    line("# Then: /import file-name=... `mikroscope uninstall` removes all of it.");
    if (!plan_.options.token.empty())
      line("# This file holds the agent's token: it is a credential. Remove it from the router afterwards.");
    for (const std::string& note : plan_.notes) line("# Note: " + note);
  }

  void guards() {
    line("# guards: nothing has been written while one of them fails");
    guard(fmt::format("!([:tostr [/system/resource/get version]] ~ {})",
                      console_value(version_pattern(plan_.version))),
          fmt::format("this script is for RouterOS {}; make it anew with plan --ros",
                      format_version(plan_.version)));
    guard("[:len [/system/package/find name=\"container\" disabled=no]] = 0",
          "the container package is missing or disabled");
    line(":local mikroscopeMode [:tostr [/system/device-mode/get container]]");
    guard("$mikroscopeMode != \"yes\" && $mikroscopeMode != \"true\"",
          "device-mode forbids containers: /system/device-mode/update container=yes");
    if (plan_.options.interface_list != "none") {
      guard(count("/interface/list", {{"name", plan_.options.interface_list}}) + " = 0",
            fmt::format("there is no interface list {}", plan_.options.interface_list));
    }
    if (!plan_.options.disk.empty()) {
      guard(count("/disk", {{"slot", plan_.options.disk}}) + " = 0",
            fmt::format("there is no disk {}", plan_.options.disk));
    }
    std::string last;
    for (const Step& step : plan_.steps) {
      if (step.kind == StepKind::upload) {
        guard(count("/file", step.identity) + " = 0",
              fmt::format("upload the image first, as {}", step.file()));
      }
      if (step.kind != StepKind::row && step.kind != StepKind::text_file) continue;
      std::vector<Where> identity = step.identity;
      if (step.owner == Owner::marker)
        std::erase_if(identity, [](const Where& w) { return w.name == "key"; });
      const std::string condition = count(step.menu, identity) + " > 0";
      if (condition == last) continue;
      last = condition;
      guard(condition, fmt::format("{}: there is one already; see `mikroscope status`", step.family));
    }
  }

  void one(const Step& step) {
    switch (step.kind) {
      case StepKind::row:
        row(step);
        return;
      case StepKind::upload:
        return;
      case StepKind::wait:
        wait(step);
        return;
      case StepKind::text_file:
      case StepKind::remove_file:
      case StepKind::start:
        line(step_command(step, false));
        return;
    }
  }

  // The lookup and the add stand in one line: a variable of the console ends with its line.
  void row(const Step& step) {
    const std::string command = step_command(step, false);
    if (step.before.empty()) {
      line(command);
      return;
    }
    const std::string find = console_find(step.menu, step.before);
    line(fmt::format(":if ([:len {0}] > 0) do={{ {1} place-before=[:pick {0} 0] }} else={{ {1} }}", find,
                     command));
  }

  // Flags replaced the text about when 7.21 came.
  std::string in_state(const std::vector<Where>& identity, std::string_view state) const {
    std::string find = console_find("/container", identity);
    find.pop_back();
    return plan_.version < Version{7, 21} ? fmt::format("[:len {} status=\"{}\"]]", find, state)
                                          : fmt::format("[:len {} {}]]", find, state);
  }

  void wait(const Step& step) {
    line(":local mikroscopeWait 0");
    line(
        fmt::format(":while ({} = 0 && $mikroscopeWait < {}) do={{ :delay 1s; :set mikroscopeWait "
                    "($mikroscopeWait + 1) }}",
                    in_state(step.identity, "stopped"), step.deadline_s));
    guard(in_state(step.identity, "stopped") + " = 0",
          "the image was not unpacked in time: /log/print where topics~\"container\"");
  }

  void result() {
    const std::vector<Where> ours{{"comment", plan_.options.tag()}};
    line(":local mikroscopeRun 0");
    line(
        fmt::format(":while ({} = 0 && $mikroscopeRun < {}) do={{ :delay 1s; :set mikroscopeRun "
                    "($mikroscopeRun + 1) }}",
                    in_state(ours, "running"), kRunSeconds));
    guard(in_state(ours, "running") + " = 0",
          "the agent does not run: /log/print where topics~\"container\"");
    line(fmt::format(":put {}", console_value(fmt::format("the agent runs at http://{}:{}",
                                                          plan_.options.address(), plan_.options.port))));
  }

  const Plan& plan_;
  std::string out_;
};

}  // namespace

std::string plan_script(const Plan& plan) {
  return Writer(plan).run();
}

}  // namespace mikroscope::routeros
