// InfluxDB 3, 2 and 1 by their own write requests, and whatever else takes these.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "sinks/net/http_post.h"
#include "sinks/stores/line_protocol.h"
#include "sinks/stores/registry.h"
#include "sinks/stores/tls_options.h"

namespace mikroscope::sinks {
namespace {

constexpr std::size_t kMaxBody = std::size_t{8} << 20;
constexpr std::string_view kText = "text/plain; charset=utf-8";

enum class Version : std::uint8_t { unknown, v1, v2, v3 };

struct Settings {
  StoreUrl url;
  std::string database;
  std::string org;
  Version version = Version::unknown;
  std::string user;  // Basic, where not empty
  std::string password;
  std::string token;
};

std::string encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || c == '.' || c == '~';
    if (plain) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

// "3.0.1", "v2.7.1", "1.6.7~rc0"
Version version_of(std::string_view text) {
  if (!text.empty() && text.front() == 'v') text.remove_prefix(1);
  if (text.size() < 2 || text[1] != '.') return Version::unknown;
  switch (text.front()) {
    case '1':
      return Version::v1;
    case '2':
      return Version::v2;
    case '3':
      return Version::v3;
    default:
      return Version::unknown;
  }
}

Version version_in_json(const std::string& body) {
  const auto json = nlohmann::json::parse(body, nullptr, false);
  if (!json.is_object()) return Version::unknown;
  const auto version = json.find("version");
  return version != json.end() && version->is_string() ? version_of(version->get<std::string>())
                                                       : Version::unknown;
}

// How many lines a partial write leaves out: InfluxDB 3 lists them, the others name those that they cannot
// read and count the rest.
std::uint64_t left_out(const std::string& body) {
  const auto json = nlohmann::json::parse(body, nullptr, false);
  if (json.is_object() && json.contains("data") && json["data"].is_array() && !json["data"].empty())
    return json["data"].size();
  constexpr std::string_view kDropped = "dropped=";
  constexpr std::string_view kUnread = "unable to parse";
  std::uint64_t lines = 0;
  if (const std::size_t at = body.rfind(kDropped); at != std::string::npos)
    lines = std::strtoull(body.c_str() + at + kDropped.size(), nullptr, 10);
  for (std::size_t at = body.find(kUnread); at != std::string::npos; at = body.find(kUnread, at + 1)) ++lines;
  return std::max<std::uint64_t>(1, lines);
}

class Influx final : public Sink {
 public:
  Influx(Settings settings, TlsOptions tls)
      : settings_(std::move(settings)), version_(settings_.version), poster_({}, std::move(tls)) {
    const std::string& url = settings_.url.url;
    if (!settings_.url.has_path || version_ != Version::unknown) return;
    version_ = url.find("/api/v3/") != std::string::npos   ? Version::v3
               : url.find("/api/v2/") != std::string::npos ? Version::v2
                                                           : Version::v1;
  }

  std::string name() const override { return "influx " + settings_.url.url; }

  Delivery deliver(std::span<const model::Event> events) override {
    body_.clear();
    for (const model::Event& event : events) lines_.render(event, body_);
    if (body_.empty()) return Delivery::done();
    if (body_.size() > kMaxBody && events.size() > 1)
      return Delivery::split("more than 8 MiB in one request");
    if (auto known = learn_version(); !known.ok()) return Delivery::retry(known.error().what);
    return judge(write(body_));
  }

  base::Result<std::string> check() override {
    if (auto known = learn_version(); !known.ok()) return known.error();
    // An empty write stores nothing, and yet tells a wrong token and a database that is not there.
    const auto response = write({});
    const Delivery answer = judge(response);
    if (answer.verdict == Delivery::Verdict::fatal) {
      const bool denied = response.ok() && (response->status == 401 || response->status == 403);
      return base::Error{fmt::format("{}: {}", name(), answer.why),
                         denied ? "set MIKROSCOPE_INFLUX_TOKEN to a token that may write there "
                                  "(version 1: user:password)"
                                : "is the database there (--influx-db), and is it this version "
                                  "(--influx-version)?",
                         denied ? base::Exit::auth : base::Exit::failed};
    }
    if (answer.verdict == Delivery::Verdict::retry)
      return base::Error{answer.why, "is the server there, and is this its address?", base::Exit::failed};
    return fmt::format("{}: takes writes as InfluxDB {}", settings_.url.url, static_cast<int>(version_));
  }

  void interrupt() override { poster_.interrupt(); }

