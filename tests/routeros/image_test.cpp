#include "routeros/image.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "fake_program.h"
#include "routeros/sha256.h"
#include "routeros/ustar.h"

namespace mikroscope::routeros {
namespace {

using Json = nlohmann::json;

std::string image_of(Arch arch) {
  const auto image = build_image(arch, bytes_of(fake_program(arch)));
  EXPECT_TRUE(image) << image.error().what;
  return *image;
}

struct Parts {
  std::string image;  // what the members are views of
  std::vector<TarMember> members;
  Json manifest;
  Json config;
};

Parts parts_of(std::string image) {
  Parts parts;
  parts.image = std::move(image);
  parts.members = *read_tar(parts.image);
  parts.config = Json::parse(parts.members.at(0).content);
  parts.manifest = Json::parse(parts.members.at(2).content);
  return parts;
}

// An image of these parts, with names and hashes that fit them.
std::string rebuilt(Json config, std::string layer, Json layers = nullptr) {
  const std::string layer_name = sha256_hex(layer) + "/layer.tar";
  const std::string text = config.dump();
  const std::string config_name = sha256_hex(text) + ".json";
  if (layers.is_null()) layers = Json::array({layer_name});
  std::string tar;
  append_tar_file(tar, config_name, 0644, text);
  append_tar_file(tar, layer_name, 0644, layer);
  append_tar_file(tar, "manifest.json", 0644,
                  Json::array({{{"Config", config_name}, {"RepoTags", {"x:y"}}, {"Layers", layers}}}).dump());
  end_tar(tar);
  return tar;
}

std::string layer_of(std::string_view name, unsigned mode, std::string_view content) {
  std::string layer;
  append_tar_file(layer, name, mode, content);
  end_tar(layer);
  return layer;
}

Json config_of(std::string_view layer, std::string_view architecture = "arm64") {
  return {{"architecture", architecture},
          {"os", "linux"},
          {"config", {{"Entrypoint", {"/mikroscope-agent"}}}},
          {"rootfs", {{"type", "layers"}, {"diff_ids", {"sha256:" + sha256_hex(layer)}}}}};
}

std::string why(const std::string& tar) {
  const auto info = inspect_image(tar);
  return info ? "accepted" : info.error().what;
}

TEST(Sha256, KnownAnswer) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

// RouterOS says "could not find image manifest in archive" to any other layout.
TEST(Image, HoldsExactlyConfigLayerAndManifest) {
  const std::string image = image_of(Arch::arm64);  // the parts are views of it
  const Parts parts = parts_of(image);
  ASSERT_EQ(parts.members.size(), 3u);
  const std::string layer_name = sha256_hex(parts.members[1].content) + "/layer.tar";
  EXPECT_EQ(parts.members[0].name, sha256_hex(parts.members[0].content) + ".json");
  EXPECT_EQ(parts.members[1].name, layer_name);
  EXPECT_EQ(parts.members[2].name, "manifest.json");
  for (const TarMember& m : parts.members) EXPECT_EQ(m.mode, 0644u) << m.name;
  const Json manifest = Json::array({{{"Config", parts.members[0].name},
                                      {"RepoTags", {"mikroscope/agent:local"}},
                                      {"Layers", {layer_name}}}});
  EXPECT_EQ(parts.manifest, manifest);
}

TEST(Image, LayerHoldsOnlyTheAgent) {
  const std::string image = image_of(Arch::armv7);  // the parts are views of it
  const Parts parts = parts_of(image);
  const auto files = read_tar(parts.members[1].content);
  ASSERT_TRUE(files);
  ASSERT_EQ(files->size(), 1u);
  EXPECT_EQ((*files)[0].name, "mikroscope-agent");
  EXPECT_EQ((*files)[0].mode, 0755u);
  EXPECT_EQ((*files)[0].content, fake_program(Arch::armv7));
}

// "start failed: no command specified" is what RouterOS says without an entry point.
TEST(Image, ConfigSaysEntryPointArchitectureAndDiffId) {
  const std::string image = image_of(Arch::amd64);  // the parts are views of it
  const Parts parts = parts_of(image);
  EXPECT_EQ(parts.config["config"]["Entrypoint"], Json::array({"/mikroscope-agent"}));
  EXPECT_EQ(parts.config["architecture"], "amd64");
  EXPECT_EQ(parts.config["os"], "linux");
  EXPECT_EQ(parts.config["created"], "1970-01-01T00:00:00Z");
  EXPECT_EQ(parts.config["rootfs"]["type"], "layers");
  EXPECT_EQ(parts.config["rootfs"]["diff_ids"],
            Json::array({"sha256:" + sha256_hex(parts.members[1].content)}));
  EXPECT_FALSE(parts.config.contains("variant"));
}

TEST(Image, ArmSaysItsVariant) {
  const Json v5 = parts_of(image_of(Arch::armv5)).config;
  EXPECT_EQ(v5["architecture"], "arm");
  EXPECT_EQ(v5["variant"], "v5");
  const Json v7 = parts_of(image_of(Arch::armv7)).config;
  EXPECT_EQ(v7["architecture"], "arm");
  EXPECT_EQ(v7["variant"], "v7");
}

TEST(Image, SameAgentSameBytes) {
  for (const Arch arch : kArchs) EXPECT_EQ(image_of(arch), image_of(arch)) << arch_name(arch);
}

// A board whose architecture-name is `arm` may be an EN7562CT, which stops ARMv7 code.
TEST(Image, ArmMeansArmv5) {
  EXPECT_EQ(*parse_arch("arm"), Arch::armv5);
  EXPECT_EQ(*parse_arch("armv7"), Arch::armv7);
  EXPECT_EQ(*parse_arch("x86_64"), Arch::amd64);
  const auto unknown = parse_arch("mipsbe");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().what, "there is no agent for architecture \"mipsbe\"");
  EXPECT_EQ(unknown.error().exit, base::Exit::usage);
}

TEST(Image, RefusesAProgramOfAnotherArchitecture) {
  const auto image = build_image(Arch::armv5, bytes_of(fake_program(Arch::armv7)));
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().what, "the agent is a program for armv7, not for armv5");
  EXPECT_FALSE(build_image(Arch::arm64, bytes_of("#!/bin/sh\n")));
  EXPECT_FALSE(build_image(Arch::arm64, {}));
}

