#include "routeros/ssh/sftp_packets.h"

#include <gtest/gtest.h>

namespace mikroscope::routeros::sftp {
namespace {

using namespace std::string_literals;

TEST(SftpPackets, Requests) {
  EXPECT_EQ(init_packet(), "\0\0\0\5\1\0\0\0\3"s);
  // length 18: type, id, name of 1 octet with its length, flags write|create|truncate, no attributes
  EXPECT_EQ(open_for_writing(7, "a"), "\0\0\0\x12\3\0\0\0\7\0\0\0\1a\0\0\0\x1a\0\0\0\0"s);
  EXPECT_EQ(write_packet(8, "h", 0x100000002, "xy"),
            "\0\0\0\x18\6\0\0\0\x8\0\0\0\1h\0\0\0\1\0\0\0\2\0\0\0\2xy"s);
  EXPECT_EQ(close_packet(9, "h"), "\0\0\0\xa\4\0\0\0\x9\0\0\0\1h"s);
  EXPECT_EQ(stat_packet(9, "h"), "\0\0\0\xa\x11\0\0\0\x9\0\0\0\1h"s);
}

TEST(SftpPackets, RepliesAreTakenOneByOne) {
  std::string buffer = "\0\0\0\5\2\0\0\0\3"s + "\0\0\0\xc\x66\0\0\0\7\0\0\0\3abc"s +
                       "\0\0\0\x17\x65\0\0\0\x8\0\0\0\4\0\0\0\4full\0\0\0\2en"s +
                       "\0\0\0\x11\x69\0\0\0\x9\0\0\0\1\0\0\0\0\0\0\1\0"s;
  Reply reply;
  ASSERT_EQ(take_reply(buffer, reply), Taken::reply);
  EXPECT_EQ(reply.type, Type::version);
  ASSERT_EQ(take_reply(buffer, reply), Taken::reply);
  EXPECT_EQ(reply.type, Type::handle);
  EXPECT_EQ(reply.id, 7u);
  EXPECT_EQ(reply.handle, "abc");
  ASSERT_EQ(take_reply(buffer, reply), Taken::reply);
  EXPECT_EQ(reply.type, Type::status);
  EXPECT_EQ(reply.status, Status::failure);
  EXPECT_EQ(reply.message, "full");
  ASSERT_EQ(take_reply(buffer, reply), Taken::reply);
  EXPECT_EQ(reply.type, Type::attrs);
  EXPECT_EQ(reply.size, 256u);
  EXPECT_EQ(take_reply(buffer, reply), Taken::need_more);
  EXPECT_TRUE(buffer.empty());
}

TEST(SftpPackets, WhatIsNotWholeWaits) {
  const std::string whole = "\0\0\0\xc\x66\0\0\0\7\0\0\0\3abc"s;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    std::string buffer = whole.substr(0, size);
    Reply reply;
    EXPECT_EQ(take_reply(buffer, reply), Taken::need_more) << size;
    EXPECT_EQ(buffer.size(), size);
  }
}

TEST(SftpPackets, WhatCannotBeIsBad) {
  Reply reply;
  for (const std::string& text : {
           "\0\0\0\0\2"s,                       // no type
           "\x7f\xff\xff\xff\x66"s,             // 2 GiB
           "\0\0\0\5\x63\0\0\0\1"s,             // unknown type
           "\0\0\0\x9\x66\0\0\0\7\0\0\0\xff"s,  // a handle longer than its packet
           "\0\0\0\3\x65\0\0"s,                 // a status without its id
           "HTTP/1.1 400 Bad Request\r\n\r\n"s,
       }) {
    std::string buffer = text;
    EXPECT_EQ(take_reply(buffer, reply), Taken::bad) << text;
  }
}

TEST(SftpPackets, AStatusMayLackItsText) {
  std::string buffer = "\0\0\0\x9\x65\0\0\0\7\0\0\0\0"s;
  Reply reply;
  ASSERT_EQ(take_reply(buffer, reply), Taken::reply);
  EXPECT_EQ(reply.status, Status::ok);
}

}  // namespace
}  // namespace mikroscope::routeros::sftp
