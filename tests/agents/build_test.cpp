// What the router agents are: small, static, for the right core, without an allocator, the same wherever they
// are built.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/host/files.h"
#include "process.h"
#include "routeros/elf.h"

namespace mikroscope::agents_test {
namespace {

namespace fs = std::filesystem;

// Ceilings that only come down: what the larger of two is now, rounded up. The goal is 102'400 and 120'000.
struct Ceiling {
  std::size_t agent;
  std::size_t image;
};
Ceiling ceiling(const std::string& arch) {
  const bool wide = arch == "amd64" || arch == "arm64";  // pointers of 64 bits
  return wide ? Ceiling{122'000, 129'000} : Ceiling{104'500, 111'500};
}

class Agent : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (::access(agent_path(GetParam()).c_str(), X_OK) != 0)
      GTEST_SKIP() << "no " << GetParam() << " agent in this build";
  }
  std::string program() const {
    const auto bytes = base::read_text(agent_path(GetParam()));
    EXPECT_TRUE(bytes) << bytes.error().what;
    return bytes ? *bytes : std::string();
  }
};

TEST_P(Agent, IsSmall) {
  const std::string bytes = program();
  EXPECT_LE(bytes.size(), ceiling(GetParam()).agent);
  RecordProperty("bytes", static_cast<int>(bytes.size()));
  const auto image =
      routeros::build_image(*routeros::parse_arch(GetParam()), std::as_bytes(std::span(bytes)));
  ASSERT_TRUE(image) << image.error().what;
  EXPECT_LE(image->size(), ceiling(GetParam()).image);
}

TEST_P(Agent, IsAStaticProgramOfItsArchitecture) {
  const auto arch = routeros::program_arch(program());
  ASSERT_TRUE(arch) << arch.error().what;
  EXPECT_EQ(routeros::arch_name(*arch), GetParam());
}

// The C library's allocator is not even in the program, so nothing can allocate after start. Nor is
// libstdc++'s throwing.
TEST_P(Agent, HasNoAllocatorAndNoExceptions) {
  if (!have("nm")) GTEST_SKIP() << "nm is not installed (binutils)";
  const RunResult names = run({"nm", agent_path(GetParam()) + ".symbols"});
  ASSERT_TRUE(names.ok()) << names.output;
  ASSERT_NE(names.output.find(" main\n"), std::string::npos);
  for (const char* name : {" malloc\n", " calloc\n", " realloc\n", " _Znwm\n", " _Znwj\n", " __cxa_throw\n",
                           " _Unwind_RaiseException\n"}) {
    EXPECT_EQ(names.output.find(name), std::string::npos) << name;
  }
}

// Its start (agent/rt_start.cpp) would not run them.
TEST_P(Agent, HasNoConstructorsOfStaticObjects) {
  if (!have("readelf")) GTEST_SKIP() << "readelf is not installed (binutils)";
  const RunResult sections = run({"readelf", "-SW", agent_path(GetParam())});
  ASSERT_TRUE(sections.ok()) << sections.output;
  ASSERT_NE(sections.output.find(".text"), std::string::npos);
  for (const char* name : {".init_array", ".ctors", ".preinit_array", ".tdata", ".tbss"})
    EXPECT_EQ(sections.output.find(name), std::string::npos) << name;
}

TEST_P(Agent, HasAStackThatIsNotExecutable) {
  if (!have("readelf")) GTEST_SKIP() << "readelf is not installed (binutils)";
  const RunResult headers = run({"readelf", "-lW", agent_path(GetParam())});
  ASSERT_TRUE(headers.ok()) << headers.output;
  const std::size_t stack = headers.output.find("GNU_STACK");
  ASSERT_NE(stack, std::string::npos);
  const std::string line = headers.output.substr(stack, headers.output.find('\n', stack) - stack);
  EXPECT_EQ(line.find("RWE"), std::string::npos) << line;
}

INSTANTIATE_TEST_SUITE_P(Build, Agent, testing::Values("amd64", "arm64", "armv7", "armv5"),
                         [](const testing::TestParamInfo<std::string>& arch) { return arch.param; });

// The linker keeps the highest level of all objects, the C library's among them. (Looking for single
// instructions would be wrong: musl holds newer ones behind a test at run time.)
TEST(AgentArmv5, NeedsNoMoreThanArmv5Te) {
  if (!have("readelf")) GTEST_SKIP() << "readelf is not installed (binutils)";
  if (::access(agent_path("armv5").c_str(), X_OK) != 0) GTEST_SKIP() << "no armv5 agent in this build";
  const RunResult attributes = run({"readelf", "-A", agent_path("armv5")});
  ASSERT_TRUE(attributes.ok()) << attributes.output;
  EXPECT_NE(attributes.output.find("Tag_CPU_arch: v5TE\n"), std::string::npos) << attributes.output;
  EXPECT_EQ(attributes.output.find("Tag_FP_arch"), std::string::npos) << attributes.output;
}

TEST(AgentBuild, IsTheSameInAnotherDirectory) {
  if (::access(agent_path("armv5").c_str(), X_OK) != 0) GTEST_SKIP() << "no armv5 agent in this build";
  const TempDir dir;
  fs::create_directories(dir.path("tree"));
  for (const char* part : {"CMakeLists.txt", "VERSION", "agent", "base", "proc", "cmake"}) {
    fs::copy(fs::path(MIKROSCOPE_SOURCE_DIR) / part, fs::path(dir.path("tree")) / part,
             fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  }
  const std::string build = dir.path("some/other/build");
  const RunResult configured =
      run({"cmake", "-S", dir.path("tree"), "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=MinSizeRel",
           "-DCMAKE_TOOLCHAIN_FILE=" + dir.path("tree/cmake/agent-toolchain.cmake"),
           "-DMIKROSCOPE_AGENT_ARCH=armv5", "-DMIKROSCOPE_AGENT_LIBC=musl", "-DMIKROSCOPE_CLI=OFF",
           "-DMIKROSCOPE_TESTS=OFF"},
          {"CCACHE_DISABLE=1"});
  ASSERT_TRUE(configured.ok()) << configured.output;
  Process building({"cmake", "--build", build, "-j", "2"}, {"CCACHE_DISABLE=1"});
  const auto built = building.wait(110'000);
  ASSERT_TRUE(built && built->code == 0) << building.output();
  EXPECT_EQ(run({"cmp", agent_path("armv5"), build + "/mikroscope-agent"}).output, "");
}

}  // namespace
}  // namespace mikroscope::agents_test
