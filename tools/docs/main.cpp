// mikroscope-docs [--check] [ROOT]: rewrites the generated blocks of ROOT/README.md and ROOT/docs/*.md, which
// stand between <!-- generated: NAME --> and <!-- end -->. With --check nothing is written, and a stale block
// is exit status 1.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "base/host/files.h"
#include "tools/docs/blocks.h"

namespace mikroscope::docs {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBegin = "<!-- generated: ";
constexpr std::string_view kClose = " -->\n";
constexpr std::string_view kEnd = "<!-- end -->";

const Block* find_block(std::string_view name) {
  for (const Block& block : all_blocks()) {
    if (block.name == name) return &block;
  }
  return nullptr;
}

// `text` with every block made anew. The names of its blocks are added to `used`.
base::Result<std::string> regenerate(std::string_view text, std::set<std::string_view>& used) {
  std::string out;
  while (true) {
    const std::size_t begin = text.find(kBegin);
    if (begin == std::string_view::npos) break;
    const std::size_t close = text.find(kClose, begin);
    const std::size_t end = text.find(kEnd, begin);
    if (close == std::string_view::npos || end == std::string_view::npos || end < close) {
      return base::Error{fmt::format("a block without {}", kEnd), "close it"};
    }
    const std::string_view name = text.substr(begin + kBegin.size(), close - begin - kBegin.size());
    const Block* const block = find_block(name);
    if (block == nullptr)
      return base::Error{fmt::format("unknown block \"{}\"", name), "see tools/docs/blocks.cpp"};
    used.insert(block->name);
    out += text.substr(0, close + kClose.size());
    out += "\n" + block->write() + "\n";
    out += kEnd;
    text.remove_prefix(end + kEnd.size());
  }
  out += text;
  return out;
}

std::vector<std::string> pages(const fs::path& root) {
  std::vector<std::string> found;
  if (fs::exists(root / "README.md")) found.push_back((root / "README.md").string());
  for (const auto& entry : fs::recursive_directory_iterator(root / "docs")) {
    if (entry.path().extension() == ".md") found.push_back(entry.path().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

int run(const fs::path& root, bool check) {
  std::set<std::string_view> used;
  int wrong = 0;
  for (const std::string& page : pages(root)) {
    const auto before = base::read_text(page);
    const auto after = before ? regenerate(*before, used) : before;
    if (!after) {
      fmt::print(stderr, "{}: {}\n", page, after.error().what);
      ++wrong;
    } else if (*after != *before) {
      fmt::print("{}: {}\n", page, check ? "stale, run mikroscope-docs" : "rewritten");
      if (check || !base::replace_file(page, *after)) ++wrong;
    }
  }
  for (const Block& block : all_blocks()) {
    if (used.contains(block.name)) continue;
    fmt::print(stderr, "no page has the block \"{}\"\n", block.name);
    ++wrong;
  }
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace mikroscope::docs

int main(int argc, char** argv) {
  bool check = false;
  std::string root = ".";
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--check") {
      check = true;
    } else if (argument.starts_with("-")) {
      fmt::print(stderr, "usage: mikroscope-docs [--check] [ROOT]\n");
      return 2;
    } else {
      root = argument;
    }
  }
  return mikroscope::docs::run(root, check);
}
