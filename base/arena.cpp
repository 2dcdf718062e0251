#include "base/arena.h"

#include <sys/mman.h>

#include <cstring>

namespace mikroscope::base {

void* Arena::take(std::size_t bytes, std::size_t align) {
  const std::size_t start = (used_ + align - 1) / align * align;
  if (start > capacity_ || bytes > capacity_ - start) {
    refused_ = true;
    return nullptr;
  }
  used_ = start + bytes;
  return base_ + start;
}

void* Arena::take_many(std::size_t bytes, std::size_t count, std::size_t align) {
  if (count != 0 && bytes > SIZE_MAX / count) return nullptr;
  return take(bytes * count, align);
}

std::string_view Arena::copy(std::string_view text) {
  char* const memory = static_cast<char*>(take(text.size(), 1));
  if (memory == nullptr) return {};
  if (!text.empty()) std::memcpy(memory, text.data(), text.size());
  return {memory, text.size()};
}

void* map_pages(std::size_t bytes) {
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

void unmap_pages(void* memory, std::size_t bytes) {
  munmap(memory, bytes);
}

}  // namespace mikroscope::base
