// The steps around the image's file: uploaded before the container is made, removed once it is extracted.

#include <fmt/format.h>

#include "routeros/deploy/attributes.h"
#include "routeros/deploy/step.h"

namespace mikroscope::routeros {
namespace {

void add_upload(const StepInput& in, std::vector<Step>& steps) {
  if (!in.image.remote.empty()) return;
  Step step;
  step.family = step.name = "upload";
  step.title = in.image.bytes == 0 ? fmt::format("the agent's image, {}", in.image.arch)
                                   : fmt::format("the agent's image, {}, {} KiB, {}", in.image.arch,
                                                 (in.image.bytes + 1023) / 1024, in.image.origin);
  step.kind = StepKind::upload;
  step.menu = "/file";
  step.identity = {{"name", in.names.tar_file}};
  step.owner = Owner::record;
  step.upload_bytes = in.image.bytes;
  steps.push_back(std::move(step));
}

void add_extraction(const StepInput& in, std::vector<Step>& steps) {
  Step wait;
  wait.family = wait.name = "extraction";
  wait.title = in.image.remote.empty() ? "wait until the router has unpacked the image"
                                       : "wait until the router has pulled the image";
  wait.kind = StepKind::wait;
  wait.menu = "/container";
  wait.identity = {{"comment", in.options.tag()}};
  wait.deadline_s = in.options.extract_timeout_s;
  steps.push_back(std::move(wait));
  if (!in.image.remote.empty()) return;
  // A router that watches its image's file stops and removes the container once the file is gone.
  if (!supports(in.version, "/container", "ignore-remote-image-change")) return;
  Step remove;
  remove.family = "extraction";
  remove.name = "image file";
  remove.title = "then its file is no longer needed";
  remove.kind = StepKind::remove_file;
  remove.menu = "/file";
  remove.identity = {{"name", in.names.tar_file}};
  remove.owner = Owner::record;
  steps.push_back(std::move(remove));
}

}  // namespace

const StepFamily kUploadFamily{"upload", "the image as a file of the router; none with --remote-image",
                               add_upload, true, "remove or rename that file, or choose another --name"};
const StepFamily kExtractionFamily{"extraction",
                                   "waits until the container can be started, then removes the image's file",
                                   add_extraction, true, ""};

}  // namespace mikroscope::routeros
