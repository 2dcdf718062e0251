// References to images in a registry, as RouterOS resolves them.

#include <algorithm>

#include "base/text.h"
#include "routeros/deploy/options.h"

namespace mikroscope::routeros {
namespace {

constexpr std::string_view kDockerHub = "registry-1.docker.io";
constexpr std::string_view kDockerHubNames[] = {"docker.io", "index.docker.io", "registry.hub.docker.com",
                                                "hub.docker.com", kDockerHub};

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

std::string fold(std::string_view host) {
  std::string out(host);
  std::transform(out.begin(), out.end(), out.begin(), lower);
  for (const std::string_view name : kDockerHubNames) {
    if (out == name) return std::string(kDockerHub);
  }
  return out;
}

bool lower_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || base::is_digit(c);
}
bool all_of(std::string_view text, bool (*good)(char)) {
  return !text.empty() && std::all_of(text.begin(), text.end(), good);
}

base::Error bad(std::string_view text, std::string_view why) {
  return {"\"" + std::string(text) + "\" is no image reference: " + std::string(why),
          "give [HOST/]PATH[:TAG][@sha256:DIGEST] in lower case, e.g. ghcr.io/some/agent:1.2",
          base::Exit::usage};
}

}  // namespace

base::Result<ImageReference> parse_reference(std::string_view text) {
  std::string_view rest = text;
  if (text.size() > 255) return bad(text.substr(0, 40), "it is longer than 255 characters");
  if (const std::size_t at = rest.find('@'); at != std::string_view::npos) {
    constexpr std::string_view kSha = "sha256:";
    const std::string_view digest = rest.substr(at + 1);
    const auto hex = [](char c) { return base::is_digit(c) || (c >= 'a' && c <= 'f'); };
    if (!digest.starts_with(kSha) || digest.size() != kSha.size() + 64 ||
        !all_of(digest.substr(kSha.size()), hex)) {
      return bad(text, "after @ comes sha256: and 64 hexadecimal digits");
    }
    rest = rest.substr(0, at);
  }
  const std::size_t slash = rest.rfind('/');
  const std::size_t colon = rest.rfind(':');
  if (colon != std::string_view::npos && (slash == std::string_view::npos || colon > slash)) {
    const std::string_view tag = rest.substr(colon + 1);
    const auto in_tag = [](char c) { return lower_or_digit(lower(c)) || c == '_' || c == '.' || c == '-'; };
    // Of two parts the first may be a host with a port, but a reference is never a host alone.
    if (tag.size() > 128 || !all_of(tag, in_tag)) return bad(text, "its tag is empty or has odd characters");
    rest = rest.substr(0, colon);
  }
  ImageReference out;
  const std::size_t first = rest.find('/');
  const std::string_view head = rest.substr(0, std::min(first, rest.size()));
  const bool has_host =
      first != std::string_view::npos && (head.find('.') != std::string_view::npos ||
                                          head.find(':') != std::string_view::npos || head == "localhost");
  const auto in_path = [](char c) {
    return lower_or_digit(c) || c == '.' || c == '_' || c == '-' || c == '/';
  };
  std::string_view path = has_host ? rest.substr(first + 1) : rest;
  if (!all_of(path, in_path) || path.front() == '/' || path.back() == '/' ||
      path.find("//") != std::string_view::npos) {
    return bad(text, "its path is empty or has characters other than a-z 0-9 . _ - /");
  }
  const auto in_host = [](char c) { return lower_or_digit(c) || c == '.' || c == '-' || c == ':'; };
  if (has_host && !all_of(head, in_host)) return bad(text, "its host has odd characters");
  out.host = fold(has_host ? head : kDockerHub);
  if (out.host == kDockerHub && path.find('/') == std::string_view::npos) out.path = "library/";
  const std::size_t path_at = static_cast<std::size_t>(path.data() - text.data());
  out.path += text.substr(path_at);
  return out;
}

std::string registry_host(std::string_view url) {
  std::string_view rest = base::trim(url);
  if (const std::size_t scheme = rest.find("://"); scheme != std::string_view::npos) {
    rest = rest.substr(scheme + 3);
  }
  rest = rest.substr(0, std::min(rest.find('/'), rest.size()));
  if (const std::size_t user = rest.rfind('@'); user != std::string_view::npos) rest = rest.substr(user + 1);
  return fold(rest);
}

}  // namespace mikroscope::routeros
