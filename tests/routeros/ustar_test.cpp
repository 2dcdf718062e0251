#include "routeros/ustar.h"

#include <gtest/gtest.h>

namespace mikroscope::routeros {
namespace {

std::string tar_of_two() {
  std::string tar;
  append_tar_file(tar, "a.txt", 0644, "hello");
  append_tar_file(tar, "dir/b", 0755, std::string(513, 'x'));
  end_tar(tar);
  return tar;
}

TEST(Ustar, HeaderFieldsAreWhereTheFormatPutsThem) {
  const std::string tar = tar_of_two();
  EXPECT_EQ(tar.substr(0, 6), std::string("a.txt\0", 6));
  EXPECT_EQ(tar.substr(100, 8), std::string("0000644\0", 8));
  EXPECT_EQ(tar.substr(108, 8), std::string("0000000\0", 8));        // owner
  EXPECT_EQ(tar.substr(124, 12), std::string("00000000005\0", 12));  // size
  EXPECT_EQ(tar.substr(136, 12), std::string("00000000000\0", 12));  // time
  EXPECT_EQ(tar[156], '0');
  EXPECT_EQ(tar.substr(257, 8), std::string("ustar\0"
                                            "00",
                                            8));
  // One header and one block of content, one header and two blocks, two blocks of end.
  EXPECT_EQ(tar.size(), 512u * (2 + 3 + 2));
}

TEST(Ustar, ReadsBackWhatItWrote) {
  const std::string tar = tar_of_two();
  const auto members = read_tar(tar);
  ASSERT_TRUE(members) << members.error().what;
  ASSERT_EQ(members->size(), 2u);
  EXPECT_EQ((*members)[0].name, "a.txt");
  EXPECT_EQ((*members)[0].content, "hello");
  EXPECT_EQ((*members)[1].name, "dir/b");
  EXPECT_EQ((*members)[1].mode, 0755u);
  EXPECT_EQ((*members)[1].content.size(), 513u);
}

TEST(Ustar, EveryCutIsAnError) {
  const std::string tar = tar_of_two();
  // All that may be missing is the second of the two end blocks.
  for (std::size_t size = 0; size < tar.size() - 512; ++size) {
    EXPECT_FALSE(read_tar(std::string_view(tar).substr(0, size))) << size;
  }
}

TEST(Ustar, AFlippedBitInAHeaderIsAnError) {
  std::string tar = tar_of_two();
  tar[3] ^= 1;
  const auto members = read_tar(tar);
  ASSERT_FALSE(members);
  EXPECT_EQ(members.error().what, "not a usable tar: the header at byte 0 has a wrong checksum");
}

TEST(Ustar, CompressionIsNamed) {
  const auto gzip = read_tar("\x1f\x8b\x08 and so on");
  ASSERT_FALSE(gzip);
  EXPECT_NE(gzip.error().what.find("gzip"), std::string::npos);
  const auto zstd = read_tar("\x28\xb5\x2f\xfd and so on");
  ASSERT_FALSE(zstd);
  EXPECT_NE(zstd.error().what.find("zstd"), std::string::npos);
}

}  // namespace
}  // namespace mikroscope::routeros
