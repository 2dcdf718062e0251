// Events as messages of Kafka, for collectors that read them with `forward --from`.
#include <fmt/format.h>

#include <atomic>
#include <map>

#include "base/clock.h"
#include "model/block.h"
#include "sinks/stores/kafka_client.h"
#include "sinks/stores/registry.h"
#include "sinks/stores/tls_options.h"

namespace mikroscope::sinks {
namespace {

constexpr std::size_t kMaxMessage = 900'000;  // brokers take 1 MB unless told otherwise
constexpr std::int64_t kTimeout = 10 * base::kNsPerSecond;

// What became of the messages of one batch.
struct Reports {
  std::size_t open = 0;
  std::uint64_t too_large = 0;
  rd_kafka_resp_err_t failed = RD_KAFKA_RESP_ERR_NO_ERROR;
  rd_kafka_resp_err_t link = RD_KAFKA_RESP_ERR_NO_ERROR;  // of the connection
};

void reported(rd_kafka_t*, const rd_kafka_message_t* message, void* opaque) {
  auto& reports = *static_cast<Reports*>(opaque);
  --reports.open;
  if (message->err == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE) {
    ++reports.too_large;
  } else if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR && !kafka_fatal(reports.failed)) {
    reports.failed = message->err;
  }
}

void troubled(rd_kafka_t*, int code, const char*, void* opaque) {
  auto& reports = *static_cast<Reports*>(opaque);
  if (!kafka_fatal(reports.link)) reports.link = static_cast<rd_kafka_resp_err_t>(code);
}

class Kafka final : public Sink {
 public:
  Kafka(KafkaUrl url, SinkValues values) : url_(std::move(url)), values_(std::move(values)) {}

  std::string name() const override { return "kafka " + url_.text(); }
  void interrupt() override { interrupted_ = true; }

  Delivery deliver(std::span<const model::Event> events) override {
    interrupted_ = false;
    if (auto open = connect(); !open) return Delivery::fatal(open.error().what);
    reports_ = {};
    std::map<std::string, std::vector<model::Event>> runs;  // of one origin each, in order
    for (const model::Event& event : events) {
      std::vector<model::Event>& run = runs[event.origin->host];
      if (!run.empty() && (run.front().origin->instance != event.origin->instance ||
                           run.front().origin->boot_id != event.origin->boot_id)) {
        send(run);
        run.clear();
      }
      run.push_back(event);
    }
    for (const auto& [host, run] : runs) send(run);
    const std::int64_t deadline = base::monotonic_ns() + kTimeout;
    while (reports_.open > 0 && !kafka_fatal(reports_.link) && !interrupted_ &&
           base::monotonic_ns() < deadline)
      rd_kafka_poll(handle_.get(), 50);
    const rd_kafka_resp_err_t code = kafka_fatal(reports_.link) ? reports_.link : reports_.failed;
    if (reports_.open > 0 || code != RD_KAFKA_RESP_ERR_NO_ERROR) {
      const rd_kafka_resp_err_t shown = code != RD_KAFKA_RESP_ERR_NO_ERROR ? code : reports_.link;
      const std::string why = fmt::format(
          "{}: {}", name(),
          shown == RD_KAFKA_RESP_ERR_NO_ERROR ? "no acknowledgement in time" : rd_kafka_err2str(shown));
      // Nothing of this batch may go out behind the next attempt.
      handle_.reset();
      return kafka_fatal(code) ? Delivery::fatal(why) : Delivery::retry(why);
    }
    Delivery done = Delivery::done();
    done.rejected = reports_.too_large;
    if (done.rejected > 0) done.rejected_why = "one event is larger than a message may be";
    return done;
  }

