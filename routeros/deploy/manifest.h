// The record of an installation that lies on the router: its options, and everything that was made. Plain
// text, one key=value per line, nothing secret. It is written first and removed last.
//
//   mikroscope-manifest=1
//   tag=mikroscope:mikroscope (managed by mikroscope)
//   written-by=1.0.0
//   slot=a
//   token=yes
//   name=mikroscope          every option of the table with in_manifest, by its name
//   ...
//   directory=mikroscope     then what was made, in order
//   file=mikroscope/mikroscope.manifest.txt
//   object=/interface/veth name=veth-mikro
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/host/result.h"
#include "routeros/deploy/step.h"

namespace mikroscope::routeros {

inline constexpr std::size_t kMaxManifestBytes = 32'768;

struct ManifestObject {
  std::string menu;
  std::vector<Where> identity;

  bool operator==(const ManifestObject& other) const;
};

struct Manifest {
  Options options;  // without a token
  Slot slot = Slot::a;
  std::string written_by;  // version of the program
  bool token = false;      // the agent asks for one
  std::vector<std::string> directories;
  std::vector<std::string> files;
  std::vector<ManifestObject> objects;
};

// `steps` are those of the plan without the manifest itself.
std::string write_manifest(const Options& options, const StepNames& names, std::span<const Step> steps);
// Refuses whatever write_manifest() does not write: another first line, a line without '=', a key twice, an
// unknown key, a value outside its option's bounds, paths and menus of odd characters. The error says which
// line.
base::Result<Manifest> read_manifest(std::string_view text);

// The file holds the line tag=TAG: it is a manifest of this installation, even if it cannot be read.
bool holds_tag_line(std::string_view text, std::string_view tag);
// The path is that of the manifest of installation `name`, on any disk.
bool is_manifest_path(std::string_view path, std::string_view name);

}  // namespace mikroscope::routeros
