#include "routeros/deploy/firewall_address.h"

#include <gtest/gtest.h>

namespace mikroscope::routeros {
namespace {

std::string text_of(const std::optional<IpRange>& range) {
  return range ? ip_text(range->first) + " " + ip_text(range->last) : "none";
}

TEST(FirewallAddress, Ranges) {
  EXPECT_EQ(text_of(parse_ip_range("192.168.88.5")), "192.168.88.5 192.168.88.5");
  EXPECT_EQ(text_of(parse_ip_range("192.168.88.5/24")), "192.168.88.0 192.168.88.255");
  EXPECT_EQ(text_of(parse_ip_range("172.30.10.0/30")), "172.30.10.0 172.30.10.3");
  EXPECT_EQ(text_of(parse_ip_range("10.0.0.5-10.0.1.9")), "10.0.0.5 10.0.1.9");
  EXPECT_EQ(text_of(parse_ip_range("0.0.0.0/0")), "0.0.0.0 255.255.255.255");
  EXPECT_EQ(text_of(parse_ip_range("2001:db8::/33")), "2001:db8:: 2001:db8:7fff:ffff:ffff:ffff:ffff:ffff");
  EXPECT_EQ(text_of(parse_ip_range("10.0.0.9-10.0.0.5")), "none");
  EXPECT_EQ(text_of(parse_ip_range("10.0.0.1-2001:db8::1")), "none");
  EXPECT_EQ(text_of(parse_ip_range("10.0.0.0/33")), "none");
  EXPECT_EQ(text_of(parse_ip_range("host.example")), "none");
  EXPECT_EQ(text_of(parse_ip_range("my-host.example")), "none");
  EXPECT_EQ(text_of(parse_ip_range("")), "none");
}

TEST(FirewallAddress, Containment) {
  const IpRange lan = *parse_ip_range("192.168.88.0/24");
  EXPECT_TRUE(lan.contains(*parse_ip("192.168.88.0")));
  EXPECT_TRUE(lan.contains(*parse_ip("192.168.88.255")));
  EXPECT_FALSE(lan.contains(*parse_ip("192.168.89.0")));
  EXPECT_FALSE(lan.contains(*parse_ip("::ffff:192.168.88.1")));
  EXPECT_TRUE(lan.overlaps(*parse_ip_range("192.168.0.0/16")));
  EXPECT_FALSE(lan.contains(*parse_ip_range("192.168.0.0/16")));
  EXPECT_FALSE(lan.overlaps(*parse_ip_range("192.168.89.0/24")));
  EXPECT_TRUE(parse_ip_range("0.0.0.0/0")->everything());
  EXPECT_TRUE(parse_ip_range("::/0")->everything());
  EXPECT_FALSE(parse_ip_range("0.0.0.0/1")->everything());
  EXPECT_EQ(*parse_ip("fe80::1%ether1"), *parse_ip("fe80::1"));
  EXPECT_EQ(prefix_length("10.0.0.1"), 32);
  EXPECT_EQ(prefix_length("10.0.0.0/8"), 8);
  EXPECT_EQ(prefix_length("x/8"), std::nullopt);
}

}  // namespace
}  // namespace mikroscope::routeros
