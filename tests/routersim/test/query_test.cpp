// The stack machine of API queries.
#include "tests/routersim/query.h"

#include <gtest/gtest.h>

namespace mikroscope::routersim {
namespace {

struct Case {
  std::vector<std::string> words;
  bool passes;
};

TEST(Query, WordsAndOperators) {
  const Row row{{"name", "ether1"}, {"mtu", "1500"}, {"comment", "a=b"}, {"disabled", "false"}};
  const Case kCases[] = {
      {{}, true},
      {{"?name"}, true},
      {{"?speed"}, false},
      {{"?-speed"}, true},
      {{"?-name"}, false},
      {{"?name=ether1"}, true},
      {{"?=name=ether1"}, true},
      {{"?comment=a=b"}, true},
      {{"?name=ether2"}, false},
      {{"?disabled=no"}, true},
      {{"?mtu=1500"}, true},
      {{"?>mtu=900"}, true},  // numbers, not text
      {{"?<mtu=900"}, false},
      {{"?>comment="}, true},
      {{"?name=ether1", "?mtu=9000"}, false},  // all must hold
      {{"?name=ether2", "?name=ether1", "?#|"}, true},
      {{"?name=ether2", "?#!"}, true},
      {{"?name=ether1", "?mtu=9000", "?#&"}, false},
      {{"?name=ether2", "?#|"}, true},                  // below the bottom lies true
      {{"?name=ether1", "?name=ether2", "?#0"}, true},  // the first alone
      {{"?name=ether2", "?name=ether1", "?#1"}, true},
      {{"?name=ether2", "?name=ether1", "?#!|"}, false},
  };
  for (const Case& one : kCases) {
    std::string shown;
    for (const std::string& word : one.words) shown += word + " ";
    EXPECT_EQ(query_matches(row, one.words), one.passes) << shown;
  }
}

}  // namespace
}  // namespace mikroscope::routersim
