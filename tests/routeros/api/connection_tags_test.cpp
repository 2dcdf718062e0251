#include <gtest/gtest.h>

#include "routeros/api/connection.h"
#include "tests/routeros/api/connection_help.h"

namespace mikroscope::routeros {
namespace {

using namespace std::string_literals;
using namespace test;

TEST(ApiTags, RepliesOfTwoCommandsMayComeMixed) {
  ScriptedRouter router([](Peer& peer) {
    peer.read();
    peer.read();
    peer.say({"!re", ".tag=2", "=name=b1"});
    peer.say({"!re", "=name=a1", ".tag=1"});
    peer.say({"!re", ".tag=2", "=name=b2"});
    peer.say({"!done", ".tag=2"});
    peer.say({"!re", ".tag=1", "=name=a2"});
    peer.say({"!done", ".tag=1"});
    peer.hang();
  });
  ApiConnection connection(plain_wire(router.port()));
  const auto a = started(connection, {"/a/print", {}, {}});
  const auto b = started(connection, {"/b/print", {}, {}});
  const auto first = connection.wait(a);
  const auto second = connection.wait(b);
  ASSERT_TRUE(first.ok());
  ASSERT_TRUE(second.ok());
  ASSERT_EQ(first->rows.size(), 2u);
  ASSERT_EQ(second->rows.size(), 2u);
  EXPECT_EQ(first->rows[1].text("name"), "a2");
  EXPECT_EQ(second->rows[0].text("name"), "b1");
}

TEST(ApiTags, AFifthCommandWaitsForTheEndOfAnother) {
  ScriptedRouter router([](Peer& peer) {
    for (int i = 0; i < 4; ++i) peer.read();
    peer.say({"!done", ".tag=2"});
    EXPECT_EQ(peer.read(), (Words{"/5/print"}));
    EXPECT_EQ(peer.tag(), "5");
    for (const char* tag : {"1", "3", "4", "5"}) peer.say({"!done", ".tag="s + tag});
    peer.hang();
  });
  ApiConnection connection(plain_wire(router.port()));
  std::vector<ApiConnection::Tag> tags;
  for (int i = 1; i <= 4; ++i)
    tags.push_back(started(connection, {"/" + std::to_string(i) + "/print", {}, {}}));
  tags.push_back(started(connection, {"/5/print", {}, {}}));
  for (const auto tag : tags) EXPECT_TRUE(connection.wait(tag).ok());
}

TEST(ApiTags, NoMoreThanFourRunAtOnceAndAFifthWaitsNoLongerThanItsDeadline) {
  ScriptedRouter router([](Peer& peer) { peer.hang(); });
  ApiConnection connection(plain_wire(router.port()));
  for (int i = 0; i < 4; ++i) started(connection, {"/slow/print", {}, {}}, 60'000);
  const auto fifth = connection.start({"/fifth/print", {}, {}}, 50);
  ASSERT_FALSE(fifth.ok());
  EXPECT_TRUE(says(lost(fifth.error()).what, "no answer to /fifth/print within 0.05"))
      << lost(fifth.error()).what;
}

TEST(ApiTags, ACancelledCommandsLateSentencesReachNobody) {
  ScriptedRouter router([](Peer& peer) {
    peer.read();
    EXPECT_EQ(peer.read(), (Words{"/cancel", "=tag=1"}));
    EXPECT_EQ(peer.tag(), "2");
    EXPECT_EQ(peer.read(), (Words{"/next/print"}));
    EXPECT_EQ(peer.tag(), "3") << "no tag is used twice";
    peer.say({"!re", ".tag=1", "=name=late"});
    peer.say({"!trap", ".tag=1", "=category=2", "=message=interrupted"});
    peer.say({"!done", ".tag=2"});
    peer.say({"!re", ".tag=3", "=name=right"});
    peer.say({"!done", ".tag=1"});
    peer.say({"!re", ".tag=1", "=name=after its end"});
    peer.say({"!re", ".tag=99", "=name=of nobody"});
    peer.say({"!done", ".tag=3"});
    peer.hang();
  });
  ApiConnection connection(plain_wire(router.port()));
  const auto tag = started(connection, {"/interface/listen", {}, {}}, ApiConnection::kNoDeadline);
  ASSERT_TRUE(connection.cancel(tag).ok());
  const auto next = run(connection, {"/next/print", {}, {}});
  ASSERT_TRUE(next.ok());
  ASSERT_EQ(next->rows.size(), 1u);
  EXPECT_EQ(next->rows[0].text("name"), "right");
  EXPECT_EQ(connection.stray_sentences(), 2u);
}

TEST(ApiTags, ACancelMayComeTooLate) {
  ScriptedRouter router([](Peer& peer) {
    peer.read();
    peer.read();
    peer.say({"!done", ".tag=1"});
    peer.say({"!trap", ".tag=2", "=message=no such item"});
    peer.say({"!done", ".tag=2"});
    peer.read();
    peer.say({"!done", ".tag=3"});
    peer.hang();
  });
  ApiConnection connection(plain_wire(router.port()));
  ASSERT_TRUE(connection.cancel(started(connection, {"/x/print", {}, {}})).ok());
  EXPECT_TRUE(run(connection, {"/y/print", {}, {}}).ok());
  EXPECT_TRUE(connection.cancel(77).ok()) << "a tag that is done with needs no cancelling";
}

TEST(ApiTags, ACancelledTagIsOfNoUseAnyMore) {
  ScriptedRouter router([](Peer& peer) {
    peer.read();
    peer.say({"!re", ".tag=1", "=.id=*1"});
    peer.read();
    peer.say({"!done", ".tag=1"});
    peer.say({"!done", ".tag=2"});
    peer.hang();
  });
  ApiConnection connection(plain_wire(router.port()));
  const auto tag = started(connection, {"/log/listen", {}, {}}, ApiConnection::kNoDeadline);
  EXPECT_TRUE(connection.next_row(tag, 5000).ok());
  ASSERT_TRUE(connection.cancel(tag).ok());
  EXPECT_FALSE(connection.running(tag));
  const auto row = connection.next_row(tag, 1);
  ASSERT_TRUE(row.ok());
  EXPECT_FALSE(row->has_value());
  const auto answer = connection.wait(tag);
  ASSERT_FALSE(answer.ok());
  EXPECT_NE(device_error(answer.error()), nullptr) << "the connection is well";
}

TEST(ApiTags, ListensForChangesAndRemovals) {
  ScriptedRouter router([](Peer& peer) {
    peer.read();
    peer.answer({"!re", "=.id=*1", "=name=ether1"});
    peer.answer({"!re", "=.id=*1", "=.dead=true"});
    peer.answer({"!re", "=.id=*2", "=.dead=yes"});
    peer.answer({"!trap", "=category=2", "=message=interrupted"});
    peer.answer({"!done"});
    peer.hang();
  });
  ApiConnection connection(plain_wire(router.port()));
  const auto tag = started(connection, {"/interface/listen", {}, {}}, ApiConnection::kNoDeadline);
  std::vector<Row> rows;
  for (int i = 0; i < 3; ++i) {
    auto row = connection.next_row(tag, 5000);
    ASSERT_TRUE(row.ok() && row->has_value()) << i;
    rows.push_back(std::move(**row));
  }
  EXPECT_EQ(rows[0].text("name"), "ether1");
  EXPECT_FALSE(rows[0].flag(".dead"));
  EXPECT_TRUE(rows[1].flag(".dead"));
  EXPECT_EQ(rows[2].id(), "*2");
  EXPECT_TRUE(rows[2].flag(".dead"));
  const auto end = connection.next_row(tag, 5000);
  ASSERT_FALSE(end.ok());
  ASSERT_NE(device_error(end.error()), nullptr);
  EXPECT_EQ(device_error(end.error())->category, 2);
  EXPECT_FALSE(connection.running(tag));
}

TEST(ApiTags, NothingNewIsNoLoss) {
  ScriptedRouter router([](Peer& peer) {
    peer.read();
    peer.read();
    peer.say({"!done", ".tag=2"});
    peer.hang();
  });
  ApiConnection connection(plain_wire(router.port()));
  const auto tag = started(connection, {"/log/listen", {}, {}}, ApiConnection::kNoDeadline);
  const auto nothing = connection.next_row(tag, 20);
  ASSERT_TRUE(nothing.ok());
  EXPECT_FALSE(nothing->has_value());
  EXPECT_TRUE(connection.running(tag));
  EXPECT_TRUE(run(connection, {"/x/print", {}, {}}).ok());
}

TEST(ApiTags, WhatCameWholeCountsEvenIfTheSessionEndsWithIt) {
  ScriptedRouter router([](Peer& peer) {
    peer.read();
    peer.read();
    peer.send("\x03!re\x06.tag=2\x00\x05!done\x06.tag=2\x00\x06!fatal\x08reboot 1\x00"s);
  });
  ApiConnection connection(plain_wire(router.port()));
  const auto first = started(connection, {"/a/print", {}, {}});
  const auto second = started(connection, {"/b/print", {}, {}});
  const auto lost_one = connection.wait(first);
  ASSERT_FALSE(lost_one.ok());
  EXPECT_EQ(lost(lost_one.error()).what, "the router ended the session: reboot 1");
  const auto whole = connection.wait(second);
  ASSERT_TRUE(whole.ok());
  EXPECT_EQ(whole->rows.size(), 1u);
}

}  // namespace
}  // namespace mikroscope::routeros
