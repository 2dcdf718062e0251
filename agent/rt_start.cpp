// Where the router's agent begins, in place of the C library's start: that one prepares threads, locales and
// dynamic linking, which a program of one thread does not have, in a twentieth of the whole program. Compiled
// without link-time optimisation, which does not see into assembler.
//
// No constructors of static objects are run: there are none (tests/agents looks).

#ifdef MIKROSCOPE_OWN_START

#include <elf.h>
#include <sys/auxv.h>
#include <sys/syscall.h>

#include <cstdlib>

#include "agent/rt_call.h"

// The kernel enters with the stack pointer at argc; everything else is undefined.
#if defined(__x86_64__)
asm(R"(
.text
.global _start
.type _start, %function
_start:
  xor %ebp, %ebp
  mov %rsp, %rdi
  and $-16, %rsp
  call mikroscope_start
)");
#elif defined(__aarch64__)
asm(R"(
.text
.global _start
.type _start, %function
_start:
  mov x29, #0
  mov x30, #0
  mov x0, sp
  b mikroscope_start
)");
#elif defined(__arm__)
asm(R"(
.text
.syntax unified
.arm
.balign 4
.global _start
.type _start, %function
_start:
)"
#if __ARM_ARCH >= 7
    "  movw fp, #0\n"  // which older cores do not have: there the program ends at once, and says why
#else
    "  mov fp, #0\n"
#endif
    R"(
  mov lr, #0
  mov r0, sp
  bic sp, sp, #7
  bl mikroscope_start

.global mikroscope_call3
.type mikroscope_call3, %function
mikroscope_call3:
  push {r7, lr}
  mov r7, r0
  mov r0, r1
  mov r1, r2
  mov r2, r3
  svc 0
  pop {r7, pc}

.global mikroscope_call6
.type mikroscope_call6, %function
mikroscope_call6:
  push {r4, r5, r7, lr}
  mov r7, r0
  mov r0, r1
  mov r1, r2
  mov r2, r3
  ldr r3, [sp, #16]
  ldr r4, [sp, #20]
  ldr r5, [sp, #24]
  svc 0
  pop {r4, r5, r7, pc}
.thumb
)");
#endif

extern "C" int program(int argc, char** argv) asm("main");  // which C++ does not let be called by its name

namespace {

char** environment;
const unsigned long* auxiliary;  // pairs of AT_ and value

}  // namespace

extern "C" {

[[noreturn]] void mikroscope_start(char** stack);
[[noreturn]] void mikroscope_start(char** stack) {
  const int argc = static_cast<int>(*reinterpret_cast<long*>(stack));
  char** const argv = stack + 1;
  environment = argv + argc + 1;
  char** end = environment;
  while (*end != nullptr) ++end;
  auxiliary = reinterpret_cast<const unsigned long*>(end + 1);
  const int code = program(argc, argv);
  for (;;) mikroscope::agent::mikroscope_call3(SYS_exit_group, code, 0, 0);
}

char* getenv(const char* name) {
  for (char** entry = environment; *entry != nullptr; ++entry) {
    const char* n = name;
    char* e = *entry;
    while (*n != '\0' && *n == *e) ++n, ++e;
    if (*n == '\0' && *e == '=') return e + 1;
  }
  return nullptr;
}

unsigned long getauxval(unsigned long type) {
  for (const unsigned long* pair = auxiliary; *pair != AT_NULL; pair += 2) {
    if (*pair == type) return pair[1];
  }
  return 0;
}

}  // extern "C"

#endif
