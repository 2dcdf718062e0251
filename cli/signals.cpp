#include "cli/signals.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace mikroscope::cli {
namespace {

// Only what a signal handler may touch.
volatile std::sig_atomic_t g_count = 0;
volatile std::sig_atomic_t g_last = 0;
volatile std::sig_atomic_t g_resumed = 0;
int g_pipe[2] = {-1, -1};

extern "C" void on_stop_signal(int number) {
  const int saved = errno;
  g_count = g_count + 1;
  g_last = number;
  (void)!::write(g_pipe[1], "x", 1);
  errno = saved;
}

extern "C" void on_continue(int) {
  g_resumed = g_resumed + 1;
}

constexpr int kHandled[] = {SIGINT, SIGTERM, SIGHUP};
struct sigaction g_before[3];
struct sigaction g_continue_before;

}  // namespace

StopSignals::StopSignals() {
  g_count = 0;
  g_resumed = 0;
  if (::pipe2(g_pipe, O_CLOEXEC | O_NONBLOCK) != 0) g_pipe[0] = g_pipe[1] = -1;
  struct sigaction action {};
  action.sa_handler = on_stop_signal;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < 3; ++i) {
    ::sigaction(kHandled[i], nullptr, &g_before[i]);
    // nohup and "&" in scripts hand these down ignored: then they stay so.
    if (g_before[i].sa_handler != SIG_IGN) ::sigaction(kHandled[i], &action, nullptr);
  }
  struct sigaction resume {};
  resume.sa_handler = on_continue;
  resume.sa_flags = SA_RESTART;
  sigemptyset(&resume.sa_mask);
  ::sigaction(SIGCONT, &resume, &g_continue_before);
  std::signal(SIGTTIN, SIG_IGN);
  std::signal(SIGTTOU, SIG_IGN);
}

StopSignals::~StopSignals() {
  for (std::size_t i = 0; i < 3; ++i) ::sigaction(kHandled[i], &g_before[i], nullptr);
  ::sigaction(SIGCONT, &g_continue_before, nullptr);
  for (int& fd : g_pipe) {
    if (fd >= 0) ::close(fd);
    fd = -1;
  }
}

int StopSignals::count() const {
  return g_count;
}
int StopSignals::resumed() const {
  return g_resumed;
}
int StopSignals::fd() const {
  return g_pipe[0];
}
int StopSignals::last_signal() const {
  return g_last;
}
void StopSignals::acknowledge() const {
  char drop[16];
  while (::read(g_pipe[0], drop, sizeof drop) > 0) {
  }
}

}  // namespace mikroscope::cli
