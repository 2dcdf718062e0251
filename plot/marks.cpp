#include "plot/marks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "plot/svg.h"
#include "plot/svg_text.h"

namespace mikroscope::plot {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kMaxBoot = 1'000'000'000'000'000'000;  // 31 years; beyond it a boot_ns is damage

void sort_marks(std::vector<Mark>& marks) {
  std::stable_sort(marks.begin(), marks.end(),
                   [](const Mark& a, const Mark& b) { return a.axis_ns < b.axis_ns; });
}

// A recorder writes markers of its own for what it noticed; those lie at the event or within moments of it.
bool told(const std::vector<Mark>& marks, std::string_view kind, std::int64_t from, std::int64_t to) {
  return std::any_of(marks.begin(), marks.end(), [&](const Mark& m) {
    return m.kind == kind && m.axis_ns >= from - kSecond && m.axis_ns <= to + kSecond;
  });
}

}  // namespace

std::vector<Mark> place_markers(const std::vector<Marker>& markers, const Timeline& timeline) {
  std::vector<Mark> out;
  for (const Marker& m : markers) {
    Mark mark;
    mark.kind = m.kind;
    mark.label = clean_text(m.label);
    mark.axis_ns = m.boot_ns ? timeline.from_boot(*m.boot_ns, m.wall_ns) : timeline.from_wall(m.wall_ns);
    if (m.until_boot_ns && m.boot_ns && *m.until_boot_ns > *m.boot_ns) {
      const auto sane = [](std::int64_t ns) { return std::clamp<std::int64_t>(ns, 0, kMaxBoot); };
      mark.until_ns = mark.axis_ns + (sane(*m.until_boot_ns) - sane(*m.boot_ns));
    }
    out.push_back(std::move(mark));
  }
  sort_marks(out);
  return out;
}

void add_own_marks(const Collected& collected, const Timeline& timeline, std::vector<Mark>& marks) {
  std::vector<Mark> own;
  for (const Break& b : collected.breaks) {
    if (b.restart) {
      if (!told(marks, "restart", b.from_ns, b.to_ns)) {
        own.push_back({b.to_ns, {}, "restart", b.reboot ? "machine rebooted" : "agent restarted"});
      }
    } else if (!told(marks, "gap", b.from_ns, b.to_ns)) {
      own.push_back({b.from_ns, {}, "gap", fmt::format("{} lost", b.lost)});
    }
  }
  for (const ClockStep& s : timeline.clock_steps()) {
    if (told(marks, "clock-step", s.axis_ns, s.axis_ns)) continue;
    const double step_s = static_cast<double>(s.step_ns) / 1e9;
    own.push_back({s.axis_ns,
                   {},
                   "clock-step",
                   fmt::format("clock {}{} s", step_s > 0 ? "+" : "", plain_number(step_s, 3))});
  }
  for (const FiredTrigger& t : collected.triggers) {
    if (!told(marks, "trigger", t.axis_ns, t.axis_ns))
      own.push_back({t.axis_ns, {}, "trigger", clean_text(t.label)});
  }
  marks.insert(marks.end(), std::make_move_iterator(own.begin()), std::make_move_iterator(own.end()));
  sort_marks(marks);
}

MarkCounts window_marks(const Grid& grid, std::vector<Mark>& marks) {
  MarkCounts counts;
  std::vector<Mark> out;
  for (Mark& m : marks) {
    const std::int64_t end = m.until_ns.value_or(m.axis_ns);
    if (end < grid.first_ns || m.axis_ns > grid.last_ns) {
      ++counts.outside;
      continue;
    }
    m.axis_ns = std::max(m.axis_ns, grid.first_ns);
    if (m.until_ns) m.until_ns = std::min(*m.until_ns, grid.last_ns);
    const bool folds = m.kind == "log" && !m.until_ns && !out.empty() && out.back().kind == "log" &&
                       out.back().axis_ns / kSecond == m.axis_ns / kSecond;
    if (folds) {
      ++out.back().folded;
      ++counts.folded;
    } else {
      out.push_back(std::move(m));
    }
  }
  for (Mark& m : out) {
    if (m.folded != 0) m.label = fmt::format("{} \xC3\x97 {}", m.folded + 1, m.label);
  }
  marks = std::move(out);
  return counts;
}

}  // namespace mikroscope::plot
