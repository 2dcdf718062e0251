#include "routeros/ssh/sftp_packets.h"

namespace mikroscope::routeros::sftp {
namespace {

constexpr std::uint32_t kProtocol = 3;
constexpr std::uint32_t kMaxPacket = 256 << 10;
constexpr std::uint32_t kWrite = 0x02;
constexpr std::uint32_t kCreate = 0x08;
constexpr std::uint32_t kTruncate = 0x10;
constexpr std::uint32_t kHasSize = 0x01;

void put32(std::string& out, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xFF);
}
void put64(std::string& out, std::uint64_t value) {
  put32(out, static_cast<std::uint32_t>(value >> 32));
  put32(out, static_cast<std::uint32_t>(value));
}
void put_text(std::string& out, std::string_view text) {
  put32(out, static_cast<std::uint32_t>(text.size()));
  out += text;
}

std::string packet(Type type, std::string_view body) {
  std::string out;
  out.reserve(body.size() + 5);
  put32(out, static_cast<std::uint32_t>(body.size() + 1));
  out += static_cast<char>(type);
  out += body;
  return out;
}

// Reads from the front; once something is missing everything after it is too.
struct Body {
  std::string_view rest;
  bool good = true;

  std::uint64_t number(std::size_t octets) {
    if (rest.size() < octets) {
      good = false;
      rest = {};
      return 0;
    }
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < octets; ++i) value = value << 8 | static_cast<unsigned char>(rest[i]);
    rest.remove_prefix(octets);
    return value;
  }
  std::uint32_t number32() { return static_cast<std::uint32_t>(number(4)); }
  std::string text() {
    const std::uint32_t size = number32();
    if (size > rest.size()) {
      good = false;
      rest = {};
    }
    if (!good) return {};
    std::string out(rest.substr(0, size));
    rest.remove_prefix(size);
    return out;
  }
};

}  // namespace

std::string init_packet() {
  std::string body;
  put32(body, kProtocol);
  return packet(Type::init, body);
}

std::string open_for_writing(std::uint32_t id, std::string_view name) {
  std::string body;
  put32(body, id);
  put_text(body, name);
  put32(body, kWrite | kCreate | kTruncate);
  put32(body, 0);  // no attributes: the router has no use for permissions
  return packet(Type::open, body);
}

std::string write_packet(std::uint32_t id, std::string_view handle, std::uint64_t offset,
                         std::string_view bytes) {
  std::string body;
  body.reserve(bytes.size() + handle.size() + 20);
  put32(body, id);
  put_text(body, handle);
  put64(body, offset);
  put_text(body, bytes);
  return packet(Type::write, body);
}

std::string close_packet(std::uint32_t id, std::string_view handle) {
  std::string body;
  put32(body, id);
  put_text(body, handle);
  return packet(Type::close, body);
}

std::string stat_packet(std::uint32_t id, std::string_view name) {
  std::string body;
  put32(body, id);
  put_text(body, name);
  return packet(Type::stat, body);
}

Taken take_reply(std::string& buffer, Reply& out) {
  if (buffer.size() < 5) return Taken::need_more;
  Body head{buffer};
  const std::uint32_t size = head.number32();
  if (size < 1 || size > kMaxPacket) return Taken::bad;
  if (buffer.size() - 4 < size) return Taken::need_more;
  Body body{std::string_view(buffer).substr(4, size)};
  Reply reply;
  reply.type = static_cast<Type>(body.number(1));
  reply.id = body.number32();  // of a version packet: the version
  switch (reply.type) {
    case Type::version:
      break;
    case Type::status:
      reply.status = static_cast<Status>(body.number32());
      // Servers of old versions of the protocol leave the text out.
      if (!body.rest.empty()) reply.message = body.text();
      break;
    case Type::handle:
      reply.handle = body.text();
      break;
    case Type::attrs:
      if ((body.number32() & kHasSize) != 0) reply.size = body.number(8);
      break;
    default:
      return Taken::bad;
  }
  if (!body.good) return Taken::bad;
  out = std::move(reply);
  buffer.erase(0, std::size_t{4} + size);
  return Taken::reply;
}

}  // namespace mikroscope::routeros::sftp
