#include "cli/password_prompt.h"

#include <fcntl.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "base/file.h"
#include "base/host/files.h"

namespace mikroscope::cli {
namespace {

constexpr std::size_t kMaxPassword = 1024;
constexpr int kCaught[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP};
constexpr std::size_t kCaughtCount = sizeof kCaught / sizeof kCaught[0];

volatile std::sig_atomic_t g_signal = 0;

extern "C" void note_signal(int number) {
  g_signal = number;
}

// A signal interrupts the reading, so that the terminal can be put right before it takes effect. Outside of
// wait_for() they are held back, so that none comes just before the process begins to wait.
class CaughtSignals {
 public:
  CaughtSignals() {
    g_signal = 0;
    sigset_t held;
    sigemptyset(&held);
    for (const int number : kCaught) sigaddset(&held, number);
    ::sigprocmask(SIG_BLOCK, &held, &mask_before_);
    struct sigaction action {};
    action.sa_handler = note_signal;
    sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i < kCaughtCount; ++i) {
      ::sigaction(kCaught[i], nullptr, &before_[i]);
      if (before_[i].sa_handler != SIG_IGN) ::sigaction(kCaught[i], &action, nullptr);
    }
  }
  ~CaughtSignals() {
    for (std::size_t i = 0; i < kCaughtCount; ++i) ::sigaction(kCaught[i], &before_[i], nullptr);
    ::sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
  }
  // Until there is something to read. False: a signal came.
  bool wait_for(int fd) const {
    while (g_signal == 0) {
      pollfd wanted{fd, POLLIN, 0};
      if (::ppoll(&wanted, 1, nullptr, &mask_before_) > 0) return g_signal == 0;
      if (errno != EINTR) return true;  // what is wrong with it shows when it is read
    }
    return false;
  }
  CaughtSignals(const CaughtSignals&) = delete;
  CaughtSignals& operator=(const CaughtSignals&) = delete;

 private:
  struct sigaction before_[kCaughtCount];
  sigset_t mask_before_{};
};

class NoEcho {
 public:
  explicit NoEcho(int fd) : fd_(fd), known_(::tcgetattr(fd, &before_) == 0) {
    if (!known_) return;
    termios quiet = before_;
    quiet.c_lflag =
        static_cast<tcflag_t>((quiet.c_lflag & ~static_cast<tcflag_t>(ECHO)) | ECHONL | ICANON | ISIG);
    ::tcsetattr(fd_, TCSAFLUSH, &quiet);
  }
  ~NoEcho() {
    if (known_) ::tcsetattr(fd_, TCSAFLUSH, &before_);
  }
  NoEcho(const NoEcho&) = delete;
  NoEcho& operator=(const NoEcho&) = delete;
  bool known() const { return known_; }

 private:
  int fd_;
  termios before_{};
  bool known_;
};

base::Fd open_terminal() {
  base::Fd fd(::open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC));
  // A background job that touched the terminal would be stopped.
  if (fd && ::tcgetpgrp(fd.get()) != ::getpgrp()) return base::Fd();
  return fd;
}

// False: an end of file or a signal came before the end of the line.
bool read_line(int fd, const CaughtSignals& signals, std::string& line) {
  while (signals.wait_for(fd)) {
    char c = 0;
    if (::read(fd, &c, 1) <= 0) return false;
    if (c == '\n' || c == '\r') return true;
    if (line.size() < kMaxPassword) line += c;
  }
  return false;
}

}  // namespace

bool can_ask_password() {
  return static_cast<bool>(open_terminal());
}

base::Result<std::string> ask_password(const std::string& prompt) {
  for (;;) {
    const base::Fd terminal = open_terminal();
    if (!terminal) {
      return base::Error{"there is no password, and no terminal to ask for one",
                         "set MIKROSCOPE_PASSWORD, or give --password-file FILE", base::Exit::auth};
    }
    std::string line;
    bool whole = false;
    int signal = 0;
    {
      const CaughtSignals signals;
      const NoEcho quiet(terminal.get());
      if (!quiet.known()) return base::file_error("cannot switch off the echo of", "/dev/tty", errno);
      base::Result<void> asked = base::write_all(terminal.get(), prompt, "/dev/tty");
      if (!asked.ok()) return std::move(asked).error();
      whole = read_line(terminal.get(), signals, line);
      signal = g_signal;
    }
    if (signal == SIGTSTP) {
      ::raise(SIGTSTP);  // stops here; asked anew after fg
      continue;
    }
    if (signal != 0) {
      ::raise(signal);  // ends the process, unless somebody handles it
      return base::Error{"interrupted", "", base::Exit::interrupted};
    }
    if (whole) return line;
    return base::Error{"no password was typed", "set MIKROSCOPE_PASSWORD, or give --password-file FILE",
                       base::Exit::auth};
  }
}

}  // namespace mikroscope::cli
