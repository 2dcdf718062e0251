#include "sinks/stores/otlp.h"

#include <fmt/format.h>

#include "sinks/net/http_post.h"
#include "sinks/stores/families_batch.h"
#include "sinks/stores/otlp_points.h"
#include "sinks/stores/tls_options.h"

namespace mikroscope::sinks {
namespace {

constexpr SinkOption kOptions[] = {
    {"otlp", "URL", "OTLP over HTTP; without a path: /v1/metrics, and logs to /v1/logs beside it"},
    {"otlp-encoding", "FORM", "of requests", "protobuf,json", "protobuf"},
    {"otlp-temporality", "KIND", "of sums: from the router's boot, or what came since the last point",
     "cumulative,delta", "cumulative"},
    {"otlp-token", "TOKEN", "bearer token; a user and a password may be in the URL", {}, {}, true},
    kTlsCa,
    kTlsCert,
    kTlsKey,
    kTlsInsecure,
};

// https://opentelemetry.io/docs/specs/otlp/#failures-1: these four are worth another attempt, others are not.
Delivery classify_otlp(const base::Result<HttpResponse>& response) {
  Delivery delivery = classify(response);
  if (!response) return delivery;
  const long status = response->status;
  const bool again = status == 429 || status == 502 || status == 503 || status == 504;
  if (delivery.verdict == Delivery::Verdict::retry && !again) delivery.verdict = Delivery::Verdict::reject;
  if (delivery.verdict == Delivery::Verdict::done) {
    OtlpPartial partial = otlp_partial(response->body);
    delivery.rejected += partial.rejected;
    if (delivery.rejected_why.empty()) delivery.rejected_why = std::move(partial.why);
  }
  return delivery;
}

class OtlpSink final : public Sink {
 public:
  struct Settings {
    std::string metrics_url;
    std::string logs_url;
    bool json = false;
    bool delta = false;
  };
  OtlpSink(Settings settings, std::vector<std::string> headers, TlsOptions tls)
      : settings_(std::move(settings)),
        poster_(std::move(headers), std::move(tls)),
        points_(settings_.delta) {}

  std::string name() const override { return "otlp " + settings_.metrics_url; }
  BatchLimits limits() const override { return {200, 1'000'000'000}; }
  void interrupt() override { poster_.interrupt(); }

  Delivery deliver(std::span<const model::Event> events) override {
    if (!batch_.again(events)) {
      points_.roll_back();
      const OtlpMetrics metrics = points_.take(events);
      const OtlpLogs logs = otlp_logs(events);
      metrics_ = metrics.empty()  ? std::string()
                 : settings_.json ? otlp_json(metrics)
                                  : otlp_protobuf(metrics);
      logs_ = logs.empty() ? std::string() : settings_.json ? otlp_json(logs) : otlp_protobuf(logs);
      log_count_ = 0;
      for (const auto& host : logs) log_count_ += host.items.size();
      sent_ = Delivery::done();
    }
    // What one of the two requests has done is not done again for the other's sake.
    if (!metrics_.empty()) {
      sent_ = classify_otlp(post(settings_.metrics_url, metrics_));
      if (sent_.verdict != Delivery::Verdict::done) return finish(sent_, events.size());
      metrics_.clear();
    }
    if (!logs_.empty()) {
      const auto response = post(settings_.logs_url, logs_);
      Delivery logs = classify_otlp(response);
      // A receiver may take metrics only.
      const bool none =
          response && (response->status == 404 || response->status == 405 || response->status == 501);
      if (none || (logs.verdict == Delivery::Verdict::reject && events.size() == 1)) {
        logs = Delivery::done();
        logs.rejected = log_count_;
        logs.rejected_why =
            fmt::format("{} answered {} to log records", settings_.logs_url, response ? response->status : 0);
      }
      if (logs.verdict != Delivery::Verdict::done) return finish(logs, events.size());
      sent_.rejected += logs.rejected;
      if (sent_.rejected_why.empty()) sent_.rejected_why = logs.rejected_why;
    }
    return finish(sent_, events.size());
  }

  base::Result<std::string> check() override {
    // A request without content is valid, and says nothing.
    const Delivery answer = classify_otlp(post(settings_.metrics_url, settings_.json ? "{}" : ""));
    if (answer.verdict == Delivery::Verdict::done)
      return fmt::format("{} takes metrics", settings_.metrics_url);
    const bool auth =
        answer.why.find("401") != std::string::npos || answer.why.find("403") != std::string::npos;
    return base::Error{
        fmt::format("OTLP to {}: {}", settings_.metrics_url, answer.why),
        auth ? "give the token in MIKROSCOPE_OTLP_TOKEN, or a user and a password in the URL"
             : "is it the address of an OTLP/HTTP receiver (port 4318, not the gRPC port 4317)?",
        auth ? base::Exit::auth : base::Exit::failed};
  }

 private:
  base::Result<HttpResponse> post(const std::string& url, const std::string& body) {
    return poster_.post(url, settings_.json ? "application/json" : "application/x-protobuf", body, true);
  }

  Delivery finish(const Delivery& answer, std::size_t events) {
    const bool last = answer.verdict == Delivery::Verdict::reject && events == 1;
    if (answer.verdict == Delivery::Verdict::done || last) points_.commit();
    if (answer.verdict != Delivery::Verdict::retry) batch_.forget();
    return answer;
  }

  Settings settings_;
  HttpPoster poster_;
  OtlpPoints points_;
  SameBatch batch_;
  std::string metrics_, logs_;  // requests of the batch that are not sent yet
  std::size_t log_count_ = 0;
  Delivery sent_;
};

base::Result<std::unique_ptr<Sink>> make(const SinkValues& values) {
  const auto url = parse_store_url(values.text("otlp"), "/v1/metrics");
  if (!url) return base::Error{"--otlp: " + url.error().what, url.error().fix, base::Exit::usage};
  OtlpSink::Settings settings;
  settings.metrics_url = url->url;
  // …/v1/metrics has …/v1/logs beside it; any other path is of metrics, and logs go into its directory.
  const std::string path_end = settings.metrics_url.substr(0, settings.metrics_url.find('?'));
  settings.logs_url =
      path_end.substr(0, path_end.rfind('/')) + "/logs" + settings.metrics_url.substr(path_end.size());
  settings.json = values.text("otlp-encoding", "protobuf") == "json";
  settings.delta = values.text("otlp-temporality", "cumulative") == "delta";
  std::vector<std::string> headers;
  if (const std::string token = values.text("otlp-token"); !token.empty())
    headers.push_back("Authorization: Bearer " + token);
  else if (!url->user.empty())
    headers.push_back(basic_authorization(url->user, url->password));
  TlsOptions tls = tls_options(values);
  return std::unique_ptr<Sink>(
      std::make_unique<OtlpSink>(std::move(settings), std::move(headers), std::move(tls)));
}

}  // namespace

const SinkDef kOtlpSink{"otlp", "OpenTelemetry receivers, over HTTP", kOptions, make};

}  // namespace mikroscope::sinks
