// PostgreSQL itself: script and connection must store the same, and nothing twice.
#include <gtest/gtest.h>
#include <libpq-fe.h>

#include <filesystem>

#include "sinks/pipeline/loss.h"
#include "sinks/stores/registry.h"
#include "tests/sinks/services/metric_service.h"
#include "tests/sinks/support/sample_events.h"
#include "tests/support/temp_dir.h"

namespace mikroscope::sinks {
namespace {

using test::cpu_sample;
using test::kStart;
using test::MetricService;
using test::poll_until;

constexpr const char* kInitdb = "/usr/lib/postgresql/15/bin/initdb";
constexpr const char* kServer = "/usr/lib/postgresql/15/bin/postgres";

class Postgres : public testing::Test {
 protected:
  void SetUp() override {
    if (access(kServer, X_OK) != 0) GTEST_SKIP() << "postgresql-15 not installed";
    if (geteuid() != 0) GTEST_SKIP() << "not root: cannot become the user postgres";
    std::filesystem::permissions(dir.path(), std::filesystem::perms::all);
    test::write_all(dir / "pw", "secret\n");
    const test::Ran made =
        test::run({"runuser", "-u", "postgres", "--", kInitdb, "-D", dir / "data", "-A", "scram-sha-256",
                   "--pwfile=" + (dir / "pw"), "-U", "mk", "--no-sync", "-E", "UTF8", "--locale=C"},
                  dir / "initdb.log");
    ASSERT_EQ(made.code, 0) << made.output;
    server = std::make_unique<MetricService>(
        std::vector<std::string>{"setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", kServer,
                                 "-D", dir / "data", "-p", std::to_string(port), "-c",
                                 "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c",
                                 "fsync=off", "-c", "shared_buffers=16MB"},
        dir / "log");
    setenv("PGPASSWORD", "secret", 1);
    ASSERT_TRUE(poll_until(30, [this] { return ask("SELECT 1") == "1"; })) << server->log();
  }

  std::string dsn(const std::string& database = "postgres") const {
    return "postgresql://mk@127.0.0.1:" + std::to_string(port) + "/" + database;
  }
  std::unique_ptr<Sink> sink(const std::string& database = "postgres") const {
    SinkValues values;
    values.set("postgres", dsn(database));
    auto made = kPostgresSink.make(values);
    EXPECT_TRUE(made.ok());
    return std::move(*made);
  }
  // The first value of the answer; what went wrong after "error: ".
  std::string ask(const std::string& query, const std::string& database = "postgres") const {
    PGconn* const connection = PQconnectdb(dsn(database).c_str());
    PGresult* const result = PQexec(connection, query.c_str());
    std::string out = PQresultStatus(result) == PGRES_TUPLES_OK && PQntuples(result) > 0
                          ? PQgetvalue(result, 0, 0)
                          : std::string("error: ") + PQresultErrorMessage(result);
    if (PQresultStatus(result) == PGRES_COMMAND_OK) out = "ok";
    PQclear(result);
    PQfinish(connection);
    return out;
  }
  // Every table's rows as text, in one order.
  std::string digest(const std::string& database) const {
    const std::string tables = ask(
        "SELECT string_agg(format('SELECT %L || t::text AS r FROM %I t', relname, relname), ' UNION ALL ' "
        "ORDER BY relname) FROM pg_stat_user_tables WHERE schemaname = 'public'",
        database);
    return ask("SELECT count(*) || ' ' || md5(string_agg(r, E'\\n' ORDER BY r)) FROM (" + tables + ") x",
               database);
  }

