#include "sinks/stores/prometheus.h"

#include <fmt/format.h>

#include <mutex>

#include "base/clock.h"
#include "base/host/duration.h"
#include "sinks/net/http_server.h"
#include "sinks/stores/exposition.h"

namespace mikroscope::sinks {
namespace {

constexpr SinkOption kOptions[] = {
    {"prom", "[ADDR:]PORT",
     "serve GET /metrics for Prometheus; a bare port is this machine only, :PORT every address"},
    {"prom-stale", "DURATION", "how long what no sample tells of any more is still served", {}, "30s"},
    {"prom-token", "TOKEN", "scrapes must carry it (Authorization: Bearer)", {}, {}, true},
};

class PrometheusSink final : public Sink {
 public:
  explicit PrometheusSink(std::int64_t stale_ns) : exposition_(stale_ns, base::monotonic_ns) {}

  base::Result<void> listen(HttpServer::Options options) {
    auto server = HttpServer::start(std::move(options), [this](const HttpRequest& r) { return answer(r); });
    if (!server) {
      base::Error error = server.error();
      error.what = "--prom: " + error.what;
      return error;
    }
    server_ = std::move(*server);
    return {};
  }

  std::string name() const override { return fmt::format("prometheus {}/metrics", server_->url()); }
  // Newest values are of use at once.
  BatchLimits limits() const override { return {2000, 0}; }
  Delivery deliver(std::span<const model::Event> events) override {
    const std::lock_guard lock(mutex_);
    exposition_.take(events);
    return Delivery::done();
  }
  base::Result<std::string> check() override {
    return fmt::format("listening on {}/metrics", server_->url());
  }

 private:
  HttpReply answer(const HttpRequest& request) {
    if (request.path == "/metrics") {
      const TextFormat format = format_for(request.header("accept"));
      HttpReply reply;
      reply.content_type = content_type(format);
      const std::lock_guard lock(mutex_);
      reply.body = exposition_.render(format);
      return reply;
    }
    if (request.path == "/healthz") return {200, "text/plain; charset=utf-8", "ok\n"};
    return {404, "text/plain; charset=utf-8", "metrics are at /metrics\n"};
  }

  std::mutex mutex_;
  Exposition exposition_;
  std::unique_ptr<HttpServer> server_;  // the last: its thread ends before the rest does
};

base::Result<std::unique_ptr<Sink>> make(const SinkValues& values) {
  auto listen = parse_listen(values.text("prom"));
  if (!listen) {
    base::Error error = listen.error();
    error.what = "--prom: " + error.what;
    return error;
  }
  const auto stale = base::parse_duration(values.text("prom-stale", "30s"));
  if (!stale) {
    return base::Error{"--prom-stale: " + stale.error().what, stale.error().fix, base::Exit::usage};
  }
  auto sink = std::make_unique<PrometheusSink>(*stale);
  HttpServer::Options options;
  options.listen = *listen;
  options.bearer = values.text("prom-token");
  if (auto listening = sink->listen(std::move(options)); !listening) return listening.error();
  return std::unique_ptr<Sink>(std::move(sink));
}

}  // namespace

const SinkDef kPrometheusSink{"prom", "Prometheus scrapes the collector", kOptions, make};

}  // namespace mikroscope::sinks
