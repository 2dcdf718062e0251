// What a router may send over its API: any octets, in two pieces, are sentences or are refused with a reason,
// and the split changes nothing.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "routeros/api/reply.h"
#include "routeros/session/text.h"

namespace {

using namespace mikroscope::routeros;

struct Outcome {
  std::vector<Sentence> sentences;
  std::string error;
};

void read(SentenceReader& reader, std::string_view octets, Outcome& outcome) {
  while (!octets.empty()) {
    const std::size_t taken = reader.feed(octets);
    octets.remove_prefix(taken);
    if (auto sentence = reader.take()) outcome.sentences.push_back(std::move(*sentence));
    if (!reader.error().empty()) break;
    if (taken == 0) __builtin_trap();
  }
  outcome.error = reader.error();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view all(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t cut = data[0] * all.size() / 256;
  SentenceReader whole_reader;
  Outcome whole;
  read(whole_reader, all, whole);
  SentenceReader split_reader;
  Outcome split;
  read(split_reader, all.substr(0, cut), split);
  if (split.error.empty()) read(split_reader, all.substr(cut), split);
  if (whole.sentences != split.sentences || whole.error != split.error) __builtin_trap();

  for (Sentence& sentence : whole.sentences) {
    if (sentence.empty() || sentence.front().front() != '!') __builtin_trap();
    // What was read is written again and read as the same.
    const std::string again = encode_sentence(sentence);
    SentenceReader reader;
    Outcome copy;
    read(reader, again, copy);
    if (copy.sentences.size() != 1 || copy.sentences.front() != sentence) __builtin_trap();
    const std::size_t words = sentence.size();
    const Reply reply = parse_reply(std::move(sentence));
    if (reply.attributes.size() >= words) __builtin_trap();
    if (trap_error(reply, "/x").message.empty()) __builtin_trap();
  }
  return 0;
}
