// Users, their groups and keys.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace mikroscope::routersim {

// Every policy that a group may grant, in the order in which a router prints them.
const std::vector<std::string>& all_policies();
// "read,api" or "read,api,!ftp" -> the granted ones.
std::set<std::string> parse_policies(std::string_view text);
// All of them, the denied ones with '!', as /user/group prints them.
std::string print_policies(const std::set<std::string>& granted);

struct SshKey {
  std::string type;  // "ssh-ed25519"
  std::string blob;  // base64
  std::string owner;
};
// "ssh-ed25519 AAAA… comment"; nothing when it is no public key.
std::optional<SshKey> parse_public_key(std::string_view line);

}  // namespace mikroscope::routersim
