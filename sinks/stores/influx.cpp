// InfluxDB 3, 2 and 1 by their own write requests.
#include <fmt/format.h>

#include <atomic>
#include <nlohmann/json.hpp>

#include "sinks/net/http_post.h"
#include "sinks/net/http_server.h"
#include "sinks/stores/line_protocol.h"
#include "sinks/stores/registry.h"

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
};

std::string encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || c == '.' || c == '~';
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

// How many lines a refusal leaves out: InfluxDB 3 lists them, 1 says dropped=N.
std::uint64_t left_out(const std::string& body) {
  const auto json = nlohmann::json::parse(body, nullptr, false);
  if (json.is_object() && json.contains("data") && json["data"].is_array()) return json["data"].size();
  const std::size_t at = body.rfind("dropped=");
  const std::uint64_t dropped =
      at == std::string::npos ? 0 : std::strtoull(body.c_str() + at + 8, nullptr, 10);
  // Lines that could not even be read are not in that number.
  return std::max<std::uint64_t>(1, dropped);
}

class Influx final : public Sink {
 public:
  Influx(Settings settings, std::vector<std::string> headers, TlsOptions tls)
      : settings_(std::move(settings)),
        version_(settings_.version),
        poster_(std::move(headers), std::move(tls)) {}

  std::string name() const override { return "influx " + settings_.url.url; }

  Delivery deliver(std::span<const model::Event> events) override {
    if (auto known = learn_version(); !known.ok()) return Delivery::retry(known.error().what);
    body_.clear();
    for (const model::Event& event : events) lines_.render(event, body_);
    if (body_.empty()) return Delivery::done();
    if (body_.size() > kMaxBody && events.size() > 1)
      return Delivery::split("more than 8 MiB in one request");
    const auto response = poster_.post(write_url(), kText, body_, true);
    return judge(response);
  }

  base::Result<std::string> check() override {
    if (auto known = learn_version(); !known.ok()) return known.error();
    // An empty write stores nothing, and tells a wrong token and a database that is not there.
    const auto response = poster_.post(write_url(), kText, "", false);
    if (!response.ok()) return response.error();
    const Delivery delivery = judge(response);
    if (delivery.verdict == Delivery::Verdict::fatal) {
      const bool denied = response->status == 401 || response->status == 403;
      return base::Error{fmt::format("{}: {}", name(), delivery.why),
                         denied ? "set MIKROSCOPE_INFLUX_TOKEN to a token that may write"
                                : "create the database, or name another one: --influx-db",
                         denied ? base::Exit::auth : base::Exit::failed};
    }
    if (delivery.verdict == Delivery::Verdict::retry)
      return base::Error{delivery.why, "", base::Exit::failed};
    return fmt::format("InfluxDB {} takes writes to {}", static_cast<int>(version_.load()), settings_.database);
  }

  void interrupt() override { poster_.interrupt(); }

 private:
  // A URL with a path is one that somebody knows to be right.
  base::Result<void> learn_version() {
    if (settings_.url.has_path || version_ != Version::unknown) return {};
    const auto ping = poster_.get(settings_.url.url + "/ping");
    if (!ping.ok()) return ping.error();
    if (ping->status >= 500)
      return base::Error{fmt::format("{} answers {}", settings_.url.url, ping->status), "",
                         base::Exit::failed};
    version_ = Version::v3;
    // 3 says its version in the body of /ping, 2 has /health, 1 neither.
    const auto body = nlohmann::json::parse(ping->body, nullptr, false);
    if (body.is_object() && body.contains("version")) return {};
    const auto health = poster_.get(settings_.url.url + "/health");
    const auto told = health.ok() ? nlohmann::json::parse(health->body, nullptr, false) : nlohmann::json();
    if (told.is_object() && told.value("name", "") == "influxdb") {
      version_ = told.value("version", "").starts_with("1.") || told.value("version", "").starts_with("v1.")
                     ? Version::v1
                     : Version::v2;
    } else if (ping->status == 204 && health.ok() && health->status == 404) {
      version_ = Version::v1;
    }
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

  Delivery judge(const base::Result<HttpResponse>& response) const {
    Delivery delivery = classify(response);
    if (!response.ok() || response->status != 400) return delivery;
    // Stored but for some lines.
    if (response->body.find("partial write") != std::string::npos) {
      Delivery partly = Delivery::done();
      partly.rejected = left_out(response->body);
      partly.rejected_why = delivery.why;
      return partly;
    }
    return delivery;
  }

  Settings settings_;
  std::atomic<Version> version_;
  HttpPoster poster_;
  LineProtocol lines_;
  std::string body_;
};

constexpr SinkOption kOptions[] = {
    {"influx", "URL", "InfluxDB 1, 2 or 3: http://host:8181; a URL with a path is used as it is"},
    {"influx-db", "NAME", "its database (version 2: the bucket)"},
    {"influx-org", "NAME", "with version 2: the organisation"},
    {"influx-version", "V", "which requests it understands; auto asks it", "auto,1,2,3", "auto"},
    {"influx-token", "TOKEN", "token for InfluxDB; user:password for version 1", "", "", true},
    {"tls-ca", "FILE", "certificates of those who may vouch for stores"},
    {"tls-cert", "FILE", "our own certificate, for stores that ask for one"},
    {"tls-key", "FILE", "its key"},
    {"tls-insecure", "", "believe any certificate of a store"},
};

base::Result<std::unique_ptr<Sink>> make(const SinkValues& values) {
  auto url = parse_store_url(values.text("influx"), "");
  if (!url.ok()) return base::Error{"--influx: " + url.error().what, url.error().fix, base::Exit::usage};
  Settings settings{*url, values.text("influx-db"), values.text("influx-org"), Version::unknown};
  if (settings.database.empty() && !url->has_path)
    return base::Error{"--influx names a server but no database",
                       "add --influx-db NAME (MIKROSCOPE_INFLUX_DB)", base::Exit::usage};
  const std::string version = values.text("influx-version", "auto");
  if (version != "auto") settings.version = static_cast<Version>(version[0] - '0');

  std::vector<std::string> headers;
  const std::string token = values.text("influx-token");
  const bool pair = token.find(':') != std::string::npos && !token.starts_with("apiv3");
  std::string user = url->user;
  std::string password = url->password;
  if (pair) {
    user = token.substr(0, token.find(':'));
    password = token.substr(token.find(':') + 1);
  }
  if (!user.empty()) {
    headers.push_back("Authorization: Basic " + basic_credentials(user, password));
  } else if (!token.empty()) {
    // Version 3 takes both words; 2 and 1 know this one only.
    const bool third =
        settings.version == Version::v3 || settings.url.url.find("/api/v3/") != std::string::npos;
    headers.push_back(fmt::format("Authorization: {} {}", third ? "Bearer" : "Token", token));
  }
  TlsOptions tls{values.text("tls-ca"), values.text("tls-cert"), values.text("tls-key"),
                 values.on("tls-insecure")};
  return std::unique_ptr<Sink>(
      std::make_unique<Influx>(std::move(settings), std::move(headers), std::move(tls)));
}

}  // namespace

const SinkDef kInfluxSink = {"influx", "InfluxDB 1, 2 and 3, and what takes its line protocol", kOptions,
                             make};

}  // namespace mikroscope::sinks
