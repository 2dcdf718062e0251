// Events as NDJSON lines that readers of recordings understand (docs/wire.md).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/event.h"

namespace mikroscope::sinks {

// Of one host and one file: it knows which names the file has told.
class NdjsonLines {
 public:
  // Appends whole lines. A sample becomes the agent's line, then {"derived":{…}} with what the agent does not
  // send; gaps, restarts, triggers and log records the lines that docs/wire.md lists; everything else
  // {"<kind>":{…}}.
  void render(const model::Event& event, std::string& out);
  // A new file: names are told again.
  void forget() { named_.clear(); }

 private:
  void names(const model::Event& event, std::string& out);

  // Table and keys that are no labels: the labels told last.
  std::map<std::vector<std::string>, std::vector<std::string>> named_;
};

}  // namespace mikroscope::sinks
