// Memory that is taken once, at start, and never given back: the agent allocates nothing after that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <string_view>
#include <type_traits>

namespace mikroscope::base {

// Hands out zeroed pieces of one block. Fails by returning nullptr, never by growing.
class Arena {
 public:
  Arena() = default;
  Arena(void* memory, std::size_t bytes) : base_(static_cast<std::byte*>(memory)), capacity_(bytes) {}

  void* take(std::size_t bytes, std::size_t align = alignof(std::uint64_t));
  // `count` times `bytes` of them.
  void* take_many(std::size_t bytes, std::size_t count, std::size_t align);
  // `count` objects, value-initialised; they are never destroyed. Plain numbers are left as the zeroes that
  // they are, so that tables with room to grow cost only the pages that they use.
  template <class T>
  T* make(std::size_t count = 1) {
    T* const first = static_cast<T*>(take_many(sizeof(T), count, alignof(T)));
    if (first == nullptr) return nullptr;
    if constexpr (std::is_trivially_default_constructible_v<T>) return first;
    for (std::size_t i = 0; i < count; ++i) new (first + i) T();
    return first;
  }
  // A copy of `text` that lives as long as the arena; empty when it does not fit.
  std::string_view copy(std::string_view text);

  std::size_t used() const { return used_; }
  std::size_t capacity() const { return capacity_; }
  bool refused() const { return refused_; }  // something did not fit

 private:
  std::byte* base_ = nullptr;
  std::size_t capacity_ = 0;
  std::size_t used_ = 0;
  bool refused_ = false;
};

// Anonymous zero pages from the kernel (only what is touched becomes resident), or nullptr.
void* map_pages(std::size_t bytes);
void unmap_pages(void* memory, std::size_t bytes);

}  // namespace mikroscope::base
