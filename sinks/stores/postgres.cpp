// PostgreSQL and TimescaleDB: COPY into a staging table, then INSERT … ON CONFLICT DO NOTHING, so that a
// batch that comes again adds nothing.
#include <fmt/format.h>

#include <set>

#include "sinks/stores/postgres_link.h"
#include "sinks/stores/registry.h"
#include "sinks/stores/sql_tables.h"

namespace mikroscope::sinks {
namespace {

using Verdict = Delivery::Verdict;

bool good(const Delivery& delivery) {
  return delivery.verdict == Verdict::done;
}

// Where it goes, without what is secret.
std::string where(const std::string& dsn) {
  PQconninfoOption* const options = PQconninfoParse(dsn.c_str(), nullptr);
  std::string host;
  std::string port;
  std::string database;
  for (const PQconninfoOption* o = options; o != nullptr && o->keyword != nullptr; ++o) {
    if (o->val == nullptr) continue;
    const std::string_view name = o->keyword;
    if (name == "host" || (name == "hostaddr" && host.empty())) host = o->val;
    if (name == "port") port = o->val;
    if (name == "dbname") database = o->val;
    if (name == "service" && host.empty()) host = o->val;
  }
  if (options != nullptr) PQconninfoFree(options);
  return fmt::format("{}{}{}/{}", host.empty() ? "local" : host, port.empty() ? "" : ":", port, database);
}

void copy_cell(const SqlCell& cell, std::string& out) {
  if (!cell) {
    out += "\\N";
    return;
  }
  for (const char c : *cell) {
    switch (c) {
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        out += c;
    }
  }
}

class Postgres final : public Sink {
 public:
  Postgres(std::string dsn, Timescale timescale)
      : name_("postgres " + where(dsn)), link_(std::move(dsn)), timescale_(std::move(timescale)) {}

  std::string name() const override { return name_; }

  Delivery deliver(std::span<const model::Event> events) override {
    const std::vector<SqlRows> all = sql_rows(events);
    if (all.empty()) return Delivery::done();
    if (Delivery ready = connect(); !good(ready)) return ready;
    for (const SqlRows& rows : all) {
      if (Delivery ensured = ensure(rows.table); !good(ensured)) return ensured;
    }
    Delivery outcome = link_.run("BEGIN");
    for (const SqlRows& rows : all) {
      if (!good(outcome)) break;
      outcome = store(rows);
    }
    if (good(outcome)) outcome = link_.run("COMMIT");
    if (!good(outcome)) (void)link_.run("ROLLBACK");
    // A table that somebody dropped or changed is looked at again.
    if (outcome.verdict == Verdict::reject) stages_.clear();
    return outcome;
  }

  base::Result<std::string> check() override {
    const Delivery ready = connect();
    if (!good(ready)) {
      const bool denied = ready.verdict == Verdict::fatal;
      return base::Error{
          name_ + ": " + ready.why,
          denied ? "create the database and the user, and give the password in PGPASSWORD or ~/.pgpass"
                 : "see whether the server runs and may be reached",
          denied ? base::Exit::auth : base::Exit::failed};
    }
    PgResult result;
    const Delivery asked = link_.run(
        "SELECT has_schema_privilege(current_schema(), 'CREATE'), current_setting('server_version')",
        &result);
    if (!good(asked)) return base::Error{name_ + ": " + asked.why, "", base::Exit::failed};
    const bool may = PQntuples(result.get()) == 1 && PQgetvalue(result.get(), 0, 0)[0] == 't';
    return fmt::format("PostgreSQL {}{} is there{}", PQgetvalue(result.get(), 0, 1),
                       hypertables_ ? " with TimescaleDB" : "",
                       may ? "" : "; the user may not create tables: make them with --sql first");
  }

  void interrupt() override { link_.cancel(); }

 private:
  Delivery connect() {
    bool fresh = false;
    Delivery outcome = link_.connect(fresh);
    if (!good(outcome) || !fresh) return outcome;
    stages_.clear();
    PgResult result;
    outcome = link_.run("SELECT 1 FROM pg_extension WHERE extname = 'timescaledb'", &result);
    if (good(outcome)) hypertables_ = PQntuples(result.get()) > 0;
    return outcome;
  }

