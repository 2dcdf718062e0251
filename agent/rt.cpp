// The few symbols of the C++ runtime that the compiler or a header may refer to, since the router's agent
// links no libstdc++. Whatever else of it is used fails to link: that is the check that nothing allocates or
// throws. Only compiled into the router builds (MIKROSCOPE_ROUTER_AGENT); an ordinary host build has the real
// library.

#ifdef MIKROSCOPE_ROUTER_AGENT

#include <cstddef>

namespace {

// Ends the process at the instruction at fault: a core or qemu shows where. A bug, never an input.
[[noreturn]] void trap() {
  __builtin_trap();
}

}  // namespace

extern "C" {
void __cxa_pure_virtual();
void __cxa_pure_virtual() {
  trap();
}
// Objects of static storage live until the kernel takes the process down. The C library's own would bring its
// allocator.
int __cxa_atexit(void (*)(void*), void*, void*);
__attribute__((weak)) int __cxa_atexit(void (*)(void*), void*, void*) {
  return 0;
}
#ifdef MIKROSCOPE_OWN_START
// What libgcc's divisions of 32-bit ARM do on a division by zero.
int raise(int);
[[gnu::used]] int raise(int) {
  trap();
}
#endif
// Normally of crtbegin.o, which a musl link leaves out.
extern void* __dso_handle;
__attribute__((weak)) void* __dso_handle = nullptr;
}

// Deleting destructors refer to these; nothing calls them.
void operator delete(void*) noexcept {
  trap();
}
void operator delete(void*, std::size_t) noexcept {
  trap();
}

namespace std {

[[noreturn]] void __throw_bad_alloc();
[[noreturn]] void __throw_bad_array_new_length();
[[noreturn]] void __throw_bad_function_call();
[[noreturn]] void __throw_invalid_argument(const char*);
[[noreturn]] void __throw_length_error(const char*);
[[noreturn]] void __throw_logic_error(const char*);
[[noreturn]] void __throw_out_of_range(const char*);
[[noreturn]] void __throw_out_of_range_fmt(const char*, ...);

void __throw_bad_alloc() {
  trap();
}
void __throw_bad_array_new_length() {
  trap();
}
void __throw_bad_function_call() {
  trap();
}
void __throw_invalid_argument(const char*) {
  trap();
}
void __throw_length_error(const char*) {
  trap();
}
void __throw_logic_error(const char*) {
  trap();
}
void __throw_out_of_range(const char*) {
  trap();
}
void __throw_out_of_range_fmt(const char*, ...) {
  trap();
}

}  // namespace std

#endif
