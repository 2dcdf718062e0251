// Readers of the two forms of agent data. Both learn the tables from the input itself; tables and columns
// that this build knows get its schemas (units, help), others are kept under the names that the input gives.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "proc/codec.h"
#include "proc/reader/item.h"

namespace mikroscope::proc {

// Pull parser: feed() bytes as they come, next() until it returns nothing. finish() after the last byte makes
// a cut last line or record a Malformed item.
class ItemReader {
 public:
  virtual ~ItemReader();
  virtual void feed(std::string_view bytes) = 0;
  void finish();
  std::optional<Item> next();
  virtual const Layout& layout() const = 0;

 protected:
  // What the readers are made of: a form of data is one step().
  struct Core {
    virtual ~Core();
    // Reads on until something is `ready` or the input is used up.
    virtual void step() = 0;

    bool finished = false;  // no more input follows what was fed
    std::deque<Item> ready;
  };
  explicit ItemReader(std::unique_ptr<Core> core);
  Core& core() const { return *core_; }

 private:
  std::unique_ptr<Core> core_;
};

struct StreamInfo {
  std::string instance;
  std::string boot_id;
  std::uint32_t user_hz = 100;
  std::uint32_t rate_hz = 0;
};

// Packed streams of one agent; several replies may be fed one after another. Frames with seq <= the last seen
// one of the same instance are decoded and not reported.
class PackedReader final : public ItemReader {
 public:
  PackedReader();
  ~PackedReader() override;
  void feed(std::string_view bytes) override;
  const Layout& layout() const override;
  const StreamInfo& info() const;
  // The sender's tables and rows in its order: what write_names() wants. Anew after a restart of the agent.
  const Layout& wire_layout() const;
  // The last frame in the form that NDJSON is written from; valid like the Frame.
  FrameView view() const;
  // Forgets a half-received reply (lost connection); the next reply is read from its start.
  void restart_input();

 private:
  struct Impl;
  Impl& impl() const;
};

// NDJSON lines: agent replies, recordings, captures. Lines that begin with '#' are skipped.
class NdjsonReader final : public ItemReader {
 public:
  NdjsonReader();
  ~NdjsonReader() override;
  void feed(std::string_view bytes) override;
  // The same without a copy, for large files: `bytes` must stay until next() has returned nothing.
  void feed_in_place(std::string_view bytes);
  // Reads these tables only, before the first feed(): the others are passed over quickly, are in no layout,
  // and damage within them goes unnoticed. Events are read as ever.
  void only(std::span<const std::string_view> tables);
  const Layout& layout() const override;

 private:
  struct Impl;
  Impl& impl() const;
};

}  // namespace mikroscope::proc
