#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sinks/stores/registry.h"
#include "tests/sinks/support/fault_server.h"
#include "tests/sinks/support/sample_events.h"

namespace mikroscope::sinks {
namespace {

using test::FaultServer;
using ::testing::HasSubstr;
using ::testing::Not;
using Verdict = Delivery::Verdict;
using Values = std::map<std::string, std::string>;

const std::string kLine = "mikroscope_cpu,host=r,cpu=0 user=1i,idle=9i,busy_ratio=0.1 1789000000000000000\n";

std::unique_ptr<Sink> make(const Values& values) {
  SinkValues given;
  for (const auto& [name, value] : values) given.set(name, value);
  auto sink = kInfluxSink.make(given);
  EXPECT_TRUE(sink.ok()) << sink.error().what;
  return sink.ok() ? std::move(*sink) : nullptr;
}
base::Error refused(const Values& values) {
  SinkValues given;
  for (const auto& [name, value] : values) given.set(name, value);
  auto sink = kInfluxSink.make(given);
  EXPECT_FALSE(sink.ok());
  return sink.ok() ? base::Error{} : sink.error();
}
Delivery deliver(Sink& sink) {
  const std::vector<model::Event> events = {test::cpu_sample("r", 0, {1, 9, 0, 0, 0.1, false})};
  return sink.deliver(events);
}

TEST(Influx, WritesAsEachVersionWantsIt) {
  struct Case {
    Values values;
    std::string url;
    std::string authorization;
  };
  const Case cases[] = {
      {{{"influx-version", "3"}, {"influx-token", "tok"}},
       "/api/v3/write_lp?db=my%20db&precision=nanosecond",
       "Bearer tok"},
      {{{"influx-version", "2"}, {"influx-org", "a&b"}, {"influx-token", "tok"}},
       "/api/v2/write?org=a%26b&bucket=my%20db&precision=ns",
       "Token tok"},
      {{{"influx-version", "1"}, {"influx-token", "me:secret"}},
       "/write?db=my%20db&precision=ns",
       "Basic bWU6c2VjcmV0"},
      {{{"influx-version", "1"}}, "/write?db=my%20db&precision=ns", ""},
  };
  for (const Case& c : cases) {
    FaultServer server;
    Values values = c.values;
    values["influx"] = server.url();
    values["influx-db"] = "my db";
    const auto sink = make(values);
    EXPECT_EQ(deliver(*sink).verdict, Verdict::done);
    const auto asked = server.asked();
    ASSERT_EQ(asked.size(), 1U);
    EXPECT_EQ(asked[0].method, "POST");
    EXPECT_EQ(asked[0].url, c.url);
    EXPECT_EQ(asked[0].header("authorization"), c.authorization);
    EXPECT_EQ(asked[0].header("content-type"), "text/plain; charset=utf-8");
    EXPECT_EQ(asked[0].body, kLine);
    EXPECT_EQ(sink->name(), "influx " + server.url());
  }
}

TEST(Influx, AsksTheServerForItsVersionOnce) {
  struct Case {
    test::Answer ping;
    test::Answer health;
    std::string begin;
  };
  const Case cases[] = {
      {{204, "", {{"X-Influxdb-Version", "1.6.7~rc0"}}}, {404}, "/write?db=m"},
      {{204, "", {{"X-Influxdb-Version", "v2.7.1"}}}, {404}, "/api/v2/write?org=&bucket=m"},
      {{200, R"({"version":"3.0.1","revision":"x"})"}, {200, "OK"}, "/api/v3/write_lp?db=m"},
      {{204}, {200, R"({"name":"influxdb","version":"v2.0.4"})"}, "/api/v2/write?org=&bucket=m"},
      {{401}, {401}, "/api/v3/write_lp?db=m"},
      {{404}, {404}, "/api/v3/write_lp?db=m"},
  };
  for (const Case& c : cases) {
    FaultServer server;
    server.answer_always("/ping", c.ping);
    server.answer_always("/health", c.health);
    const auto sink = make({{"influx", server.url()}, {"influx-db", "m"}});
    EXPECT_EQ(deliver(*sink).verdict, Verdict::done);
    EXPECT_THAT(server.asked().back().url, HasSubstr(c.begin));
    const std::size_t before = server.asked().size();
    EXPECT_EQ(deliver(*sink).verdict, Verdict::done);
    EXPECT_EQ(server.asked().size(), before + 1);
  }
}

TEST(Influx, AServerThatIsStartingIsAskedAgain) {
  FaultServer server;
  server.answer({{503}, {204, "", {{"X-Influxdb-Version", "1.8.10"}}}, {204}});
  const auto sink = make({{"influx", server.url()}, {"influx-db", "m"}});
  EXPECT_EQ(deliver(*sink).verdict, Verdict::retry);
  EXPECT_EQ(deliver(*sink).verdict, Verdict::done);
  EXPECT_EQ(server.asked().back().url, "/write?db=m&precision=ns");
}

TEST(Influx, AUrlWithAPathIsUsedAsItIs) {
  FaultServer server;
  const auto sink =
      make({{"influx", server.url() + "/influx/api/v2/write?bucket=b"}, {"influx-token", "tok"}});
  EXPECT_EQ(deliver(*sink).verdict, Verdict::done);
  ASSERT_EQ(server.asked().size(), 1U);
  EXPECT_EQ(server.asked()[0].url, "/influx/api/v2/write?bucket=b");
  EXPECT_EQ(server.asked()[0].header("authorization"), "Token tok");
}

TEST(Influx, APartialWriteIsDoneButForTheLinesNamed) {
  struct Case {
    test::Answer answer;
    std::uint64_t rejected;
  };
  const Case cases[] = {
      {{400,
        R"({"error":"partial write: field type conflict: input field \"v\" on measurement \"gz\" is type string, already exists as type integer dropped=3"})"},
       3},
      {{400,
        R"({"error":"partial write: unable to parse 'bad line here no': invalid field format\nunable to parse 'x': missing fields dropped=0"})"},
       2},
      {{422,
        R"({"code":"unprocessable entity","message":"failure writing points to database: partial write: points beyond retention policy dropped=2"})"},
       2},
      {{400,
        R"({"error":"partial write of line protocol occurred","data":[{"error_message":"invalid column type","line_number":2,"original_line":"x"},{"error_message":"bad","line_number":5,"original_line":"y"}]})"},
       2},
  };
  for (const Case& c : cases) {
    FaultServer server;
    server.answer({c.answer});
    const auto sink = make({{"influx", server.url()}, {"influx-db", "m"}, {"influx-version", "3"}});
    const Delivery delivery = deliver(*sink);
    EXPECT_EQ(delivery.verdict, Verdict::done);
    EXPECT_EQ(delivery.rejected, c.rejected);
    EXPECT_THAT(delivery.rejected_why, HasSubstr("partial write"));
  }
}

TEST(Influx, TellsFaultsOfTheServerFromThoseOfTheLines) {
  struct Case {
    test::Answer answer;
    Verdict verdict;
    std::string why;
  };
  const Case cases[] = {
      {{400, R"({"error":"unable to parse 'x': missing fields"})"}, Verdict::reject, "missing fields"},
      {{404, R"({"error":"database not found: \"m\""})"}, Verdict::fatal, "create the database"},
      {{404, "404 page not found\n"}, Verdict::fatal, "404"},
      {{401, R"({"error":"unauthorized"})"}, Verdict::fatal, "unauthorized"},
      {{422, R"({"error":"would exceed limit of 5 databases"})"}, Verdict::fatal, "limit of 5"},
      {{413, "too large"}, Verdict::split, "413"},
      {{500, R"({"error":"timeout"})"}, Verdict::retry, "timeout"},
      {{301, "", {{"Location", "https://example.org/"}}}, Verdict::fatal, "https://example.org/"},
  };
  for (const Case& c : cases) {
    FaultServer server;
    server.answer({c.answer});
    const auto sink = make({{"influx", server.url()}, {"influx-db", "m"}, {"influx-version", "1"}});
    const Delivery delivery = deliver(*sink);
    EXPECT_EQ(delivery.verdict, c.verdict) << c.why;
    EXPECT_THAT(delivery.why, HasSubstr(c.why));
    EXPECT_EQ(server.asked().size(), 1U);
  }
}

TEST(Influx, CheckTellsAWrongTokenFromAMissingDatabase) {
  const auto check = [](test::Answer answer) {
    FaultServer server;
    server.answer({std::move(answer)});
    const auto sink = make(
        {{"influx", server.url()}, {"influx-db", "m"}, {"influx-version", "3"}, {"influx-token", "s3cret"}});
    auto said = sink->check();
    EXPECT_EQ(server.asked().at(0).body, "");
    return said;
  };
  EXPECT_TRUE(check({204}).ok());
  EXPECT_TRUE(check({400, "empty body"}).ok());
  const auto denied = check({401, "no"});
  ASSERT_FALSE(denied.ok());
  EXPECT_EQ(denied.error().exit, base::Exit::auth);
  EXPECT_THAT(denied.error().fix, HasSubstr("MIKROSCOPE_INFLUX_TOKEN"));
  EXPECT_THAT(denied.error().what + denied.error().fix, Not(HasSubstr("s3cret")));
  const auto missing = check({404, R"({"error":"database not found: \"m\""})"});
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().exit, base::Exit::failed);
  EXPECT_THAT(missing.error().what, HasSubstr("create the database"));
}

TEST(Influx, WrongOptionsSayWhatToDo) {
  EXPECT_THAT(refused({{"influx", "http://192.0.2.1:8086"}}).fix, HasSubstr("--influx-db"));
  EXPECT_THAT(refused({{"influx", "192.0.2.1:8086"}, {"influx-db", "m"}}).what, HasSubstr("--influx"));
  EXPECT_THAT(refused({{"influx", "ftp://192.0.2.1"}, {"influx-db", "m"}}).what, HasSubstr("ftp"));
  EXPECT_THAT(refused({{"influx", "http://192.0.2.1"}, {"influx-db", "m"}, {"influx-version", "2"}}).fix,
              HasSubstr("--influx-org"));
  const auto sink = make({{"influx", "http://me:s3cret@192.0.2.1:8086"}, {"influx-db", "m"}});
  EXPECT_EQ(sink->name(), "influx http://192.0.2.1:8086");
}

}  // namespace
}  // namespace mikroscope::sinks
