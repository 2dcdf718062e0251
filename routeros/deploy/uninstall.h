// Takes an installation off a router: exactly what carries its tag, waits until the router has done it, and
// counts afterwards. A removal that the router accepted proves nothing; the count does.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/host/result.h"
#include "routeros/deploy/apply.h"
#include "routeros/deploy/manifest.h"
#include "routeros/deploy/sweep.h"

namespace mikroscope::routeros {

// What of an installation is on the router now.
struct Remains {
  std::vector<Row> containers;
  std::vector<Tagged> entries;           // of our environment lists, each list's marker after its others
  std::vector<std::string> images;       // uploaded files that the marker or the manifest speaks for
  std::vector<Tagged> rows;              // by the tag, in the order of removal
  std::vector<std::string> roots;        // root directories that no container has
  std::vector<std::string> manifests;    // files
  std::vector<std::string> directories;  // of manifests, on any disk, and empty
  std::optional<Manifest> manifest;      // the first that can be read
  std::vector<std::string> unreadable;   // menus that could not be looked into
  // Of a name of ours, but nothing says that they are: left alone.
  std::vector<std::string> strangers;

  bool nothing() const;
  // But for the manifest and its directory: they go last.
  bool only_manifest() const;
  std::vector<std::string> lines() const;  // one for each, for people
};
// `options` are the installation's, as far as known (shape.h).
base::Result<Remains> find_remains(const Link& link, const Options& options);

struct Removing {
  Link link;
  OnEvent on_event;
};
// Removes and counts. Error: something is left, and what; a second run goes on. What vanished meanwhile is
// success.
base::Result<void> uninstall(const Options& options, Removing& removing);

// The directory is there, holds nothing and was removed.
base::Result<bool> remove_empty_directory(const Link& link, const std::string& directory);

}  // namespace mikroscope::routeros
