// Elasticsearch and OpenSearch by _bulk.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sinks/net/http_post.h"
#include "sinks/stores/elastic_documents.h"
#include "sinks/stores/registry.h"
#include "sinks/stores/tls_options.h"

namespace mikroscope::sinks {
namespace {

using Json = nlohmann::json;
using Verdict = Delivery::Verdict;

constexpr std::size_t kMaxBody = std::size_t{5} << 20;

class Elastic final : public Sink {
 public:
  Elastic(std::string shown, std::string root, std::string bulk, std::string index, bool write_template,
          std::vector<std::string> headers, TlsOptions tls)
      : shown_(std::move(shown)),
        root_(std::move(root)),
        bulk_(std::move(bulk)),
        index_(std::move(index)),
        template_due_(write_template),
        poster_(std::move(headers), std::move(tls)) {}

  std::string name() const override { return "elastic " + shown_; }
  BatchLimits limits() const override { return {500, 1'000'000'000}; }

  Delivery deliver(std::span<const model::Event> events) override {
    if (template_due_) {
      const Delivery put = classify(poster_.post(root_ + "/_index_template/mikroscope", "application/json",
                                                 index_template(index_), false));
      if (put.verdict != Verdict::done)
        return put.verdict == Verdict::reject ? Delivery::fatal(put.why) : put;
      template_due_ = false;
    }
    std::vector<BulkItem> items;
    for (const model::Event& event : events) bulk_items(event, index_, items);
    Delivery all = Delivery::done();
    std::size_t from = 0;
    while (from < items.size()) {
      std::vector<const BulkItem*> part;
      std::size_t bytes = 0;
      while (from < items.size() && (part.empty() || bytes + items[from].text.size() <= kMaxBody)) {
        bytes += items[from].text.size();
        part.push_back(&items[from++]);
      }
      Delivery sent = send(part);
      // Refused for being busy: those again, once, at once; then all of it later. What is there already stays
      // as it is.
      if (sent.verdict == Verdict::done && !part.empty()) {
        const std::uint64_t rejected = sent.rejected;
        const std::string why = sent.rejected_why;
        sent = send(part);
        sent.rejected += rejected;
        if (!why.empty()) sent.rejected_why = why;
        if (sent.verdict == Verdict::done && !part.empty()) sent = Delivery::retry(busy_);
      }
      if (sent.verdict != Verdict::done) return sent;
      all.rejected += sent.rejected;
      if (all.rejected_why.empty()) all.rejected_why = sent.rejected_why;
    }
    return all;
  }

  base::Result<std::string> check() override {
    const auto response = poster_.get(root_ + "/");
    if (!response.ok()) return response.error();
    const Delivery delivery = classify(response);
    if (delivery.verdict != Verdict::done) {
      const bool denied = response->status == 401 || response->status == 403;
      return base::Error{name() + ": " + delivery.why,
                         denied ? "set MIKROSCOPE_ELASTIC_AUTH to user:password or to an API key" : "",
                         denied ? base::Exit::auth : base::Exit::failed};
    }
    const Json json = Json::parse(response->body, nullptr, false);
    std::string version;
    if (json.is_object() && json.contains("version") && json["version"].is_object())
      version =
          json["version"].value("distribution", "Elasticsearch") + " " + json["version"].value("number", "");
    return fmt::format("{} answers at {}", version.empty() ? "a server" : version, shown_);
  }

  void interrupt() override { poster_.interrupt(); }

 private:
  // `items` becomes those that were refused for being busy.
  Delivery send(std::vector<const BulkItem*>& items) {
    std::string body;
    for (const BulkItem* const item : items) body += item->text;
    const auto response = poster_.post(bulk_, "application/x-ndjson", body, true);
    Delivery delivery = classify(response);
    if (delivery.verdict != Verdict::done) return delivery;
    const Json json = Json::parse(response->body, nullptr, false);
    if (!json.is_object() || !json.contains("items") || !json["items"].is_array() ||
        json["items"].size() != items.size())
      return Delivery::fatal(shown_ + " answers, but not as _bulk of Elasticsearch does");
    std::vector<const BulkItem*> busy;
    std::size_t at = 0;
    for (const Json& entry : json["items"]) {
      const Json& verdict = entry.is_object() && !entry.empty() ? entry.begin().value() : entry;
      const Json status = verdict.is_object() ? verdict.value("status", Json()) : Json();
      const int code = status.is_number_integer() ? status.get<int>() : 0;
      const BulkItem* const item = items[at++];
      // 409: it came before.
      if ((code >= 200 && code < 300) || code == 409) continue;
      const std::string why = verdict.is_object() && verdict.contains("error")
                                  ? verdict["error"].dump(-1, ' ', false, Json::error_handler_t::replace)
                                  : std::string("no reason");
      if (code == 429 || code >= 500) {
        busy.push_back(item);
        busy_ = fmt::format("{}: {}", code, why.substr(0, 300));
      } else {
        ++delivery.rejected;
        if (delivery.rejected_why.empty())
          delivery.rejected_why = fmt::format("{}: {}", code, why.substr(0, 300));
      }
    }
    items = std::move(busy);
    return delivery;
  }

  std::string shown_;
  std::string root_;
  std::string bulk_;
  std::string index_;
  bool template_due_;
  HttpPoster poster_;
  std::string busy_;
};

constexpr SinkOption kOptions[] = {
    {"elastic", "URL", "Elasticsearch or OpenSearch: http://host:9200, or a URL that ends in /_bulk"},
    {"elastic-index", "PATTERN", "where to: %Y, %m, %d are of the event's day", "", "mikroscope-%Y.%m.%d"},
    {"elastic-template", "", "put an index template that knows times and names"},
    {"elastic-auth", "AUTH", "user:password, or an API key", "", "", true},
    kTlsCa,
    kTlsCert,
    kTlsKey,
    kTlsInsecure,
};

base::Result<std::unique_ptr<Sink>> make(const SinkValues& values) {
  auto url = parse_store_url(values.text("elastic"), "");
  if (!url.ok()) return base::Error{"--elastic: " + url.error().what, url.error().fix, base::Exit::usage};
  const std::string index = values.text("elastic-index", "mikroscope-%Y.%m.%d");
  if (index.empty() || index.find_first_of("\\/*?\"<>| ,#") != std::string::npos ||
      std::string_view("-_+.").find(index[0]) != std::string_view::npos)
    return base::Error{"--elastic-index is no name of an index", "such as mikroscope-%Y.%m.%d",
                       base::Exit::usage};
  // The path is worked on, and a query stays behind it.
  std::string root = url->url.substr(0, url->url.find('?'));
  const std::string query = url->url.substr(root.size());
  while (root.ends_with('/')) root.pop_back();
  if (root.ends_with("/_bulk")) root.resize(root.size() - 6);
  std::vector<std::string> headers;
  const std::string auth = values.text("elastic-auth");
  const std::size_t colon = auth.find(':');
  if (!url->user.empty())
    headers.push_back(basic_authorization(url->user, url->password));
  else if (colon != std::string::npos)
    headers.push_back(basic_authorization(auth.substr(0, colon), auth.substr(colon + 1)));
  else if (!auth.empty())
    headers.push_back("Authorization: ApiKey " + auth);
  TlsOptions tls = tls_options(values);
  return std::unique_ptr<Sink>(std::make_unique<Elastic>(url->url, root, root + "/_bulk" + query, index,
                                                         values.on("elastic-template"), std::move(headers),
                                                         std::move(tls)));
}

}  // namespace

const SinkDef kElasticSink = {"elastic", "Elasticsearch and OpenSearch", kOptions, make};

}  // namespace mikroscope::sinks
