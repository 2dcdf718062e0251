#include <fmt/format.h>

#include <algorithm>

#include "routeros/checks/support.h"
#include "routeros/deploy/plan.h"
#include "routeros/deploy/shape.h"

namespace mikroscope::routeros {
namespace {

constexpr std::size_t kShown = 4;

Finding run(const Facts& facts, const Options& options) {
  if (facts.assumed) return skip("not read: no router was asked");
  const Shape shape = read_shape(facts, options);
  ImageSource image;
  image.remote = shape.options.remote_image;
  const base::Result<Plan> plan =
      make_plan(facts, shape.installed ? shape.options : options, image, shape.slot);
  if (!plan.ok()) return skip(plan.error().what);
  std::vector<std::string> left;
  std::size_t expected = 0;
  std::optional<Finding> hidden;
  for (const MenuRead& read : facts.menus) {
    const auto& names = read.menu->proplist;
    const bool marked = std::find(names.begin(), names.end(), "comment") != names.end();
    if (marked && read.refused && !hidden) hidden = unreadable(facts, {read.menu->path});
    for (const Row* const row : tagged_rows(facts, read.menu->path, options.tag())) {
      const bool planned = std::any_of(plan->steps.begin(), plan->steps.end(), [&](const Step& step) {
        return step.menu == read.menu->path && step.identifies(*row);
      });
      if (planned) {
        ++expected;
      } else {
        left.push_back(fmt::format("{} {}", read.menu->path, row->id()));
      }
    }
  }
  // Without the container package there is no menu that could hold something.
  if (left.empty() && hidden && hidden->level != Level::skip) return *hidden;
  if (left.empty())
    return ok(expected == 0 ? "nothing of this installation is there" : "nothing beside the installation");
  const std::size_t all = left.size();
  left.resize(std::min(all, kShown));
  return warn(fmt::format("{} with our tag that no installation explains: {}{}",
                          count_of(all, "object", "objects"), enumerate(left), all > kShown ? ", …" : ""),
              fmt::format("`mikroscope uninstall --name {}` lists what it would remove", options.name));
}

}  // namespace

const Check kLeftoversCheck{
    "leftovers", "nothing is left of an earlier installation", "every menu that an installation writes to",
    "Objects with our tag that neither the manifest nor the options account for: of an "
    "installation that was cut short, or moved by hand.",
    run};

}  // namespace mikroscope::routeros
