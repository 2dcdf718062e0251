// A system call without the C library: what agent/rt_calls.cpp makes its functions of. The kernel's answer
// comes back as it is: a negated error number where it lies in -4095..-1.
#pragma once

#ifdef MIKROSCOPE_OWN_START

namespace mikroscope::agent {

#if defined(__arm__)
// In agent/rt_start.cpp: the number goes into r7, which Thumb code keeps for itself.
extern "C" long mikroscope_call3(long number, long a, long b, long c);
extern "C" long mikroscope_call6(long number, long a, long b, long c, long d, long e, long f);
#elif defined(__x86_64__)
inline long mikroscope_call3(long number, long a, long b, long c) {
  asm volatile("syscall" : "+a"(number) : "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
  return number;
}
inline long mikroscope_call6(long number, long a, long b, long c, long d, long e, long f) {
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "+a"(number)
               : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return number;
}
#elif defined(__aarch64__)
inline long mikroscope_call3(long number, long a, long b, long c) {
  register long x8 asm("x8") = number;
  register long x0 asm("x0") = a;
  register long x1 asm("x1") = b;
  register long x2 asm("x2") = c;
  asm volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory", "cc");
  return x0;
}
inline long mikroscope_call6(long number, long a, long b, long c, long d, long e, long f) {
  register long x8 asm("x8") = number;
  register long x0 asm("x0") = a;
  register long x1 asm("x1") = b;
  register long x2 asm("x2") = c;
  register long x3 asm("x3") = d;
  register long x4 asm("x4") = e;
  register long x5 asm("x5") = f;
  asm volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory", "cc");
  return x0;
}
#endif

// An argument as the kernel takes it.
template <class T>
long word(T* pointer) {
  return reinterpret_cast<long>(pointer);
}
inline long word(long number) {
  return number;
}

}  // namespace mikroscope::agent

#endif
