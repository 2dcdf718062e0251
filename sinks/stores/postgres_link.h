// One connection to PostgreSQL (libpq), and what its errors mean to a sink.
#pragma once

#include <libpq-fe.h>

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/host/result.h"
#include "sinks/pipeline/sink.h"

namespace mikroscope::sinks {

// retry: 08, 40, 53, 57, connection gone; fatal: 28 and 3D000, and 42501 (no right to); reject: other 22, 23,
// 42; everything else retry.
Delivery classify_sqlstate(std::string_view sqlstate, std::string why);

struct PgResultEnd {
  void operator()(PGresult* result) const { PQclear(result); }
};
using PgResult = std::unique_ptr<PGresult, PgResultEnd>;

class PostgresLink {
 public:
  explicit PostgresLink(std::string dsn) : dsn_(std::move(dsn)) {}
  ~PostgresLink() { close(); }
  PostgresLink(const PostgresLink&) = delete;
  PostgresLink& operator=(const PostgresLink&) = delete;

  // Nothing to do while connected. `fresh` becomes true where the connection is new: temporary tables of the
  // one before are gone.
  Delivery connect(bool& fresh);
  // Runs one statement; `result` where rows are wanted.
  Delivery run(const std::string& statement, PgResult* result = nullptr);
  // COPY … FROM STDIN with `data`.
  Delivery copy(const std::string& statement, std::string_view data);
  void close();
  void cancel();  // from another thread

 private:
  Delivery judge(PGresult* result);

  std::string dsn_;
  PGconn* connection_ = nullptr;
  std::mutex cancel_mutex_;
  PGcancel* cancel_ = nullptr;
};

}  // namespace mikroscope::sinks
