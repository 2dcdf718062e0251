// Packets of the SSH file transfer protocol, version 3 (draft-ietf-secsh-filexfer-02): those that sending a
// file takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mikroscope::routeros::sftp {

enum class Type : std::uint8_t {
  init = 1,
  version = 2,
  open = 3,
  close = 4,
  write = 6,
  stat = 17,
  status = 101,
  handle = 102,
  attrs = 105,
};

enum class Status : std::uint32_t {
  ok = 0,
  eof = 1,
  no_such_file = 2,
  permission_denied = 3,
  failure = 4,
  bad_message = 5,
  no_connection = 6,
  connection_lost = 7,
  unsupported = 8,
};

// Requests, whole with their length in front.
std::string init_packet();
std::string open_for_writing(std::uint32_t id, std::string_view name);  // made new, or emptied
std::string write_packet(std::uint32_t id, std::string_view handle, std::uint64_t offset,
                         std::string_view bytes);
std::string close_packet(std::uint32_t id, std::string_view handle);
std::string stat_packet(std::uint32_t id, std::string_view name);

// A reply of the server. Of the fields only those of its type are set.
struct Reply {
  Type type = Type::status;
  std::uint32_t id = 0;
  Status status = Status::ok;
  std::string message;  // of a status; may be empty
  std::string handle;
  std::optional<std::uint64_t> size;  // of attributes
};

enum class Taken : std::uint8_t { reply, need_more, bad };

// Takes one packet from the front of `buffer`. Packets of other types are bad, and so are those longer than
// 256 KiB: no reply to our requests has a reason to be.
Taken take_reply(std::string& buffer, Reply& out);

}  // namespace mikroscope::routeros::sftp
