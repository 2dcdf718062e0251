// /tool/fetch: real requests, with a router's limits.
#include <gtest/gtest.h>

#include "tests/routersim/api/api_server.h"
#include "tests/routersim/test/raw_client.h"
#include "tests/routersim/test/support.h"
#include "tests/support/canned_server.h"

namespace mikroscope::routersim {
namespace {

using test::CannedServer;

CannedServer::Reply ok(std::string body) {
  CannedServer::Reply reply;
  reply.body = std::move(body);
  return reply;
}

TEST(Fetch, GivesDataAndSendsHeaders) {
  CannedServer server({ok("hello")});
  Fixture sim;
  const Outcome outcome =
      sim.run("/tool/fetch", {{"url", server.url() + "/a"},
                              {"output", "user"},
                              {"http-header-field", "Authorization: Bearer sesame,X-Two: 2"}});
  ASSERT_EQ(outcome.rows.size(), 1u);
  EXPECT_EQ(outcome.rows[0].text("status"), "finished");
  EXPECT_EQ(outcome.rows[0].text("data"), "hello");
  const std::string head = server.requests().at(0);
  EXPECT_EQ(head.substr(0, 6), "GET /a");
  EXPECT_NE(head.find("Authorization: Bearer sesame\r\n"), std::string::npos) << head;
  EXPECT_NE(head.find("X-Two: 2\r\n"), std::string::npos) << head;
  EXPECT_EQ(sim.router.requests().writes(), 0u);
}

TEST(Fetch, CutsLongDataWithoutAWord) {
  CannedServer server({ok(std::string(64'511, 'a')), ok(std::string(64'513, 'b'))});
  Fixture sim;
  const Attributes attributes{{"url", server.url() + "/"}, {"output", "user"}};
  EXPECT_EQ(sim.run("/tool/fetch", attributes).rows.at(0).text("data").size(), 64'511u);
  EXPECT_EQ(sim.run("/tool/fetch", attributes).rows.at(0).text("data").size(), 64'512u);
}

TEST(Fetch, StoresAFile) {
  CannedServer server({ok(std::string(100'000, 'x')), ok("more")});
  Fixture sim;
  EXPECT_EQ(sim.refusal("/tool/fetch",
                        {{"url", server.url() + "/a.tar"}, {"output", "file"}, {"dst-path", "tmp/a.tar"}}),
            "");
  EXPECT_EQ(sim.router.read_file("tmp/a.tar"), std::string(100'000, 'x'));
  EXPECT_EQ(sim.router.requests().writes(), 1u);
  sim.router.set_fault("disk-full=2");
  EXPECT_EQ(sim.refusal("/tool/fetch", {{"url", server.url() + "/b"}, {"dst-path", "b"}}),
            "failure: not enough space on disk");
}

TEST(Fetch, FailsInARoutersWords) {
  CannedServer::Reply missing = ok("nothing here");
  missing.status = 404;
  CannedServer server({missing});
  Fixture sim({.presets = {"home", "policies"}});
  const Attributes attributes{{"url", server.url() + "/"}, {"output", "user"}};
  EXPECT_EQ(sim.refusal("/tool/fetch", attributes).substr(0, 21), "failure: Status 404, ");
  EXPECT_EQ(sim.refusal("/tool/fetch", {{"url", "http://127.0.0.1:1/"}, {"output", "user"}}),
            "failure: connection refused");
  EXPECT_EQ(sim.refusal("/tool/fetch", {{"url", server.url()}, {"colour", "red"}}),
            "unknown parameter colour");
  sim.router.set_fault("fetch-refused");
  EXPECT_EQ(sim.refusal("/tool/fetch", attributes), "failure: connection timeout");
  sim.router.clear_faults();
  sim.router.set_fault("no-policy=test");
  sim.user = *sim.router.login(Via::api, "relay", "password", "192.168.88.10").user;
  EXPECT_EQ(sim.refusal("/tool/fetch", attributes), "not enough permissions (9)");
}

TEST(Fetch, CanBeCancelled) {
  Router router;
  ApiServer api(router);
  // Connections are taken, and nobody answers.
  const int silent = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(silent, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(silent, 1), 0);
  ::getsockname(silent, reinterpret_cast<sockaddr*>(&address), &size);
  RawClient client(api.port());
  client.login();
  client.send({"/tool/fetch", "=url=http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/",
               "=output=user", ".tag=1"});
  client.send({"/system/identity/print", "=.proplist=name", ".tag=2"});
  EXPECT_EQ(client.until_done("2"), "!re =name=MikroTik .tag=2\n!done .tag=2\n");
  client.send({"/cancel", "=tag=1", ".tag=3"});
  EXPECT_EQ(client.until_done("1"),
            "!trap =category=2 =message=interrupted .tag=1\n!done .tag=3\n!done .tag=1\n");
  ::close(silent);
}

}  // namespace
}  // namespace mikroscope::routersim