  // The table with all columns, and a staging table of this connection for these columns.
  Delivery ensure(const SqlTable& table) {
    const std::string columns = column_list(table);
    const std::string key = table.name + ' ' + columns;
    if (stages_.count(key) > 0) return Delivery::done();
    PgResult result;
    Delivery outcome = link_.run(
        fmt::format(
            "SELECT attname FROM pg_attribute WHERE attrelid = to_regclass({}) AND attnum > 0 AND NOT "
            "attisdropped",
            sql_literal(sql_name(table.name))),
        &result);
    if (!good(outcome)) return outcome;
    std::set<std::string> has;
    for (int i = 0; i < PQntuples(result.get()); ++i) has.insert(PQgetvalue(result.get(), i, 0));
    std::vector<std::string> statements;
    if (has.empty()) {
      statements.push_back(create_table(table));
      Timescale options = timescale_;
      options.hypertables = hypertables_;
      for (std::string& statement : timescale_statements(table, options))
        statements.push_back(std::move(statement));
    } else {
      std::vector<SqlColumn> missing;
      for (const SqlColumn& column : table.columns) {
        if (has.count(column.name) == 0) missing.push_back(column);
      }
      if (!missing.empty()) statements.push_back(add_columns(table, missing));
    }
    const std::string stage = fmt::format("mikroscope_stage_{}", ++stage_count_);
    statements.push_back(
        fmt::format("CREATE TEMPORARY TABLE {} ON COMMIT DELETE ROWS AS SELECT {} FROM {} WITH NO DATA",
                    stage, columns, sql_name(table.name)));
    for (const std::string& statement : statements) {
      outcome = link_.run(statement);
      // Somebody else made it at the same time.
      if (outcome.verdict == Verdict::reject && has.empty()) outcome.verdict = Verdict::retry;
      if (!good(outcome)) return outcome;
    }
    stages_[key] = stage;
    return outcome;
  }

  Delivery store(const SqlRows& rows) {
    const std::string columns = column_list(rows.table);
    const std::string& stage = stages_[rows.table.name + ' ' + columns];
    data_.clear();
    for (const std::vector<SqlCell>& row : rows.rows) {
      for (std::size_t c = 0; c < row.size(); ++c) {
        if (c > 0) data_ += '\t';
        copy_cell(row[c], data_);
      }
      data_ += '\n';
    }
    Delivery outcome = link_.copy(fmt::format("COPY {} ({}) FROM STDIN", stage, columns), data_);
    if (!good(outcome)) return outcome;
    return link_.run(fmt::format("INSERT INTO {0} ({1}) SELECT {1} FROM {2} ON CONFLICT DO NOTHING",
                                 sql_name(rows.table.name), columns, stage));
  }

  std::string name_;
  PostgresLink link_;
  Timescale timescale_;
  bool hypertables_ = false;
  std::map<std::string, std::string> stages_;
  std::size_t stage_count_ = 0;
  std::string data_;
};

constexpr SinkOption kOptions[] = {
    {"postgres", "DSN",
     "PostgreSQL: postgresql://user@host/database; the password in PGPASSWORD or ~/.pgpass"},
    {"postgres-compress-after", "TIME", "with TimescaleDB: compress what is older, such as '7 days'"},
    {"postgres-retention", "TIME", "with TimescaleDB: remove what is older, such as '90 days'"},
};

base::Result<std::unique_ptr<Sink>> make(const SinkValues& values) {
  const std::string dsn = values.text("postgres");
  char* message = nullptr;
  PQconninfoOption* const parsed = PQconninfoParse(dsn.c_str(), &message);
  // The message quotes the DSN, which may have a password in it.
  if (message != nullptr) PQfreemem(message);
  if (dsn.empty() || parsed == nullptr)
    return base::Error{"--postgres is no connection string of PostgreSQL",
                       "postgresql://user@host:5432/database, or host=… dbname=… user=…", base::Exit::usage};
  PQconninfoFree(parsed);
  Timescale timescale{false, values.text("postgres-compress-after"), values.text("postgres-retention")};
  for (const auto& [option, text] : {std::pair("--postgres-compress-after", timescale.compress_after),
                                     std::pair("--postgres-retention", timescale.retention)}) {
    if (!text.empty() && !is_interval(text))
      return base::Error{fmt::format("{} is no time", option), "such as '7 days'", base::Exit::usage};
  }
  return std::unique_ptr<Sink>(std::make_unique<Postgres>(dsn, std::move(timescale)));
}

}  // namespace

const SinkDef kPostgresSink = {"postgres", "PostgreSQL and TimescaleDB", kOptions, make};

}  // namespace mikroscope::sinks