// A scratch image has no dynamic loader: such a program would end in "no such file or directory".
TEST(Image, RefusesADynamicProgram) {
  std::string program = fake_program(Arch::amd64);
  program.resize(64);
  program[32] = 64;  // program headers follow the ELF header
  program[54] = 56;  // each of 56 bytes
  program[56] = 1;   // one of them
  program += '\3';   // PT_INTERP
  program.resize(64 + 56);
  const auto image = build_image(Arch::amd64, bytes_of(program));
  ASSERT_FALSE(image);
  EXPECT_NE(image.error().what.find("dynamic loader"), std::string::npos);
}

TEST(ImageInspect, TellsWhatItIs) {
  const std::string image = image_of(Arch::armv7);
  const auto info = inspect_image(image);
  ASSERT_TRUE(info) << info.error().what;
  EXPECT_EQ(info->arch, Arch::armv7);
  EXPECT_EQ(info->tag, "mikroscope/agent:local");
  EXPECT_EQ(info->image_sha256, sha256_hex(image));
  EXPECT_EQ(info->agent_bytes, fake_program(Arch::armv7).size());
  ASSERT_EQ(info->notes.size(), 1u);
  EXPECT_NE(info->notes[0].find("EN7562CT"), std::string::npos);
  EXPECT_TRUE(inspect_image(image_of(Arch::armv5))->notes.empty());
}

TEST(ImageInspect, NamesAnOciLayout) {
  std::string tar;
  append_tar_file(tar, "oci-layout", 0644, R"({"imageLayoutVersion":"1.0.0"})");
  append_tar_file(tar, "index.json", 0644, "{}");
  end_tar(tar);
  EXPECT_NE(why(tar).find("OCI layout"), std::string::npos);
}

TEST(ImageInspect, NamesWhatIsWrong) {
  const std::string good = layer_of("mikroscope-agent", 0755, fake_program(Arch::arm64));
  ASSERT_EQ(why(rebuilt(config_of(good), good)), "accepted");

  Json no_entry = config_of(good);
  no_entry["config"].erase("Entrypoint");
  EXPECT_NE(why(rebuilt(no_entry, good)).find("entry point is missing"), std::string::npos);

  Json shell_entry = config_of(good);
  shell_entry["config"]["Entrypoint"] = {"/bin/sh", "-c", "/mikroscope-agent"};
  EXPECT_NE(why(rebuilt(shell_entry, good)).find(R"(entry point is ["/bin/sh","-c","/mikroscope-agent"])"),
            std::string::npos);

  EXPECT_NE(why(rebuilt(config_of("other"), good)).find("hash of its layer"), std::string::npos);
  EXPECT_NE(why(rebuilt(config_of(good), good, Json::array({"a", "b"}))).find("exactly one layer"),
            std::string::npos);
  EXPECT_NE(why(rebuilt(config_of(good), good, Json::array({"a"}))).find("layer a is missing"),
            std::string::npos);
  EXPECT_NE(why(rebuilt(config_of(good, "mips"), good)).find(R"(architecture is "mips")"), std::string::npos);
  EXPECT_NE(
      why(rebuilt(config_of(good, "amd64"), good)).find("says amd64, but its agent is a program for arm64"),
      std::string::npos);

  const std::string elsewhere = layer_of("bin/mikroscope-agent", 0755, fake_program(Arch::arm64));
  EXPECT_NE(why(rebuilt(config_of(elsewhere), elsewhere)).find("does not hold /mikroscope-agent"),
            std::string::npos);
  const std::string no_mode = layer_of("mikroscope-agent", 0644, fake_program(Arch::arm64));
  EXPECT_NE(why(rebuilt(config_of(no_mode), no_mode)).find("not executable"), std::string::npos);
}

TEST(ImageInspect, NoManifestNoJsonNoTwoImages) {
  const auto with_manifest = [](std::string_view text) {
    std::string tar;
    append_tar_file(tar, "manifest.json", 0644, text);
    end_tar(tar);
    return tar;
  };
  std::string empty;
  end_tar(empty);
  EXPECT_NE(why(empty).find("no manifest.json"), std::string::npos);
  EXPECT_NE(why(with_manifest("not json")).find("exactly one image"), std::string::npos);
  EXPECT_NE(why(with_manifest("[{},{}]")).find("exactly one image"), std::string::npos);
  EXPECT_NE(why(with_manifest(R"([{"Config":"c.json"}])")).find(R"(config "c.json" is missing)"),
            std::string::npos);
  EXPECT_NE(why(with_manifest(R"([{"Config":7}])")).find("is missing"), std::string::npos);
}

// Damage anywhere is either noticed or harmless; it never ends the process.
TEST(ImageInspect, EveryCutIsAnError) {
  const std::string image = image_of(Arch::arm64);
  for (std::size_t size = 0; size + 512 < image.size(); size += 7)
    EXPECT_NE(why(image.substr(0, size)), "accepted") << size;
}

}  // namespace
}  // namespace mikroscope::routeros
