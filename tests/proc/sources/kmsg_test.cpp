#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "fake_machine.h"
#include "proc/sources/kmsg_record.h"

namespace mikroscope::proc::test {
namespace {

using std::nullopt;

// Stands in for /dev/kmsg: a pipe in packet mode gives one record per read and says EAGAIN when it is empty.
struct KmsgPipe {
  KmsgPipe() {
    EXPECT_EQ(pipe2(ends, O_DIRECT | O_NONBLOCK | O_CLOEXEC), 0);
    EXPECT_GE(fcntl(ends[1], F_SETPIPE_SZ, 1 << 20),
              1 << 20);  // a page per record: room for more than a tick takes
    path = "/proc/self/fd/" + std::to_string(ends[0]);
    Roots r{"/nonexistent", "/nonexistent", path, false};
    sampler.emplace(r, std::initializer_list<std::string_view>{"kmsg"});
  }
  ~KmsgPipe() {
    sampler.reset();
    close(ends[0]);
    close(ends[1]);
  }
  void put(std::string_view record) {
    EXPECT_EQ(write(ends[1], record.data(), record.size()), static_cast<ssize_t>(record.size()));
  }
  int ends[2] = {-1, -1};
  std::string path;
  std::optional<FakeSampler> sampler;
};

TEST(Kmsg, ARecordBecomesAnEvent) {
  KmsgPipe k;
  ASSERT_EQ(k.sampler->opened("kmsg"), ReadStatus::ok);
  k.put(
      "6,212198,209193854918,-,caller=T166;br0: port 2(eth1) entered blocking state\n SUBSYSTEM=net\n "
      "DEVICE=n2\n");
  k.put("4,212199,209193854920,-;a \"quoted\" word, a tab \\x09 and \\\\x\n");
  k.sampler->tick();
  ASSERT_EQ(k.sampler->events().size(), 2U);
  EXPECT_EQ(
      k.sampler->events()[0],
      R"({"log":{"level":6,"facility":0,"record":212198,"boot_ns":209193854918000,)"
      R"("message":"br0: port 2(eth1) entered blocking state","interface":"eth1","kind":"stp-blocking"}})");
  EXPECT_EQ(k.sampler->events()[1],
            R"({"log":{"level":4,"facility":0,"record":212199,"boot_ns":209193854920000,)"
            R"("message":"a \"quoted\" word, a tab \t and \\\\x"}})");
  EXPECT_EQ(k.sampler->cell("self", "kmsg_dropped"), 0);
}

TEST(Kmsg, AtMost64PerTickAndTheRestWaits) {
  KmsgPipe k;
  for (int i = 0; i < 70; ++i) k.put("6," + std::to_string(100 + i) + ",5,-;x\n");
  k.sampler->tick();
  EXPECT_EQ(k.sampler->events().size(), 64U);
  k.sampler->tick();
  EXPECT_EQ(k.sampler->events().size(), 70U);
  EXPECT_EQ(k.sampler->cell("self", "kmsg_dropped"), 0);
}

TEST(Kmsg, LossesAreCountedByRecordNotByEvent) {
  KmsgPipe k;
  k.put("6,100,5,-;a\n");
  k.sampler->tick();
  k.put("6,141,5,-;b\n");
  k.put("6,142,5,-;c\n");
  k.sampler->tick();
  EXPECT_EQ(k.sampler->cell("self", "kmsg_dropped"), 40);
  // What is no record is found missing by the next one's number.
  k.put("nonsense\n");
  k.put("6,144,5,-;d\n");
  k.sampler->tick();
  EXPECT_EQ(k.sampler->cell("self", "kmsg_dropped"), 41);
  EXPECT_EQ(k.sampler->events().size(), 4U);
}

TEST(Kmsg, NeverTheBacklog) {
  FakeTree tree;
  tree.write("dev/kmsg", "6,1,5,-;old\n");
  const TreeRoots roots(tree.root());
  FakeSampler s(roots.roots(), {"kmsg"});
  s.tick();
  EXPECT_TRUE(s.events().empty());
  tree.append("dev/kmsg", "6,2,6,-;new\n property\n6,3,6,-;newer\n");
  s.tick();
  EXPECT_EQ(s.events().size(), 2U);
}

