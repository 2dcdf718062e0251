#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/host/files.h"
#include "cli/embedded.h"
#include "cli/verb.h"
#include "routeros/image.h"

namespace mikroscope::cli {
namespace {

class Image final : public VerbRun {
 public:
  void options(OptionSet& set) override {
    set.text({.names = "--arch",
              .group = "Image",
              .value = "ARCH",
              .help = "the router's architecture: arm64, arm (ARMv5 code, for every 32-bit ARM board), "
                      "armv5, armv7, amd64 or x86_64"},
             arch_);
    set.text({.names = "-o,--out", .group = "Output", .value = "F", .help = "the tar file to write"}, out_);
    set.flag({.names = "--force", .group = "Output", .help = "replace a file of that name"}, force_);
    set.flag({.names = "--json", .group = "Output", .help = "what was written, as a JSON object"}, json_);
  }

  base::Result<base::Exit> run(const Invocation&) override {
    if (arch_.empty())
      return base::Error{"--arch is missing", "mikroscope image --arch arm64 --out agent.tar",
                         base::Exit::usage};
    const base::Result<routeros::Arch> arch = routeros::parse_arch(arch_);
    if (!arch.ok()) {
      base::Error error = arch.error();
      error.what = "--arch: " + error.what;
      error.exit = base::Exit::usage;
      return error;
    }
    if (out_.empty()) {
      return base::Error{"--out is missing",
                         fmt::format("mikroscope image --arch {} --out mikroscope-{}.tar", arch_, arch_),
                         base::Exit::usage};
    }
    if (!force_ && base::exists(out_)) {
      return base::Error{fmt::format("{} exists already", out_), "another --out, or --force",
                         base::Exit::refused};
    }
    const std::string_view name = routeros::arch_name(*arch);
    const std::span<const std::byte> agent = embedded_agent(name);
    if (agent.empty()) {
      return base::Error{fmt::format("this build carries no {} agent", name),
                         "build with -DMIKROSCOPE_EMBED_AGENTS=ON (install.sh does)", base::Exit::failed};
    }
    const base::Result<std::string> tar = routeros::build_image(*arch, agent);
    if (!tar.ok()) return tar.error();
    const base::Result<routeros::ImageInfo> info = routeros::inspect_image(*tar);
    if (!info.ok()) return info.error();
    base::Result<void> written = base::replace_file(out_, *tar);
    if (!written.ok()) return std::move(written).error();
    if (json_) {
      const nlohmann::ordered_json json{{"file", out_},
                                        {"arch", name},
                                        {"tag", info->tag},
                                        {"bytes", tar->size()},
                                        {"agent_bytes", info->agent_bytes},
                                        {"sha256", info->image_sha256},
                                        {"notes", info->notes}};
      std::fputs((json.dump(2) + "\n").c_str(), stdout);
      return base::Exit::ok;
    }
    fmt::print("{}: {} agent of {} bytes, image of {} bytes, tag {}\n  sha256 {}\n", out_, name,
               info->agent_bytes, tar->size(), info->tag, info->image_sha256);
    for (const std::string& note : info->notes) fmt::print("  note: {}\n", note);
    return base::Exit::ok;
  }

 private:
  std::string arch_;
  std::string out_;
  bool force_ = false;
  bool json_ = false;
};

constexpr Example kExamples[] = {
    {"image --arch arm64 --out agent.tar", "for an RB5009 and other 64-bit ARM boards"},
    {"image --arch arm --out agent.tar", "for every 32-bit ARM board"},
};

}  // namespace

const Verb kImageVerb{
    "image",
    "write the agent's container image for a router",
    "The four agents are inside this program: no compiler, registry or download is needed. The same version "
    "gives the same bytes.",
    kExamples,
    make_verb<Image>,
};

}  // namespace mikroscope::cli
