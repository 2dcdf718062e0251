#include "sinks/net/http_server.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sinks/stores/prometheus.h"
#include "tests/sinks/stores/http_get.h"
#include "tests/sinks/stores/metric_events.h"

namespace mikroscope::sinks {
namespace {

using test::http_get;
using testing::HasSubstr;

HttpReply echo(const HttpRequest& request) {
  if (request.path == "/large") return {200, "text/plain", std::string(100'000, 'x')};
  if (request.path == "/none") return {404, "text/plain", "nothing here\n"};
  return {200, "text/x-test", request.path + "|" + std::string(request.header("x-mine"))};
}

std::unique_ptr<HttpServer> serve(const std::string& bearer = {}, const std::string& user = {}) {
  HttpServer::Options options;
  options.listen = {"127.0.0.1", 0};
  options.bearer = bearer;
  options.user = user;
  options.password = "geheim";
  auto server = HttpServer::start(std::move(options), echo);
  EXPECT_TRUE(server) << server.error().what;
  return std::move(*server);
}

TEST(ParseListen, KnowsPortsAndAddresses) {
  const auto parsed = [](std::string_view text) {
    const auto listen = parse_listen(text);
    return listen ? listen->host + "|" + std::to_string(listen->port) : listen.error().fix.substr(0, 11);
  };
  EXPECT_EQ(parsed("9124"), "127.0.0.1|9124");
  EXPECT_EQ(parsed(":9124"), "|9124");
  EXPECT_EQ(parsed("192.0.2.1:9124"), "192.0.2.1|9124");
  EXPECT_EQ(parsed("localhost:9124"), "127.0.0.1|9124");
  EXPECT_EQ(parsed("[2001:db8::1]:9124"), "2001:db8::1|9124");
  for (const char* const wrong :
       {"", ":", "x", "65536", "2001:db8::1:9124", "router.example.org:1", "1.2.3:4", "-1"})
    EXPECT_EQ(parsed(wrong), "give a port") << wrong;
}

TEST(HttpServer, Answers) {
  const auto server = serve();
  const auto got = http_get(server->url() + "/a?b=c", {"X-Mine: yes"});
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.body, "/a|yes");
  EXPECT_EQ(got.content_type, "text/x-test");
  EXPECT_EQ(http_get(server->url() + "/none").status, 404);
  const auto head = http_get(server->url() + "/a", {}, "HEAD");
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.body, "");
  EXPECT_EQ(http_get(server->url() + "/a", {}, "POST", std::string(100'000, 'x')).status, 405);
}

TEST(HttpServer, CompressesForThoseWhoTakeIt) {
  const auto server = serve();
  EXPECT_EQ(http_get(server->url() + "/large").body.size(), 100'000U);
  const auto packed = http_get(server->url() + "/large", {"Accept-Encoding: gzip"});
  EXPECT_THAT(packed.header, HasSubstr("Content-Encoding: gzip"));
  EXPECT_LT(packed.body.size(), 1000U);
  EXPECT_EQ(packed.body.substr(0, 2), "\x1F\x8B");
}

TEST(HttpServer, AsksForTheSecret) {
  const auto server = serve("abc");
  EXPECT_EQ(http_get(server->url() + "/a").status, 401);
  EXPECT_EQ(http_get(server->url() + "/a", {"Authorization: Bearer abd"}).status, 401);
  EXPECT_EQ(http_get(server->url() + "/a", {"Authorization: Bearer abcabc"}).status, 401);
  EXPECT_EQ(http_get(server->url() + "/a", {"Authorization: Basic abc"}).status, 401);
  EXPECT_EQ(http_get(server->url() + "/a", {"Authorization: Bearer abc"}).status, 200);
  const auto basic = serve({}, "me");
  EXPECT_EQ(http_get(basic->url() + "/a").status, 401);
  EXPECT_EQ(http_get(basic->url() + "/a", {"Authorization: Basic bWU6Z2VoZWlt"}).status, 200);  // me:geheim
}

TEST(HttpServer, SaysThatThePortIsTaken) {
  const auto server = serve();
  HttpServer::Options options;
  options.listen = {"127.0.0.1", server->port()};
  const auto second = HttpServer::start(std::move(options), echo);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().what,
            "cannot listen on 127.0.0.1:" + std::to_string(server->port()) + ": Address already in use");
  EXPECT_NE(second.error().fix, "");
}

// A client that asks and never reads holds up nobody: neither other clients nor the sink.
TEST(PrometheusSink, IsNotHeldUpByASlowScraper) {
  SinkValues values;
  values.set("prom", "127.0.0.1:0");
  auto sink = kPrometheusSink.make(values);
  ASSERT_TRUE(sink) << sink.error().what;
  std::vector<model::Event> events;
  for (int h = 0; h < 300; ++h) events.push_back(test::hostile_event("router" + std::to_string(h)));
  EXPECT_EQ((*sink)->deliver(events).verdict, Delivery::Verdict::done);
  const std::string url = (*sink)->name().substr((*sink)->name().find("http://"));

  const std::size_t colon = url.rfind(':');
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(url.substr(colon + 1))));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int slow = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int small = 4096;
  setsockopt(slow, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
  ASSERT_EQ(connect(slow, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  const std::string request = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n";
  ASSERT_EQ(send(slow, request.data(), request.size(), 0), static_cast<ssize_t>(request.size()));

  const auto got = http_get(url);
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.content_type, "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_GT(got.body.size(), 200'000U);
  EXPECT_EQ((*sink)->deliver(events).verdict, Delivery::Verdict::done);
  close(slow);
}

TEST(PrometheusSink, WantsItsToken) {
  SinkValues values;
  values.set("prom", "127.0.0.1:0");
  values.set("prom-token", "abc");
  auto sink = kPrometheusSink.make(values);
  ASSERT_TRUE(sink);
  const std::string url = (*sink)->name().substr((*sink)->name().find("http://"));
  EXPECT_EQ(http_get(url).status, 401);
  const auto got =
      http_get(url, {"Authorization: Bearer abc", "Accept: application/openmetrics-text; version=1.0.0"});
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.body, "# EOF\n");
  EXPECT_THAT(got.content_type, HasSubstr("application/openmetrics-text; version=1.0.0"));
}

TEST(PrometheusSink, NamesTheOptionThatIsWrong) {
  SinkValues values;
  values.set("prom", "nonsense");
  EXPECT_THAT(kPrometheusSink.make(values).error().what, HasSubstr("--prom: 'nonsense'"));
  EXPECT_EQ(kPrometheusSink.make(values).error().exit, base::Exit::usage);
  values.set("prom", "127.0.0.1:0");
  values.set("prom-stale", "soon");
  EXPECT_THAT(kPrometheusSink.make(values).error().what, HasSubstr("--prom-stale"));
}

}  // namespace
}  // namespace mikroscope::sinks
