#include "sinks/net/http_post.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "base/clock.h"
#include "tests/sinks/support/fault_server.h"
#include "tests/support/loopback.h"

namespace mikroscope::sinks {
namespace {

using test::FaultServer;
using ::testing::HasSubstr;
using ::testing::Not;
using Verdict = Delivery::Verdict;

TEST(HttpPoster, SendsHeadersAndBodies) {
  FaultServer server;
  HttpPoster poster({"Authorization: Token t"}, {});
  const auto response = poster.post(server.url() + "/a?b=c", "text/plain", "short", true, {"X-More: yes"});
  ASSERT_TRUE(response.ok()) << response.error().what;
  EXPECT_EQ(response->status, 200);
  const auto asked = server.asked();
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(asked[0].url, "/a?b=c");
  EXPECT_EQ(asked[0].body, "short");
  EXPECT_EQ(asked[0].header("authorization"), "Token t");
  EXPECT_EQ(asked[0].header("x-more"), "yes");
  EXPECT_EQ(asked[0].header("content-encoding"), "");  // not worth it
}

TEST(HttpPoster, CompressesWhatIsLong) {
  FaultServer server;
  HttpPoster poster({}, {});
  const std::string body(200'000, 'x');
  ASSERT_TRUE(poster.post(server.url() + "/", "text/plain", body, true).ok());
  ASSERT_TRUE(poster.post(server.url() + "/", "text/plain", body, false).ok());
  const auto asked = server.asked();
  ASSERT_EQ(asked.size(), 2U);
  EXPECT_EQ(asked[0].header("content-encoding"), "gzip");
  EXPECT_LT(std::stoi(asked[0].header("content-length")), 2000);
  EXPECT_EQ(asked[0].body, body);
  EXPECT_EQ(asked[1].header("content-length"), "200000");
  EXPECT_EQ(asked[1].body, body);
}

TEST(HttpPoster, UsesNoProxyAndFollowsNobody) {
  FaultServer server;
  server.answer({{302, "", {{"Location", "/elsewhere"}}}});
  ASSERT_EQ(setenv("http_proxy", "http://127.0.0.1:1", 1), 0);
  HttpPoster poster({}, {});
  const auto response = poster.post(server.url() + "/", "text/plain", "x", false);
  unsetenv("http_proxy");
  ASSERT_TRUE(response.ok()) << response.error().what;
  EXPECT_EQ(response->status, 302);
  EXPECT_EQ(server.asked().size(), 1U);
  EXPECT_EQ(classify(response).verdict, Verdict::fatal);
}

TEST(HttpPoster, ABrokenAnswerIsAnErrorAndIsNotAskedAgain) {
  FaultServer server;
  server.answer({{200, "", {}, false, true}, {204}});
  HttpPoster poster({"Authorization: Token s3cret"}, {});
  const auto broken = poster.post(server.url() + "/", "text/plain", "x", false);
  ASSERT_FALSE(broken.ok());
  EXPECT_THAT(broken.error().what, HasSubstr(server.url()));
  EXPECT_THAT(broken.error().what, Not(HasSubstr("s3cret")));
  EXPECT_EQ(server.asked().size(), 1U);
  const auto next = poster.post(server.url() + "/", "text/plain", "x", false);
  ASSERT_TRUE(next.ok());
  EXPECT_EQ(next->status, 204);
}

TEST(HttpPoster, AnInterruptEndsTheRequestUnderWayOnly) {
  FaultServer server;
  server.answer({{200, "", {}, true}, {204}});
  HttpPoster poster({}, {});
  std::thread other([&] {
    EXPECT_TRUE(server.wait_for(1));
    poster.interrupt();
  });
  const std::int64_t before = base::monotonic_ns();
  const auto hung = poster.post(server.url() + "/", "text/plain", "x", false);
  other.join();
  EXPECT_FALSE(hung.ok());
  EXPECT_LT(base::monotonic_ns() - before, 5 * base::kNsPerSecond);
  EXPECT_TRUE(poster.post(server.url() + "/", "text/plain", "x", false).ok());
}

// Takes a connection, answers `answered` requests on it, reads the next one whole and closes without a word.
class ClosingServer {
 public:
  ClosingServer() {
    const mikroscope::test::Listener listener = mikroscope::test::listen_on_loopback();
    listener_ = listener.fd;
    port_ = listener.port;
    thread_ = std::thread([this] { serve(); });
  }
  ~ClosingServer() {
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
  }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  int bodies() const { return bodies_.load(); }

 private:
  void serve() {
    for (;;) {
      const int fd = accept(listener_, nullptr, nullptr);
      if (fd < 0) return;
      for (int answered = 0; read_body(fd); ++answered) {
        ++bodies_;
        constexpr std::string_view kAnswer = "HTTP/1.1 204 No Content\r\n\r\n";
        if (answered == 1 || send(fd, kAnswer.data(), kAnswer.size(), MSG_NOSIGNAL) < 0) break;
      }
      close(fd);
    }
  }
  static bool read_body(int fd) {
    std::string all;
    while (all.find("\r\n\r\nBODY") == std::string::npos) {
      char bytes[4096];
      const ssize_t got = recv(fd, bytes, sizeof bytes, 0);
      if (got <= 0) return false;
      all.append(bytes, static_cast<std::size_t>(got));
    }
    return true;
  }
  int listener_ = -1;
  int port_ = 0;
  std::atomic<int> bodies_{0};
  std::thread thread_;
};

// A store may have taken what it did not answer: whether it comes again is the runner's decision alone.
TEST(HttpPoster, ABodyIsSentOnceThoughTheKeptConnectionDies) {
  ClosingServer server;
  HttpPoster poster({}, {});
  ASSERT_TRUE(poster.post(server.url() + "/", "text/plain", "BODY", false).ok());
  const auto second = poster.post(server.url() + "/", "text/plain", "BODY", false);
  EXPECT_FALSE(second.ok());
  EXPECT_EQ(server.bodies(), 2);
  EXPECT_TRUE(poster.post(server.url() + "/", "text/plain", "BODY", false).ok());
  EXPECT_EQ(server.bodies(), 3);
}

TEST(Classify, KnowsWhatAStatusMeans) {
  const auto of = [](long status) {
    HttpResponse response;
    response.status = status;
    response.body = "said\nso";
    response.retry_after_ns = 3'000'000'000;
    return classify(response);
  };
  EXPECT_EQ(of(200).verdict, Verdict::done);
  EXPECT_EQ(of(204).verdict, Verdict::done);
  for (const long status : {408, 425, 429, 500, 502, 503, 504}) {
    EXPECT_EQ(of(status).verdict, Verdict::retry) << status;
    EXPECT_EQ(of(status).retry_after_ns, 3'000'000'000) << status;
  }
  EXPECT_EQ(of(413).verdict, Verdict::split);
  for (const long status : {401, 403, 404}) EXPECT_EQ(of(status).verdict, Verdict::fatal) << status;
  for (const long status : {400, 409, 415, 422}) EXPECT_EQ(of(status).verdict, Verdict::reject) << status;
  EXPECT_EQ(of(400).why, "HTTP 400: said so");
  EXPECT_EQ(classify(base::Error{"no answer", "", base::Exit::failed}).verdict, Verdict::retry);
}

TEST(Classify, ReadsRetryAfter) {
  FaultServer server;
  server.answer({{429, "", {{"Retry-After", "7"}}},
                 {503, "", {{"Retry-After", "Thu, 01 Jan 1970 00:00:10 GMT"}}},
                 {503, "", {{"Retry-After", "soon"}}}});
  HttpPoster poster({}, {});
  EXPECT_EQ(classify(poster.post(server.url(), "a/b", "x", false)).retry_after_ns, 7'000'000'000);
  EXPECT_EQ(classify(poster.post(server.url(), "a/b", "x", false)).retry_after_ns, 0);
  EXPECT_EQ(classify(poster.post(server.url(), "a/b", "x", false)).retry_after_ns, std::nullopt);
}

TEST(StoreUrl, TakesThePasswordOutAndThePathIn) {
  const auto full = parse_store_url("https://me:p%40ss@example.org:8086", "/push");
  ASSERT_TRUE(full.ok());
  EXPECT_EQ(full->url, "https://example.org:8086/push");
  EXPECT_EQ(full->user, "me");
  EXPECT_EQ(full->password, "p@ss");
  EXPECT_FALSE(full->has_path);
  const auto path = parse_store_url("http://[2001:db8::1]:3100/own?x=1", "/push");
  ASSERT_TRUE(path.ok());
  EXPECT_EQ(path->url, "http://[2001:db8::1]:3100/own?x=1");
  EXPECT_TRUE(path->has_path);
  EXPECT_EQ(parse_store_url("http://192.0.2.1/", "")->url, "http://192.0.2.1");
}

TEST(StoreUrl, RefusesWhatIsNoneAndKeepsSecretsToItself) {
  for (const char* text :
       {"", "example.org:8086", "ftp://me:s3cret@example.org", "http://", "me:s3cret@example.org"}) {
    const auto url = parse_store_url(text, "/");
    ASSERT_FALSE(url.ok()) << text;
    EXPECT_EQ(url.error().exit, base::Exit::usage);
    EXPECT_THAT(url.error().what + url.error().fix, Not(HasSubstr("s3cret")));
  }
}

}  // namespace
}  // namespace mikroscope::sinks
