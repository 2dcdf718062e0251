// A logged-in session with a router: the binary API (routeros/api) or SSH (routeros/ssh).
//
// One login is held for the life of the object. Every request has a deadline. A DeviceError leaves the
// session usable; after LostConnection every further request fails with the same error.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "routeros/session/row.h"
#include "routeros/session/trouble.h"

namespace mikroscope::routeros {

// A row is wanted when every one holds: name = value, compared by the router as text.
struct Where {
  std::string name;
  std::string value;
};

struct Print {
  std::string menu;                   // "/interface/veth"
  std::vector<std::string> proplist;  // never empty; what a row lacks is simply missing, .id always comes
  std::vector<Where> where;
};

struct Call {
  std::string command;  // "/container/start", "/tool/fetch"
  Attributes attributes;
  bool returns = false;         // the command gives values back (/tool/fetch output=user)
  std::int64_t timeout_ms = 0;  // 0: the session's own deadline
};

enum class Via : std::uint8_t { api_ssl, api, ssh };
std::string_view via_name(Via via);

// Bytes sent so far of all.
using Progress = std::function<void(std::uint64_t sent, std::uint64_t total)>;

class Session {
 public:
  virtual ~Session() = default;

  // A settings menu (/system/resource) gives one row.
  virtual Answer<std::vector<Row>> print(const Print& print) = 0;
  // The new row's id.
  virtual Answer<std::string> add(const std::string& menu, const Attributes& attributes) = 0;
  // `id` is empty for a settings menu.
  virtual Answer<void> set(const std::string& menu, const std::string& id, const Attributes& attributes) = 0;
  virtual Answer<void> remove(const std::string& menu, const std::string& id) = 0;
  virtual Answer<std::vector<Row>> call(const Call& call) = 0;

  // SFTP; the API cannot (the router then fetches the file itself: deploy/fetch_upload.h).
  virtual bool can_upload() const = 0;
  // Writes a file of the router, replacing one of that name. It has been sent whole when this returns, but
  // /file may not list it yet.
  virtual Answer<void> upload(const std::string& name, std::string_view bytes, const Progress& progress) = 0;

  virtual Via via() const = 0;
  virtual std::string router() const = 0;         // "admin@192.168.88.1 (api-ssl)", for messages
  virtual std::string host() const = 0;           // the router's address or name, as it was given
  virtual std::string local_address() const = 0;  // this machine's address as the router sees it; may be ""
  // Running requests end when `fd` becomes readable, as LostConnection{exit = interrupted}; -1: never.
  virtual void interrupt_on(int fd) = 0;
};

}  // namespace mikroscope::routeros
