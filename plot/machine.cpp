#include "plot/machine.h"

#include <nlohmann/json.hpp>

#include "base/host/files.h"
#include "plot/svg_text.h"

namespace mikroscope::plot {
namespace {

// A short text under `key`, at the top or in the part of it that describes the machine.
std::string text_of(const nlohmann::json& meta, const char* key) {
  for (const char* part : {"", "machine", "capabilities", "agent"}) {
    const nlohmann::json* at = &meta;
    if (part[0] != '\0') {
      const auto found = meta.find(part);
      if (found == meta.end() || !found->is_object()) continue;
      at = &*found;
    }
    const auto value = at->find(key);
    if (value != at->end() && value->is_string())
      return cut_cells(clean_text(value->get_ref<const std::string&>()), 40);
  }
  return {};
}

}  // namespace

std::string machine_line(const std::string& meta_path) {
  const auto text = base::read_text(meta_path);
  if (!text) return {};
  const nlohmann::json meta = nlohmann::json::parse(*text, nullptr, false);
  if (!meta.is_object()) return {};
  std::string out;
  for (const char* key : {"board", "kernel"}) {
    const std::string value = text_of(meta, key);
    if (value.empty() || value == "unknown") continue;
    out += out.empty() ? "" : ", ";
    out += std::string(key) == "kernel" ? "Linux " + value : value;
  }
  return out;
}

}  // namespace mikroscope::plot
