// The generated parts of the documentation: one function each, over the registry that it describes.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace mikroscope::docs {

struct Block {
  std::string_view name;   // as in <!-- generated: NAME -->
  std::string (*write)();  // Markdown, ends in a newline
};

std::span<const Block> all_blocks();

}  // namespace mikroscope::docs
