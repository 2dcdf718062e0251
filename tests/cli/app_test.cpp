// The command line as a whole: every option is where it should be, and errors help.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "cli/completion.h"
#include "cli/exit_codes.h"
#include "cli/help.h"
#include "cli/model.h"
#include "cli/status_line.h"
#include "tests/support/program.h"

namespace mikroscope::cli {
namespace {

using test::Exited;
using test::run;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

TEST(App, EveryVerbAndOptionIsDescribed) {
  const AppModel app = describe_app();
  std::set<std::string> verbs;
  for (const VerbModel& v : app.verbs) {
    EXPECT_TRUE(verbs.insert(v.name).second) << v.name;
    EXPECT_FALSE(v.summary.empty()) << v.name;
    EXPECT_FALSE(v.examples.empty()) << v.name;
    std::set<std::string> names;
    for (const OptionModel& o : v.options) {
      EXPECT_FALSE(o.help.empty()) << v.name << ' ' << o.long_name();
      EXPECT_FALSE(o.group.empty()) << v.name << ' ' << o.long_name();
      if (o.no_flag) {
        EXPECT_THAT(o.long_name(), StartsWith("MIKROSCOPE_"));  // never a flag
      } else if (!o.positional && o.long_name() != "--help") {
        EXPECT_THAT(o.env, StartsWith("MIKROSCOPE_"));
      }
      for (const std::string& name : o.names) EXPECT_TRUE(names.insert(name).second) << v.name << ' ' << name;
    }
  }
}

TEST(App, EveryOptionIsInHelpCompletionsAndManPage) {
  const AppModel app = describe_app();
  const std::string bash = bash_completion(app);
  const std::string zsh = zsh_completion(app);
  const std::string fish = fish_completion(app);
  std::string man;
  for (const char c : man_page(app, "1.2.3")) {
    if (c != '\\') man += c;  // undoes \-
  }
  for (const VerbModel& v : app.verbs) {
    const std::string help = verb_help(app, v, {});
    // The part of a script that belongs to the verb.
    const std::string bash_verb = bash.substr(bash.find("    " + v.name + ")\n"));
    const std::string zsh_verb = zsh.substr(zsh.find("    " + v.name + ")\n"));
    for (const OptionModel& o : v.options) {
      if (o.positional) continue;
      for (const std::string& name : o.names) {
        EXPECT_THAT(help, HasSubstr(name)) << v.name;
        EXPECT_THAT(man, HasSubstr(name)) << v.name;
        if (o.no_flag) continue;
        EXPECT_THAT(bash_verb.substr(0, bash_verb.find("      esac\n") + 4000), HasSubstr(name)) << v.name;
        EXPECT_THAT(zsh_verb.substr(0, zsh_verb.find(";;")), HasSubstr(name + "[")) << v.name;
      }
      if (o.no_flag) continue;
      EXPECT_THAT(fish, HasSubstr("__fish_seen_subcommand_from " + v.name + "'" +
                                  (o.names.size() > 1 ? " -s " + o.names[0].substr(1) : "") + " -l " +
                                  o.long_name().substr(2)));
    }
  }
  for (const ExitCode& code : kExitCodes)
    EXPECT_THAT(man, HasSubstr(std::string(code.meaning).substr(0, 20)));
}

TEST(App, TheScriptsAreValidShell) {
  test::TempDir dir;
  test::spill(dir / "c", bash_completion(describe_app()));
  test::Program check({"/bin/bash", "-n", dir / "c"});
  const Exited exited = check.wait(5000);
  EXPECT_EQ(exited.code, 0) << exited.err;
  test::Program complete(
      {"/bin/bash", "-c",
       "source " + dir / "c" +
           "; COMP_WORDS=(mikroscope plot --theme ''); COMP_CWORD=3; _mikroscope; echo ${COMPREPLY[@]}"});
  EXPECT_EQ(complete.wait(5000).out, "auto light dark both\n");
  test::Program verbs({"/bin/bash", "-c",
                       "source " + dir / "c" +
                           "; COMP_WORDS=(mikroscope re); COMP_CWORD=1; _mikroscope; echo ${COMPREPLY[@]}"});
  EXPECT_EQ(verbs.wait(5000).out, "record\n");
  test::Program flags(
      {"/bin/bash", "-c",
       "source " + dir / "c" +
           "; COMP_WORDS=(mikroscope mark --un); COMP_CWORD=2; _mikroscope; echo ${COMPREPLY[@]}"});
  EXPECT_EQ(flags.wait(5000).out, "--until\n");
}

TEST(App, TheScriptsAreValidZshAndFish) {
  test::TempDir dir;
  const struct {
    const char* shell;
    std::string script;
  } kShells[] = {{"zsh", zsh_completion(describe_app())}, {"fish", fish_completion(describe_app())}};
  std::string absent;
  for (const auto& s : kShells) {
    std::string program;
    for (const char* where : {"/usr/bin/", "/bin/", "/usr/local/bin/"}) {
      if (std::filesystem::exists(std::string(where) + s.shell)) program = std::string(where) + s.shell;
    }
    if (program.empty()) {
      absent += std::string(absent.empty() ? "" : " and ") + s.shell;
      continue;
    }
    test::spill(dir / s.shell, s.script);
    test::Program check({program, "-n", dir / s.shell});
    const Exited exited = check.wait(5000);
    EXPECT_EQ(exited.code, 0) << s.shell << ": " << exited.err;
    EXPECT_EQ(exited.err, "") << s.shell;
    // The check itself can fail.
    test::spill(dir / s.shell, s.script + "\nif (((\n");
    test::Program broken({program, "-n", dir / s.shell});
    EXPECT_NE(broken.wait(5000).code, 0) << s.shell;
  }
  if (!absent.empty()) GTEST_SKIP() << "not checked for want of " << absent;
}

TEST(App, HelpFitsEightyColumns) {
  const AppModel app = describe_app();
  std::vector<std::vector<std::string>> pages{{"help"}};
  for (const VerbModel& v : app.verbs) pages.push_back({"help", v.name});
  for (const auto& page : pages) {
    for (const std::string& line : test::lines_of(run(page).out)) {
      std::size_t columns = 0;
      for (const char c : line) columns += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
      EXPECT_LE(columns, 80U) << page.back() << ": " << line;
    }
  }
}

TEST(App, HelpIsOnStdoutAndSucceeds) {
  for (const std::vector<std::string>& args : {std::vector<std::string>{"help"},
                                               {"--help"},
                                               {"-h"},
                                               {"help", "record"},
                                               {"record", "--help"},
                                               {"record", "--local", "-h"}}) {
    const Exited exited = run(args);
    EXPECT_EQ(exited.code, 0) << args[0];
    EXPECT_THAT(exited.out, HasSubstr("Examples"));
    EXPECT_THAT(exited.err, IsEmpty());
  }
  EXPECT_THAT(run({"help", "record"}).out,
              AllOf(HasSubstr("Target\n"), HasSubstr("Time\n"), HasSubstr("[MIKROSCOPE_FOR]")));
}

TEST(App, ErrorsSayWhatAndWhatToDo) {
  const struct {
    std::vector<std::string> args;
    int code;
    const char* what;
  } kCases[] = {
      {{"recrod"}, 2, "did you mean mikroscope record?"},
      {{"record", "--locl"}, 2, "did you mean --local?"},
      {{"record", "-for", "3s"}, 2, "did you mean --for?"},
      {{"record"}, 2, "--local (this machine), --url http://host:port (an agent) or --router"},
      {{"record", "--router", "http://192.0.2.1"}, 2, "it is an address, not a URL"},
      {{"record", "--local", "--url", "http://x:1"}, 2, "exclude each other"},
      {{"record", "--url", "x:1"}, 2, "--url http://192.168.88.1:9123"},
      {{"record", "--local", "--for", "5x"}, 2, "3m, 1m30s"},
      {{"record", "--for"}, 2, "--for needs a value"},
      {{"record", "--local", "--rate", "1000"}, 2, "from 1 to 100"},
      {{"record", "--local", "--csv", "cpu.usr"}, 2, "did you mean cpu.user?"},
      {{"record", "--url", "http://127.0.0.1:1", "--out", "/tmp/mikroscope-no-agent"},
       1,
       "no answer from http://127.0.0.1:1"},
      {{"mark", "text"}, 2, "--out is missing"},
      {{"mark", "--out", "/nonexistent/x", "text"}, 4, "there is no recording"},
      {{"plot"}, 2, "no recording given"},
      {{"completion", "bsh"}, 2, "did you mean bash?"},
      {{"image", "--arch", "mips", "--out", "/tmp/x"}, 2, "--arch"},
  };
  for (const auto& c : kCases) {
    const Exited exited = run(c.args);
    EXPECT_EQ(exited.code, c.code) << c.what << exited.err;
    EXPECT_THAT(exited.err, AllOf(StartsWith("mikroscope"), HasSubstr(c.what)));
    EXPECT_THAT(exited.err, HasSubstr("\n  try: "));
    EXPECT_THAT(exited.out, IsEmpty());
  }
}

TEST(App, FlagsStandAnywhereAndTheEnvironmentFillsIn) {
  EXPECT_THAT(run({"--json", "version"}).out, StartsWith("{"));
  test::Program::Options options;
  options.env = {"MIKROSCOPE_JSON=1"};
  EXPECT_THAT(run({"version"}, options).out, StartsWith("{"));
  options.env = {"MIKROSCOPE_JSON=maybe"};
  const Exited bad = run({"version"}, options);
  EXPECT_EQ(bad.code, 2);
  EXPECT_THAT(bad.err, HasSubstr("MIKROSCOPE_JSON"));
  // The command line beats the environment.
  options.env = {"MIKROSCOPE_URL=http://127.0.0.1:1"};
  EXPECT_EQ(run({"status", "--local"}, options).code, 0);
}

TEST(StatusLine, FitsTheScreenOnACharacter) {
  EXPECT_EQ(fit_columns("señal de prueba", 5), "señal");
  EXPECT_EQ(fit_columns("a\033[31mb\n", 80), "a?[31mb?");
  EXPECT_EQ(fit_columns("short", 80), "short");
}

}  // namespace
}  // namespace mikroscope::cli
