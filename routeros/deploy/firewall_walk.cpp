#include "routeros/deploy/firewall_walk.h"

#include <fmt/format.h>

#include <algorithm>

#include "routeros/session/text.h"

namespace mikroscope::routeros {
namespace {

constexpr int kDeepest = 16;  // RouterOS refuses chains that jump in a circle; a snapshot may still hold one

// How a chain can end for the packet.
struct Ends {
  bool accepted = false;
  bool dropped = false;
  bool returned = false;
};

class Table {
 public:
  Table(std::string menu, const std::vector<Row>& rules, PacketView view)
      : menu_(std::move(menu)), rules_(rules), view_(view) {}

  Ends chain(std::string_view name, bool surely, int depth) {
    Ends ends;
    if (depth > kDeepest) return {true, false, true};
    for (const Row& rule : rules_) {
      if (rule.text("chain") != name || rule.flag("disabled") || rule.flag("invalid")) continue;
      const Truth match = rule_matches(rule, view_);
      if (match == Truth::no) continue;
      const std::string_view action = rule.text("action");
      const bool reached = surely && match == Truth::yes;
      if (action == "accept") {
        ends.accepted = true;
      } else if (action == "drop" || action == "reject" || action == "tarpit") {
        ends.dropped = true;
        drops_.push_back({menu_, &rule, reached});
      } else if (action == "return") {
        ends.returned = true;
      } else if (action == "jump") {
        const Ends sub = chain(rule.text("jump-target"), reached, depth + 1);
        ends.accepted |= sub.accepted;
        ends.dropped |= sub.dropped;
        if (sub.accepted || sub.dropped) surely = false;
        if (match == Truth::yes && !sub.returned) return ends;
        continue;
      } else {
        if (action == "notrack") untracked_ = either(untracked_, reached ? Truth::yes : Truth::maybe);
        continue;  // marks, logs, lists, passthrough, fasttrack: the packet goes on
      }
      if (match == Truth::yes) return ends;
      surely = false;
    }
    ends.returned = true;
    return ends;
  }

  std::vector<DroppingRule> drops_;
  Truth untracked_ = Truth::no;

 private:
  std::string menu_;
  const std::vector<Row>& rules_;
  PacketView view_;
};

}  // namespace

Verdict walk_firewall(const Facts& facts, std::string_view chain, const PacketView& view) {
  const bool v6 = (view.packet.src && view.packet.src->v6) || (view.packet.dst && view.packet.dst->v6);
  const std::string root = v6 ? "/ipv6/firewall/" : "/ip/firewall/";
  const std::vector<Row>* const raw_rules = facts.rows(root + "raw");
  const std::vector<Row>* const filter_rules = facts.rows(root + "filter");
  Verdict out;
  if (raw_rules == nullptr || filter_rules == nullptr) {
    out.known = false;
    return out;
  }
  Packet before = view.packet;
  before.states.clear();  // raw comes before connection tracking
  Table raw(root + "raw", *raw_rules, {before, view.interfaces, view.addresses});
  const Ends first = raw.chain("prerouting", true, 0);
  out.may_drop = first.dropped;
  out.drops = std::move(raw.drops_);
  if (!first.accepted && !first.returned) return out;

  Packet after = view.packet;
  if (raw.untracked_ == Truth::yes) after.states.clear();
  if (raw.untracked_ != Truth::no) after.states.emplace_back("untracked");
  Table filter(root + "filter", *filter_rules, {after, view.interfaces, view.addresses});
  const Ends second = filter.chain(chain, !first.dropped, 0);
  out.may_drop |= second.dropped;
  out.may_pass = second.accepted || second.returned;
  out.drops.insert(out.drops.end(), filter.drops_.begin(), filter.drops_.end());
  return out;
}

std::string rule_text(std::string_view menu, const Row& rule) {
  // In the order that RouterOS prints: where, what it matches, what it does.
  std::string out = fmt::format("{} {}, chain={}", menu, rule.id(), printable(rule.text("chain")));
  constexpr std::string_view kLater[] = {".id",    ".nextid", ".about",   "about",     "chain",
                                         "action", "comment", "disabled", "invalid",   "dynamic",
                                         "bytes",  "packets", "log",      "log-prefix"};
  for (const Attribute& a : rule.attributes()) {
    if (a.value.empty() || std::find(std::begin(kLater), std::end(kLater), a.name) != std::end(kLater))
      continue;
    out += fmt::format(" {}={}", a.name, printable(a.value));
  }
  out += fmt::format(" action={}", printable(rule.text("action")));
  if (const std::string_view comment = rule.text("comment"); !comment.empty())
    out += fmt::format(" (\"{}\")", printable(comment));
  return out;
}

std::string rule_text(const DroppingRule& drop) {
  return rule_text(drop.menu, *drop.rule);
}

}  // namespace mikroscope::routeros
