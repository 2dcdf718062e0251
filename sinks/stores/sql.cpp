// A script for psql: what the PostgreSQL sink would store, as text.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <set>

#include "sinks/stores/file_series.h"
#include "sinks/stores/registry.h"
#include "sinks/stores/sql_tables.h"

namespace mikroscope::sinks {
namespace {

constexpr std::size_t kRowsPerInsert = 500;

class SqlScript final : public Sink {
 public:
  SqlScript(std::string path, Timescale timescale)
      : path_(std::move(path)), timescale_(std::move(timescale)), file_(path_, {0, 0, 0}) {}

  std::string name() const override { return "sql " + path_; }

  Delivery deliver(std::span<const model::Event> events) override {
    const auto known = known_;
    const bool begun = begun_;
    std::string text;
    if (!begun_)
      text = "-- mikroscope\nSET standard_conforming_strings = on;\nSET client_encoding = 'UTF8';\n";
    begun_ = true;
    for (const SqlRows& rows : sql_rows(events)) {
      declare(rows.table, text);
      insert(rows, text);
    }
    if (auto written = write(text); !written.ok()) {
      known_ = known;
      begun_ = begun;
      return Delivery::retry(written.error().what);
    }
    return Delivery::done();
  }

  base::Result<std::string> check() override {
    if (path_ == "-") return std::string("writes to standard output");
    const std::size_t slash = path_.rfind('/');
    const std::string directory =
        slash == std::string::npos ? "." : path_.substr(0, std::max<std::size_t>(slash, 1));
    if (access(directory.c_str(), W_OK | X_OK) != 0)
      return base::Error{fmt::format("cannot write into {}: {}", directory, std::strerror(errno)),
                         "make the directory, or give the collector the right to write to it",
                         base::Exit::failed};
    return fmt::format("can write into {}", directory);
  }

 private:
  void declare(const SqlTable& table, std::string& text) {
    auto [known, added] = known_.try_emplace(table.name);
    if (added) {
      text += create_table(table) + '\n';
      for (const std::string& statement : timescale_statements(table, timescale_)) text += statement + '\n';
    }
    std::vector<SqlColumn> fresh;
    for (const SqlColumn& column : table.columns) {
      // Tables of an older script may lack any column; only those of the primary key cannot be added.
      if (known->second.insert(column.name).second && !column.primary) fresh.push_back(column);
    }
    if (!fresh.empty()) text += add_columns(table, fresh) + '\n';
  }

  static void insert(const SqlRows& rows, std::string& text) {
    for (std::size_t i = 0; i < rows.rows.size(); ++i) {
      const bool first = i % kRowsPerInsert == 0;
      if (first)
        text +=
            fmt::format("INSERT INTO {} ({}) VALUES\n", sql_name(rows.table.name), column_list(rows.table));
      text += "(";
      for (std::size_t c = 0; c < rows.rows[i].size(); ++c) {
        const SqlCell& cell = rows.rows[i][c];
        const bool quoted = c < 2 || rows.table.columns[c - 2].type == "TEXT";
        if (c > 0) text += ", ";
        text += !cell ? "NULL" : quoted ? sql_literal(*cell) : *cell;
      }
      const bool last = i + 1 == rows.rows.size() || (i + 1) % kRowsPerInsert == 0;
      text += last ? ")\nON CONFLICT DO NOTHING;\n" : "),\n";
    }
  }

  base::Result<void> write(std::string_view text) {
    if (path_ != "-") {
      if (auto opened = file_.open(); !opened.ok()) return opened;
      return file_.append(text);
    }
    while (!text.empty()) {
      const ssize_t n = ::write(STDOUT_FILENO, text.data(), text.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0)
        return base::Error{fmt::format("cannot write to standard output: {}", std::strerror(errno)), "",
                           base::Exit::failed};
      text.remove_prefix(static_cast<std::size_t>(n));
    }
    return {};
  }

  std::string path_;
  Timescale timescale_;
  FileSeries file_;
  bool begun_ = false;
  std::map<std::string, std::set<std::string>> known_;
};

constexpr SinkOption kOptions[] = {
    {"sql", "PATH", "append a script for psql to this file; - is standard output"},
    {"sql-hypertable", "", "make hypertables of TimescaleDB"},
};

base::Result<std::unique_ptr<Sink>> make(const SinkValues& values) {
  const std::string path = values.text("sql");
  if (path.empty())
    return base::Error{"--sql names no file", "--sql samples.sql, or --sql -", base::Exit::usage};
  return std::unique_ptr<Sink>(
      std::make_unique<SqlScript>(path, Timescale{values.on("sql-hypertable"), {}, {}}));
}

}  // namespace

const SinkDef kSqlSink = {"sql", "a script for psql", kOptions, make};

}  // namespace mikroscope::sinks
