#include "routeros/ustar.h"

#include <fmt/format.h>

#include <array>
#include <cstring>

namespace mikroscope::routeros {
namespace {

// Offsets and lengths of the header's fields.
struct Field {
  std::size_t at;
  std::size_t size;
};
constexpr Field kName{0, 100};
constexpr Field kMode{100, 8};
constexpr Field kUid{108, 8};
constexpr Field kGid{116, 8};
constexpr Field kSize{124, 12};
constexpr Field kTime{136, 12};
constexpr Field kChecksum{148, 8};
constexpr std::size_t kType = 156;
constexpr Field kMagic{257, 8};
constexpr Field kPrefix{345, 155};

using Header = std::array<char, kTarBlock>;

// Zero-padded octal digits with a NUL after them.
void put_octal(Header& header, Field field, std::size_t value) {
  const std::string digits = fmt::format("{:0{}o}", value, field.size - 1);
  std::memcpy(header.data() + field.at, digits.data(), digits.size());
}

// The sum of all bytes, the checksum's own counted as blanks.
std::size_t checksum(std::string_view header) {
  std::size_t sum = 0;
  for (std::size_t i = 0; i < kTarBlock; ++i) {
    const bool own = i >= kChecksum.at && i < kChecksum.at + kChecksum.size;
    sum += own ? static_cast<unsigned char>(' ') : static_cast<unsigned char>(header[i]);
  }
  return sum;
}

std::string_view text(std::string_view header, Field field) {
  const std::string_view raw = header.substr(field.at, field.size);
  return raw.substr(0, raw.find('\0'));
}

bool get_octal(std::string_view header, Field field, std::size_t& out) {
  out = 0;
  std::size_t digits = 0;
  for (const char c : header.substr(field.at, field.size)) {
    if (c == ' ' && digits == 0) continue;
    if (c == ' ' || c == '\0') break;
    if (c < '0' || c > '7') return false;
    out = out * 8 + static_cast<std::size_t>(c - '0');
    ++digits;
  }
  return digits != 0;
}

std::size_t padding(std::size_t size) {
  return (kTarBlock - size % kTarBlock) % kTarBlock;
}

base::Error bad(std::string what) {
  return {"not a usable tar: " + std::move(what), "write the image again with `mikroscope image`"};
}

}  // namespace

void append_tar_file(std::string& tar, std::string_view name, unsigned mode, std::string_view content) {
  Header header{};
  std::memcpy(header.data() + kName.at, name.data(), std::min(name.size(), kName.size));
  put_octal(header, kMode, mode);
  put_octal(header, kUid, 0);
  put_octal(header, kGid, 0);
  put_octal(header, kSize, content.size());
  put_octal(header, kTime, 0);
  header[kType] = '0';
  std::memcpy(header.data() + kMagic.at, "ustar\00000", kMagic.size);
  const std::string sum = fmt::format("{:06o}", checksum({header.data(), header.size()}));
  std::memcpy(header.data() + kChecksum.at, sum.data(), sum.size());
  header[kChecksum.at + 7] = ' ';
  tar.append(header.data(), header.size());
  tar.append(content);
  tar.append(padding(content.size()), '\0');
}

void end_tar(std::string& tar) {
  tar.append(2 * kTarBlock, '\0');
}

base::Result<std::vector<TarMember>> read_tar(std::string_view tar) {
  if (tar.starts_with("\x1f\x8b"))
    return bad("it is compressed with gzip, and RouterOS reads plain tars only");
  if (tar.starts_with("\x28\xb5\x2f\xfd"))
    return bad("it is compressed with zstd, and RouterOS reads plain tars only");
  std::vector<TarMember> members;
  std::size_t at = 0;
  while (true) {
    if (tar.size() - at < kTarBlock)
      return bad(fmt::format("it ends at byte {} without an end mark", tar.size()));
    const std::string_view header = tar.substr(at, kTarBlock);
    if (header.find_first_not_of('\0') == std::string_view::npos) return members;
    std::size_t sum = 0;
    if (!get_octal(header, kChecksum, sum) || sum != checksum(header)) {
      return bad(fmt::format("the header at byte {} has a wrong checksum", at));
    }
    TarMember member;
    std::size_t size = 0;
    std::size_t mode = 0;
    if (!get_octal(header, kSize, size)) return bad(fmt::format("the header at byte {} has no size", at));
    if (get_octal(header, kMode, mode)) member.mode = static_cast<unsigned>(mode & 07777);
    const std::string_view prefix = text(header, kPrefix);
    member.name =
        prefix.empty() ? std::string(text(header, kName)) : fmt::format("{}/{}", prefix, text(header, kName));
    if (member.name.starts_with("./")) member.name.erase(0, 2);
    member.type = header[kType] == '\0' ? '0' : header[kType];
    at += kTarBlock;
    if (size > tar.size() - at || size + padding(size) > tar.size() - at) {
      return bad(fmt::format("{} has {} bytes, of which {} are there", member.name, size, tar.size() - at));
    }
    member.content = tar.substr(at, size);
    at += size + padding(size);
    members.push_back(std::move(member));
  }
}

}  // namespace mikroscope::routeros
