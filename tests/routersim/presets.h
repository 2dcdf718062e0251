// What a router is configured with when the double starts.
#pragma once

#include <span>
#include <string_view>

namespace mikroscope::routersim {

struct State;

// Console-like lines: "/ip/address/add address=192.168.88.1/24 interface=bridge comment=\"a b\"".
struct Preset {
  std::string_view name;
  std::string_view help;
  std::string_view lines;
};
std::span<const Preset> all_presets();

// The hardware and the factory's rows, then every preset that config.presets names. Unknown names, and lines
// that the menus refuse, end the program with a message: they are mistakes of this file or of a flag.
void load_presets(State& state);

}  // namespace mikroscope::routersim
