#include "cli/marker_input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "base/clock.h"
#include "base/host/files.h"
#include "base/text.h"

namespace mikroscope::cli {
namespace {

constexpr std::size_t kLongestLine = 4096;
constexpr int kBackgroundPollMs = 300;

bool make_pipe(base::Fd (&out)[2]) {
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC | O_NONBLOCK) != 0) return false;
  out[0] = base::Fd(fds[0]);
  out[1] = base::Fd(fds[1]);
  return true;
}

}  // namespace

base::Result<std::unique_ptr<MarkerInput>> MarkerInput::open(const std::string& from) {
  std::unique_ptr<MarkerInput> out(new MarkerInput());
  if (!make_pipe(out->wake_) || !make_pipe(out->stop_))
    return base::file_error("cannot make a pipe for", "markers", errno);
  if (from.empty() || from == "-") {
    out->input_ = STDIN_FILENO;
    out->source_ = ::isatty(STDIN_FILENO) != 0 ? Source::terminal
                   : from == "-"               ? Source::stream
                                               : Source::none;
  } else if (from != "none") {
    struct stat info {};
    if (::stat(from.c_str(), &info) != 0) {
      base::Error error = base::file_error("--markers-from: cannot open", from, errno);
      error.fix = "mkfifo " + from + ", or - for standard input, or none";
      error.exit = base::Exit::usage;
      return error;
    }
    if (!S_ISFIFO(info.st_mode)) {
      return base::Error{fmt::format("--markers-from: {} is no FIFO", from), "--markers-from - < " + from,
                         base::Exit::usage};
    }
    // Non-blocking, or the open would wait for the first writer.
    out->own_input_ = base::Fd(::open(from.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    if (!out->own_input_) return base::file_error("--markers-from: cannot open", from, errno);
    out->keep_open_ = base::Fd(::open(from.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
    out->input_ = out->own_input_.get();
    out->source_ = Source::stream;
  }
  if (out->source_ != Source::none) {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);  // signals are the main thread's
    out->thread_ = std::thread([input = out.get()] { input->read_loop(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  return out;
}

MarkerInput::~MarkerInput() {
  if (!thread_.joinable()) return;
  (void)!::write(stop_[1].get(), "x", 1);
  thread_.join();
}

bool MarkerInput::in_background() const {
  if (source_ != Source::terminal) return false;
  const pid_t foreground = ::tcgetpgrp(input_);
  return foreground != -1 && foreground != ::getpgrp();
}

void MarkerInput::read_loop() {
  std::string line;
  for (;;) {
    const bool background = in_background();
    pollfd fds[2] = {{stop_[0].get(), POLLIN, 0}, {background ? -1 : input_, POLLIN, 0}};
    if (::poll(fds, 2, source_ == Source::terminal ? kBackgroundPollMs : -1) < 0 && errno != EINTR) return;
    if (fds[0].revents != 0) return;
    // Asked again after the wait: the shell may have moved us to the background meanwhile.
    if (fds[1].revents == 0 || in_background()) continue;
    char bytes[1024];
    const ssize_t n = ::read(input_, bytes, sizeof bytes);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n < 0 && errno == EIO && source_ == Source::terminal) {  // in the background after all
      pollfd stop{stop_[0].get(), POLLIN, 0};
      if (::poll(&stop, 1, kBackgroundPollMs) > 0) return;
      if (in_background()) continue;
    }
    if (n <= 0) {
      if (!line.empty()) {
        char end = '\n';
        take(&end, 1, line);
      }
      return;  // the end of the markers, not of the recording
    }
    take(bytes, static_cast<std::size_t>(n), line);
  }
}

void MarkerInput::take(char* bytes, std::size_t count, std::string& line) {
  const std::int64_t boot_ns = base::boot_ns();
  const std::int64_t wall_ns = base::wall_ns();
  for (std::size_t i = 0; i < count; ++i) {
    if (bytes[i] != '\n' && bytes[i] != '\r') {
      if (line.size() < kLongestLine) line += bytes[i];
      continue;
    }
    const std::string_view text = base::trim(line);
    if (!text.empty()) {
      const std::lock_guard lock(mutex_);
      // Lines of one read came together; a nanosecond apart they keep their order.
      const auto nth = static_cast<std::int64_t>(i);
      lines_.push_back({std::string(text), boot_ns + nth, wall_ns + nth});
      (void)!::write(wake_[1].get(), "x", 1);
    }
    line.clear();
  }
}

bool MarkerInput::next(TypedLine& out) {
  const std::lock_guard lock(mutex_);
  if (lines_.empty()) {
    char drop[64];
    while (::read(wake_[0].get(), drop, sizeof drop) > 0) {
    }
    return false;
  }
  out = std::move(lines_.front());
  lines_.pop_front();
  return true;
}

}  // namespace mikroscope::cli
