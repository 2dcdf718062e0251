// The configuration file, and which value of a setting counts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "cli/config_file.h"
#include "cli/settings.h"
#include "tests/support/program.h"

namespace mikroscope::cli {
namespace {

using test::Exited;
using test::run;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

const std::vector<ConfigKey> kKeys = {{"user", false, true, true},
                                      {"via", false, true, true},
                                      {"host", false, true, false},
                                      {"local", false, false, true},
                                      {"password", true, true, true}};

TEST(ConfigFile, ReadsSectionsKeysAndValues) {
  const auto file = ConfigFile::parse(
      "# comment\n"
      "[defaults]\n"
      "via = ssh   # to its end\n"
      "\n"
      "[router.home]\r\n"
      "host = \"192.168.88.1\"\n"
      "user=\"a#b \\\"c\\\"\"\n"
      "[router.a.b-c]\n"
      "user = 'x\\y'\n"
      "via = [ \"api\", ssh,8 ]\n",
      "f");
  ASSERT_TRUE(file.ok()) << file.error().what;
  EXPECT_THAT(file->router_names(), ElementsAre("home", "a.b-c"));
  ASSERT_EQ(file->defaults().size(), 1U);
  EXPECT_THAT(file->defaults()[0].values, ElementsAre("ssh"));
  EXPECT_EQ(file->defaults()[0].line, 3);
  const ConfigEntries* const home = file->router("home");
  ASSERT_NE(home, nullptr);
  EXPECT_THAT((*home)[0].values, ElementsAre("192.168.88.1"));
  EXPECT_THAT((*home)[1].values, ElementsAre("a#b \"c\""));
  const ConfigEntries* const other = file->router("a.b-c");
  ASSERT_NE(other, nullptr);
  EXPECT_THAT((*other)[0].values, ElementsAre("x\\y"));
  EXPECT_THAT((*other)[1].values, ElementsAre("api", "ssh", "8"));
  EXPECT_EQ(file->router("nobody"), nullptr);
}

TEST(ConfigFile, ErrorsNameTheLine) {
  const struct {
    const char* text;
    const char* what;
  } kCases[] = {
      {"user = x\n", "f:1: user stands before the first section"},
      {"[defaults]\nuser\n", "f:2: = is missing after user"},
      {"[defaults]\nuser =\n", "f:2: a value is missing"},
      {"[defaults]\nuser = \"x\n", "f:2: the closing \" is missing"},
      {"[defaults]\nuser = \"\\q\"\n", "f:2: an unknown escape"},
      {"[defaults]\nuser = a b\n", "f:2: a b must be in quotes"},
      {"[defaults]\nuser = \"a\" b\n", "f:2: something follows the value of user"},
      {"[defaults]\nuser = x\nuser = y\n", "f:3: user is there twice"},
      {"[defaults]\nuser = [ \"a\"\n", "f:2: an array ends with ]"},
      {"[router.a]\n[router.a]\n", "f:2: [router.a] is there twice"},
      {"[routers.a]\n", "f:1: there is no section [routers.a]"},
      {"[defaults\n", "f:1: a section is written"},
      {"= x\n", "f:1: neither [section] nor key = value"},
  };
  for (const auto& c : kCases) {
    const auto file = ConfigFile::parse(c.text, "f");
    ASSERT_FALSE(file.ok()) << c.text;
    EXPECT_THAT(file.error().what, HasSubstr(c.what));
    EXPECT_EQ(file.error().exit, base::Exit::usage);
  }
}

TEST(ConfigFile, UnknownKeysAreErrorsWithASuggestion) {
  const auto bad = ConfigFile::parse("[router.home]\nusr = \"x\"\n", "f");
  ASSERT_TRUE(bad.ok());
  auto checked = bad->check(kKeys);
  ASSERT_FALSE(checked.ok());
  EXPECT_THAT(checked.error().what, HasSubstr("f:2: there is no key usr"));
  EXPECT_EQ(checked.error().fix, "did you mean user?");
  const auto target = ConfigFile::parse("[router.home]\nlocal = true\n", "f");
  checked = target->check(kKeys);
  ASSERT_FALSE(checked.ok());
  EXPECT_THAT(checked.error().what, HasSubstr("local does not belong into a profile"));
  const auto host = ConfigFile::parse("[defaults]\nhost = x\n", "f");
  checked = host->check(kKeys);
  ASSERT_FALSE(checked.ok());
  EXPECT_THAT(checked.error().what, HasSubstr("host does not belong into [defaults]"));
}

TEST(ConfigFile, ASecretIsItsOwnersAlone) {
  test::TempDir dir;
  const std::string path = dir / "c.toml";
  test::spill(path, "[router.home]\nuser = \"x\"\n");
  ASSERT_EQ(::chmod(path.c_str(), 0644), 0);
  EXPECT_TRUE(ConfigFile::load(path, true, kKeys).ok());
  test::spill(path, "[router.home]\npassword = \"hunter2\"\n");
  const auto open = ConfigFile::load(path, true, kKeys);
  ASSERT_FALSE(open.ok());
  EXPECT_EQ(open.error().exit, base::Exit::refused);
  EXPECT_THAT(open.error().what, AllOf(HasSubstr("mode 0644"), Not(HasSubstr("hunter2"))));
  EXPECT_THAT(open.error().fix, HasSubstr("chmod 600"));
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  EXPECT_TRUE(ConfigFile::load(path, true, kKeys).ok());
}

TEST(ConfigFile, OnlyTheDefaultOneMayBeMissing) {
  EXPECT_TRUE(ConfigFile::load("/nonexistent/c.toml", false, kKeys).ok());
  const auto missing = ConfigFile::load("/nonexistent/c.toml", true, kKeys);
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(missing.error().what, HasSubstr("/nonexistent/c.toml"));
}

// One setting of each kind.
std::vector<Setting> settings() {
  std::vector<Setting> out;
  const auto add = [&out](const char* name, ProfileRole role, Sources sources = Sources::all) {
    OptionSpec spec;
    spec.value = "V";
    spec.role = role;
    spec.sources = sources;
    spec.secret = sources == Sources::no_flag;
    out.push_back({spec, name, sources == Sources::profile_only ? "" : env_name(name), {}, false});
  };
  add("router", ProfileRole::names);
  add("local", ProfileRole::replaces);
  add("user", ProfileRole::none);
  add("host", ProfileRole::none, Sources::profile_only);
  add("password", ProfileRole::none, Sources::no_flag);
  return out;
}

struct Env {
  Env(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  ~Env() { ::unsetenv(name_); }
  const char* name_;
};

const char kFile[] =
    "[defaults]\nrouter = \"home\"\nuser = \"from-defaults\"\n"
    "[router.home]\nhost = \"192.0.2.1\"\nuser = \"from-profile\"\npassword = \"p\"\n";

TEST(Settings, TheNearerPlaceWins) {
  const auto file = ConfigFile::parse(kFile, "f");
  ASSERT_TRUE(file.ok());
  const std::vector<Setting> all = settings();
  std::vector<std::vector<std::string>> given(all.size());
  Resolved r = resolve(all, given, *file);
  EXPECT_EQ(r.profile, "home");  // the router itself is a default
  EXPECT_EQ(r.values[2].origin, Origin::profile);
  EXPECT_THAT(r.values[2].texts, ElementsAre("from-profile"));
  EXPECT_EQ(r.values[2].where, "f:6: user");
  EXPECT_THAT(r.values[3].texts, ElementsAre("192.0.2.1"));
  {
    const Env env("MIKROSCOPE_USER", "from-environment");
    r = resolve(all, given, *file);
    EXPECT_EQ(r.values[2].origin, Origin::environment);
    EXPECT_THAT(r.values[2].texts, ElementsAre("from-environment"));
    given[2] = {"from-line"};
    r = resolve(all, given, *file);
    EXPECT_EQ(r.values[2].origin, Origin::command_line);
    EXPECT_THAT(r.values[2].texts, ElementsAre("from-line"));
    given[2] = {};
  }
  const Env empty("MIKROSCOPE_USER", "");
  EXPECT_EQ(resolve(all, given, *file).values[2].origin, Origin::profile);
}

TEST(Settings, AnotherTargetLeavesTheProfileOut) {
  const auto file = ConfigFile::parse(kFile, "f");
  const std::vector<Setting> all = settings();
  std::vector<std::vector<std::string>> given(all.size());
  given[1] = {"true"};  // --local beats the router of [defaults]
  Resolved r = resolve(all, given, *file);
  EXPECT_EQ(r.profile, "");
  EXPECT_EQ(r.values[2].origin, Origin::defaults);
  given[1] = {"false"};
  EXPECT_EQ(resolve(all, given, *file).profile, "home");
  given[1] = {};
  given[0] = {"192.0.2.9"};  // no profile of that name
  EXPECT_EQ(resolve(all, given, *file).profile, "");
}

TEST(Settings, TheExplanationHidesSecrets) {
  const auto file = ConfigFile::parse(kFile, "f");
  const std::vector<Setting> all = settings();
  const std::vector<std::vector<std::string>> given(all.size());
  EXPECT_EQ(explain(resolve(all, given, *file), *file),
            "configuration file: f\n"
            "profile: home\n"
            "--router  home          defaults f:2\n"
            "--local   -             not given\n"
            "--user    from-profile  profile f:6\n"
            "host      192.0.2.1     profile f:5\n"
            "password  set           profile f:7\n");
}

test::Program::Options with(std::vector<std::string> env) {
  test::Program::Options options;
  options.env = std::move(env);
  return options;
}

TEST(Profiles, ExplainConfigSaysWhereEachValueComesFrom) {
  test::TempDir dir;
  test::spill(dir / "c.toml", "[router.home]\nhost = \"192.0.2.1\"\nvia = \"ssh\"\nrate = 50\n");
  const Exited exited = run({"status", "--router", "home", "--user", "ops", "--explain-config"},
                            with({"MIKROSCOPE_CONFIG=" + dir / "c.toml", "MIKROSCOPE_PASSWORD=hunter2"}));
  EXPECT_EQ(exited.code, 0) << exited.err;
  EXPECT_THAT(exited.out, HasSubstr("configuration file: " + dir / "c.toml\nprofile: home\n"));
  const auto line = [&exited](const std::string& name) {
    for (const std::string& l : test::lines_of(exited.out)) {
      if (l.starts_with(name + " ")) return l;
    }
    return std::string();
  };
  EXPECT_THAT(line("--router"), MatchesRegex("--router +home +command line"));
  EXPECT_THAT(line("--user"), MatchesRegex("--user +ops +command line"));
  EXPECT_THAT(line("--via"), MatchesRegex("--via +ssh +profile .*c.toml:3"));
  EXPECT_THAT(line("host"), MatchesRegex("host +192.0.2.1 +profile .*c.toml:2"));
  EXPECT_THAT(line("password"), MatchesRegex("password +set +environment MIKROSCOPE_PASSWORD"));
  EXPECT_THAT(line("--transport"), MatchesRegex("--transport +auto +built-in default"));
  EXPECT_THAT(exited.out, Not(HasSubstr("hunter2")));
}

TEST(Profiles, EveryVerbExplainsAndBadFilesAreErrors) {
  test::TempDir dir;
  test::spill(dir / "c.toml", "[router.home]\nhosst = \"192.0.2.1\"\n");
  const auto options = with({"MIKROSCOPE_CONFIG=" + dir / "c.toml"});
  const Exited bad = run({"version"}, options);
  EXPECT_EQ(bad.code, 2);
  EXPECT_THAT(bad.err, AllOf(HasSubstr("c.toml:2: there is no key hosst"), HasSubstr("did you mean host?")));
  for (const char* verb :
       {"record", "mark", "plot", "status", "captures", "image", "version", "completion"}) {
    const Exited exited = run({verb, "--explain-config"}, {});
    EXPECT_EQ(exited.code, 0) << verb << exited.err;
    EXPECT_THAT(exited.out, StartsWith("configuration file: ")) << verb;
  }
}

TEST(Profiles, ADefaultOfTheFileIsOvertakenByTheLine) {
  test::TempDir dir;
  test::spill(dir / "c.toml", "[defaults]\njson = true\nurl = \"http://127.0.0.1:1\"\n");
  const auto options = with({"MIKROSCOPE_CONFIG=" + dir / "c.toml"});
  EXPECT_THAT(run({"version"}, options).out, StartsWith("{"));
  const Exited local = run({"status", "--local"}, options);
  EXPECT_EQ(local.code, 0) << local.err;
  EXPECT_EQ(run({"status"}, options).code, 1);
}

}  // namespace
}  // namespace mikroscope::cli
