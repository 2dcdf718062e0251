#include "agent/http.h"

#include <gtest/gtest.h>

#include <string>

namespace mikroscope::agent {
namespace {

TEST(Http, ParsesAHeadAndLeavesWhatFollows) {
  Request r;
  const HeadResult got = parse_head(
      "GET /samples?since=3 HTTP/1.1\r\nHost: a\r\nauthorization:  Bearer x \r\nAccept: a/b\r\n\r\nGET /next",
      r);
  EXPECT_TRUE(got.complete);
  EXPECT_EQ(got.status, 0);
  EXPECT_EQ(r.method, Method::get);
  EXPECT_EQ(r.path, "/samples");
  EXPECT_EQ(r.query, "since=3");
  EXPECT_EQ(r.authorization, "Bearer x");
  EXPECT_EQ(r.accept, "a/b");
  EXPECT_TRUE(r.keep_alive);
  EXPECT_EQ(got.bytes, 82u);  // 31 + 9 + 27 + 13 + 2
}

TEST(Http, EveryPrefixIsIncompleteNeverWrong) {
  const std::string request =
      "POST /capture?reason=a HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
  for (std::size_t n = 0; n < request.size(); ++n) {
    Request r;
    const HeadResult got = parse_head(std::string_view(request).substr(0, n), r);
    EXPECT_FALSE(got.complete) << n;
  }
  Request r;
  EXPECT_EQ(parse_head(request, r).status, 0);
  EXPECT_FALSE(r.keep_alive);
}

struct Case {
  const char* head;
  int status;
};

TEST(Http, WrongHeads) {
  const Case cases[] = {
      {"GET / HTTP/1.1\r\n\r\n", 400},                            // no Host
      {"GET / HTTP/1.0\r\n\r\n", 0},                              // needs none
      {"GET / HTTP/1.1\nHost: a\n\n", 0},                         // bare newlines
      {"\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", 0},           // left over from before
      {"GET  HTTP/1.1\r\nHost: a\r\n\r\n", 400},                  // no target
      {"GET x HTTP/1.1\r\nHost: a\r\n\r\n", 400},                 // no path
      {"GET http://h:1/healthz HTTP/1.1\r\nHost: a\r\n\r\n", 0},  // absolute form
      {"GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", 400},              // blank in the target
      {"G(T / HTTP/1.1\r\nHost: a\r\n\r\n", 400},                 // not a method
      {"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400},      // two hosts
      {"GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n", 400},      // folded line
      {"GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400},                // blank before the colon
      {"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n", 413},
      {"GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", 411},
      {"GET / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n", 417},
      {"GET / HTTP/3.0\r\nHost: a\r\n\r\n", 505},
      {"GET / HTTP/11\r\nHost: a\r\n\r\n", 400},
  };
  for (const Case& c : cases) {
    Request r;
    const HeadResult got = parse_head(c.head, r);
    EXPECT_TRUE(got.complete) << c.head;
    EXPECT_EQ(got.status, c.status) << c.head;
  }
}

TEST(Http, AHeadIsAtMost4096Bytes) {
  const std::string start = "GET / HTTP/1.1\r\nHost: a\r\nX: ";
  Request r;
  const std::string fits = start + std::string(kMaxHead - start.size() - 4, 'x') + "\r\n\r\n";
  ASSERT_EQ(fits.size(), kMaxHead);
  EXPECT_EQ(parse_head(fits, r).status, 0);
  EXPECT_EQ(parse_head(fits.substr(0, kMaxHead - 1), r).complete, false);
  EXPECT_EQ(parse_head(start + std::string(kMaxHead, 'x'), r).status, 431);
}

TEST(Http, QueryValues) {
  char out[8];
  std::size_t size = 0;
  EXPECT_EQ(query_value("a=1&reason=x%20y+z", "reason", out, sizeof out, size), 1);
  EXPECT_EQ(std::string(out, size), "x y z");
  EXPECT_EQ(query_value("a=1", "reason", out, sizeof out, size), 0);
  EXPECT_EQ(query_value("xreason=1", "reason", out, sizeof out, size), 0);
  EXPECT_EQ(query_value("reason=123456789", "reason", out, sizeof out, size), -1);
  EXPECT_EQ(query_value("reason=%2", "reason", out, sizeof out, size), -1);
  EXPECT_EQ(query_value("reason=%zz", "reason", out, sizeof out, size), -1);
  EXPECT_EQ(query_value("reason", "reason", out, sizeof out, size), 1);
  EXPECT_EQ(size, 0u);
  std::uint64_t n = 7;
  EXPECT_EQ(query_number("max=20", "max", 1, 100, n), 1);
  EXPECT_EQ(n, 20u);
  EXPECT_EQ(query_number("", "max", 1, 100, n), 0);
  for (const char* bad :
       {"max=0", "max=101", "max=", "max=-1", "max=+1", "max= 1", "max=1x", "max=18446744073709551616"}) {
    EXPECT_EQ(query_number(bad, "max", 1, 100, n), -1) << bad;
  }
}

TEST(Http, TokensAndMediaTypes) {
  EXPECT_TRUE(token_matches("Bearer abc", "abc"));
  EXPECT_FALSE(token_matches("Bearer abd", "abc"));
  EXPECT_FALSE(token_matches("Bearer ab", "abc"));
  EXPECT_FALSE(token_matches("Bearer abcabc", "abc"));
  EXPECT_FALSE(token_matches("abc", "abc"));
  EXPECT_FALSE(token_matches("Bearer ", ""));
  EXPECT_TRUE(accepts("a/b, application/vnd.mikroscope.frames;q=1", "application/vnd.mikroscope.frames"));
  EXPECT_FALSE(accepts("application/vnd.mikroscope.framesx", "application/vnd.mikroscope.frames"));
}

}  // namespace
}  // namespace mikroscope::agent
