#include "routeros/deploy/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"

namespace mikroscope::routeros {
namespace {

constexpr std::string_view kFirst = "mikroscope-manifest=1";

bool word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || base::is_digit(c) || c == '_' || c == '-' ||
         c == '.';
}

// Up to 8 parts of letters, digits, dots, dashes and underscores; none is "." or "..".
bool good_path(std::string_view path) {
  int parts = 0;
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, slash);
    if (part.empty() || part.size() > 64 || part.front() == '.' || ++parts > 8 ||
        !std::all_of(part.begin(), part.end(), word_char)) {
      return false;
    }
    if (slash + 1 == path.size()) return false;
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return parts != 0;
}

// One to four parts such as /ip or /firewall.
bool good_menu(std::string_view menu) {
  int parts = 0;
  while (!menu.empty()) {
    if (menu.front() != '/') return false;
    menu.remove_prefix(1);
    const std::size_t slash = std::min(menu.find('/'), menu.size());
    const std::string_view part = menu.substr(0, slash);
    if (part.empty() || part.size() > 32 || ++parts > 4 || part.front() < 'a' || part.front() > 'z')
      return false;
    if (!std::all_of(part.begin(), part.end(),
                     [](char c) { return (c >= 'a' && c <= 'z') || base::is_digit(c) || c == '-'; })) {
      return false;
    }
    menu.remove_prefix(slash);
  }
  return parts != 0;
}

bool good_value(std::string_view value) {
  return !value.empty() && value.size() <= 128 &&
         std::all_of(value.begin(), value.end(), [](char c) { return word_char(c) || c == '/' || c == ':'; });
}

base::Error bad(int line, std::string_view why) {
  return {fmt::format("line {} of the manifest {}", line, why),
          "it was changed by hand or by a newer mikroscope; the installation's tag still tells what is ours"};
}

bool read_object(std::string_view text, ManifestObject& out) {
  const std::size_t end = std::min(text.find(' '), text.size());
  out.menu = text.substr(0, end);
  if (!good_menu(out.menu)) return false;
  text.remove_prefix(std::min(end + 1, text.size()));
  while (!text.empty()) {
    const std::size_t stop = std::min(text.find(' '), text.size());
    const std::string_view pair = text.substr(0, stop);
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos || equals == 0 || !good_value(pair.substr(equals + 1))) return false;
    const std::string_view name = pair.substr(0, equals);
    if (!std::all_of(name.begin(), name.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; }))
      return false;
    out.identity.push_back({std::string(name), std::string(pair.substr(equals + 1))});
    text.remove_prefix(std::min(stop + 1, text.size()));
  }
  return !out.identity.empty() && out.identity.size() <= 8;
}

}  // namespace

bool ManifestObject::operator==(const ManifestObject& o) const {
  return menu == o.menu &&
         std::equal(identity.begin(), identity.end(), o.identity.begin(), o.identity.end(),
                    [](const Where& a, const Where& b) { return a.name == b.name && a.value == b.value; });
}

std::string write_manifest(const Options& options, const StepNames& names, std::span<const Step> steps) {
  std::string out(kFirst);
  const auto line = [&out](std::string_view key, std::string_view value) {
    out += fmt::format("\n{}={}", key, value);
  };
  line("tag", options.tag());
  line("written-by", MIKROSCOPE_VERSION);
  line("slot", names.slot == Slot::a ? "a" : "b");
  line("token", options.token.empty() ? "no" : "yes");
  for (const OptionDef& option : all_options()) {
    if (option.in_manifest) line(option.name, option.get(options));
  }
  line("directory", options.directory());
  line("file", options.manifest_file());
  std::string last;
  for (const Step& step : steps) {
    if (step.kind == StepKind::upload) {
      line("file", step.file());
    } else if (step.kind == StepKind::row) {
      std::string object = step.menu;
      for (const Where& where : step.identity) {
        // One line for the whole list of environment entries.
        if (step.owner == Owner::marker && where.name == "key") continue;
        object += fmt::format(" {}={}", where.name, where.value);
      }
      if (object != last) line("object", object);
      last = object;
      if (step.menu == "/container") line("directory", names.root_dir);
    }
  }
  return out + "\n";
}

base::Result<Manifest> read_manifest(std::string_view text) {
  if (text.size() > kMaxManifestBytes) return bad(1, "belongs to a file of more than 32 KiB");
  Manifest out;
  out.options = default_options();
  std::set<std::string, std::less<>> seen;
  std::string tag;
  base::Scanner scanner(text);
  int number = 0;
  while (!scanner.done()) {
    const std::string_view line = scanner.line();
    ++number;
    if (number == 1) {
      if (line != kFirst) return bad(1, fmt::format("is not \"{}\"", kFirst));
      continue;
    }
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos || equals == 0) return bad(number, "is not key=value");
    const std::string_view key = line.substr(0, equals);
    const std::string value(line.substr(equals + 1));
    if (key == "directory" || key == "file") {
      std::vector<std::string>& paths = key == "file" ? out.files : out.directories;
      if (!good_path(value) || paths.size() >= 32) return bad(number, "holds no path that mikroscope writes");
      paths.push_back(value);
      continue;
    }
    if (key == "object") {
      ManifestObject object;
      if (!read_object(value, object) || out.objects.size() >= 64)
        return bad(number, "holds no object that mikroscope writes");
      out.objects.push_back(std::move(object));
      continue;
    }
    if (!seen.insert(std::string(key)).second) return bad(number, fmt::format("says {} a second time", key));
    if (key == "tag") {
      tag = value;
    } else if (key == "written-by") {
      if (!good_value(value)) return bad(number, "holds no version");
      out.written_by = value;
    } else if (key == "slot") {
      if (value != "a" && value != "b") return bad(number, "names no slot");
      out.slot = value == "a" ? Slot::a : Slot::b;
    } else if (key == "token") {
      if (value != "yes" && value != "no") return bad(number, "is neither token=yes nor token=no");
      out.token = value == "yes";
    } else {
      const OptionDef* const option = find_option(key);
      if (option == nullptr || !option->in_manifest)
        return bad(number, fmt::format("names \"{}\", which is no option of this version",
                                       key.substr(0, std::min<std::size_t>(key.size(), 40))));
      base::Result<void> good = option->set(out.options, value);
      if (!good.ok()) return bad(number, fmt::format("gives {}: {}", key, good.error().what));
    }
  }
  if (number == 0) return bad(1, "is missing: the file is empty");
  if (!seen.contains("name") || tag != out.options.tag()) {
    return bad(number, "is the last, and no tag that belongs to its name was found");
  }
  return out;
}

bool holds_tag_line(std::string_view text, std::string_view tag) {
  base::Scanner scanner(text);
  while (!scanner.done()) {
    const std::string_view line = scanner.line();
    if (line.starts_with("tag=") && line.substr(4) == tag) return true;
  }
  return false;
}

bool is_manifest_path(std::string_view path, std::string_view name) {
  path = without_slash(path);
  const std::string tail = fmt::format("mikroscope/{}.manifest.txt", name);
  if (!path.ends_with(tail)) return false;
  path.remove_suffix(tail.size());
  return path.empty() || (path.ends_with('/') && good_path(path.substr(0, path.size() - 1)));
}

}  // namespace mikroscope::routeros
