#include "routeros/image.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "routeros/elf.h"
#include "routeros/sha256.h"
#include "routeros/ustar.h"

namespace mikroscope::routeros {
namespace {

using Json = nlohmann::json;

// What an image config calls an architecture.
struct ArchNames {
  Arch arch;
  std::string_view name;
  std::string_view architecture;
  std::string_view variant;
};
constexpr ArchNames kNames[] = {
    {Arch::arm64, "arm64", "arm64", ""},
    {Arch::armv5, "armv5", "arm", "v5"},
    {Arch::armv7, "armv7", "arm", "v7"},
    {Arch::amd64, "amd64", "amd64", ""},
};

const ArchNames& names(Arch arch) {
  return *std::find_if(std::begin(kNames), std::end(kNames),
                       [arch](const ArchNames& n) { return n.arch == arch; });
}

constexpr std::string_view kEpoch = "1970-01-01T00:00:00Z";  // no clock: the same agent gives the same image

std::string config_json(Arch arch, std::string_view layer_sha256) {
  const ArchNames& n = names(arch);
  const std::string variant = n.variant.empty() ? "" : fmt::format(R"(,"variant":"{}")", n.variant);
  return fmt::format(R"({{"architecture":"{}"{},"config":{{"Entrypoint":["{}"]}},"created":"{}",)"
                     R"("history":[{{"created":"{}","created_by":"mikroscope image"}}],"os":"linux",)"
                     R"("rootfs":{{"type":"layers","diff_ids":["sha256:{}"]}}}})",
                     n.architecture, variant, kAgentPath, kEpoch, kEpoch, layer_sha256);
}

base::Error bad(std::string what) {
  return {"not an image that RouterOS can use: " + std::move(what), "write it again with `mikroscope image`"};
}

// "key" of an object, when it is there.
const Json* member(const Json& object, std::string_view key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

std::string string_member(const Json& object, std::string_view key) {
  const Json* const value = member(object, key);
  return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
}

const TarMember* find(const std::vector<TarMember>& members, std::string_view name) {
  for (const TarMember& m : members) {
    if (m.name == name) return &m;
  }
  return nullptr;
}

// The only image that manifest.json names.
base::Result<Json> read_manifest(const std::vector<TarMember>& members) {
  const TarMember* const file = find(members, "manifest.json");
  if (file == nullptr) {
    if (find(members, "oci-layout") != nullptr || find(members, "index.json") != nullptr) {
      return bad("it has an OCI layout (RouterOS: could not find image manifest in archive)");
    }
    return bad("it has no manifest.json");
  }
  Json manifest = Json::parse(file->content, nullptr, false);
  if (!manifest.is_array() || manifest.size() != 1)
    return bad("manifest.json does not name exactly one image");
  return std::move(manifest[0]);
}

base::Result<Arch> config_arch(const Json& config) {
  const std::string architecture = string_member(config, "architecture");
  const std::string variant = string_member(config, "variant");
  for (const ArchNames& n : kNames) {
    if (n.architecture == architecture && n.variant == variant) return n.arch;
  }
  return bad(fmt::format("its architecture is \"{}\", variant \"{}\"", architecture, variant));
}

base::Result<Json> read_config(const std::vector<TarMember>& members, const Json& image) {
  const std::string name = string_member(image, "Config");
  const TarMember* const file = find(members, name);
  if (file == nullptr) return bad(fmt::format("its config \"{}\" is missing", name));
  if (name != sha256_hex(file->content) + ".json")
    return bad("the name of its config is not the hash of the config");
  Json config = Json::parse(file->content, nullptr, false);
  if (!config.is_object()) return bad("its config is no JSON object");
  if (string_member(config, "os") != "linux") return bad("its config does not say os linux");
  const Json* const settings = member(config, "config");
  const Json* const entry = settings != nullptr ? member(*settings, "Entrypoint") : nullptr;
  if (entry == nullptr || *entry != Json::array({kAgentPath})) {
    return bad(fmt::format("its entry point is {}, not [\"{}\"]",
                           entry != nullptr ? entry->dump() : "missing", kAgentPath));
  }
  return config;
}

// The bytes of the only layer, checked against the config.
base::Result<std::string_view> read_layer(const std::vector<TarMember>& members, const Json& image,
                                          const Json& config) {
  const Json* const layers = member(image, "Layers");
  if (layers == nullptr || !layers->is_array() || layers->size() != 1 || !(*layers)[0].is_string()) {
    return bad("it does not have exactly one layer");
  }
  const std::string name = (*layers)[0].get<std::string>();
  const TarMember* const file = find(members, name);
  if (file == nullptr) return bad(fmt::format("its layer {} is missing", name));
  const Json* const rootfs = member(config, "rootfs");
  const Json* const ids = rootfs != nullptr ? member(*rootfs, "diff_ids") : nullptr;
  if (ids == nullptr || *ids != Json::array({"sha256:" + sha256_hex(file->content)})) {
    return bad("the hash of its layer is not the one in its config");
  }
  return file->content;
}

}  // namespace

std::string_view arch_name(Arch arch) {
  return names(arch).name;
}

base::Result<Arch> parse_arch(std::string_view name) {
  for (const ArchNames& n : kNames) {
    if (n.name == name) return n.arch;
  }
  if (name == "arm") return Arch::armv5;
  if (name == "x86_64") return Arch::amd64;
  return base::Error{
      fmt::format("there is no agent for architecture \"{}\"", name),
      "want arm64, arm (for armv5), armv7 or amd64; /system/resource/print shows architecture-name",
      base::Exit::usage};
}

base::Result<std::string> build_image(Arch arch, std::span<const std::byte> agent) {
  const std::string_view program(reinterpret_cast<const char*>(agent.data()), agent.size());
  const base::Result<Arch> built_for = program_arch(program);
  if (!built_for) return built_for.error();
  if (*built_for != arch) {
    return base::Error{
        fmt::format("the agent is a program for {}, not for {}", arch_name(*built_for), arch_name(arch)),
        "use the agent of the same architecture"};
  }
  std::string layer;
  append_tar_file(layer, kAgentPath.substr(1), 0755, program);
  end_tar(layer);
  const std::string layer_sha256 = sha256_hex(layer);
  const std::string config = config_json(arch, layer_sha256);
  const std::string config_name = sha256_hex(config) + ".json";
  // A ustar name field holds 100 bytes, the longer of these is 74.
  const std::string layer_name = layer_sha256 + "/layer.tar";

  std::string tar;
  append_tar_file(tar, config_name, 0644, config);
  append_tar_file(tar, layer_name, 0644, layer);
  append_tar_file(tar, "manifest.json", 0644,
                  fmt::format(R"([{{"Config":"{}","RepoTags":["{}"],"Layers":["{}"]}}])", config_name,
                              kImageTag, layer_name));
  end_tar(tar);
  return tar;
}

base::Result<ImageInfo> inspect_image(std::string_view tar) {
  const auto members = read_tar(tar);
  if (!members) return members.error();
  const auto image = read_manifest(*members);
  if (!image) return image.error();
  const auto config = read_config(*members, *image);
  if (!config) return config.error();
  const auto arch = config_arch(*config);
  if (!arch) return arch.error();
  const auto layer = read_layer(*members, *image, *config);
  if (!layer) return layer.error();
  const auto files = read_tar(*layer);
  if (!files) return files.error();
  const TarMember* const agent = find(*files, kAgentPath.substr(1));
  if (agent == nullptr || agent->type != '0')
    return bad(fmt::format("its layer does not hold {}", kAgentPath));
  if ((agent->mode & 0111) == 0) return bad(fmt::format("{} is not executable in it", kAgentPath));
  const auto built_for = program_arch(agent->content);
  if (!built_for) return built_for.error();
  if (*built_for != *arch) {
    return bad(fmt::format("it says {}, but its agent is a program for {}", arch_name(*arch),
                           arch_name(*built_for)));
  }

  ImageInfo info;
  info.arch = *arch;
  const Json* const tags = member(*image, "RepoTags");
  if (tags != nullptr && tags->is_array() && !tags->empty() && (*tags)[0].is_string())
    info.tag = (*tags)[0].get<std::string>();
  info.image_sha256 = sha256_hex(tar);
  info.layer_sha256 = sha256_hex(*layer);
  info.agent_bytes = agent->content.size();
  if (*arch == Arch::armv7) {
    info.notes.push_back(
        "armv7: boards with an EN7562CT (hEX refresh, hEX S 2025) stop this agent with \"CPU not "
        "supported\"; "
        "the armv5 image runs on every board whose architecture-name is arm");
  }
  return info;
}

}  // namespace mikroscope::routeros
