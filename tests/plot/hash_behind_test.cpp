#include "plot/hash_behind.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace mikroscope::plot {
namespace {

// The memory of a piece is used again after `valid` pieces, as FilePieces does.
TEST(HashBehind, IsTheHashOfAllPieces) {
  constexpr std::size_t kValid = 4;
  std::vector<std::string> memory(kValid);
  std::string whole;
  HashBehind hash(kValid);
  for (std::size_t i = 0; i < 300; ++i) {
    std::string& piece = memory[i % kValid];
    piece.assign(1 + i * 37 % 5000, static_cast<char>('a' + i % 26));
    whole += piece;
    hash.update(piece);
  }
  EXPECT_EQ(hash.hex(), sha256_hex(whole));
}

TEST(HashBehind, OfNothingAndOfAWellKnownText) {
  HashBehind nothing(4);
  EXPECT_EQ(nothing.hex(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  HashBehind abc(4);
  abc.update("a");
  abc.update("bc");
  EXPECT_EQ(abc.hex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(HashBehind, MayBeGivenUp) {
  const std::string piece(1 << 20, 'x');
  HashBehind hash(4);
  for (int i = 0; i < 3; ++i) hash.update(piece);
}

}  // namespace
}  // namespace mikroscope::plot
