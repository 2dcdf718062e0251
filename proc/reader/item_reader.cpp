#include "proc/reader/reader.h"

namespace mikroscope::proc {

ItemReader::Core::~Core() = default;

ItemReader::ItemReader(std::unique_ptr<Core> core) : core_(std::move(core)) {}
ItemReader::~ItemReader() = default;

void ItemReader::finish() {
  core_->finished = true;
}

std::optional<Item> ItemReader::next() {
  if (core_->ready.empty()) core_->step();
  if (core_->ready.empty()) return std::nullopt;
  Item item = std::move(core_->ready.front());
  core_->ready.pop_front();
  return item;
}

}  // namespace mikroscope::proc
