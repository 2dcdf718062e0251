/* Included before everything in an agent build. Debian's libstdc++ headers were configured against glibc;
 * these are the few of its names that they use and musl does not have. None is ever called: the agent uses
 * only the header part of the standard library, and a call would not link. */
#ifndef MIKROSCOPE_MUSL_SHIM_H
#define MIKROSCOPE_MUSL_SHIM_H

#ifndef __GLIBC_PREREQ
#define __GLIBC_PREREQ(major, minor) 0
#endif

#ifdef __cplusplus
#include <locale.h>
#include <pthread.h>
#include <time.h>

typedef locale_t __locale_t;

extern "C" {
int pthread_cond_clockwait(pthread_cond_t*, pthread_mutex_t*, clockid_t, const struct timespec*);
int pthread_mutex_clocklock(pthread_mutex_t*, clockid_t, const struct timespec*);
}

/* Bits of glibc's character classes, which <bits/ctype_base.h> wants as constants (pulled in by <memory>,
 * <chrono>). */
enum {
  _ISupper = 1 << 8,
  _ISlower = 1 << 9,
  _ISalpha = 1 << 10,
  _ISdigit = 1 << 11,
  _ISxdigit = 1 << 12,
  _ISspace = 1 << 13,
  _ISprint = 1 << 14,
  _ISgraph = 1 << 15,
  _ISblank = 1 << 0,
  _IScntrl = 1 << 1,
  _ISpunct = 1 << 2,
  _ISalnum = 1 << 3
};

/* With -Os a string_view is made of a literal by a call that measures it with strlen(): more code than the
 * two constants. The functions that take a C string carry an attribute by which they can be told to be
 * inlined. */
#include <bits/char_traits.h>
#include <bits/functional_hash.h>
#include <bits/range_access.h>
#include <bits/ranges_base.h>
#include <ext/numeric_traits.h>

#include <iosfwd>
#define __nonnull__ __always_inline__
#include <string_view>
#undef __nonnull__
#endif

#endif
