// One thing that an installation does to a router, as data. The listing, the JSON, the script, the
// installation, its rollback, the upgrade, the removal and the verification are all made from it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "routeros/deploy/facts.h"
#include "routeros/deploy/options.h"
#include "routeros/deploy/step_names.h"
#include "routeros/session/row.h"
#include "routeros/session/session.h"

namespace mikroscope::routeros {

enum class StepKind : std::uint8_t {
  row,          // adds `attributes` to `menu`; undone by removing the row
  text_file,    // writes the file of `identity` with attribute `contents`; undone by removing the file
  upload,       // sends the image to the file of `identity`; undone by removing the file
  wait,         // until the container of `identity` is extracted; makes nothing
  remove_file,  // removes the file of `identity`; makes nothing
  start,        // starts the container of `identity`; undone by stopping it
};

// How a row, once found by its identity, is known to be of this installation.
enum class Owner : std::uint8_t {
  comment,   // its comment is exactly the tag
  marker,    // its environment list holds the marker entry with the tag: entries and their list
  record,    // the marker entry or our manifest speaks for it: the uploaded file
  contents,  // it holds the line tag=TAG: the manifest itself
};

struct Step {
  std::string family;  // "environment": steps of one family share a number in the listing
  std::string name;    // "environment RATE_HZ": unique in a plan; names the step in JSON and the journal
  std::string title;   // what it is for, in a few words
  StepKind kind = StepKind::row;
  std::string menu;             // "/interface/veth"; "/file" and "/container" for the other kinds
  Attributes attributes;        // as they are sent, in order; secrets are marked
  std::vector<Where> identity;  // says whether the effect exists, whoever made it
  Owner owner = Owner::comment;
  // Added before the first static row that holds all of these; at the end when none does.
  std::vector<Where> before;
  // Attributes that are compared with what is there: a difference is said (decide.h).
  std::vector<std::string> compared;
  std::string note;                // one line for the listing
  std::uint32_t deadline_s = 0;    // of a wait
  std::uint64_t upload_bytes = 0;  // of an upload

  // The name of a file step, "" for the others.
  std::string_view file() const;
  std::string_view attribute(std::string_view attribute_name) const;  // "" when it is not sent
  // The row has what `identity` says.
  bool identifies(const Row& row) const;
};

// Where the agent's image comes from.
struct ImageSource {
  std::string arch;         // arm64, armv5, armv7, amd64; "" with a remote image of unknown architecture
  std::uint64_t bytes = 0;  // of the tar; 0: unknown, or nothing is uploaded
  std::string remote;       // a registry reference; then nothing is uploaded
  std::string origin;       // "built in", "agent.tar": for the listing
};

// What the steps are made from.
struct StepInput {
  const Facts& facts;
  const Options& options;  // resolved: no value is "auto" (plan.h)
  const StepNames& names;
  const Version& version;
  const ImageSource& image;
  bool start_at_once = true;  // false for the new container of an upgrade: its start is the swap
};

// One family of steps: one file, one line in all_step_families(). Their order is the order of the writes.
struct StepFamily {
  std::string_view name;
  std::string_view help;  // what it makes and why, for docs
  void (*add)(const StepInput& input, std::vector<Step>& steps);
  // Made anew by an upgrade, which keeps all other families.
  bool of_container;
  std::string_view way_out;  // what to do where somebody else's object stands in its place
};
std::span<const StepFamily* const> all_step_families();
const StepFamily* find_step_family(std::string_view name);  // null for the manifest

extern const StepFamily kVethFamily;
extern const StepFamily kAddressFamily;
extern const StepFamily kInterfaceListFamily;
extern const StepFamily kAddressListFamily;
extern const StepFamily kExposeFamily;
extern const StepFamily kEnvironmentFamily;
extern const StepFamily kUploadFamily;
extern const StepFamily kContainerFamily;
extern const StepFamily kExtractionFamily;
extern const StepFamily kStartFamily;

}  // namespace mikroscope::routeros
