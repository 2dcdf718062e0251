// Holds every #include of the tree to the allowed edges between directories, and the agent's side to the part
// of the standard library that needs no run-time support.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace mikroscope {
namespace {

namespace fs = std::filesystem;

// From a directory to those that it may include beside itself. What is not here may not exist.
const std::map<std::string, std::set<std::string>> kAllowed = {
    {"base", {}},
    {"base/host", {"base"}},
    {"proc", {"base"}},
    {"proc/sources", {"base", "proc"}},
    {"proc/reader", {"base", "base/host", "proc"}},
    {"agent", {"base", "proc"}},
    {"routeros", {"base", "base/host"}},
    {"routeros/session", {"base", "base/host"}},
    {"routeros/api", {"base", "base/host", "routeros/session"}},
    {"routeros/ssh", {"base", "base/host", "routeros/session"}},
    // The agent's settings are what an installation sets: deploy reads their table (agent/config.h).
    {"routeros/deploy", {"base", "base/host", "agent", "routeros", "routeros/session"}},
    {"routeros/checks", {"base", "base/host", "routeros", "routeros/session", "routeros/deploy"}},
    {"plot", {"base", "base/host", "proc", "proc/reader"}},
    {"plot/panels", {"base", "base/host", "proc", "proc/reader", "plot"}},
    {"model", {"base", "base/host", "proc"}},
    {"routeros/tier", {"base", "base/host", "model", "routeros/session", "routeros/api"}},
    {"sinks/pipeline", {"base", "base/host", "proc", "model"}},
    {"sinks/kernel", {"base", "base/host", "proc", "proc/reader", "model", "sinks/derive", "sinks/pipeline"}},
    {"sinks/derive", {"base", "base/host", "proc", "model"}},
    {"sinks/detections", {"base", "base/host", "proc", "model", "sinks/derive"}},
    {"sinks/net", {"base", "base/host", "sinks/pipeline"}},
    {"sinks/stores", {"base", "base/host", "proc", "model", "sinks/pipeline", "sinks/net"}},
    {"cli",
     {"base", "base/host", "proc", "proc/reader", "routeros", "routeros/session", "routeros/api",
      "routeros/ssh", "routeros/deploy", "routeros/tier", "plot", "model", "sinks/kernel",
      "sinks/detections"}},
    {"cli/forward",
     {"base", "base/host", "proc", "proc/reader", "model", "routeros/session", "routeros/api",
      "routeros/tier", "sinks/pipeline", "sinks/kernel", "sinks/derive", "sinks/detections", "sinks/net",
      "sinks/stores", "cli"}},
};

const std::set<std::string> kAgentSafe = {"base", "proc", "proc/sources", "agent"};
// Headers whose use means an allocator, exceptions, floating point text, threads or static constructors.
const std::set<std::string> kNotInAgent = {
    "any",           "atomic",        "chrono",     "deque",   "exception", "filesystem",
    "forward_list",  "fstream",       "functional", "future",  "iomanip",   "iostream",
    "istream",       "list",          "locale",     "map",     "memory",    "memory_resource",
    "mutex",         "ostream",       "queue",      "random",  "regex",     "set",
    "sstream",       "stack",         "stdexcept",  "string",  "thread",    "typeinfo",
    "unordered_map", "unordered_set", "vector",     "netdb.h", "locale.h",  "pthread.h",
};
// g++ 12 has no <format>; clang 14 cannot parse libstdc++'s views, and fuzz targets and clang-tidy need it.
const std::vector<std::string> kNowhere = {"std::views", "std::format", "std::ranges::views",
                                           "#include <format>"};

struct Include {
  std::string path;
  bool quoted;
  int line;
};

fs::path root() {
  return MIKROSCOPE_SOURCE_DIR;
}

std::vector<std::string> lines_of(const fs::path& file) {
  std::ifstream in(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<Include> includes_of(const fs::path& file) {
  std::vector<Include> found;
  int number = 0;
  for (const std::string& line : lines_of(file)) {
    ++number;
    const std::size_t at = line.find_first_not_of(" \t");
    if (at == std::string::npos || line.compare(at, 8, "#include") != 0) continue;
    const std::size_t open = line.find_first_of("\"<", at);
    const std::size_t close = open == std::string::npos ? open : line.find_first_of("\">", open + 1);
    if (close == std::string::npos) continue;
    found.push_back({line.substr(open + 1, close - open - 1), line[open] == '"', number});
  }
  return found;
}

struct SourceFile {
  std::string dir;   // as in kAllowed
  std::string name;  // from the root
  fs::path path;
};

std::vector<SourceFile> all_files() {
  std::vector<SourceFile> files;
  for (const auto& top : {"base", "proc", "agent", "routeros", "plot", "sinks", "cli"}) {
    if (!fs::exists(root() / top)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root() / top)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".h" && extension != ".cpp") continue;
      files.push_back({fs::relative(entry.path().parent_path(), root()).generic_string(),
                       fs::relative(entry.path(), root()).generic_string(), entry.path()});
    }
  }
  std::sort(files.begin(), files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.name < b.name; });
  return files;
}

