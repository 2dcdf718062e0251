// Who is in an interface list or an address list.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "routeros/deploy/facts.h"
#include "routeros/deploy/firewall_address.h"
#include "routeros/deploy/firewall_truth.h"

namespace mikroscope::routeros {

// A membership that an installation is about to add.
struct PlannedMember {
  std::string list;
  std::string member;  // an interface, or an address or network
};

bool builtin_list(std::string_view name);  // all, none, dynamic, static

class InterfaceLists {
 public:
  // Members of `ignore_comment` are left out: with an installation's tag, what it has added so far.
  InterfaceLists(const Facts& facts, std::vector<PlannedMember> planned, std::string ignore_comment = {});

  // Lists may include and exclude others: what is included is taken first, then what is excluded is taken
  // out, then come the list's own members. A deleted list ("*2000010") is empty.
  Truth has(std::string_view list, std::string_view interface) const;
  // Every list that is not built in and surely or possibly has it.
  std::vector<std::string> lists_of(std::string_view interface) const;

 private:
  Truth has(std::string_view list, std::string_view interface, int depth) const;

  const Facts& facts_;
  std::vector<PlannedMember> planned_;
  std::string ignore_comment_;
};

// The entries of an address-list menu by their lists; made once, since block lists have thousands.
struct AddressEntries {
  struct Entry {
    IpRange range;
    bool comes_and_goes = false;  // the router added it by itself, or it has a timeout
  };
  bool known = false;  // false: the menu could not be read
  std::map<std::string, std::vector<Entry>, std::less<>> lists;
};
// `menu` is the one of the address family: /ip/firewall/address-list or /ipv6/….
AddressEntries address_entries(const Facts& facts, std::string_view menu,
                               std::string_view ignore_comment = {});

class AddressLists {
 public:
  // `entries` must outlive this.
  AddressLists(const AddressEntries& entries, std::vector<PlannedMember> planned);

  // An unknown address may be in any list that has entries at all. Entries that the router added by itself
  // come and go: maybe.
  Truth has(std::string_view list, const std::optional<Ip>& address) const;

 private:
  const AddressEntries& entries_;
  std::vector<PlannedMember> planned_;
};

}  // namespace mikroscope::routeros
