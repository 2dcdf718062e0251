#include "tests/routersim/container/archive.h"

#include <nlohmann/json.hpp>

#include "routeros/ustar.h"

namespace mikroscope::routersim {

base::Result<Imported, std::string> import_archive(std::string_view tar) {
  const std::string kNoManifest = "error: could not find image manifest in archive";
  const auto members = routeros::read_tar(tar);
  if (!members) return "error: " + members.error().what;
  const auto find = [&](std::string_view name) -> const routeros::TarMember* {
    for (const routeros::TarMember& member : *members) {
      if (member.name == name) return &member;
    }
    return nullptr;
  };
  const routeros::TarMember* manifest = find("manifest.json");
  if (manifest == nullptr) return kNoManifest;
  const auto json = nlohmann::json::parse(manifest->content, nullptr, false);
  if (!json.is_array() || json.empty() || !json[0].contains("Layers") || json[0]["Layers"].empty())
    return kNoManifest;

  // A router checks less than this; an image of ours must pass all of it.
  const auto info = routeros::inspect_image(tar);
  if (!info) return "error: " + info.error().what;

  const routeros::TarMember* layer = find(json[0]["Layers"][0].get<std::string>());
  const auto files = routeros::read_tar(layer->content);
  if (!files) return "error: " + files.error().what;
  Imported imported{info->arch, info->tag, info->image_sha256, ""};
  for (const routeros::TarMember& file : *files) {
    if ("/" + file.name == routeros::kAgentPath ||
        "/" + file.name == "/." + std::string(routeros::kAgentPath))
      imported.program = std::string(file.content);
  }
  return imported;
}

}  // namespace mikroscope::routersim
