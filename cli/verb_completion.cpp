#include <cstdio>

#include "cli/completion.h"
#include "cli/verb.h"
#include "cli/version.h"

namespace mikroscope::cli {
namespace {

class Completion final : public VerbRun {
 public:
  void options(OptionSet& set) override {
    set.text({.names = "shell",
              .group = "Shell",
              .value = "SHELL",
              .help = "the shell to make it for",
              .choices = "bash,zsh,fish"},
             shell_);
  }
  base::Result<base::Exit> run(const Invocation&) override {
    if (shell_.empty()) return base::Error{"which shell?", "mikroscope completion bash", base::Exit::usage};
    const AppModel app = describe_app();
    const std::string text = shell_ == "bash"  ? bash_completion(app)
                             : shell_ == "zsh" ? zsh_completion(app)
                                               : fish_completion(app);
    std::fputs(text.c_str(), stdout);
    return base::Exit::ok;
  }

 private:
  std::string shell_;
};

class Man final : public VerbRun {
 public:
  void options(OptionSet&) override {}
  base::Result<base::Exit> run(const Invocation&) override {
    std::fputs(man_page(describe_app(), std::string(kVersion)).c_str(), stdout);
    return base::Exit::ok;
  }
};

constexpr Example kCompletionExamples[] = {
    {"completion bash > ~/.bash_completion",
     "bash, from the next shell on (or: source <(mikroscope completion bash))"},
    {"completion zsh > ~/.zfunc/_mikroscope", "zsh, with ~/.zfunc in fpath"},
    {"completion fish > ~/.config/fish/completions/mikroscope.fish", "fish"},
};
constexpr Example kManExamples[] = {
    {"man > ~/.local/share/man/man1/mikroscope.1", "install the manual page"}};

}  // namespace

const Verb kCompletionVerb{"completion", "print a completion script for a shell", "", kCompletionExamples,
                           make_verb<Completion>};
const Verb kManVerb{"man", "print the manual page", "", kManExamples, make_verb<Man>};

}  // namespace mikroscope::cli
