// What is installed: read from the manifest, or, without one, from the objects that carry the tag.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "routeros/deploy/facts.h"
#include "routeros/deploy/manifest.h"
#include "routeros/deploy/options.h"
#include "routeros/session/session.h"

namespace mikroscope::routeros {

struct ManifestFile {
  std::string path;
  std::string contents;
  bool readable = true;  // the router gave its contents
};
// The files that could be the manifest of installation `name`, on any disk, as gather() read them.
std::vector<ManifestFile> manifest_files(const Facts& facts, std::string_view name);

struct Shape {
  bool installed = false;  // there is a manifest of ours, or a veth or container with the tag
  std::string manifest_path;
  std::optional<Manifest> manifest;
  std::string manifest_trouble;  // why a file with our tag could not be read
  Options options;               // as installed; what could not be found out is as it was asked for
  std::set<std::string, std::less<>> known;  // names of the options that were found
  std::vector<std::string> unsure;           // what more than one object says, one sentence each
  Slot slot = Slot::a;
  bool token = false;  // the agent asks for one
};
Shape read_shape(const Facts& facts, const Options& asked);

// What an existing installation is worked on with: options left out take the installed value. One that was
// given and contradicts where the installation stands (groups Network and Storage) is refused, naming both
// values. `given` holds the names of the options that were given.
base::Result<Options> merge_options(const Shape& shape, const Options& asked,
                                    const std::set<std::string, std::less<>>& given);

// Rows with exactly this comment.
std::vector<const Row*> tagged_rows(const Facts& facts, std::string_view menu, std::string_view tag);
// The environment list holds the marker entry of `tag`. Where the account may not see values, `manifest`
// (ours, or null) says whose list it is.
bool list_is_ours(const std::vector<Row>& envs, std::string_view list, std::string_view tag,
                  const Manifest* manifest = nullptr);
// The account may not see it: left out, empty or asterisks.
bool value_is_hidden(const Row& entry);
// "list" or "name", whichever the row has.
std::string_view env_list_of(const Row& entry);

}  // namespace mikroscope::routeros
