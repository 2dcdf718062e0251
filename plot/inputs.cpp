// Which files belong together.
#include <fmt/format.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "base/host/files.h"
#include "plot/recording.h"

namespace mikroscope::plot {
namespace {

bool is_file(const std::string& path) {
  struct stat st {};
  return ::stat(path.c_str(), &st) == 0 && !S_ISDIR(st.st_mode);
}

std::string without(std::string_view name, std::string_view suffix) {
  return std::string(name.substr(0, name.size() - suffix.size()));
}

bool begins_as_dataset(const std::string& path) {
  FilePieces file;
  if (!file.open(path)) return false;
  const std::string start = file.at(0, 6);
  return start.starts_with("rel_s,");
}

}  // namespace

base::Result<InputPaths> find_input(const std::string& in) {
  const std::string_view name(in);
  if (name.ends_with(".csv") && is_file(in)) {
    if (begins_as_dataset(in)) return InputPaths{in, without(name, ".csv"), true};
    const std::string prefix = without(name, ".csv");
    if (is_file(prefix + ".jsonl")) return InputPaths{prefix + ".jsonl", prefix, false};
    return base::Error{"cannot plot " + in + ": its first line is not rel_s,cpu_pct,ram_used_mib",
                       "give the recording's prefix or its .jsonl", base::Exit::failed};
  }
  if (is_file(in)) {
    for (const std::string_view suffix : {".jsonl.part", ".jsonl"}) {
      if (name.ends_with(suffix)) return InputPaths{in, without(name, suffix), false};
    }
    return InputPaths{in, in, false};
  }
  for (const std::string_view suffix : {".jsonl", ".jsonl.part"}) {
    const std::string path = in + std::string(suffix);
    if (is_file(path)) return InputPaths{path, in, false};
  }
  if (const std::string csv = in + ".csv"; is_file(csv) && begins_as_dataset(csv))
    return InputPaths{csv, in, true};
  if (name.ends_with(".jsonl") || name.ends_with(".part") || name.ends_with(".csv")) {
    return base::Error{fmt::format("no recording {}: tried {} and {}.part", in, in, in),
                       "give the prefix that record was given with --out", base::Exit::failed};
  }
  return base::Error{fmt::format("no recording {}: tried {}.jsonl and {}.jsonl.part", in, in, in),
                     "give the prefix that record was given with --out", base::Exit::failed};
}

std::string recorded_hash(const InputPaths& paths) {
  if (!paths.data.ends_with(".jsonl")) return {};
  const auto text = base::read_text(paths.prefix + ".meta.json");
  if (!text) return {};
  const auto meta = nlohmann::json::parse(*text, nullptr, false);
  if (!meta.is_object() || !meta.contains("complete") || meta["complete"] != true) return {};
  const auto hash = meta.find("jsonl_sha256");
  const auto bytes = meta.find("jsonl_bytes");
  if (hash == meta.end() || !hash->is_string() || bytes == meta.end() || !bytes->is_number_unsigned())
    return {};
  struct stat st {};
  if (::stat(paths.data.c_str(), &st) != 0 ||
      static_cast<std::uint64_t>(st.st_size) != bytes->get<std::uint64_t>())
    return {};
  const std::string& hex = hash->get_ref<const std::string&>();
  const bool good = hex.size() == 64 && hex.find_first_not_of("0123456789abcdef") == std::string::npos;
  return good ? hex : std::string();
}

}  // namespace mikroscope::plot
