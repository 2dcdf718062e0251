// Lines that did not change are not parsed again: whatever changes, the cells must be those of a reader that
// sees the file for the first time.

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "proc/unchanged_lines.h"
#include "tests/proc/sources/fake_machine.h"

namespace mikroscope::proc::test {
namespace {

TEST(UnchangedLines, SameTextAtTheSamePlaceAndMarked) {
  std::vector<char> memory(4096);
  base::Arena arena(memory.data(), memory.size());
  UnchangedLines lines;
  ASSERT_TRUE(lines.prepare(arena, 2, 12));
  const std::string first = "aaaa\nbbbb\ncccc\n";
  const auto line = [](const std::string& text, std::size_t n) {
    return std::string_view(text).substr(5 * n, 4);
  };
  lines.begin(first);
  for (std::size_t n = 0; n < 3; ++n) {
    EXPECT_FALSE(lines.same(n, line(first, n))) << n;
    lines.mark(n, line(first, n));
  }
  lines.unmark(1);
  lines.end();
  const std::string again = first;
  lines.begin(again);
  EXPECT_TRUE(lines.same_start(12));
  EXPECT_FALSE(lines.same_start(13));
  EXPECT_TRUE(lines.same(0, line(again, 0)));
  EXPECT_FALSE(lines.same(0, line(again, 0).substr(1)));  // not where it was
  EXPECT_FALSE(lines.same(1, line(again, 1)));            // not marked
  EXPECT_FALSE(lines.same(2, line(again, 2)));            // a third line was not asked to be remembered
  lines.mark(1, line(again, 1));
  lines.end();
  const std::string changed = "aaab\nbbbb\ncccc\n";
  lines.begin(changed);
  EXPECT_FALSE(lines.same(0, line(changed, 0)));
  EXPECT_TRUE(lines.same(1, line(changed, 1)));
  lines.forget();
  EXPECT_FALSE(lines.same(1, line(changed, 1)));
}

using Cells = std::map<std::string, std::uint64_t>;

Cells cells_of(const FakeSampler& sampler) {
  Cells out;
  const FrameView view = sampler.frame();
  const Layout& layout = sampler.layout();
  for (std::uint32_t t = 0; t < layout.table_count; ++t) {
    const Table& table = layout.tables[t];
    for (std::uint32_t r = 0; r < view.rows[t]; ++r) {
      std::string row(table.schema->table);
      for (std::size_t k = 0; k < table.schema->keys.size(); ++k) {
        const KeyPart part = table.keys[r].part[k];
        row += table.schema->keys[k].text ? "/" + std::string((*layout.texts)[part])
                                          : "/" + std::to_string(part);
      }
      for (std::uint32_t c = 0; c < table.columns(); ++c) {
        if (view.has(t, table.slot(r, c)))
          out[row + "." + std::string(table.schema->columns[c].name)] = view.now[table.slot(r, c)];
      }
    }
  }
  return out;
}

// Lines of numbers and words, of which one is changed, left out, put back or moved at a time.
void follow(const char* source, const char* path, std::vector<std::string> lines, std::size_t fixed,
            std::size_t numbers_at) {
  FakeTree tree;
  TreeRoots roots{tree.root()};
  // A sampler closes what was opened below its roots when it ends: the fresh ones get a tree of their own.
  FakeTree other_tree;
  TreeRoots other_roots{other_tree.root()};
  const auto write = [&](const std::vector<std::string>& all) {
    std::string text;
    for (const std::string& line : all) text += line + "\n";
    tree.write(path, text);
    other_tree.write(path, text);
  };
  write(lines);
  FakeSampler standing(roots.roots(), {source}, 16);
  standing.tick();
  std::mt19937 random(7);
  std::vector<std::string> away;
  for (int round = 0; round < 25; ++round) {
    for (unsigned edits = random() % 4; edits > 0; --edits) {
      const std::size_t at = fixed + random() % (lines.size() - fixed);
      // Behind what names the line, so that no two lines become one.
      const std::size_t digit = lines[at].find_first_of("0123456789", numbers_at + random() % 16);
      switch (random() % 8) {
        case 0:  // a line goes: all below it move up
          if (lines.size() > fixed + 3) {
            away.push_back(lines[at]);
            lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at));
          }
          break;
        case 1:  // one comes back, somewhere
          if (!away.empty()) {
            lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), away.back());
            away.pop_back();
          }
          break;
        case 2:  // two change places: the same length at the same place is not the same line
          std::swap(lines[at], lines[fixed + random() % (lines.size() - fixed)]);
          break;
        case 3:  // a number gets longer
          if (digit != std::string::npos) lines[at].insert(digit, "1");
          break;
        case 4:  // nothing changes
          break;
        default:
          if (digit != std::string::npos) lines[at][digit] = static_cast<char>('0' + random() % 10);
      }
    }
    write(lines);
    standing.tick();
    ASSERT_EQ(standing.status(source), ReadStatus::ok) << round;
    FakeSampler fresh(other_roots.roots(), {source}, 16);
    fresh.tick();
    ASSERT_EQ(cells_of(standing), cells_of(fresh)) << source << " round " << round;
  }
}

