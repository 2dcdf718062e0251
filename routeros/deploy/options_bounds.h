// What the texts of options may be. (For deploy/options*.cpp.)
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/host/result.h"
#include "routeros/deploy/options.h"

namespace mikroscope::routeros {

// A letter or digit, then those and `others`, at most `longest` characters.
bool is_word(std::string_view text, std::size_t longest, std::string_view others);
// Digits and nothing else.
bool parse_digits(std::string_view text, std::uint64_t& out);
bool parse_ipv4(const std::string& text, std::uint32_t& out);
std::string ipv4_text(std::uint32_t address);
// "172.30.10.0/30" to its first address and length; false when it is not at its network address.
bool parse_network(const std::string& text, std::uint32_t& address, std::uint32_t& length);
// "64M", "65536K", "67108864" to bytes.
bool parse_memory(std::string_view text, std::uint64_t& bytes);
// 1 to 4 digits and s, m or h.
bool parse_span(const std::string& text, std::uint32_t& seconds);
// "is not allowed; give BOUNDS". Exit::usage.
base::Error refuse(const std::string& given, std::string_view bounds);

// The parts that all_options() is made of.
std::vector<OptionDef> own_options();
std::vector<OptionDef> agent_options();

// What the agent itself says to these settings, all others being at their defaults.
base::Result<void> ask_agent(const std::vector<std::pair<std::string, std::string>>& settings);

}  // namespace mikroscope::routeros