TEST(KmsgRecord, Forms) {
  KmsgRecord r;
  ASSERT_TRUE(parse_kmsg("30,5,123,-;text; with ; marks", r));
  EXPECT_EQ(r.level, 6U);
  EXPECT_EQ(r.facility, 3U);
  EXPECT_EQ(r.seq, 5U);
  EXPECT_EQ(r.boot_us, 123U);
  EXPECT_EQ(r.message, "text; with ; marks");
  EXPECT_TRUE(parse_kmsg("6,5,123,c,caller=C1;", r));
  EXPECT_TRUE(r.message.empty());
  for (const char* bad :
       {"", "x", "6", "6,5", "6,5,123", "6,5,123,-", "-1,5,123,-;x", " 6,5,123,-;x", "6,5,abc,-;x",
        "6,5,99999999999999999999,-;x", "6,5,18446744073709551615,-;x", "6,5,123-;x"}) {
    EXPECT_FALSE(parse_kmsg(bad, r)) << bad;
  }
}

TEST(KmsgRecord, Unescape) {
  const auto unescaped = [](std::string text) {
    text.resize(unescape_kmsg(text.data(), text.size()));
    return text;
  };
  EXPECT_EQ(unescaped("a\\x0ab"), "a\nb");
  EXPECT_EQ(unescaped("B\\xc3\\xbcro \\x5cx41"), "B\xc3\xbcro \\x41");
  EXPECT_EQ(unescaped("end\\x4"), "end\\x4");
  EXPECT_EQ(unescaped("\\xzz\\x 1\\"), "\\xzz\\x 1\\");
}

struct Classified {
  const char* message;
  const char* interface;
  const char* kind;
};
class Classify : public testing::TestWithParam<Classified> {};
TEST_P(Classify, NamesInterfaceAndKind) {
  const KmsgMeaning meaning = classify_kmsg(GetParam().message);
  EXPECT_EQ(meaning.interface, GetParam().interface) << GetParam().message;
  EXPECT_EQ(meaning.kind, GetParam().kind) << GetParam().message;
}
INSTANTIATE_TEST_SUITE_P(
    Messages, Classify,
    testing::Values(
        Classified{"mvpp2 f2000000.ethernet eth1: Link is Up - 1Gbps/Full - flow control rx/tx", "eth1",
                   "link-up"},
        Classified{"mvpp2 f2000000.ethernet eth1: Link is Down", "eth1", "link-down"},
        Classified{"eth5: link up, 1000Mbps, full-duplex", "eth5", "link-up"},
        Classified{"eth5 phy link down", "eth5", "link-down"},
        Classified{"e1000e 0000:00:1f.6 enp0s31f6: NIC Link is Up 1000 Mbps", "enp0s31f6", "link-up"},
        Classified{"IPv6: ADDRCONF(NETDEV_CHANGE): eth0: link becomes ready", "eth0", "other"},
        Classified{"br0: port 2(eth1) entered forwarding state", "eth1", "stp-forwarding"},
        Classified{"bridge: port 1(sfp-sfpplus1) entered disabled state", "sfp-sfpplus1", "stp-disabled"},
        Classified{"br0: port 3(ether3) entered listening state", "ether3", "stp-listening"},
        Classified{"br0: port 3(ether3) entered learning state", "ether3", "stp-learning"},
        Classified{"br0: port 3(ether3) entered promiscuous mode", "br0", "other"},
        Classified{"br0: received packet on eth4 with own address as source address (addr:00:11, vlan:0)",
                   "eth4", "own-address"},
        Classified{"device switch0 entered promiscuous mode.", "switch0", "other"},
        Classified{"vlan eth0.100: link up", "eth0.100", "link-up"}, Classified{"wlan0.", "wlan0", "other"},
        Classified{"Out of memory: Killed process 12 (x)", "", ""},
        Classified{"teeth1 and myeth0x are no interfaces", "", ""}, Classified{"Link is Up", "", ""},
        Classified{"", "", ""}));

TEST(Kmsg, TheRealDevice) {
  const int fd = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
  const int reading = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0 || reading < 0) GTEST_SKIP() << "/dev/kmsg can not be opened for reading and writing here";
  close(reading);
  const Roots roots{};
  FakeSampler s(roots, {"kmsg"});
  const std::string mark = "mikroscope test " + std::to_string(getpid());
  const std::string line = "<14>" + mark + "\n";
  const bool wrote = write(fd, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  close(fd);
  if (!wrote) GTEST_SKIP() << "/dev/kmsg refuses writes here";
  s.tick();
  bool found = false;
  for (const std::string& event : s.events()) found = found || event.find(mark) != std::string::npos;
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace mikroscope::proc::test
