#include "cli/forward/reload.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace mikroscope::cli {
namespace {

constexpr const char* kSelf = "/proc/self/exe";

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

}  // namespace

bool configuration_is_good(const std::vector<std::string>& argv) {
  std::vector<std::string> words = argv;
  words.emplace_back("--explain-config");
  const std::vector<char*> arguments = pointers(words);
  const pid_t child = fork();
  if (child == 0) {
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(nowhere, STDOUT_FILENO);
    execv(kSelf, arguments.data());
    _exit(127);
  }
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

base::Result<base::Exit> reload(const std::vector<std::string>& argv) {
  std::vector<std::string> words = argv;
  const std::vector<char*> arguments = pointers(words);
  execv(kSelf, arguments.data());
  return base::Error{fmt::format("cannot begin again: {}", std::strerror(errno)), "start it anew",
                     base::Exit::failed};
}

}  // namespace mikroscope::cli
