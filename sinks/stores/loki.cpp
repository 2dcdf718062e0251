// Loki: what has a text, as lines; with --loki-metrics also rows of numbers, as lines.
#include <fmt/format.h>

#include <algorithm>

#include "sinks/net/http_post.h"
#include "sinks/stores/loki_streams.h"
#include "sinks/stores/registry.h"
#include "sinks/stores/tls_options.h"

namespace mikroscope::sinks {
namespace {

using Verdict = Delivery::Verdict;

std::string lower(std::string_view text) {
  std::string out;
  for (const char c : text) out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

class Loki final : public Sink {
 public:
  Loki(std::string url, bool metrics, std::vector<std::string> headers, TlsOptions tls)
      : url_(std::move(url)), metrics_(metrics), poster_(std::move(headers), std::move(tls)) {}

  std::string name() const override { return "loki " + url_; }

  Delivery deliver(std::span<const model::Event> events) override {
    const std::string body = loki_push(events, metrics_);
    if (body.empty()) return Delivery::done();
    const auto response = poster_.post(url_, "application/json", body, true);
    Delivery delivery = classify(response);
    // Entries that are too old are refused, and the others of the request are stored.
    if (response.ok() && response->status == 400) {
      const std::string text = lower(response->body);
      for (const std::string_view late : {"too far behind", "out of order", "timestamp too old", "too new"}) {
        if (text.find(late) == std::string::npos) continue;
        Delivery partly = Delivery::done();
        partly.rejected = late_entries(text, late);
        partly.rejected_why = delivery.why;
        return partly;
      }
    }
    return delivery;
  }

  base::Result<std::string> check() override {
    // Nothing to store: Loki says by the status whether it would take it.
    const auto response = poster_.post(url_, "application/json", "{\"streams\":[]}", false);
    if (!response.ok()) return response.error();
    const Delivery delivery = classify(response);
    const bool denied = response->status == 401 || response->status == 403;
    // Some versions call an empty push wrong; they have read it.
    if (delivery.verdict == Verdict::done || response->status == 400 || response->status == 422)
      return std::string("Loki takes pushes at ") + url_;
    return base::Error{
        name() + ": " + delivery.why,
        denied ? "set MIKROSCOPE_LOKI_TOKEN, or user:password in the URL" : "see whether the URL is right",
        denied ? base::Exit::auth : base::Exit::failed};
  }

  void interrupt() override { poster_.interrupt(); }

 private:
  // "total ignored: 3 out of 10" where it says so; else at least one.
  static std::uint64_t late_entries(const std::string& text, std::string_view late) {
    const std::size_t told = text.find("total ignored: ");
    if (told != std::string::npos)
      return std::max<std::uint64_t>(1, std::strtoull(text.c_str() + told + 15, nullptr, 10));
    std::uint64_t n = 0;
    for (std::size_t at = text.find(late); at != std::string::npos; at = text.find(late, at + 1)) ++n;
    return n;
  }

  std::string url_;
  bool metrics_;
  HttpPoster poster_;
};

constexpr SinkOption kOptions[] = {
    {"loki", "URL", "Loki: http://host:3100; without a path /loki/api/v1/push"},
    {"loki-tenant", "NAME", "the tenant: X-Scope-OrgID"},
    {"loki-metrics", "", "send rows of numbers too, as lines of the stream of their measurement"},
    {"loki-token", "TOKEN", "bearer token for Loki", "", "", true},
    kTlsCa,
    kTlsCert,
    kTlsKey,
    kTlsInsecure,
};

base::Result<std::unique_ptr<Sink>> make(const SinkValues& values) {
  auto url = parse_store_url(values.text("loki"), "/loki/api/v1/push");
  if (!url.ok()) return base::Error{"--loki: " + url.error().what, url.error().fix, base::Exit::usage};
  std::vector<std::string> headers;
  const std::string tenant = values.text("loki-tenant");
  if (tenant.find_first_of("\r\n") != std::string::npos)
    return base::Error{"--loki-tenant is no name", "such as home", base::Exit::usage};
  if (!tenant.empty()) headers.push_back("X-Scope-OrgID: " + tenant);
  if (!url->user.empty())
    headers.push_back(basic_authorization(url->user, url->password));
  else if (values.has("loki-token"))
    headers.push_back("Authorization: Bearer " + values.text("loki-token"));
  TlsOptions tls = tls_options(values);
  return std::unique_ptr<Sink>(
      std::make_unique<Loki>(url->url, values.on("loki-metrics"), std::move(headers), std::move(tls)));
}

}  // namespace

const SinkDef kLokiSink = {"loki", "Loki: the kernel log, detections, gaps and other events", kOptions, make};

}  // namespace mikroscope::sinks
