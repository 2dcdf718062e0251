#include "tests/routersim/accounts.h"

namespace mikroscope::routersim {

const std::vector<std::string>& all_policies() {
  static const std::vector<std::string> kPolicies = {
      "local",  "telnet",   "ssh", "ftp",   "reboot",    "read", "write", "policy",   "test",
      "winbox", "password", "web", "sniff", "sensitive", "api",  "romon", "rest-api",
  };
  return kPolicies;
}

std::set<std::string> parse_policies(std::string_view text) {
  std::set<std::string> granted;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view item = text.substr(0, comma);
    if (!item.empty() && item.front() != '!') granted.insert(std::string(item));
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return granted;
}

std::string print_policies(const std::set<std::string>& granted) {
  std::string text;
  for (const bool wanted : {true, false}) {
    for (const std::string& policy : all_policies()) {
      if (granted.contains(policy) != wanted) continue;
      if (!text.empty()) text += ',';
      if (!wanted) text += '!';
      text += policy;
    }
  }
  return text;
}

std::optional<SshKey> parse_public_key(std::string_view line) {
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r' || line.back() == ' '))
    line.remove_suffix(1);
  const std::size_t type_end = line.find(' ');
  if (type_end == std::string_view::npos) return std::nullopt;
  SshKey key;
  key.type = line.substr(0, type_end);
  if (key.type != "ssh-ed25519" && key.type != "ssh-rsa" && key.type != "sk-ssh-ed25519@openssh.com")
    return std::nullopt;
  line.remove_prefix(type_end + 1);
  const std::size_t blob_end = line.find(' ');
  key.blob = line.substr(0, blob_end);
  if (blob_end != std::string_view::npos) key.owner = line.substr(blob_end + 1);
  if (key.blob.size() < 16 ||
      key.blob.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                 "0123456789+/=") != std::string::npos)
    return std::nullopt;
  return key;
}

}  // namespace mikroscope::routersim