  base::Result<std::string> check() override {
    if (auto open = connect(); !open) return open.error();
    reports_ = {};
    rd_kafka_topic_t* topic = rd_kafka_topic_new(handle_.get(), url_.topic.c_str(), nullptr);
    const rd_kafka_metadata_t* told = nullptr;
    rd_kafka_resp_err_t code = rd_kafka_metadata(handle_.get(), 0, topic, &told, 8000);
    rd_kafka_poll(handle_.get(), 0);
    int partitions = 0;
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
      if (told->topic_cnt > 0) code = told->topics[0].err;
      if (told->topic_cnt > 0) partitions = told->topics[0].partition_cnt;
      rd_kafka_metadata_destroy(told);
    }
    rd_kafka_topic_destroy(topic);
    if (kafka_fatal(reports_.link)) code = reports_.link;
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR)
      return fmt::format("{}: the topic has {} partitions", name(), partitions);
    const bool topic_missing =
        code == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART || code == RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC;
    return base::Error{fmt::format("{}: {}", name(), rd_kafka_err2str(code)),
                       topic_missing       ? "create the topic"
                       : kafka_fatal(code) ? "check --kafka-user, MIKROSCOPE_KAFKA_PASSWORD and its rights"
                                           : "is the broker there, and is this its address?",
                       kafka_fatal(code) && !topic_missing ? base::Exit::auth : base::Exit::failed};
  }

 private:
  base::Result<void> connect() {
    if (handle_) return {};
    auto conf = kafka_conf(url_, values_);
    if (!conf) return conf.error();
    for (const auto& [name, value] : {std::pair{"enable.idempotence", "true"}, std::pair{"acks", "all"},
                                      std::pair{"compression.type", "none"}, std::pair{"linger.ms", "0"},
                                      std::pair{"message.timeout.ms", "9000"}}) {
      if (auto set = kafka_set(conf->get(), name, value); !set) return set;
    }
    rd_kafka_conf_set_dr_msg_cb(conf->get(), reported);
    rd_kafka_conf_set_error_cb(conf->get(), troubled);
    rd_kafka_conf_set_opaque(conf->get(), &reports_);
    char why[256] = {};
    rd_kafka_t* handle = rd_kafka_new(RD_KAFKA_PRODUCER, conf->get(), why, sizeof why);
    if (handle == nullptr)
      return base::Error{fmt::format("{}: {}", name(), why), "check the --tls options", base::Exit::usage};
    conf->release();  // now the handle's
    handle_.reset(handle);
    return {};
  }

  void send(std::span<const model::Event> events) {
    std::string message = model::encode_message(events);
    if (message.size() > kMaxMessage && events.size() > 1) {
      send(events.first(events.size() / 2));
      send(events.subspan(events.size() / 2));
      return;
    }
    const std::string& key = events.front().origin->host;
    const rd_kafka_resp_err_t code = rd_kafka_producev(
        handle_.get(), RD_KAFKA_V_TOPIC(url_.topic.c_str()), RD_KAFKA_V_KEY(key.data(), key.size()),
        RD_KAFKA_V_VALUE(message.data(), message.size()), RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
        RD_KAFKA_V_END);
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
      ++reports_.open;
    } else if (code == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE) {
      ++reports_.too_large;
    } else {
      reports_.failed = code;
    }
  }

  KafkaUrl url_;
  SinkValues values_;
  std::atomic<bool> interrupted_ = false;
  Reports reports_;  // outlives the handle, whose reports still come while it ends
  KafkaHandle handle_;
};

constexpr SinkOption kOptions[] = {
    {"to", "URL", "Kafka: kafka://BROKER[,BROKER]/TOPIC, kafkas:// with TLS"},
    {"kafka-user", "NAME", "who logs in"},
    {"kafka-password", "PASSWORD", "the password", {}, {}, true},
    {"kafka-sasl", "HOW", "how to log in", "plain,scram-sha-256", "plain"},
    kTlsCa,
    kTlsCert,
    kTlsKey,
    kTlsInsecure,
};

base::Result<std::unique_ptr<Sink>> make(const SinkValues& values) {
  auto url = parse_kafka_url(values.text("to"));
  if (!url) return base::Error{"--to: " + url.error().what, url.error().fix, base::Exit::usage};
  if (auto conf = kafka_conf(*url, values); !conf) return conf.error();
  return std::unique_ptr<Sink>(std::make_unique<Kafka>(std::move(*url), values));
}

}  // namespace

const SinkDef kKafkaSink{"to", "Kafka, for other collectors", kOptions, make};

}  // namespace mikroscope::sinks
