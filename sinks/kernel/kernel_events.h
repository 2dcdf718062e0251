// Items of an agent's timeline to events for stores.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/event.h"
#include "proc/reader/item.h"
#include "sinks/derive/derive.h"

namespace mikroscope::sinks {

// What the RouterOS tier knows of an interface that the kernel log names.
struct PortLabel {
  std::string port;   // the router's name of it
  std::string label;  // its comment
  std::string role;   // its interface lists
};

// One per router. Its events are complete: derived values are in them.
class KernelEvents {
 public:
  explicit KernelEvents(std::string host);
  ~KernelEvents();
  KernelEvents(const KernelEvents&) = delete;
  KernelEvents& operator=(const KernelEvents&) = delete;

  // Whose samples follow: as the head of each reply says it.
  void begin(const std::string& instance, const std::string& boot_id);
  // Kernel interface name to what is known of it; an empty `port`: nothing is.
  void label_ports(std::function<PortLabel(std::string_view kernel_name)> labels);
  // Appends what `item` makes. Records of the kernel log wait for the sample that they came with.
  // `wall_now_ns` dates what has no clock of its own. Malformed input is counted.
  void take(const proc::Item& item, std::int64_t wall_now_ns, std::vector<model::Event>& out);
  // Samples first..last of this origin are lost.
  model::Event gap(std::uint64_t from, std::uint64_t to, std::string_view reason,
                   std::int64_t wall_now_ns) const;

  const model::OriginPtr& origin() const;
  std::uint64_t malformed() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mikroscope::sinks
