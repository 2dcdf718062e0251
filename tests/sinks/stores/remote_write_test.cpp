#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <snappy.h>

#include <bit>
#include <protozero/pbf_reader.hpp>

#include "sinks/stores/remote_write_encode.h"

namespace mikroscope::sinks {
namespace {

using testing::ElementsAre;
using testing::Pair;

struct Decoded {
  Labels labels;
  std::vector<std::pair<std::int64_t, double>> points;
};

std::vector<Decoded> decode(const std::string& request) {
  std::vector<Decoded> all;
  protozero::pbf_reader reader(request);
  while (reader.next(1)) {
    Decoded series;
    protozero::pbf_reader inner = reader.get_message();
    while (inner.next()) {
      const bool label = inner.tag() == 1;
      protozero::pbf_reader item = inner.get_message();
      std::string name, value;
      std::int64_t ms = 0;
      double number = 0;
      while (item.next()) {
        const bool first = item.tag() == 1;
        if (label)
          (first ? name : value) = item.get_string();
        else if (first)
          number = item.get_double();
        else
          ms = item.get_int64();
      }
      if (label)
        series.labels.emplace_back(name, value);
      else
        series.points.emplace_back(ms, number);
    }
    all.push_back(series);
  }
  return all;
}

TEST(RemoteWriteEncode, SortsLabelsWithTheName) {
  std::string request;
  append_series(request, encode_series_labels("m_total", {{"Zone", "z"}, {"cpu", "0"}, {"host", "C:\\"}}),
                {{1'789'000'000'100, 7}, {1'789'000'000'200, 8.5}});
  append_series(request, encode_series_labels("m", {}), {{-1, 0}});
  const auto series = decode(request);
  ASSERT_EQ(series.size(), 2U);
  EXPECT_THAT(series[0].labels, ElementsAre(Pair("Zone", "z"), Pair("__name__", "m_total"), Pair("cpu", "0"),
                                            Pair("host", "C:\\")));
  EXPECT_THAT(series[0].points, ElementsAre(Pair(1'789'000'000'100, 7), Pair(1'789'000'000'200, 8.5)));
  EXPECT_THAT(series[1].points, ElementsAre(Pair(-1, 0)));
}

// The bits matter: any other NaN is a value to the store.
TEST(RemoteWriteEncode, MarksTheEndWithPrometheusOwnBits) {
  EXPECT_EQ(std::bit_cast<std::uint64_t>(stale_marker()), 0x7ff0000000000002U);
  std::string request;
  append_series(request, encode_series_labels("m", {}), {{5, stale_marker()}});
  EXPECT_EQ(std::bit_cast<std::uint64_t>(decode(request)[0].points[0].second), 0x7ff0000000000002U);
}

TEST(RemoteWriteEncode, CompressesAsOneBlock) {
  const std::string request(10'000, 'x');
  const std::string packed = snappy_block(request);
  std::string back;
  ASSERT_TRUE(snappy::Uncompress(packed.data(), packed.size(), &back));
  EXPECT_EQ(back, request);
  EXPECT_LT(packed.size(), 1000U);
  EXPECT_EQ(snappy_block(""), std::string("\0", 1));  // the length alone
}

}  // namespace
}  // namespace mikroscope::sinks
