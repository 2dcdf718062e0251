#include "agent/sandbox.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/seccomp_filter.h"

namespace mikroscope::agent {
namespace {

bool drop_capabilities() {
  // The bounding set first: dropping from it needs a capability itself.
  for (int capability = 0; capability < 64; ++capability) {
    if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0 && errno == EINVAL) break;
  }
  (void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};
  return syscall(SYS_capset, &header, none) == 0;
}

// Without SECCOMP_FILTER_FLAG_LOG: the kernel would write a record of each refusal into its log, which this
// very agent reads.
bool install_filter() {
  if (kSeccompFilter.size == 0) {
    errno = ENOSYS;
    return false;
  }
  sock_fprog program{kSeccompFilter.size, const_cast<sock_filter*>(kSeccompFilter.code)};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

void note(base::Writer& report, std::string_view what, bool done, int error) {
  if (report.size() != 0) report.put(", ");
  report.put(what);
  if (done) return;
  report.put(" refused (errno ");
  report.i64(error);
  report.put(')');
}

}  // namespace

SandboxResult enter_sandbox(base::Writer& report) {
  SandboxResult result;
  result.capabilities_dropped = drop_capabilities();
  note(report, "no capabilities", result.capabilities_dropped, errno);
  result.no_new_privileges = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
  note(report, "no new privileges", result.no_new_privileges, errno);
  result.seccomp = install_filter();
  note(report, "seccomp", result.seccomp, errno);
  return result;
}

}  // namespace mikroscope::agent
