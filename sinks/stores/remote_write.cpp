#include "sinks/stores/remote_write.h"

#include <fmt/format.h>

#include <memory>

#include "base/clock.h"
#include "base/host/duration.h"
#include "sinks/net/http_post.h"
#include "sinks/stores/families_batch.h"
#include "sinks/stores/families_series.h"
#include "sinks/stores/remote_write_encode.h"
#include "sinks/stores/tls_options.h"

namespace mikroscope::sinks {
namespace {

constexpr SinkOption kOptions[] = {
    {"remote-write", "URL", "Prometheus remote write; without a path: /api/v1/write"},
    {"remote-write-step", "DURATION",
     "at most one value of each series in so long; every sample where not given"},
    {"remote-write-gauges", "WHICH", "which value of a step stands for it", "last,max", "last"},
    {"remote-write-token", "TOKEN", "bearer token; a user and a password may be in the URL", {}, {}, true},
    kTlsCa,
    kTlsCert,
    kTlsKey,
    kTlsInsecure,
};

constexpr std::int64_t kStaleNs = 30 * base::kNsPerSecond;

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

struct Series : SeriesBase {
  struct Held {  // the value that stands for the step so far
    bool has = false;
    std::int64_t window = 0;
    std::int64_t ms = 0;
    double value = 0;
  };
  std::string encoded;
  std::vector<WritePoint> points;  // of this batch
  Held held, held_before;
  std::int64_t last_ms = INT64_MIN, last_ms_before = INT64_MIN;

  void keep() {
    SeriesBase::keep();
    held_before = held;
    last_ms_before = last_ms;
    points.clear();
  }
  void restore() {
    SeriesBase::restore();
    held = held_before;
    last_ms = last_ms_before;
    points.clear();
  }
};

class RemoteWriteSink final : public Sink {
 public:
  struct Settings {
    std::string url;
    std::int64_t step_ns = 0;
    bool max = false;
  };
  RemoteWriteSink(Settings settings, std::vector<std::string> headers, TlsOptions tls)
      : settings_(std::move(settings)),
        poster_(std::move(headers), std::move(tls)),
        table_(Naming::prometheus, "host", kStaleNs) {}

  std::string name() const override { return "remote-write " + settings_.url; }
  BatchLimits limits() const override { return {500, base::kNsPerSecond}; }
  std::int64_t rewind_ns() const override { return settings_.step_ns; }
  void interrupt() override { poster_.interrupt(); }

  Delivery deliver(std::span<const model::Event> events) override {
    came_ns_ = base::monotonic_ns();
    if (!batch_.again(events)) {
      table_.roll_back();
      render(events);
    }
    if (request_.empty()) return finish(Delivery::done(), events.size());
    return finish(classify(post(request_)), events.size());
  }

  base::Result<std::string> check() override {
    const Delivery answer = classify(post({}));
    if (answer.verdict == Delivery::Verdict::done) return fmt::format("{} takes remote write", settings_.url);
    const bool known =
        answer.why.find("401") == std::string::npos && answer.why.find("403") == std::string::npos;
    return base::Error{
        fmt::format("remote write to {}: {}", settings_.url, answer.why),
        known ? "is it the write address, and does the store have its receiver on? Prometheus: "
                "--web.enable-remote-write-receiver"
              : "give the token in MIKROSCOPE_REMOTE_WRITE_TOKEN, or a user and a password in the URL",
        known ? base::Exit::failed : base::Exit::auth};
  }

  // The last step of a router that fell silent.
  void idle() override {
    if (settings_.step_ns == 0 || base::monotonic_ns() - came_ns_ < settings_.step_ns) return;
    std::string request;
    table_.each([&](Series& series) {
      if (series.held.has) append_series(request, encoded(series), {{series.held.ms, series.held.value}});
    });
    if (request.empty()) return;
    const Delivery answer = classify(post(request));
    if (answer.verdict == Delivery::Verdict::retry) return;
    table_.each([](Series& series) {
      if (series.held.has) series.last_ms = series.held.ms;
      series.held.has = false;
    });
  }

