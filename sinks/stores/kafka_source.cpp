#include "sinks/stores/kafka_source.h"

#include <fmt/format.h>

#include "model/block.h"
#include "sinks/stores/kafka_client.h"

namespace mikroscope::sinks {

struct KafkaSource::Impl {
  KafkaUrl url;
  std::uint64_t unreadable = 0;
  std::uint64_t assignment = 0;
  rd_kafka_resp_err_t link = RD_KAFKA_RESP_ERR_NO_ERROR;  // a trouble that does not pass
  KafkaHandle handle;

  static void dealt(rd_kafka_t* handle, rd_kafka_resp_err_t code, rd_kafka_topic_partition_list_t* list,
                    void* opaque) {
    ++static_cast<Impl*>(opaque)->assignment;
    rd_kafka_assign(handle, code == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS ? list : nullptr);
  }
  static void troubled(rd_kafka_t*, int code, const char*, void* opaque) {
    const auto trouble = static_cast<rd_kafka_resp_err_t>(code);
    if (kafka_fatal(trouble)) static_cast<Impl*>(opaque)->link = trouble;
  }
};

KafkaSource::KafkaSource(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

KafkaSource::~KafkaSource() {
  if (impl_->handle) rd_kafka_consumer_close(impl_->handle.get());
}

base::Result<std::unique_ptr<KafkaSource>> KafkaSource::open(std::string_view text, const std::string& group,
                                                             const SinkValues& values) {
  auto url = parse_kafka_url(text);
  if (!url) return base::Error{"--from: " + url.error().what, url.error().fix, base::Exit::usage};
  if (group.empty())
    return base::Error{"--from kafka:// without a group", "add --group NAME", base::Exit::usage};
  auto conf = kafka_conf(*url, values);
  if (!conf) return conf.error();
  for (const auto& [name, value] :
       {std::pair{"group.id", group}, std::pair{"enable.auto.commit", std::string("false")},
        std::pair{"auto.offset.reset", std::string("earliest")},
        // Who ended without a word gives up its partitions after so long.
        std::pair{"session.timeout.ms", std::string("10000")}}) {
    if (auto set = kafka_set(conf->get(), name, value); !set) return set.error();
  }
  auto impl = std::make_unique<Impl>();
  impl->url = std::move(*url);
  rd_kafka_conf_set_rebalance_cb(conf->get(), Impl::dealt);
  rd_kafka_conf_set_error_cb(conf->get(), Impl::troubled);
  rd_kafka_conf_set_opaque(conf->get(), impl.get());
  char why[256] = {};
  rd_kafka_t* handle = rd_kafka_new(RD_KAFKA_CONSUMER, conf->get(), why, sizeof why);
  if (handle == nullptr)
    return base::Error{fmt::format("{}: {}", impl->url.text(), why), "check the --tls options",
                       base::Exit::usage};
  conf->release();  // now the handle's
  impl->handle.reset(handle);
  rd_kafka_poll_set_consumer(handle);
  rd_kafka_topic_partition_list_t* topics = rd_kafka_topic_partition_list_new(1);
  rd_kafka_topic_partition_list_add(topics, impl->url.topic.c_str(), RD_KAFKA_PARTITION_UA);
  const rd_kafka_resp_err_t code = rd_kafka_subscribe(handle, topics);
  rd_kafka_topic_partition_list_destroy(topics);
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR)
    return base::Error{fmt::format("{}: {}", impl->url.text(), rd_kafka_err2str(code)), "",
                       base::Exit::failed};
  return std::unique_ptr<KafkaSource>(new KafkaSource(std::move(impl)));
}

base::Result<std::optional<KafkaSource::Polled>> KafkaSource::poll(int timeout_ms) {
  rd_kafka_message_t* message = rd_kafka_consumer_poll(impl_->handle.get(), timeout_ms);
  const rd_kafka_resp_err_t code =
      kafka_fatal(impl_->link) || message == nullptr ? impl_->link : message->err;
  if (kafka_fatal(code)) {
    if (message != nullptr) rd_kafka_message_destroy(message);
    return base::Error{fmt::format("{}: {}", impl_->url.text(), rd_kafka_err2str(code)),
                       "create the topic, or check --kafka-user and MIKROSCOPE_KAFKA_PASSWORD",
                       base::Exit::failed};
  }
  if (message == nullptr || code != RD_KAFKA_RESP_ERR_NO_ERROR) {
    if (message != nullptr) rd_kafka_message_destroy(message);
    return std::optional<Polled>();
  }
  Polled polled{{}, message->partition, message->offset, impl_->assignment};
  auto events = model::decode_message({static_cast<const char*>(message->payload), message->len});
  rd_kafka_message_destroy(message);
  if (events) {
    polled.events = std::move(*events);
  } else {
    ++impl_->unreadable;
  }
  return std::optional<Polled>(std::move(polled));
}

base::Result<bool> KafkaSource::commit(const Polled& last) {
  if (last.assignment != impl_->assignment) return false;
  rd_kafka_topic_partition_list_t* list = rd_kafka_topic_partition_list_new(1);
  rd_kafka_topic_partition_list_add(list, impl_->url.topic.c_str(), last.partition)->offset = last.offset + 1;
  const rd_kafka_resp_err_t code = rd_kafka_commit(impl_->handle.get(), list, 0);
  rd_kafka_topic_partition_list_destroy(list);
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR) return true;
  if (code == RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION || code == RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS ||
      code == RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID)
    return false;
  return base::Error{
      fmt::format("{}: offsets are not committed: {}", impl_->url.text(), rd_kafka_err2str(code)), "",
      base::Exit::failed};
}

std::uint64_t KafkaSource::unreadable() const {
  return impl_->unreadable;
}
std::uint64_t KafkaSource::assignment() const {
  return impl_->assignment;
}

}  // namespace mikroscope::sinks
