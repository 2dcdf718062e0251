// clock_gettime() of the router's agent: the kernel's own code for it where the kernel maps some into every
// process, which costs a tenth of the system call.

#ifdef MIKROSCOPE_OWN_START

#include <elf.h>
#include <errno.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

#include "agent/rt_call.h"

namespace {

using mikroscope::agent::mikroscope_call3;
using mikroscope::agent::word;

#if defined(__arm__)

// 32-bit ARM has such code on few kernels only. From Linux 5.1 on times have 64 bits.
long read_clock(clockid_t id, timespec* out) {
  const long result = mikroscope_call3(SYS_clock_gettime64, id, word(out), 0);
  if (result != -ENOSYS) return result;
  long out32[2] = {};
  const long result32 = mikroscope_call3(SYS_clock_gettime32, id, word(out32), 0);
  out->tv_sec = out32[0];
  out->tv_nsec = out32[1];
  return result32;
}

#else

#if defined(__x86_64__)
constexpr char kName[] = "__vdso_clock_gettime";
#elif defined(__aarch64__)
constexpr char kName[] = "__kernel_clock_gettime";
#endif

using Function = int (*)(clockid_t, timespec*);

int by_call(clockid_t id, timespec* out) {
  return static_cast<int>(mikroscope_call3(SYS_clock_gettime, id, word(out), 0));
}

// Looks the name up in the ELF file that the kernel mapped. Its symbols end where their names begin: in every
// vDSO so far the table of names follows the table of symbols, and hash tables come in two forms.
Function find() {
  const unsigned long file = getauxval(AT_SYSINFO_EHDR);
  if (file == 0) return by_call;
  const auto* const head = reinterpret_cast<const Elf64_Ehdr*>(file);
  const auto* segment = reinterpret_cast<const Elf64_Phdr*>(file + head->e_phoff);
  unsigned long base = 0;
  const Elf64_Dyn* dynamic = nullptr;
  for (unsigned i = head->e_phnum; i != 0; --i, ++segment) {
    if (segment->p_type == PT_LOAD) base = file + segment->p_offset - segment->p_vaddr;
    if (segment->p_type == PT_DYNAMIC) dynamic = reinterpret_cast<const Elf64_Dyn*>(file + segment->p_offset);
  }
  const Elf64_Sym* symbol = nullptr;
  const char* names = nullptr;
  for (; dynamic != nullptr && dynamic->d_tag != DT_NULL; ++dynamic) {
    if (dynamic->d_tag == DT_SYMTAB) symbol = reinterpret_cast<const Elf64_Sym*>(base + dynamic->d_un.d_ptr);
    if (dynamic->d_tag == DT_STRTAB) names = reinterpret_cast<const char*>(base + dynamic->d_un.d_ptr);
  }
  for (; symbol != nullptr && reinterpret_cast<const char*>(symbol + 1) <= names; ++symbol) {
    if (std::memcmp(names + symbol->st_name, kName, sizeof kName) == 0 && symbol->st_shndx != SHN_UNDEF)
      return reinterpret_cast<Function>(base + symbol->st_value);
  }
  return by_call;
}

int first(clockid_t id, timespec* out);
Function function = first;

int first(clockid_t id, timespec* out) {
  function = find();
  return function(id, out);
}

// The kernel's code answers some clocks by a call of its own, and some builds of it not at all.
long read_clock(clockid_t id, timespec* out) {
  const int result = function(id, out);
  return result == -ENOSYS ? by_call(id, out) : result;
}

#endif

}  // namespace

extern "C" int clock_gettime(clockid_t id, timespec* out) {
  const long result = read_clock(id, out);
  if (result == 0) return 0;
  errno = static_cast<int>(-result);
  return -1;
}

#endif