  mikroscope::test::TempDir dir;
  int port = test::free_port();
  std::unique_ptr<MetricService> server;
};

std::vector<model::Event> everything() {
  std::vector<model::Event> events;
  for (int n = 0; n < 20; ++n) events.push_back(cpu_sample("router", n, {n, 100 - n, 0, 0, 0.5}));
  events.push_back(test::hostile_event("router"));
  std::int64_t at = kStart;
  for (const std::string& name : test::hostile_names())
    events.push_back(test::full_event("router", name, at += 1000));
  events.push_back(test::api_event("router", "NAS\\"));
  events.push_back(gap_event(events[0].origin, 2, 5, "ring", kStart));
  events.push_back(gap_event(events[0].origin, 8, 9, "ring", kStart));
  return events;
}

TEST_F(Postgres, ScriptAndConnectionStoreTheSameAndNothingTwice) {
  ASSERT_EQ(ask("CREATE DATABASE script"), "ok");
  const auto events = everything();
  const auto connection = sink();
  const Delivery first = connection->deliver(events);
  ASSERT_EQ(first.verdict, Delivery::Verdict::done) << first.why;
  SinkValues values;
  values.set("sql", dir / "script.sql");
  const auto script = kSqlSink.make(values);
  ASSERT_TRUE(script.ok());
  ASSERT_EQ((*script)->deliver(events).verdict, Delivery::Verdict::done);
  for (int round = 0; round < 2; ++round) {
    const test::Ran ran =
        test::run({"psql", "-q", "-v", "ON_ERROR_STOP=1", "-d", dsn("script"), "-f", dir / "script.sql"},
                  dir / "psql.log");
    ASSERT_EQ(ran.code, 0) << ran.output;
  }
  const std::string stored = digest("postgres");
  EXPECT_EQ(stored.find("error"), std::string::npos) << stored;
  EXPECT_EQ(stored, digest("script"));
  EXPECT_EQ(sink()->deliver(events).verdict, Delivery::Verdict::done);
  EXPECT_EQ(digest("postgres"), stored);

  EXPECT_EQ(ask("SELECT count(*) FROM mikroscope_gap"), "11");  // two, and one of each of the nine names
  EXPECT_EQ(ask("SELECT string_agg(user_ticks::text, ',' ORDER BY time) FROM mikroscope_cpu WHERE cpu = 0"),
            "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19");
  EXPECT_EQ(ask("SELECT \"driver-rx-byte\" FROM mikroscope_api_ifcounters"), "29700000000");
  EXPECT_EQ(ask("SELECT label FROM mikroscope_api_iface"), "NAS\\");
  EXPECT_EQ(ask("SELECT count(DISTINCT block_order) > 1 FROM mikroscope_buddy"), "t");
  EXPECT_EQ(ask("SELECT count((total_kb - available_kb)/1024.0) > 0 FROM mikroscope_mem"), "t");
}

TEST_F(Postgres, ALostConnectionIsMadeAnew) {
  const auto connection = sink();
  const std::vector<model::Event> one = {cpu_sample("router", 0, {})};
  const std::vector<model::Event> two = {cpu_sample("router", 1, {})};
  ASSERT_EQ(connection->deliver(one).verdict, Delivery::Verdict::done);
  EXPECT_EQ(
      ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'mikroscope'"),
      "t");
  EXPECT_EQ(connection->deliver(two).verdict, Delivery::Verdict::retry);
  EXPECT_EQ(connection->deliver(two).verdict, Delivery::Verdict::done);
  EXPECT_EQ(ask("SELECT count(*) FROM mikroscope_cpu"), "2");
}

TEST_F(Postgres, AColumnThatCameLaterIsAdded) {
  ASSERT_EQ(ask("CREATE TABLE mikroscope_cpu (time TIMESTAMPTZ NOT NULL, host TEXT NOT NULL, cpu INTEGER NOT "
                "NULL, user_ticks BIGINT, PRIMARY KEY (time, host, cpu))"),
            "ok");
  const std::vector<model::Event> events = {cpu_sample("router", 0, {3, 7, 0, 0, 0.25})};
  ASSERT_EQ(sink()->deliver(events).verdict, Delivery::Verdict::done);
  EXPECT_EQ(ask("SELECT user_ticks || ' ' || idle_ticks || ' ' || busy_ratio FROM mikroscope_cpu"),
            "3 7 0.25");
}

TEST_F(Postgres, SaysWhatIsWrong) {
  const std::vector<model::Event> events = {cpu_sample("router", 0, {})};
  EXPECT_EQ(sink("nowhere")->deliver(events).verdict, Delivery::Verdict::fatal);
  setenv("PGPASSWORD", "wrong", 1);
  const auto denied = sink();
  EXPECT_EQ(denied->deliver(events).verdict, Delivery::Verdict::fatal);
  const auto checked = denied->check();
  ASSERT_FALSE(checked.ok());
  EXPECT_EQ(checked.error().exit, base::Exit::auth);
  setenv("PGPASSWORD", "secret", 1);
  ASSERT_EQ(ask("CREATE TABLE mikroscope_cpu (time TIMESTAMPTZ, host TEXT, cpu INTEGER, user_ticks BOOLEAN, "
                "PRIMARY KEY (time, host, cpu))"),
            "ok");
  const std::vector<model::Event> seven = {cpu_sample("router", 0, {7, 7})};
  EXPECT_EQ(sink()->deliver(seven).verdict, Delivery::Verdict::reject);
}

TEST(PostgresName, ShowsNoPassword) {
  SinkValues values;
  values.set("postgres", "postgresql://mk:secret@192.0.2.1:5432/metrics");
  const auto sink = kPostgresSink.make(values);
  ASSERT_TRUE(sink.ok());
  EXPECT_EQ((*sink)->name(), "postgres 192.0.2.1:5432/metrics");
}

}  // namespace
}  // namespace mikroscope::sinks
