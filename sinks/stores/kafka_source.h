// The consuming side: what other collectors published to Kafka.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/host/result.h"
#include "model/event.h"
#include "sinks/pipeline/sink_def.h"

namespace mikroscope::sinks {

// One thread uses it.
class KafkaSource {
 public:
  struct Polled {
    std::vector<model::Event> events;  // empty: a message that cannot be read; it is to be committed too
    std::int32_t partition = 0;
    std::int64_t offset = 0;
    std::uint64_t assignment = 0;  // which one it came by
  };

  // Joins the group; the first poll()s connect. `values`: kafka-user, kafka-password, kafka-sasl, tls-*.
  static base::Result<std::unique_ptr<KafkaSource>> open(std::string_view url, const std::string& group,
                                                         const SinkValues& values);
  ~KafkaSource();
  KafkaSource(const KafkaSource&) = delete;
  KafkaSource& operator=(const KafkaSource&) = delete;

  // The next message; nullopt: none in that time, or a trouble that passes. An error is for good.
  base::Result<std::optional<Polled>> poll(int timeout_ms);
  // The messages of this partition up to this one are stored. False: partitions were dealt anew since it was
  // read, and whoever has the partition now reads it again.
  base::Result<bool> commit(const Polled& last);

  std::uint64_t unreadable() const;  // messages
  std::uint64_t assignment()
      const;  // grows when partitions are dealt anew: uncommitted events are to be dropped

 private:
  struct Impl;
  explicit KafkaSource(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace mikroscope::sinks
