// What an import reads from an image archive.
#pragma once

#include <string>
#include <string_view>

#include "base/host/result.h"
#include "routeros/image.h"

namespace mikroscope::routersim {

struct Imported {
  routeros::Arch arch = routeros::Arch::arm64;
  std::string tag;
  std::string image_id;
  std::string program;  // the bytes of the entry point
};

// The error is the router's log line.
base::Result<Imported, std::string> import_archive(std::string_view tar);

}  // namespace mikroscope::routersim
