#include "sinks/detections/user_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/host/duration.h"

namespace mikroscope::sinks {
namespace {

// Rows come and go (clients, leases): what has not been seen for long is forgotten when there are too many.
constexpr std::size_t kMostStates = 20'000;

bool fits(const model::Measurement& m, const model::Row& row, const RuleField& field) {
  for (std::size_t s = 0; s < field.select.size(); ++s) {
    const RuleField::Select& select = field.select[s];
    std::size_t k = s;
    if (!select.key.empty()) {
      k = 0;
      while (k < m.keys.size() && m.keys[k].name != select.key) ++k;
    }
    if (k >= row.keys.size()) return false;
    if (row.keys[k] != select.value && !(select.key.empty() && select.value == "*")) return false;
  }
  return true;
}

bool is_selected(const model::Measurement& m, std::size_t key, const RuleField& field) {
  for (std::size_t s = 0; s < field.select.size(); ++s) {
    const RuleField::Select& select = field.select[s];
    if (select.key.empty() ? s == key && select.value != "*" : select.key == m.keys[key].name) return true;
  }
  return false;
}

// The keys that tell the rows of a selection apart, with their values.
std::map<std::string_view, std::string_view> free_keys(const model::ShapeTable& table, std::size_t row,
                                                       const RuleField& field) {
  std::map<std::string_view, std::string_view> keys;
  const model::Measurement& m = *table.measurement;
  for (std::size_t k = 0; k < m.keys.size(); ++k) {
    if (!m.keys[k].label && !is_selected(m, k, field)) keys[m.keys[k].name] = table.rows[row].keys[k];
  }
  return keys;
}

// ether1; cycles,2; cpu2 where the key is the core.
std::string row_key(const model::ShapeTable& table, std::size_t row) {
  std::string text;
  const model::Measurement& m = *table.measurement;
  for (std::size_t k = 0; k < m.keys.size(); ++k) {
    if (m.keys[k].label) continue;
    if (!text.empty()) text += ',';
    text += (m.keys[k].name == "cpu" ? "cpu" : "") + table.rows[row].keys[k];
  }
  return text;
}

}  // namespace

void UserRule::learn(const model::Event& event) {
  shape_ = event.shape;
  groups_.clear();
  for (std::size_t f = 0; f < places_.size(); ++f) {
    Place& place = places_[f];
    place = {};
    place.table = shape_->find(spec_.fields[f].measurement);
    if (place.table == nullptr) return;
    const int column = place.table->measurement->field(spec_.fields[f].field);
    if (column < 0) return;
    place.table_index = static_cast<std::size_t>(place.table - shape_->tables().data());
    place.column = static_cast<std::size_t>(column);
    place.field = &place.table->measurement->fields[place.column];
    for (std::size_t row = 0; row < place.table->rows.size(); ++row) {
      if (fits(*place.table->measurement, place.table->rows[row], spec_.fields[f])) place.rows.push_back(row);
    }
  }
  group();
}

void UserRule::group() {
  std::size_t lead = 0;
  for (std::size_t f = 0; f < places_.size(); ++f) {
    if (places_[f].rows.size() > places_[lead].rows.size()) lead = f;
  }
  for (const std::size_t lead_row : places_[lead].rows) {
    const auto keys = free_keys(*places_[lead].table, lead_row, spec_.fields[lead]);
    Group group;
    group.key = row_key(*places_[lead].table, lead_row);
    for (std::size_t f = 0; f < places_.size(); ++f) {
      std::optional<std::size_t> match;
      if (f == lead) match = lead_row;
      for (const std::size_t row : places_[f].rows) {
        if (match) break;
        bool same = true;
        bool shared = false;
        for (const auto& [name, value] : free_keys(*places_[f].table, row, spec_.fields[f])) {
          const auto other = keys.find(name);
          if (other == keys.end()) continue;
          shared = true;
          same = same && other->second == value;
        }
        if (same && (shared || places_[f].rows.size() == 1)) match = row;
      }
      if (!match) break;
      group.rows.push_back(*match);
    }
    if (group.rows.size() == places_.size()) groups_.push_back(std::move(group));
  }
}

std::optional<double> UserRule::rate(const model::Event& event, std::size_t f, std::size_t row, double value,
                                     std::int64_t now_ns) {
  const Place& place = places_[f];
  if (place.field->kind == model::Kind::delta) {
    const std::int64_t interval_ns = event.interval_ns(place.table_index);
    if (interval_ns <= 0) return std::nullopt;
    return value * 1e9 / static_cast<double>(interval_ns);
  }
  if (place.field->kind != model::Kind::running) return std::nullopt;
  if (before_.size() > kMostStates) before_.clear();
  const auto [at, first] =
      before_.try_emplace(fmt::format("{} {}", f, row_key(*place.table, row)), Before{value, now_ns});
  const Before before = at->second;
  at->second = {value, now_ns};
  if (first || value < before.value || now_ns <= before.at_ns) return std::nullopt;
  return (value - before.value) * 1e9 / static_cast<double>(now_ns - before.at_ns);
}

bool UserRule::load(const model::Event& event, const Group& group, std::int64_t now_ns) {
  bool all = true;
  values_.assign(places_.size(), 0);
  for (std::size_t f = 0; f < places_.size(); ++f) {
    const Place& place = places_[f];
    auto value = model::number(event, *place.field, place.table->slot(group.rows[f], place.column));
    if (value && spec_.fields[f].rate) value = rate(event, f, group.rows[f], *value, now_ns);
    // The rates of the other fields go on all the same.
    if (!value) all = false;
    values_[f] = value.value_or(0);
  }
  return all;
}

double UserRule::compute(std::size_t index) const {
  const RuleNode& node = spec_.nodes[index];
  switch (node.what) {
    case RuleNode::What::number:
      return node.number;
    case RuleNode::What::field:
      return values_[node.field];
    case RuleNode::What::add:
      return compute(node.left) + compute(node.right);
    case RuleNode::What::subtract:
      return compute(node.left) - compute(node.right);
    case RuleNode::What::multiply:
      return compute(node.left) * compute(node.right);
    case RuleNode::What::divide:
      return compute(node.left) / compute(node.right);
  }
  return 0;
}

void UserRule::judge(const std::string& key, bool true_now, double left, double right, Emit& emit) {
  if (states_.size() > kMostStates) states_.clear();
  State& state = states_[key];
  const std::int64_t now = emit.now_ns();
  const std::int64_t step_ns = now - state.last_ns;
  // Nothing was heard of it for long: what held then need not have held since.
  if (state.last_ns != 0 && step_ns > 5 * kSecondNs && state.step_ns > 0 && step_ns > 3 * state.step_ns)
    state.since_ns.reset();
  if (state.last_ns != 0) state.step_ns = step_ns;
  state.last_ns = now;
  if (!true_now) {
    state.since_ns.reset();
    state.held.off();
    return;
  }
  if (!state.since_ns) state.since_ns = now;
  if (now - *state.since_ns < spec_.for_ns || !state.held.on(now)) return;
  const std::string lasted = spec_.for_ns > 0 ? " for " + base::format_duration(spec_.for_ns) : std::string();
  emit({key, left, right,
        fmt::format("{}{:.6g} {} {:.6g}{} ({})", key.empty() ? "" : key + ": ", left, operator_text(spec_.op),
                    right, lasted, spec_.text)});
}

void UserRule::see(const model::Event& event, Emit& emit) {
  if (event.kind == model::EventKind::gap || event.kind == model::EventKind::restart) {
    for (auto& [key, state] : states_) state.since_ns.reset();
    if (event.kind == model::EventKind::restart) before_.clear();
  }
  if (!event.shape) return;
  if (!shape_ || (shape_ != event.shape && shape_->id() != event.shape->id())) learn(event);
  if (groups_.empty()) return;
  const bool each = spec_.aggregate == RuleAggregate::any;
  std::size_t n = 0;
  double sum = 0;
  double low = 0;
  double high = 0;
  double right = 0;
  bool all = true;
  for (const Group& group : groups_) {
    if (!load(event, group, emit.now_ns())) continue;
    const double left = compute(spec_.left);
    right = compute(spec_.right);
    if (!std::isfinite(left) || !std::isfinite(right)) continue;
    set_checked();
    const bool true_here = holds(spec_.op, left, right);
    if (each) {
      judge(group.key, true_here, left, right, emit);
      continue;
    }
    all = all && true_here;
    low = n == 0 ? left : std::min(low, left);
    high = n == 0 ? left : std::max(high, left);
    sum += left;
    ++n;
  }
  if (each || n == 0) return;
  double left = sum;
  switch (spec_.aggregate) {
    case RuleAggregate::all:  // the one that is nearest to not holding
      judge("", all, spec_.op == RuleOperator::less || spec_.op == RuleOperator::less_equal ? high : low,
            right, emit);
      return;
    case RuleAggregate::max:
      left = high;
      break;
    case RuleAggregate::min:
      left = low;
      break;
    case RuleAggregate::mean:
      left = sum / static_cast<double>(n);
      break;
    case RuleAggregate::any:
    case RuleAggregate::sum:
      break;
  }
  judge("", holds(spec_.op, left, right), left, right, emit);
}

}  // namespace mikroscope::sinks
