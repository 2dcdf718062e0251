// Words and sentences of the binary API, as a router reads and writes them. Its own code, apart from the
// client's.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mikroscope::routersim {

using Sentence = std::vector<std::string>;

void put_word(std::string& out, std::string_view word);
std::string encode(const Sentence& sentence);

// Collects octets and gives whole sentences. Empty ones are skipped.
class Reader {
 public:
  void feed(std::string_view octets) { buffer_.append(octets); }
  // Nothing yet, or never again once broken().
  std::optional<Sentence> next();
  // A reserved control octet, or a word longer than a router would take.
  bool broken() const { return broken_; }

 private:
  std::string buffer_;
  std::size_t at_ = 0;  // of the next word
  Sentence sentence_;
  bool broken_ = false;
};

}  // namespace mikroscope::routersim
