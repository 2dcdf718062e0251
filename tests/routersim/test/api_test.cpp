// The API server as a client on the wire sees it.
#include <gtest/gtest.h>

#include "tests/routersim/api/api_server.h"
#include "tests/routersim/test/raw_client.h"
#include "tests/routersim/test/support.h"

namespace mikroscope::routersim {
namespace {

using namespace std::string_literals;

struct Served {
  explicit Served(Config config = {}) : router(std::move(config)), server(router) {}
  Router router;
  ApiServer server;
};

TEST(Words, LengthsAsTheManualHasThem) {
  struct Vector {
    std::size_t length;
    std::string head;
  };
  for (const Vector& one : {Vector{0x7F, "\x7F"s},
                            {0x80, "\x80\x80"s},
                            {0x100, "\x81\x00"s},
                            {0x3FFF, "\xBF\xFF"s},
                            {0x4000, "\xC0\x40\x00"s},
                            {0x1FFFFF, "\xDF\xFF\xFF"s},
                            {0x200000, "\xE0\x20\x00\x00"s}}) {
    std::string out;
    put_word(out, std::string(one.length, 'x'));
    EXPECT_EQ(out.substr(0, out.size() - one.length), one.head) << one.length;
    Reader reader;
    reader.feed(out + '\0');
    EXPECT_EQ(reader.next()->front().size(), one.length);
  }
}

TEST(Words, SentencesMayArriveInAnyPieces) {
  const std::string octets = "\0\0\x06/login\x0b=name=admin\x0a=password=\0"s;
  Reader reader;
  std::optional<Sentence> found;
  for (const char octet : octets) {
    EXPECT_FALSE(found.has_value());
    reader.feed(std::string_view(&octet, 1));
    found = reader.next();
  }
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(*found, (Sentence{"/login", "=name=admin", "=password="}));
  reader.feed("\xF8");
  EXPECT_FALSE(reader.next().has_value());
  EXPECT_TRUE(reader.broken());
}

TEST(Login, PlainAndItsRefusals) {
  Served sim({.presets = {"home", "policies"}, .admin_password = "sesame"});
  RawClient client(sim.server.port());
  EXPECT_EQ(client.ask({"/login", "=name=admin", "=password=wrong"}),
            "!trap =message=invalid user name or password (6)\n!done\n");
  EXPECT_EQ(client.ask({"/login", "=name=admin", "=password=sesame", ".tag=l"}), "!done .tag=l\n");
  EXPECT_EQ(client.ask({"/system/identity/print", "=.proplist=name"}), "!re =name=MikroTik\n!done\n");
  client.send({"/quit"});
  EXPECT_EQ(client.next(), "!fatal session terminated on request");
  EXPECT_EQ(client.next(), "(closed)");
}

TEST(Login, IsNeededFirst) {
  Served sim;
  RawClient client(sim.server.port());
  EXPECT_EQ(client.ask({"/login"}), "!done\n");  // and says nothing about being logged in
  client.send({"/ip/address/print"});
  EXPECT_EQ(client.next(), "!fatal not logged in");
  EXPECT_EQ(client.next(), "(closed)");
}

TEST(Login, TheChallengeOfOldVersions) {
  Served sim({.ros = "6.42.9", .admin_password = "test"});
  RawClient client(sim.server.port());
  const std::string answer = client.ask({"/login"});
  ASSERT_EQ(answer.size(), "!done =ret=\n"s.size() + 32);
  EXPECT_EQ(client.ask({"/login", "=name=admin", "=response=00112233445566778899aabbccddeeff00"}),
            "!trap =message=cannot log in\n!done\n");
}

// password "test" and the challenge ad7f…: 007b56809cb829ad99e915848eea5d92a7.
TEST(Login, TheChallengeIsDigestedAsOctets) {
  Router router({.ros = "6.42.9", .admin_password = "test"});
  const std::string challenge = "\xad\x7f\xe8\xf6\xd3\xcf\x5d\x58\xf0\xc8\xe9\xa3\xb1\xb2\xc3\xd4";
  EXPECT_TRUE(
      router.login_challenge(Via::api, "admin", challenge, "007b56809cb829ad99e915848eea5d92a7", "127.0.0.1")
          .user.has_value());
}

TEST(Replies, EmptyIsSaidFrom718On) {
  for (const bool says : {false, true}) {
    Served sim({.ros = says ? "7.18" : "7.17"});
    RawClient client(sim.server.port());
    client.login();
    EXPECT_EQ(client.ask({"/ip/address/print", "?comment=none-such", ".tag=7"}),
              says ? "!empty .tag=7\n!done .tag=7\n" : "!done .tag=7\n");
  }
  Served quiet({.ros = "7.24", .no_empty = true});
  RawClient client(quiet.server.port());
  client.login();
  EXPECT_EQ(client.ask({"/ip/address/print", "?comment=none-such"}), "!done\n");
}

TEST(Replies, AddGivesTheIdAndCountOnlyTheNumber) {
  Served sim({.presets = {"bare"}});
  RawClient client(sim.server.port());
  client.login();
  EXPECT_EQ(client.ask({"/interface/list/add", "=name=LAN"}), "!done =ret=*5\n");
  EXPECT_EQ(client.ask({"/interface/list/print", "=count-only=", "?dynamic=false"}), "!done =ret=4\n");
  EXPECT_EQ(client.ask({"/interface/list/add", "=name=LAN", ".tag=2"}),
            "!trap =message=failure: already have interface list with such name .tag=2\n!done .tag=2\n");
  EXPECT_EQ(client.ask({"#"}), "!trap =category=0 =message=no such command\n!done\n");
  client.send_raw("\0\0"s);
  EXPECT_EQ(client.ask({"/system/identity/set", "=name=a=b"}), "!done\n");
  EXPECT_EQ(client.ask({"/system/identity/getall"}), "!re =name=a=b\n!done\n");
}

TEST(Replies, ListenTellsChangesAndDeath) {
  Served sim;
  RawClient client(sim.server.port());
  client.login();
  client.send({"/ip/firewall/address-list/listen", ".tag=5"});
  // Once it listens, a change is told; until then the addition is simply there.
  client.ask({"/ip/firewall/address-list/add", "=list=l", "=address=192.0.2.1", ".tag=6"});
  client.send({"/ip/firewall/address-list/set", "=.id=*1", "=comment=x", ".tag=7"});
  std::string told;
  while (told.find("=comment=x") == std::string::npos && told.find('(') == std::string::npos)
    told = client.next();
  EXPECT_EQ(told.find("!re =.id=*1 =list=l"), 0u) << told;
  client.send({"/ip/firewall/address-list/remove", "=.id=*1", ".tag=8"});
  while (told.find(".dead") == std::string::npos && told.find('(') == std::string::npos) told = client.next();
  EXPECT_EQ(told, "!re =.id=*1 =.dead=true .tag=5");
  client.send({"/cancel", "=tag=5", ".tag=9"});
  EXPECT_EQ(client.until_done("5"),
            "!trap =category=2 =message=interrupted .tag=5\n!done .tag=9\n!done .tag=5\n");
}

TEST(Replies, CancelsDoneMayComeFirst) {
  Served sim({.faults = {"cancel-done-first"}});
  RawClient client(sim.server.port());
  client.login();
  client.send({"/log/listen", ".tag=5"});
  client.send({"/cancel", "=tag=5", ".tag=9"});
  EXPECT_EQ(client.until_done("5"),
            "!done .tag=9\n!trap =category=2 =message=interrupted .tag=5\n!done .tag=5\n");
  client.send({"/log/listen", ".tag=6"});
  EXPECT_EQ(client.ask({"/cancel", "=.tag=6"}), "!done\n");  // the common mistake cancels nothing
}

TEST(Replies, TaggedOnesMayBeMixed) {
  Served sim({.faults = {"interleave"}});
  RawClient client(sim.server.port());
  client.login();
  client.send({"/interface/print", "=.proplist=name", ".tag=a"});
  client.send({"/ip/service/print", "=.proplist=name", ".tag=b"});
  std::string order;
  int done = 0;
  while (done < 2) {
    const std::string line = client.next();
    ASSERT_NE(line[0], '(') << line;
    order += line.back();
    done += line.rfind("!done", 0) == 0 ? 1 : 0;
  }
  EXPECT_NE(order.find("ab"), std::string::npos) << order;
  EXPECT_NE(order.find("ba"), std::string::npos) << order;
}

struct Broken {
  const char* fault;
  const char* seen;
};

TEST(ConnectionFaults, AreSeenOnTheWire) {
  const Broken kCases[] = {
      {"hang-after=1", "(nothing)"},
      {"control-octet=2", "(broken)"},
      {"huge-length=2", "(broken)"},
      {"unknown-reply", "!later =message=of no known kind"},
  };
  for (const Broken& one : kCases) {
    Served sim;
    sim.router.set_fault(one.fault);
    RawClient client(sim.server.port());
    client.login();
    client.send({"/system/identity/print"});
    EXPECT_EQ(client.next(300), one.seen) << one.fault;
  }
  Served sim({.faults = {"accept-close"}});
  EXPECT_EQ(RawClient(sim.server.port()).next(), "(closed)");
  sim.router.clear_faults();
  sim.router.set_fault("reset-in-reply=2");
  RawClient client(sim.server.port());
  client.login();
  client.send({"/interface/print"});
  const std::string last = client.next();
  EXPECT_TRUE(last == "(reset)" || last.rfind("!re", 0) == 0) << last;
}

TEST(ConnectionFaults, OneOctetPerWriteIsStillTheSameReply) {
  Served sim({.faults = {"octet-writes", "empty-sentences", "tag-first"}});
  RawClient client(sim.server.port());
  client.login();
  EXPECT_EQ(client.ask({"/system/identity/print", ".tag=x"}), "!re .tag=x =name=MikroTik\n!done .tag=x\n");
}

TEST(ConnectionFaults, ARebootCutsConnections) {
  Served sim({.faults = {"reboot-at-write=1"}});
  RawClient client(sim.server.port());
  RawClient other(sim.server.port());
  client.login();
  other.login();
  client.send({"/interface/list/add", "=name=x"});
  EXPECT_EQ(client.next(), "(reset)");
  EXPECT_EQ(other.next(), "(reset)");
  RawClient again(sim.server.port());
  again.login();
  EXPECT_EQ(again.ask({"/interface/list/print", "=count-only=", "?name=x"}), "!done =ret=1\n");
}

TEST(Service, SessionsAndAddressesAreLimited) {
  Served sim;
  RawClient first(sim.server.port());
  first.login();
  first.ask({"/ip/service/set", "=numbers=api", "=max-sessions=1"});
  EXPECT_EQ(RawClient(sim.server.port()).next(), "(closed)");
  first.ask({"/ip/service/set", "=numbers=api", "=max-sessions=20", "=address=198.51.100.0/24"});
  EXPECT_EQ(RawClient(sim.server.port()).next(), "(closed)");
}

// The version and cipher of a handshake that takes what a default client takes; "" when there is none.
std::string handshake(std::uint16_t port, const char* ciphers) {
  RawClient client(port);
  SSL_CTX* context = SSL_CTX_new(TLS_client_method());
  if (ciphers != nullptr) SSL_CTX_set_cipher_list(context, ciphers);
  if (ciphers != nullptr) SSL_CTX_set_max_proto_version(context, TLS1_2_VERSION);
  SSL* ssl = SSL_new(context);
  SSL_set_fd(ssl, client.fd());
  std::string text;
  if (SSL_connect(ssl) == 1) {
    text = SSL_get_version(ssl) + " "s + SSL_get_cipher_name(ssl);
    const std::string login = encode({"/login", "=name=admin", "=password="});
    SSL_write(ssl, login.data(), static_cast<int>(login.size()));
    char reply[64];
    const int got = SSL_read(ssl, reply, sizeof reply);
    text += got == 7 && std::string(reply, 7) == "\x05!done\0"s ? " logged in" : " no answer";
  }
  SSL_free(ssl);
  SSL_CTX_free(context);
  return text;
}

TEST(TlsServer, WithACertificateAndWithout) {
  Router router;
  ApiServer certified(router, {.tls = Tls::certificate});
  ApiServer anonymous(router, {.tls = Tls::anonymous});
  EXPECT_EQ(certified.tls_fingerprint().size(), 32u * 3 - 1);
  EXPECT_EQ(handshake(certified.port(), nullptr), "TLSv1.3 TLS_AES_256_GCM_SHA384 logged in");
  EXPECT_EQ(handshake(anonymous.port(), nullptr), "");
  EXPECT_EQ(handshake(anonymous.port(), "ADH:@SECLEVEL=0"), "TLSv1.2 ADH-AES256-GCM-SHA384 logged in");
}

}  // namespace
}  // namespace mikroscope::routersim
