// What a router prints over SSH: any bytes are read without harm, and nothing of them vanishes unseen.
#include "routeros/ssh/console_reply.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "routeros/ssh/sftp_packets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mikroscope::routeros;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const ConsoleReply reply = parse_console_reply(text, "ab1x1x");
  // Text without a marker is a complaint, all of it.
  if (text.find("ab1x1x") == std::string_view::npos) {
    if (reply.ended || !reply.rows.empty() || !reply.gone.empty()) __builtin_trap();
    if (reply.complaint.empty() && text.find_first_not_of(" \t\r\n") != std::string_view::npos)
      __builtin_trap();
  }
  is_parse_error(reply.complaint);
  std::string packets(text);
  sftp::Reply answer;
  while (sftp::take_reply(packets, answer) == sftp::Taken::reply) {
    if (answer.message.size() > size || answer.handle.size() > size) __builtin_trap();
  }
  return 0;
}
