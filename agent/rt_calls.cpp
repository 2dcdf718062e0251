// The C library's calls of the kernel that the router's agent uses, as bare as they can be: no cancellation
// points, no threads, and no detours for kernels before 2.6.36.

#ifdef MIKROSCOPE_OWN_START

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cstdarg>

#include "agent/rt_call.h"

namespace {

using mikroscope::agent::mikroscope_call3;
using mikroscope::agent::mikroscope_call6;
using mikroscope::agent::word;

int error_number;

[[gnu::noinline]] long answer(long result) {
  if (result < 0 && result >= -4095) {
    error_number = static_cast<int>(-result);
    return -1;
  }
  return result;
}

template <class A = long, class B = long, class C = long>
long call(long number, A a = {}, B b = {}, C c = {}) {
  return answer(mikroscope_call3(number, word(a), word(b), word(c)));
}
template <class A, class B, class C, class D, class E = long, class F = long>
long call(long number, A a, B b, C c, D d, E e = {}, F f = {}) {
  return answer(mikroscope_call6(number, word(a), word(b), word(c), word(d), word(e), word(f)));
}
template <class... Args>
int call_int(long number, Args... args) {
  return static_cast<int>(call(number, args...));
}

constexpr long kSignalSetBytes = 8;  // of the kernel's; the C library's is longer

}  // namespace

extern "C" {

int* __errno_location() {
  return &error_number;
}

ssize_t read(int fd, void* data, size_t size) {
  return call(SYS_read, fd, data, static_cast<long>(size));
}
ssize_t write(int fd, const void* data, size_t size) {
  return call(SYS_write, fd, data, static_cast<long>(size));
}
ssize_t pread(int fd, void* data, size_t size, off_t at) {
#if defined(__arm__)
  // A 64-bit argument begins at an even register.
  return call(SYS_pread64, fd, data, static_cast<long>(size), 0L, static_cast<long>(at),
              static_cast<long>(at >> 32));
#else
  return call(SYS_pread64, fd, data, static_cast<long>(size), static_cast<long>(at));
#endif
}
int close(int fd) {
  return call_int(SYS_close, fd);
}
int open(const char* path, int flags, ...) {  // never creates, so there is no mode
#ifdef SYS_open
  return call_int(SYS_open, path, flags | O_LARGEFILE);
#else
  return call_int(SYS_openat, AT_FDCWD, path, flags | O_LARGEFILE);
#endif
}
int access(const char* path, int mode) {
  return call_int(SYS_faccessat, AT_FDCWD, path, mode);
}
off_t lseek(int fd, off_t at, int whence) {
  return call(SYS_lseek, fd, static_cast<long>(at), whence);
}

void* mmap(void* at, size_t size, int protection, int flags, int fd, off_t offset) {
#ifdef SYS_mmap2
  const long unit = static_cast<long>(offset / 4096);
  return reinterpret_cast<void*>(call(SYS_mmap2, at, static_cast<long>(size), protection, flags, fd, unit));
#else
  return reinterpret_cast<void*>(
      call(SYS_mmap, at, static_cast<long>(size), protection, flags, fd, static_cast<long>(offset)));
#endif
}
int munmap(void* at, size_t size) {
  return call_int(SYS_munmap, at, static_cast<long>(size));
}
int madvise(void* at, size_t size, int advice) {
  return call_int(SYS_madvise, at, static_cast<long>(size), advice);
}

int socket(int family, int type, int protocol) {
  return call_int(SYS_socket, family, type, protocol);
}
int bind(int fd, const sockaddr* address, socklen_t size) {
  return call_int(SYS_bind, fd, address, static_cast<long>(size));
}
int listen(int fd, int backlog) {
  return call_int(SYS_listen, fd, backlog);
}
int accept4(int fd, sockaddr* address, socklen_t* size, int flags) {
  return call_int(SYS_accept4, fd, address, size, flags);
}
int getsockname(int fd, sockaddr* address, socklen_t* size) {
  return call_int(SYS_getsockname, fd, address, size);
}
int setsockopt(int fd, int level, int option, const void* value, socklen_t size) {
  return call_int(SYS_setsockopt, fd, level, option, value, static_cast<long>(size));
}
int shutdown(int fd, int how) {
  return call_int(SYS_shutdown, fd, how);
}
ssize_t recv(int fd, void* data, size_t size, int flags) {
  return call(SYS_recvfrom, fd, data, static_cast<long>(size), flags);
}
ssize_t send(int fd, const void* data, size_t size, int flags) {
  return call(SYS_sendto, fd, data, static_cast<long>(size), flags);
}

int epoll_create1(int flags) {
  return call_int(SYS_epoll_create1, flags);
}
int epoll_ctl(int epoll, int what, int fd, epoll_event* event) {
  return call_int(SYS_epoll_ctl, epoll, what, fd, event);
}
int epoll_wait(int epoll, epoll_event* events, int most, int timeout_ms) {
#ifdef SYS_epoll_wait
  return call_int(SYS_epoll_wait, epoll, events, most, timeout_ms);
#else
  return call_int(SYS_epoll_pwait, epoll, events, most, timeout_ms, 0L, kSignalSetBytes);
#endif
}
int timerfd_create(int clock, int flags) {
  return call_int(SYS_timerfd_create, clock, flags);
}
int timerfd_settime(int fd, int flags, const itimerspec* when, itimerspec* before) {
#ifdef SYS_timerfd_settime64
  const int done = call_int(SYS_timerfd_settime64, fd, flags, when, before);
  if (done == 0 || errno != ENOSYS) return done;
  // Before Linux 5.1: times of 32 bits, which hold 68 years of the monotonic clock.
  const long when32[4] = {static_cast<long>(when->it_interval.tv_sec), when->it_interval.tv_nsec,
                          static_cast<long>(when->it_value.tv_sec), when->it_value.tv_nsec};
  return call_int(SYS_timerfd_settime32, fd, flags, when32, 0L);
#else
  return call_int(SYS_timerfd_settime, fd, flags, when, before);
#endif
}
int signalfd(int fd, const sigset_t* signals, int flags) {
  return call_int(SYS_signalfd4, fd, signals, kSignalSetBytes, flags);
}
int sigemptyset(sigset_t* set) {
  *set = {};
  return 0;
}
int sigaddset(sigset_t* set, int signal) {
  constexpr int kBits = 8 * sizeof set->__bits[0];
  set->__bits[(signal - 1) / kBits] |= 1UL << ((signal - 1) % kBits);
  return 0;
}
int sigprocmask(int how, const sigset_t* set, sigset_t* before) {
  return call_int(SYS_rt_sigprocmask, how, set, before, kSignalSetBytes);
}

int prctl(int what, ...) {
  std::va_list args;
  va_start(args, what);
  const long a = va_arg(args, long);
  const long b = va_arg(args, long);
  const long c = va_arg(args, long);
  const long d = va_arg(args, long);
  va_end(args);
  return call_int(SYS_prctl, what, a, b, c, d);
}
long syscall(long number, ...) {
  std::va_list args;
  va_start(args, number);
  const long a = va_arg(args, long);
  const long b = va_arg(args, long);
  const long c = va_arg(args, long);
  const long d = va_arg(args, long);
  const long e = va_arg(args, long);
  va_end(args);
  return call(number, a, b, c, d, e);
}

}  // extern "C"

#endif
