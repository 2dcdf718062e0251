#include "sinks/stores/kafka_client.h"

#include <fmt/format.h>

#include <utility>

namespace mikroscope::sinks {

std::string KafkaUrl::text() const {
  return fmt::format("{}://{}/{}", tls ? "kafkas" : "kafka", brokers, topic);
}

base::Result<KafkaUrl> parse_kafka_url(std::string_view text) {
  const auto wrong = [](std::string what) {
    return base::Error{std::move(what), "for example kafka://broker.example.org:9092/mikroscope",
                       base::Exit::usage};
  };
  KafkaUrl url;
  constexpr std::string_view kPlain = "kafka://", kTls = "kafkas://";
  if (text.substr(0, kPlain.size()) == kPlain) {
    text.remove_prefix(kPlain.size());
  } else if (text.substr(0, kTls.size()) == kTls) {
    url.tls = true;
    text.remove_prefix(kTls.size());
  } else {
    return wrong("the address does not begin with kafka:// or kafkas://");
  }
  if (text.find('@') != std::string_view::npos)
    return wrong("a login does not belong into the address: --kafka-user and MIKROSCOPE_KAFKA_PASSWORD");
  const std::size_t slash = text.find('/');
  url.brokers = std::string(text.substr(0, slash));
  if (slash != std::string_view::npos) url.topic = std::string(text.substr(slash + 1));
  if (url.brokers.empty()) return wrong("the address names no broker");
  if (url.topic.empty()) return wrong("the address names no topic");
  for (const char c : url.topic) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '_' || c == '-';
    if (!plain) return wrong(fmt::format("'{}' is no name of a topic: A-Z a-z 0-9 . _ -", url.topic));
  }
  return url;
}

base::Result<void> kafka_set(rd_kafka_conf_t* conf, const char* name, const std::string& value) {
  char why[256] = {};
  if (rd_kafka_conf_set(conf, name, value.c_str(), why, sizeof why) == RD_KAFKA_CONF_OK) return {};
  // The library's reason may repeat the value.
  return base::Error{fmt::format("librdkafka does not take the setting {}", name),
                     "is librdkafka built with TLS and SASL?", base::Exit::usage};
}

base::Result<KafkaConf> kafka_conf(const KafkaUrl& url, const SinkValues& values) {
  KafkaConf conf(rd_kafka_conf_new());
  std::vector<std::pair<const char*, std::string>> settings = {
      {"bootstrap.servers", url.brokers},
      {"client.id", "mikroscope"},
      {"log_level", "0"},
      {"allow.auto.create.topics", "false"},
  };
  const std::string user = values.text("kafka-user");
  const std::string sasl = values.text("kafka-sasl", "plain");
  if (!user.empty()) {
    if (sasl != "plain" && sasl != "scram-sha-256")
      return base::Error{fmt::format("--kafka-sasl {}: no such login", sasl), "plain or scram-sha-256",
                         base::Exit::usage};
    if (!values.has("kafka-password"))
      return base::Error{"--kafka-user without a password", "set MIKROSCOPE_KAFKA_PASSWORD",
                         base::Exit::usage};
    settings.push_back({"sasl.mechanisms", sasl == "plain" ? "PLAIN" : "SCRAM-SHA-256"});
    settings.push_back({"sasl.username", user});
    settings.push_back({"sasl.password", values.text("kafka-password")});
  }
  const bool login = !user.empty();
  settings.push_back({"security.protocol",
                      url.tls ? (login ? "sasl_ssl" : "ssl") : (login ? "sasl_plaintext" : "plaintext")});
  if (url.tls) {
    if (values.has("tls-ca")) settings.push_back({"ssl.ca.location", values.text("tls-ca")});
    if (values.has("tls-cert")) settings.push_back({"ssl.certificate.location", values.text("tls-cert")});
    if (values.has("tls-key")) settings.push_back({"ssl.key.location", values.text("tls-key")});
    if (values.on("tls-insecure")) settings.push_back({"enable.ssl.certificate.verification", "false"});
  }
  for (const auto& [name, value] : settings) {
    if (auto set = kafka_set(conf.get(), name, value); !set) return set.error();
  }
  return conf;
}

bool kafka_fatal(rd_kafka_resp_err_t code) {
  switch (code) {
    case RD_KAFKA_RESP_ERR__AUTHENTICATION:
    case RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED:
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
      return true;
    default:
      return false;
  }
}

}  // namespace mikroscope::sinks