TEST(UnchangedLines, InterruptsMissNoChange) {
  std::vector<std::string> lines = {"     CPU0 CPU1"};
  for (int i = 0; i < 12; ++i) {
    lines.push_back(std::to_string(10 + i) + ": " + std::to_string(100 + i) + " 7 chip " + std::to_string(i) +
                    " Level dev-" + std::string(1, static_cast<char>('a' + i)));
  }
  follow("interrupts", "proc/interrupts", lines, 1, 3);
}

TEST(UnchangedLines, InterruptsFollowTheHeader) {
  FakeTree tree;
  TreeRoots roots{tree.root()};
  tree.write("proc/interrupts", "  CPU0 CPU1\n 1: 5 6 x\n");
  FakeSampler sampler(roots.roots(), {"interrupts"}, 8);
  sampler.tick();
  sampler.tick();
  tree.write("proc/interrupts", "  CPU0 CPU2\n 1: 5 6 x\n");  // the same line says something else now
  sampler.tick();
  EXPECT_EQ(sampler.cell("irq_cpu", {"1", "x", "1"}, "count"), std::nullopt);
  EXPECT_EQ(sampler.cell("irq_cpu", {"1", "x", "2"}, "count"), 6);
}

TEST(UnchangedLines, DiskstatsMissNoChange) {
  std::vector<std::string> lines;
  for (const char* name : {"sda", "sda1", "sdb", "loop0", "loop1", "mmcblk0", "dm-0"}) {
    const bool loop = std::string(name).starts_with("loop");
    lines.push_back("   8       0 " + std::string(name) +
                    (loop ? " 0 0 0 0 0 0 0 0 0 0 0" : " 1 2 3 4 5 6 7 8 9 10 11"));
  }
  lines.push_back("   3    1 hda1 35486 38030 38030 38031");
  follow("diskstats", "proc/diskstats", lines, 0, 24);
}

TEST(UnchangedLines, YaffsMissesNoChange) {
  std::vector<std::string> lines = {"Multi-version YAFFS", ""};
  for (const char* device : {"boot", "main"}) {
    lines.push_back("Device 0 \"" + std::string(device) + "\"");
    for (const char* key : {"start_block", "n_page_writes", "n_page_reads", "n_erasures", "n_free_chunks"})
      lines.push_back(std::string(key) + "......... 40");
  }
  follow("yaffs", "proc/yaffs", lines, 2, 14);
}

TEST(UnchangedLines, AYaffsKeyThatComesTwiceKeepsItsLastNumber) {
  FakeTree tree;
  TreeRoots roots{tree.root()};
  const auto write = [&](const char* first) {
    tree.write("proc/yaffs",
               "YAFFS\nDevice 0 \"m\"\nn_page_writes.. " + std::string(first) + "\nn_page_writes.. 9\n");
  };
  write("1");
  FakeSampler sampler(roots.roots(), {"yaffs"});
  sampler.tick();
  write("2");
  sampler.tick();
  EXPECT_EQ(sampler.cell("flash", {"m"}, "page_writes"), 9);
}

}  // namespace
}  // namespace mikroscope::proc::test