std::string at(const SourceFile& file, int line) {
  return file.name + ":" + std::to_string(line) + ": ";
}

TEST(Architecture, TheTreeIsFound) {
  EXPECT_GT(all_files().size(), 40u);
}

TEST(Architecture, EveryDirectoryIsPlanned) {
  for (const SourceFile& file : all_files()) {
    EXPECT_TRUE(kAllowed.contains(file.dir)) << file.name << " lies in a directory without declared edges";
  }
}

TEST(Architecture, IncludesFollowTheAllowedEdges) {
  for (const SourceFile& file : all_files()) {
    const auto allowed = kAllowed.find(file.dir);
    if (allowed == kAllowed.end()) continue;
    for (const Include& include : includes_of(file.path)) {
      if (!include.quoted) continue;
      const std::string to = fs::path(include.path).parent_path().generic_string();
      EXPECT_TRUE(kAllowed.contains(to))
          << at(file, include.line) << "\"" << include.path << "\" is not named from the root";
      EXPECT_TRUE(to == file.dir || allowed->second.contains(to))
          << at(file, include.line) << file.dir << " may not include " << to;
    }
  }
}

TEST(Architecture, QuotedIncludesExist) {
  for (const SourceFile& file : all_files()) {
    for (const Include& include : includes_of(file.path)) {
      if (include.quoted)
        EXPECT_TRUE(fs::exists(root() / include.path)) << at(file, include.line) << include.path;
    }
  }
}

TEST(Architecture, TheAgentsSideUsesNoRunTimeSupport) {
  for (const SourceFile& file : all_files()) {
    if (!kAgentSafe.contains(file.dir)) continue;
    for (const Include& include : includes_of(file.path)) {
      if (!include.quoted)
        EXPECT_FALSE(kNotInAgent.contains(include.path))
            << at(file, include.line) << "<" << include.path << ">";
    }
    int number = 0;
    for (const std::string& line : lines_of(file.path)) {
      ++number;
      const std::string code = line.substr(0, line.find("//"));
      for (const char* word : {"double ", "float ", "throw ", "dynamic_cast<", "std::string ", "std::vector<",
                               "std::function<"}) {
        EXPECT_EQ(code.find(word), std::string::npos)
            << at(file, number) << word << "in code that a router runs";
      }
    }
  }
}

TEST(Architecture, NothingThatClang14OrGcc12CannotParse) {
  for (const SourceFile& file : all_files()) {
    int number = 0;
    for (const std::string& line : lines_of(file.path)) {
      ++number;
      for (const std::string& word : kNowhere)
        EXPECT_EQ(line.find(word), std::string::npos) << at(file, number) << word;
    }
  }
}

TEST(Architecture, HeadersGuardThemselves) {
  for (const SourceFile& file : all_files()) {
    if (file.path.extension() != ".h") continue;
    const std::vector<std::string> lines = lines_of(file.path);
    EXPECT_TRUE(std::find(lines.begin(), lines.end(), "#pragma once") != lines.end()) << file.name;
  }
}

}  // namespace
}  // namespace mikroscope
