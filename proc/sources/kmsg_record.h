// One record of /dev/kmsg, and what it says about a network interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mikroscope::proc {

struct KmsgRecord {
  std::uint32_t level = 0;     // 0 emerg ... 7 debug
  std::uint32_t facility = 0;  // 0 the kernel itself
  std::uint64_t seq = 0;
  std::uint64_t boot_us = 0;
  std::string_view message;
};

// "6,1234,5678901,-,caller=T1;text": the first line of a record without its newline. Lines after it ("
// SUBSYSTEM=net") are properties, not text. False: not a record.
bool parse_kmsg(std::string_view line, KmsgRecord& out);

// Turns the kernel's \x0a forms back into bytes, in place; returns the new length. Other backslashes stay.
std::size_t unescape_kmsg(char* text, std::size_t size);

// Views into the message and into constants; both empty where no interface is named.
struct KmsgMeaning {
  std::string_view interface;
  std::string_view kind;  // link-up, link-down, stp-<state>, own-address, other
};
KmsgMeaning classify_kmsg(std::string_view message);

}  // namespace mikroscope::proc
