#include "routeros/api/reply.h"

#include <utility>

#include "routeros/session/value.h"

namespace mikroscope::routeros {
namespace {

constexpr std::pair<std::string_view, ReplyKind> kKinds[] = {
    {"!re", ReplyKind::row},      {"!done", ReplyKind::done},   {"!trap", ReplyKind::trap},
    {"!fatal", ReplyKind::fatal}, {"!empty", ReplyKind::empty},
};

}  // namespace

Reply parse_reply(Sentence sentence) {
  Reply reply;
  if (sentence.empty()) return reply;
  reply.word = std::move(sentence.front());
  for (const auto& [word, kind] : kKinds) {
    if (reply.word == word) reply.kind = kind;
  }
  reply.attributes.reserve(sentence.size() - 1);
  for (std::size_t i = 1; i < sentence.size(); ++i) {
    std::string& word = sentence[i];
    if (word.starts_with('=')) {
      const std::size_t split = word.find('=', 1);
      Attribute attribute{word.substr(1, split - 1), ""};
      if (split != std::string::npos) attribute.value = word.substr(split + 1);
      reply.attributes.push_back(std::move(attribute));
    } else if (word.starts_with(".tag=")) {
      reply.tag = word.substr(5);
    } else {
      if (!reply.text.empty()) reply.text += ' ';
      reply.text += word;
    }
  }
  return reply;
}

DeviceError trap_error(const Reply& reply, std::string doing) {
  const Row row(reply.attributes);
  DeviceError error{std::string(row.text("message")), -1, std::move(doing)};
  if (error.message.empty()) error.message = reply.text;
  if (error.message.empty()) error.message = "the router reported an error";
  const auto category = parse_count(row.text("category"));
  if (category && *category <= 99) error.category = static_cast<int>(*category);
  return error;
}

}  // namespace mikroscope::routeros
