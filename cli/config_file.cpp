#include "cli/config_file.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <optional>

#include "base/host/files.h"
#include "base/host/suggest.h"
#include "base/text.h"

namespace mikroscope::cli {
namespace {

constexpr std::string_view kRouterPrefix = "router.";

bool is_key_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

// One line of the file, read from its start.
class LineReader {
 public:
  LineReader(std::string_view text, std::string where) : text_(text), where_(std::move(where)) {}

  base::Error error(std::string what, std::string fix = "") const {
    return {fmt::format("{}: {}", where_, what), std::move(fix), base::Exit::usage};
  }
  void skip_blanks() {
    while (!text_.empty() && base::is_space(text_.front())) text_.remove_prefix(1);
  }
  bool at_end() {
    skip_blanks();
    return text_.empty() || text_.front() == '#';
  }
  bool take(char c) {
    skip_blanks();
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  std::string word(bool dots) {
    skip_blanks();
    std::size_t n = 0;
    while (n < text_.size() && (is_key_char(text_[n]) || (dots && text_[n] == '.'))) ++n;
    std::string out(text_.substr(0, n));
    text_.remove_prefix(n);
    return out;
  }

  base::Result<std::string> value(std::string_view ends) {
    skip_blanks();
    if (text_.empty()) return error("a value is missing");
    if (text_.front() == '"') return quoted();
    if (text_.front() == '\'') {
      const std::size_t end = text_.find('\'', 1);
      if (end == std::string_view::npos) return error("the closing ' is missing");
      std::string out(text_.substr(1, end - 1));
      text_.remove_prefix(end + 1);
      return out;
    }
    const std::size_t end = std::min(text_.find_first_of(ends), text_.size());
    std::string out(base::trim(text_.substr(0, end)));
    text_.remove_prefix(end);
    if (out.empty()) return error("a value is missing");
    if (out.find_first_of("\"'[]{}= \t") != std::string::npos)
      return error(fmt::format("{} must be in quotes", out), "key = \"text\"");
    return out;
  }

 private:
  base::Result<std::string> quoted() {
    std::string out;
    std::size_t i = 1;
    for (; i < text_.size() && text_[i] != '"'; ++i) {
      if (text_[i] != '\\') {
        out += text_[i];
        continue;
      }
      constexpr std::string_view kNames = "\"\\ntr";
      constexpr std::string_view kMeans = "\"\\\n\t\r";
      const std::size_t which = ++i < text_.size() ? kNames.find(text_[i]) : std::string_view::npos;
      if (which == std::string_view::npos)
        return error("an unknown escape in a string", "in 'single quotes' nothing is an escape");
      out += kMeans[which];
    }
    if (i >= text_.size()) return error("the closing \" is missing");
    text_.remove_prefix(i + 1);
    return out;
  }

  std::string_view text_;
  std::string where_;
};

base::Result<ConfigEntry> parse_entry(LineReader& line, int number) {
  ConfigEntry out;
  out.line = number;
  out.key = line.word(false);
  if (out.key.empty()) return line.error("neither [section] nor key = value", "router = \"home\"");
  if (!line.take('=')) return line.error(fmt::format("= is missing after {}", out.key));
  if (!line.take('[')) {
    base::Result<std::string> value = line.value("#");
    if (!value.ok()) return std::move(value).error();
    out.values.push_back(std::move(*value));
  } else {
    while (!line.take(']')) {
      base::Result<std::string> value = line.value(",]#");
      if (!value.ok()) return std::move(value).error();
      out.values.push_back(std::move(*value));
      if (line.take(',')) continue;
      if (!line.take(']')) return line.error("an array ends with ] on its line");
      break;
    }
  }
  if (!line.at_end()) return line.error(fmt::format("something follows the value of {}", out.key));
  return out;
}

base::Result<std::string> parse_section(LineReader& line) {
  std::string name = line.word(true);
  // [router."a b"]
  if (line.take('"')) return line.error("names of sections are of letters, digits, dots, - and _");
  if (!line.take(']') || !line.at_end())
    return line.error("a section is written [defaults] or [router.NAME]");
  return name;
}

std::string home_directory(const char* variable, std::string_view under_home) {
  const char* const set = std::getenv(variable);
  // The specification: a relative path there is to be ignored.
  if (set != nullptr && set[0] == '/') return std::string(set) + "/mikroscope";
  const char* const home = std::getenv("HOME");
  if (home == nullptr || home[0] == '\0') return {};
  return fmt::format("{}/{}/mikroscope", home, under_home);
}

}  // namespace

base::Result<ConfigFile> ConfigFile::parse(std::string_view text, std::string path) {
  ConfigFile out;
  out.path_ = std::move(path);
  ConfigEntries* into = nullptr;
  base::Scanner lines(text);
  int number = 0;
  while (!lines.done()) {
    const std::string_view raw = lines.line();
    ++number;
    LineReader line(raw, fmt::format("{}:{}", out.path_, number));
    if (line.at_end()) continue;
    if (line.take('[')) {
      base::Result<std::string> section = parse_section(line);
      if (!section.ok()) return std::move(section).error();
      if (*section == "defaults") {
        into = &out.defaults_;
      } else if (section->starts_with(kRouterPrefix) && section->size() > kRouterPrefix.size()) {
        const std::string name = section->substr(kRouterPrefix.size());
        if (out.router(name) != nullptr) return line.error(fmt::format("[{}] is there twice", *section));
        out.routers_.push_back({name, {}, number});
        into = &out.routers_.back().entries;
      } else {
        return line.error(fmt::format("there is no section [{}]", *section), "[defaults] or [router.NAME]");
      }
      continue;
    }
    base::Result<ConfigEntry> entry = parse_entry(line, number);
    if (!entry.ok()) return std::move(entry).error();
    if (into == nullptr)
      return line.error(fmt::format("{} stands before the first section", entry->key),
                        "put [defaults] or [router.NAME] above it");
    const bool twice =
        std::any_of(into->begin(), into->end(), [&](const ConfigEntry& e) { return e.key == entry->key; });
    if (twice) return line.error(fmt::format("{} is there twice", entry->key));
    into->push_back(std::move(*entry));
  }
  return out;
}

base::Result<ConfigFile> ConfigFile::load(const std::string& path, bool must_exist,
                                          std::span<const ConfigKey> keys) {
  if (path.empty() || (!must_exist && !base::exists(path))) return ConfigFile();
  base::Result<std::string> text = base::read_text(path);
  if (!text.ok()) {
    base::Error error = std::move(text).error();
    error.what = "configuration file: " + error.what;
    error.exit = base::Exit::usage;
    return error;
  }
  base::Result<ConfigFile> file = parse(*text, path);
  if (!file.ok()) return file;
  base::Result<void> good = file->check(keys);
  if (!good.ok()) return std::move(good).error();
  struct stat info {};
  if (file->holds_secret(keys) && ::stat(path.c_str(), &info) == 0 && (info.st_mode & 077) != 0) {
    return base::Error{
        fmt::format("{} holds a secret and is open to others (mode {:04o})", path, info.st_mode & 07777),
        "chmod 600 " + path, base::Exit::refused};
  }
  return file;
}

base::Result<void> ConfigFile::check(std::span<const ConfigKey> keys) const {
  const auto look = [&](const ConfigEntries& entries, bool profile) -> base::Result<void> {
    for (const ConfigEntry& e : entries) {
      const auto known =
          std::find_if(keys.begin(), keys.end(), [&](const ConfigKey& k) { return k.name == e.key; });
      const bool here = known != keys.end() && (profile ? known->in_profile : known->in_defaults);
      if (here) continue;
      std::vector<std::string> names;
      for (const ConfigKey& k : keys) {
        if (profile ? k.in_profile : k.in_defaults) names.push_back(k.name);
      }
      std::string fix = "mikroscope help VERB lists the flags; their names are the keys";
      const std::string near = base::closest(e.key, names);
      if (!near.empty()) fix = fmt::format("did you mean {}?", near);
      if (known != keys.end()) {
        fix = profile ? "a profile is a router: host says where it is, the rest how to reach it"
                      : fmt::format("{} belongs into a [router.NAME]", e.key);
      }
      return base::Error{fmt::format("{}:{}: {} {} {}", path_, e.line,
                                     known != keys.end() ? "the key" : "there is no key", e.key,
                                     known == keys.end() ? ""
                                     : profile           ? "does not belong into a profile"
                                                         : "does not belong into [defaults]"),
                         std::move(fix), base::Exit::usage};
    }
    return {};
  };
  base::Result<void> good = look(defaults_, false);
  for (const Profile& p : routers_) {
    if (good.ok()) good = look(p.entries, true);
  }
  return good;
}

bool ConfigFile::holds_secret(std::span<const ConfigKey> keys) const {
  const auto any = [&](const ConfigEntries& entries) {
    return std::any_of(entries.begin(), entries.end(), [&](const ConfigEntry& e) {
      return std::any_of(keys.begin(), keys.end(),
                         [&](const ConfigKey& k) { return k.secret && k.name == e.key; });
    });
  };
  return any(defaults_) ||
         std::any_of(routers_.begin(), routers_.end(), [&](const Profile& p) { return any(p.entries); });
}

const ConfigEntries* ConfigFile::router(std::string_view name) const {
  for (const Profile& p : routers_) {
    if (p.name == name) return &p.entries;
  }
  return nullptr;
}

std::vector<std::string> ConfigFile::router_names() const {
  std::vector<std::string> out;
  for (const Profile& p : routers_) out.push_back(p.name);
  return out;
}

std::string default_config_path() {
  const std::string directory = home_directory("XDG_CONFIG_HOME", ".config");
  return directory.empty() ? std::string() : directory + "/config.toml";
}

std::string state_directory() {
  return home_directory("XDG_STATE_HOME", ".local/state");
}

base::Result<std::string> make_state_directory() {
  const std::string path = state_directory();
  if (path.empty()) {
    return base::Error{"neither XDG_STATE_HOME nor HOME says where to keep tokens and known routers",
                       "export HOME=/path", base::Exit::failed};
  }
  base::Result<void> made = make_private_directory(path);
  if (!made.ok()) return std::move(made).error();
  return path;
}

base::Result<void> make_private_directory(const std::string& path) {
  for (std::size_t at = 0; at != std::string::npos;) {
    at = path.find('/', at + 1);
    const std::string part = path.substr(0, at);
    if (::mkdir(part.c_str(), 0700) != 0 && errno != EEXIST && !base::exists(part))
      return base::file_error("cannot make the directory", part, errno);
  }
  return {};
}

}  // namespace mikroscope::cli
