#include <fmt/format.h>

#include "routeros/checks/support.h"
#include "routeros/session/text.h"

namespace mikroscope::routeros {
namespace {

constexpr Version kHostInReference{7, 18};

Finding run(const Facts& facts, const Options& options) {
  if (options.remote_image.empty()) return skip("nothing is pulled");
  const base::Result<ImageReference> reference = parse_reference(options.remote_image);
  if (!reference.ok()) return skip(reference.error().what);
  if (std::optional<Finding> hidden = unreadable(facts, {"/container/config"})) return *hidden;
  const Row& config = facts.settings("/container/config");
  std::string_view url = config.text("registry-url");
  if (url.empty()) url = config.text("assumed-registry-url");
  const std::string host = registry_host(url);
  const std::optional<Version> version = facts.version();
  if (version && *version < kHostInReference && host != reference->host) {
    return missing(fmt::format("RouterOS {} pulls from registry-url ({}) whatever the reference says",
                               format_version(*version), url.empty() ? "unset" : printable(url)),
                   "leave out --remote-image: the built-in image needs no registry");
  }
  if (config.text("username").empty())
    return ok(fmt::format("{} is asked without a credential", reference->host));
  if (host == reference->host) return ok(fmt::format("the router's credential is for {}", host));
  return warn(
      fmt::format("the router's credential is for {}, the image is at {}: it may be sent there, and a "
                  "refused one is not tried again without",
                  host.empty() ? "no named registry" : host, reference->host),
      "leave out --remote-image: the built-in image needs no registry. Or `/container/config/set "
      "username=\"\" password=\"\"`");
}

}  // namespace

const Check kRegistryCheck{"registry", "the router's registry credential fits the image",
                           "/container/config, /system/resource",
                           "The router has one credential for registries. It goes to the registry that "
                           "registry-url names, and to references without a host.",
                           run};

}  // namespace mikroscope::routeros