 private:
  // Asked once, at first use. What tells no version is taken for 3.
  base::Result<void> learn_version() {
    if (version_ != Version::unknown) return {};
    const auto ping = poster_.get(settings_.url.url + "/ping");
    if (!ping.ok()) return ping.error();
    if (ping->status >= 500 || ping->status == 429)
      return base::Error{fmt::format("{}/ping answers HTTP {}", settings_.url.url, ping->status), "",
                         base::Exit::failed};
    Version version = Version::unknown;
    if (const auto header = ping->headers.find("x-influxdb-version"); header != ping->headers.end())
      version = version_of(header->second);
    if (version == Version::unknown) version = version_in_json(ping->body);
    if (version == Version::unknown) {
      const auto health = poster_.get(settings_.url.url + "/health");
      if (!health.ok()) return health.error();
      version = version_in_json(health->body);
    }
    version_ = version == Version::unknown ? Version::v3 : version;
    return {};
  }

  std::string write_url() const {
    const std::string& base = settings_.url.url;
    if (settings_.url.has_path) return base;
    const std::string database = encoded(settings_.database);
    switch (version_) {
      case Version::v1:
        return fmt::format("{}/write?db={}&precision=ns", base, database);
      case Version::v2:
        return fmt::format("{}/api/v2/write?org={}&bucket={}&precision=ns", base, encoded(settings_.org),
                           database);
      default:
        return fmt::format("{}/api/v3/write_lp?db={}&precision=nanosecond", base, database);
    }
  }

  base::Result<HttpResponse> write(std::string_view body) {
    std::vector<std::string> headers;
    if (!settings_.user.empty()) {
      headers.push_back(basic_authorization(settings_.user, settings_.password));
    } else if (!settings_.token.empty()) {
      headers.push_back(
          fmt::format("Authorization: {} {}", version_ == Version::v3 ? "Bearer" : "Token", settings_.token));
    }
    return poster_.post(write_url(), kText, body, true, headers);
  }

  Delivery judge(const base::Result<HttpResponse>& response) const {
    Delivery delivery = classify(response);
    if (!response.ok()) return delivery;
    const std::string& body = response->body;
    if ((response->status == 400 || response->status == 422) &&
        body.find("partial write") != std::string::npos) {
      // All the other lines are stored; the same batch again would only be refused again.
      Delivery partly = Delivery::done();
      partly.rejected = left_out(body);
      partly.rejected_why = delivery.why;
      return partly;
    }
    if (response->status == 404 && body.find("not found") != std::string::npos &&
        body.find("page not found") == std::string::npos)
      return Delivery::fatal(delivery.why + "; create the database, or name another one with --influx-db");
    // No fault of the lines.
    if (response->status == 422 && body.find("databases") != std::string::npos)
      return Delivery::fatal(delivery.why);
    return delivery;
  }

  Settings settings_;
  Version version_;
  HttpPoster poster_;
  LineProtocol lines_;
  std::string body_;
};

constexpr SinkOption kOptions[] = {
    {"influx", "URL", "InfluxDB 1, 2 or 3: http://host:8181; a URL with a path is used as it is"},
    {"influx-db", "NAME", "its database (version 2: the bucket)"},
    {"influx-org", "NAME", "with version 2: the organisation"},
    {"influx-version", "V", "whose requests to use; auto asks the server", "auto,1,2,3", "auto"},
    {"influx-token", "TOKEN", "the token; user:password with version 1", {}, {}, true},
    kTlsCa,
    kTlsCert,
    kTlsKey,
    kTlsInsecure,
};

base::Result<std::unique_ptr<Sink>> make(const SinkValues& values) {
  auto url = parse_store_url(values.text("influx"), "");
  if (!url.ok()) return base::Error{"--influx: " + url.error().what, url.error().fix, base::Exit::usage};
  Settings settings;
  settings.url = *url;
  settings.database = values.text("influx-db");
  settings.org = values.text("influx-org");
  settings.user = url->user;
  settings.password = url->password;
  settings.token = values.text("influx-token");
  if (settings.database.empty() && !url->has_path)
    return base::Error{"--influx names a server but no database",
                       "add --influx-db NAME (MIKROSCOPE_INFLUX_DB)", base::Exit::usage};
  const std::string version = values.text("influx-version", "auto");
  if (version == "1" || version == "2" || version == "3") {
    settings.version = static_cast<Version>(version[0] - '0');
  } else if (version != "auto") {
    return base::Error{fmt::format("--influx-version {}: no such version", version), "auto, 1, 2 or 3",
                       base::Exit::usage};
  }
  if (settings.version == Version::v2 && settings.org.empty() && !url->has_path)
    return base::Error{"--influx-version 2 needs an organisation", "add --influx-org NAME",
                       base::Exit::usage};
  // Tokens of 2 and 3 have no colon.
  if (const std::size_t colon = settings.token.find(':');
      settings.user.empty() && colon != std::string::npos) {
    settings.user = settings.token.substr(0, colon);
    settings.password = settings.token.substr(colon + 1);
  }
  return std::unique_ptr<Sink>(std::make_unique<Influx>(std::move(settings), tls_options(values)));
}

}  // namespace

const SinkDef kInfluxSink = {"influx", "InfluxDB 1, 2 and 3, and what takes its line protocol", kOptions,
                             make};

}  // namespace mikroscope::sinks
