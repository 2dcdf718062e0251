// The router's firewall rules as an nftables script, so that a real kernel drops what the router would drop.
#pragma once

#include <string>

namespace mikroscope::routersim {

struct State;

// For `nft -f -`: replaces the whole ruleset. Rules with matchers that have no counterpart here are left out
// and named in a comment.
std::string nft_script(const State& state);

}  // namespace mikroscope::routersim
