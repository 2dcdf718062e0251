#include "sinks/detections/lead_up.h"

#include <fmt/format.h>

#include <algorithm>

#include "sinks/detections/windows.h"

namespace mikroscope::sinks {
namespace {

constexpr double kSaturated = 0.9;

template <class T>
void keep(std::optional<T>& into, std::optional<T> value) {
  if (value) into = value;
}

std::string mib(std::int64_t kb) {
  return fmt::format("{:.1f} MiB", static_cast<double>(kb) / 1024.0);
}

}  // namespace

std::size_t LeadUp::core_index(const std::string& cpu) {
  const auto found = std::find(cores_.begin(), cores_.end(), cpu);
  if (found != cores_.end()) return static_cast<std::size_t>(found - cores_.begin());
  cores_.push_back(cpu);
  return cores_.size() - 1;
}

void LeadUp::add(const model::Event& sample, std::int64_t now_ns) {
  if (sample.kind != model::EventKind::sample) return;
  if (bins_.empty() || now_ns >= bins_.back().from_ns + kSecondNs) {
    bins_.emplace_back();
    bins_.back().from_ns = now_ns;
  }
  last_ns_ = now_ns;
  while (bins_.size() > 1 && bins_.front().from_ns < now_ns - kSpanNs) bins_.pop_front();
  Bin& bin = bins_.back();
  ++bin.samples;
  if (cpu_.in(sample)) {
    if (cpu_.changed()) {
      core_of_row_.clear();
      for (std::size_t row = 0; row < cpu_.rows(); ++row)
        core_of_row_.push_back(core_index(cpu_.keys(row)[0]));
    }
    if (bin.core_busy.size() < cores_.size()) {
      bin.core_busy.resize(cores_.size(), 0);
      bin.core_samples.resize(cores_.size(), 0);
    }
    for (std::size_t row = 0; row < core_of_row_.size(); ++row) {
      const auto busy = cpu_.number(sample, row, 0);
      if (!busy) continue;
      bin.busy += *busy;
      ++bin.busy_cells;
      bin.core_busy[core_of_row_[row]] += *busy;
      ++bin.core_samples[core_of_row_[row]];
    }
  }
  if (mem_.in(sample) && mem_.rows() > 0) {
    keep(total_kb_, mem_.integer(sample, 0, 0));
    const auto available = mem_.integer(sample, 0, 1);
    keep(available_kb_, available);
    if (available) bin.available_low_kb = std::min(bin.available_low_kb.value_or(*available), *available);
  }
  if (slab_.in(sample)) {
    if (slab_.changed()) {
      conntrack_row_ = -1;
      for (std::size_t row = 0; row < slab_.rows(); ++row) {
        if (slab_.keys(row)[0] == "nf_conntrack") conntrack_row_ = static_cast<int>(row);
      }
    }
    if (conntrack_row_ >= 0) {
      keep(conntrack_, slab_.integer(sample, static_cast<std::size_t>(conntrack_row_), 0));
      keep(conntrack_limit_, slab_.integer(sample, static_cast<std::size_t>(conntrack_row_), 1));
    }
  }
  if (softnet_.in(sample)) {
    for (std::size_t row = 0; row < softnet_.rows(); ++row) {
      bin.dropped += softnet_.integer(sample, row, 0).value_or(0);
      bin.squeezed += softnet_.integer(sample, row, 1).value_or(0);
    }
  }
  if (vm_.in(sample) && vm_.rows() > 0) bin.killed += vm_.integer(sample, 0, 0).value_or(0);
}

std::string LeadUp::text(std::int64_t now_ns) const {
  if (bins_.empty()) return "; nothing is known of the time before";
  Bin all;
  all.core_busy.resize(cores_.size(), 0);
  all.core_samples.resize(cores_.size(), 0);
  for (const Bin& bin : bins_) {
    all.samples += bin.samples;
    all.busy += bin.busy;
    all.busy_cells += bin.busy_cells;
    for (std::size_t c = 0; c < bin.core_busy.size(); ++c) {
      all.core_busy[c] += bin.core_busy[c];
      all.core_samples[c] += bin.core_samples[c];
    }
    if (bin.available_low_kb)
      all.available_low_kb =
          std::min(all.available_low_kb.value_or(*bin.available_low_kb), *bin.available_low_kb);
    all.dropped += bin.dropped;
    all.squeezed += bin.squeezed;
    all.killed += bin.killed;
  }
  std::vector<std::string> parts;
  if (all.busy_cells > 0) {
    std::string part = fmt::format("CPU {:.0f}% busy", 100 * all.busy / static_cast<double>(all.busy_cells));
    std::size_t busiest = 0;
    double share = -1;
    for (std::size_t c = 0; c < cores_.size(); ++c) {
      if (all.core_samples[c] == 0) continue;
      const double mean = all.core_busy[c] / all.core_samples[c];
      if (mean > share) busiest = c, share = mean;
    }
    if (share >= kSaturated) part += fmt::format(" (cpu{} {:.0f}%)", cores_[busiest], 100 * share);
    parts.push_back(std::move(part));
  }
  if (available_kb_) {
    std::string part = fmt::format("{} of memory available", mib(*available_kb_));
    if (total_kb_) part = fmt::format("{} of {} memory available", mib(*available_kb_), mib(*total_kb_));
    if (all.available_low_kb && *all.available_low_kb < *available_kb_)
      part += fmt::format(", {} at the lowest", mib(*all.available_low_kb));
    parts.push_back(std::move(part));
  }
  if (conntrack_) {
    std::string part = fmt::format("{} connections tracked", *conntrack_);
    if (conntrack_limit_ && *conntrack_limit_ > 0) {
      part += fmt::format(" ({:.0f}% of {})",
                          100 * static_cast<double>(*conntrack_) / static_cast<double>(*conntrack_limit_),
                          *conntrack_limit_);
    }
    parts.push_back(std::move(part));
  }
  if (all.dropped > 0) parts.push_back(fmt::format("{} packets dropped by the network stack", all.dropped));
  if (all.squeezed > 0) parts.push_back(fmt::format("its budget used up {} times", all.squeezed));
  if (all.killed > 0) parts.push_back(fmt::format("{} processes killed for want of memory", all.killed));
  std::string text =
      fmt::format("; the last {:.0f} s before ({} samples): {}",
                  static_cast<double>(std::min(kSpanNs, last_ns_ - bins_.front().from_ns)) / 1e9, all.samples,
                  parts.empty() ? "nothing was measured" : fmt::format("{}", fmt::join(parts, ", ")));
  const double silent_s = static_cast<double>(now_ns - last_ns_) / 1e9;
  if (silent_s >= 1) text += fmt::format("; then {:.1f} s without a sample", silent_s);
  return text;
}

}  // namespace mikroscope::sinks
