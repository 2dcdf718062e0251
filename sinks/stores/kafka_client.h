// What the producing and the consuming side of Kafka share: the address and the settings of librdkafka.
#pragma once

#include <librdkafka/rdkafka.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/host/result.h"
#include "sinks/pipeline/sink_def.h"

namespace mikroscope::sinks {

struct KafkaUrl {
  std::string brokers;  // HOST[:PORT],…
  std::string topic;
  bool tls = false;

  std::string text() const;  // as it was given: it has no secrets
};
// kafka://BROKER[,BROKER]/TOPIC or kafkas://… A user in it is refused, so that no password is ever shown.
base::Result<KafkaUrl> parse_kafka_url(std::string_view text);

struct KafkaDestroy {
  void operator()(rd_kafka_t* handle) const { rd_kafka_destroy(handle); }
  void operator()(rd_kafka_conf_t* conf) const { rd_kafka_conf_destroy(conf); }
};
using KafkaHandle = std::unique_ptr<rd_kafka_t, KafkaDestroy>;
using KafkaConf = std::unique_ptr<rd_kafka_conf_t, KafkaDestroy>;

base::Result<void> kafka_set(rd_kafka_conf_t* conf, const char* name, const std::string& value);
// Brokers, login and TLS by the options kafka-user, kafka-password, kafka-sasl and tls-*. Exit::usage where
// they do not fit together.
base::Result<KafkaConf> kafka_conf(const KafkaUrl& url, const SinkValues& values);
// What will not get better by trying again: a login or a right that is refused, a topic that is not there.
bool kafka_fatal(rd_kafka_resp_err_t code);

}  // namespace mikroscope::sinks
