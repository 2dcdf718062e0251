#include "sinks/stores/postgres_link.h"

#include <algorithm>

namespace mikroscope::sinks {
namespace {

// The first line: what follows are hints and the statement, with data in it.
std::string one_line(const char* message) {
  std::string text = message == nullptr ? "" : message;
  text.resize(std::min(text.find('\n'), text.size()));
  return text.substr(0, 300);
}

// While connecting libpq tells no SQLSTATE.
bool says_no(std::string_view message) {
  for (const std::string_view phrase :
       {"authentication failed", "no password supplied", "no pg_hba.conf entry", "does not exist",
        "permission denied", "not permitted to log in"}) {
    // A socket file that does not exist is a server that does not run yet.
    if (message.find(phrase) != std::string_view::npos)
      return message.find("FATAL") != std::string_view::npos || phrase == "no password supplied";
  }
  return false;
}

}  // namespace

Delivery classify_sqlstate(std::string_view sqlstate, std::string why) {
  const std::string_view kind = sqlstate.substr(0, 2);
  if (kind == "28" || sqlstate == "3D000" || sqlstate == "42501") return Delivery::fatal(std::move(why));
  if (kind == "22" || kind == "23" || kind == "42") return Delivery::reject(std::move(why));
  return Delivery::retry(std::move(why));
}

Delivery PostgresLink::connect(bool& fresh) {
  fresh = false;
  if (connection_ != nullptr && PQstatus(connection_) == CONNECTION_OK) return Delivery::done();
  close();
  // What stands behind dbname wins over what stands before it.
  const char* const names[] = {"connect_timeout",
                               "tcp_user_timeout",
                               "keepalives_idle",
                               "dbname",
                               "fallback_application_name",
                               "client_encoding",
                               nullptr};
  const char* const values[] = {"5", "20000", "30", dsn_.c_str(), "mikroscope", "UTF8", nullptr};
  connection_ = PQconnectdbParams(names, values, 1);
  if (PQstatus(connection_) != CONNECTION_OK) {
    const std::string why = one_line(PQerrorMessage(connection_));
    close();
    return says_no(why) ? Delivery::fatal(why) : Delivery::retry(why);
  }
  PQsetNoticeProcessor(
      connection_, [](void*, const char*) {}, nullptr);
  {
    const std::lock_guard lock(cancel_mutex_);
    cancel_ = PQgetCancel(connection_);
  }
  fresh = true;
  return run("SET statement_timeout = '30s'; SET datestyle = 'ISO'; SET client_min_messages = 'warning'");
}

Delivery PostgresLink::judge(PGresult* result) {
  const ExecStatusType status = PQresultStatus(result);
  if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) return Delivery::done();
  const char* const state = result == nullptr ? nullptr : PQresultErrorField(result, PG_DIAG_SQLSTATE);
  std::string why = one_line(result == nullptr ? PQerrorMessage(connection_) : PQresultErrorMessage(result));
  if (PQstatus(connection_) != CONNECTION_OK || state == nullptr) {
    close();
    return Delivery::retry(why.empty() ? "the connection is gone" : why);
  }
  return classify_sqlstate(state, why);
}

Delivery PostgresLink::run(const std::string& statement, PgResult* result) {
  if (connection_ == nullptr) return Delivery::retry("the connection is gone");
  PgResult got(PQexec(connection_, statement.c_str()));
  Delivery verdict = judge(got.get());
  if (result != nullptr) *result = std::move(got);
  return verdict;
}

Delivery PostgresLink::copy(const std::string& statement, std::string_view data) {
  if (connection_ == nullptr) return Delivery::retry("the connection is gone");
  const PgResult begun(PQexec(connection_, statement.c_str()));
  if (PQresultStatus(begun.get()) != PGRES_COPY_IN) return judge(begun.get());
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  bool sent = true;
  while (sent && !data.empty()) {
    const std::size_t n = std::min(kPiece, data.size());
    sent = PQputCopyData(connection_, data.data(), static_cast<int>(n)) == 1;
    data.remove_prefix(n);
  }
  if (sent) sent = PQputCopyEnd(connection_, nullptr) == 1;
  const PgResult ended(PQgetResult(connection_));
  Delivery verdict = judge(ended.get());
  while (connection_ != nullptr) {
    const PgResult rest(PQgetResult(connection_));
    if (!rest || PQstatus(connection_) != CONNECTION_OK) break;
  }
  return verdict;
}

void PostgresLink::close() {
  const std::lock_guard lock(cancel_mutex_);
  if (cancel_ != nullptr) PQfreeCancel(cancel_);
  cancel_ = nullptr;
  if (connection_ != nullptr) PQfinish(connection_);
  connection_ = nullptr;
}

void PostgresLink::cancel() {
  const std::lock_guard lock(cancel_mutex_);
  char ignored[256];
  if (cancel_ != nullptr) PQcancel(cancel_, ignored, sizeof ignored);
}

}  // namespace mikroscope::sinks