 private:
  base::Result<HttpResponse> post(const std::string& request) {
    return poster_.post(settings_.url, "application/x-protobuf", snappy_block(request), false);
  }

  static const std::string& encoded(Series& series) {
    if (series.encoded.empty()) series.encoded = encode_series_labels(series.metric->name, series.labels);
    return series.encoded;
  }

  // Points of one series in one millisecond: the last stands.
  void add(Series& series, std::int64_t ms, double value) {
    if (!series.points.empty() && series.points.back().ms == ms) {
      series.points.back().value = value;
    } else if (series.last_ms == ms) {
      ++same_ms_;
    } else {
      series.points.push_back({ms, value});
      series.last_ms = ms;
    }
  }

  void render(std::span<const model::Event> events) {
    same_ms_ = 0;
    for (const model::Event& event : events) {
      const std::int64_t ms = floor_div(event.wall_ns, 1'000'000);
      table_.take(event, [&](Series& series, const Reading& reading, std::size_t) {
        const double value = reading.value.as_double();
        if (settings_.step_ns == 0) return add(series, ms, value);
        const std::int64_t window = floor_div(event.wall_ns, settings_.step_ns);
        Series::Held& held = series.held;
        if (held.has && held.window != window) add(series, held.ms, held.value);
        const bool keep_older = held.has && held.window == window && settings_.max &&
                                !series.metric->counter() && value < held.value;
        held = {true, window, ms, keep_older ? held.value : value};
      });
    }
    request_ = ends_;
    for (Series* series : table_.touched()) {
      if (!series->points.empty()) append_series(request_, encoded(*series), series->points);
    }
  }

  Delivery finish(Delivery answer, std::size_t events) {
    if (answer.verdict == Delivery::Verdict::done) {
      answer.rejected += same_ms_;
      if (same_ms_ > 0 && answer.rejected_why.empty())
        answer.rejected_why = "two values of a series in one millisecond: the first was sent";
      table_.commit();
      ends_.clear();
      table_.sweep([this](Series& series, std::int64_t newest_ns) {
        if (series.held.has) append_series(ends_, encoded(series), {{series.held.ms, series.held.value}});
        append_series(ends_, encoded(series), {{floor_div(newest_ns, 1'000'000), stale_marker()}});
      });
    }
    // What one refused event added up to counts on.
    if (answer.verdict == Delivery::Verdict::reject && events == 1) table_.commit();
    if (answer.verdict != Delivery::Verdict::retry) batch_.forget();
    return answer;
  }

  Settings settings_;
  HttpPoster poster_;
  SeriesTable<Series> table_;
  SameBatch batch_;
  std::string request_;
  std::string ends_;  // stale markers that wait for a request
  std::uint64_t same_ms_ = 0;
  std::int64_t came_ns_ = 0;
};

base::Error wrong(std::string_view option, const base::Error& error) {
  return {fmt::format("--{}: {}", option, error.what), error.fix, base::Exit::usage};
}

base::Result<std::unique_ptr<Sink>> make(const SinkValues& values) {
  const auto url = parse_store_url(values.text("remote-write"), "/api/v1/write");
  if (!url) return wrong("remote-write", url.error());
  RemoteWriteSink::Settings settings{url->url, 0, values.text("remote-write-gauges", "last") == "max"};
  if (values.has("remote-write-step")) {
    const auto step = base::parse_duration(values.text("remote-write-step"));
    if (!step) return wrong("remote-write-step", step.error());
    settings.step_ns = *step;
  }
  std::vector<std::string> headers = {"Content-Encoding: snappy", "X-Prometheus-Remote-Write-Version: 0.1.0"};
  if (const std::string token = values.text("remote-write-token"); !token.empty())
    headers.push_back("Authorization: Bearer " + token);
  else if (!url->user.empty())
    headers.push_back(basic_authorization(url->user, url->password));
  TlsOptions tls = tls_options(values);
  return std::unique_ptr<Sink>(
      std::make_unique<RemoteWriteSink>(std::move(settings), std::move(headers), std::move(tls)));
}

}  // namespace

const SinkDef kRemoteWriteSink{"remote-write", "Prometheus remote write", kOptions, make};

}  // namespace mikroscope::sinks
