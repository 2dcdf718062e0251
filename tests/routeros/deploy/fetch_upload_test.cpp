#include "routeros/deploy/fetch_upload.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/file.h"
#include "routeros/deploy/fetch_upload_server.h"
#include "tests/routeros/deploy/fake_router.h"

namespace mikroscope::routeros {
namespace {

struct Url {
  std::string host;
  std::uint16_t port = 0;
  std::string path;
};

Url parse(const std::string& url) {
  const std::string rest = url.substr(7);
  const std::size_t slash = rest.find('/');
  const std::size_t colon = rest.find(':');
  return {rest.substr(0, colon),
          static_cast<std::uint16_t>(std::stoi(rest.substr(colon + 1, slash - colon - 1))),
          rest.substr(slash)};
}

// The whole reply to one request, from a socket bound to `from`; "" when the connection was closed at once.
std::string ask(const std::string& url, const std::string& path, const char* from = "127.0.0.1") {
  const Url to = parse(url);
  const base::Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  inet_pton(AF_INET, from, &address.sin_addr);
  EXPECT_EQ(::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  inet_pton(AF_INET, to.host.c_str(), &address.sin_addr);
  address.sin_port = htons(to.port);
  if (::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return "no connection";
  const std::string request = "GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n";
  EXPECT_EQ(::send(fd.get(), request.data(), request.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(request.size()));
  std::string reply;
  char buffer[4096];
  for (ssize_t n = 0; (n = ::recv(fd.get(), buffer, sizeof buffer, 0)) > 0;)
    reply.append(buffer, static_cast<std::size_t>(n));
  return reply;
}

// A session whose router fetches what it is told to.
class Fetching final : public Session {
 public:
  Answer<std::vector<Row>> print(const Print&) override { return std::vector<Row>(); }
  Answer<std::string> add(const std::string&, const Attributes&) override { return std::string(); }
  Answer<void> set(const std::string&, const std::string&, const Attributes&) override { return {}; }
  Answer<void> remove(const std::string&, const std::string&) override { return {}; }
  Answer<std::vector<Row>> call(const Call& call) override {
    for (const Attribute& a : call.attributes) {
      if (a.name == "url") {
        EXPECT_TRUE(a.secret);
        url = a.value;
      }
      if (a.name == "dst-path") name = a.value;
    }
    if (!fetches) return Trouble(DeviceError{"failure: connection timeout", 4, call.command});
    reply = ask(url, parse(url).path, from);
    if (reply.empty()) return Trouble(DeviceError{"failure: connection refused", 4, call.command});
    return std::vector<Row>{Row(Attributes{{"status", "finished"}})};
  }
  bool can_upload() const override { return false; }
  Answer<void> upload(const std::string&, std::string_view, const Progress&) override { return {}; }
  Via via() const override { return Via::api_ssl; }
  std::string router() const override { return "home"; }
  std::string host() const override { return "127.0.0.1"; }
  std::string local_address() const override { return local; }
  void interrupt_on(int) override {}

  std::string url, name, reply, local = "127.0.0.1";
  const char* from = "127.0.0.1";
  bool fetches = true;
};

const std::string kBytes(300'000, 'b');

TEST(FetchUpload, TheRouterGetsTheFileWhole) {
  Fetching session;
  std::uint64_t last = 0;
  const base::Result<void> done = fetch_upload(session, "usb1/mikroscope.tar", kBytes,
                                               [&last](std::uint64_t sent, std::uint64_t) { last = sent; });
  ASSERT_TRUE(done.ok()) << done.error().what;
  EXPECT_EQ(session.name, "usb1/mikroscope.tar");
  EXPECT_TRUE(session.reply.ends_with("\r\n\r\n" + kBytes));
  EXPECT_EQ(last, kBytes.size());
  EXPECT_EQ(parse(session.url).path.size(), 65u);
  // Nothing listens any more.
  EXPECT_EQ(ask(session.url, parse(session.url).path), "no connection");
}

TEST(FetchUpload, EachUploadHasItsOwnPath) {
  Fetching one;
  Fetching two;
  ASSERT_TRUE(fetch_upload(one, "x", kBytes, {}).ok());
  ASSERT_TRUE(fetch_upload(two, "x", kBytes, {}).ok());
  EXPECT_NE(parse(one.url).path, parse(two.url).path);
}

TEST(FetchUpload, OthersAreTurnedAway) {
  Fetching session;
  session.from = "127.0.0.2";
  const base::Result<void> done = fetch_upload(session, "x", kBytes, {});
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(
      done.error().what,
      "home: /tool/fetch: failure: connection refused; the request came from 127.0.0.2, not from 127.0.0.1");
  EXPECT_EQ(done.error().what.find(parse(session.url).path), std::string::npos);
}

TEST(FetchUpload, ARouterThatDoesNotReachUs) {
  Fetching session;
  session.fetches = false;
  const base::Result<void> done = fetch_upload(session, "x", kBytes, {});
  ASSERT_FALSE(done.ok());
  EXPECT_NE(done.error().fix.find("127.0.0.1"), std::string::npos);
  EXPECT_NE(done.error().fix.find("--upload sftp"), std::string::npos);
  session.local = "";
  EXPECT_FALSE(fetch_upload(session, "x", kBytes, {}).ok());
}

TEST(OneFileServer, ServesOnceAndOnlyItsPath) {
  base::Result<std::unique_ptr<OneFileServer>> server =
      OneFileServer::start("127.0.0.1", {"127.0.0.1"}, kBytes, {});
  ASSERT_TRUE(server.ok());
  const std::string url = (*server)->url();
  EXPECT_TRUE(ask(url, "/").starts_with("HTTP/1.1 404"));
  EXPECT_TRUE(ask(url, parse(url).path + "x").starts_with("HTTP/1.1 404"));
  EXPECT_EQ(ask(url, parse(url).path, "127.0.0.3"), "");
  EXPECT_TRUE(ask(url, parse(url).path).starts_with("HTTP/1.1 200"));
  EXPECT_TRUE(ask(url, parse(url).path).starts_with("HTTP/1.1 404"));
  (*server)->stop();
  EXPECT_TRUE((*server)->served());
  EXPECT_EQ((*server)->turned_away(), "127.0.0.3");
}

TEST(OneFileServer, EndsWhileAReaderIsSilent) {
  base::Result<std::unique_ptr<OneFileServer>> server =
      OneFileServer::start("127.0.0.1", {"127.0.0.1"}, kBytes, {});
  ASSERT_TRUE(server.ok());
  const Url to = parse((*server)->url());
  const base::Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  inet_pton(AF_INET, to.host.c_str(), &address.sin_addr);
  address.sin_port = htons(to.port);
  ASSERT_EQ(::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  (*server)->stop();
  EXPECT_FALSE((*server)->served());
}

TEST(OneFileServer, RefusesWhatIsNoAddress) {
  EXPECT_FALSE(OneFileServer::start("router.example", {}, kBytes, {}).ok());
  EXPECT_FALSE(OneFileServer::start("192.0.2.55", {}, kBytes, {}).ok());
}

}  // namespace
}  // namespace mikroscope::routeros
