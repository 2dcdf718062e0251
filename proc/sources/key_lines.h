// Files of lines "name<separator> number" of which a few are wanted (meminfo, vmstat). Their order only
// changes when the kernel does, so names are looked up once; after that each wanted line is reached by
// counting lines, its name is verified, and any surprise brings back the full scan.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace mikroscope::proc {

class KeyLines {
 public:
  static constexpr int kUnwanted = -1;
  // The place in `values` for the line of this name, or kUnwanted. Several names may share a place: values
  // are summed.
  using Wanted = int (*)(std::string_view name);

  KeyLines(char separator, Wanted wanted) : separator_(separator), wanted_(wanted) {}

  // Fills values[place] and sets bit `place` of the answer (places are below 64) for every wanted line that
  // holds a number. `afresh` forgets what was remembered. 0: nothing wanted is in `text`.
  std::uint64_t read(std::string_view text, std::span<std::uint64_t> values, bool afresh);

 private:
  struct Line {
    std::uint16_t skip;  // lines before it since the last wanted one
    std::uint16_t name;  // where its name lies in names_
    std::uint8_t length;
    std::uint8_t place;
  };
  static constexpr std::size_t kMaxLines = 96;
  static constexpr std::size_t kMaxNames = 2048;

  bool recall(std::string_view text, std::span<std::uint64_t> values, std::uint64_t& seen) const;
  std::uint64_t learn(std::string_view text, std::span<std::uint64_t> values);
  bool remember(std::string_view name, std::uint16_t skip, int place);

  char separator_;
  Wanted wanted_;
  std::size_t lines_ = 0;
  std::size_t names_used_ = 0;
  Line line_[kMaxLines];
  char names_[kMaxNames];
};

}  // namespace mikroscope::proc
