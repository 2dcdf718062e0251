// Clients that others wrote, against the double.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>

#include "tests/routersim/api/api_server.h"
#include "tests/routersim/test/support.h"

namespace mikroscope::routersim {
namespace {

struct Ran {
  int code = -1;
  std::string output;
};

Ran run(const std::string& command) {
  Ran ran;
  std::FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return ran;
  char buffer[4096];
  while (std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe)) ran.output.append(buffer, got);
  const int status = ::pclose(pipe);
  ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ran;
}

std::string source(const std::string& name) {
  return std::string(MIKROSCOPE_SOURCE_DIR) + "/tests/routersim/" + name;
}

TEST(ThirdParty, Librouteros) {
  // Debian's package belongs to Debian's interpreter.
  if (run("/usr/bin/python3 -c 'import librouteros'").code != 0)
    GTEST_SKIP() << "python3-librouteros is not installed";
  Router router({.identity = "B\xC3\xBCro", .admin_password = "sesame"});
  ApiServer server(router);
  const Ran ran = run("timeout 60 /usr/bin/python3 " + source("clients/librouteros_check.py") + " " +
                      std::to_string(server.port()));
  EXPECT_EQ(ran.output, "ok\n");
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(router.requests().logins(), 1u);
}

TEST(ThirdParty, NodeRouterosAndRouterosClient) {
  if (run("command -v node npm").code != 0) GTEST_SKIP() << "node and npm are not installed";
  const std::string dir = std::string(MIKROSCOPE_BINARY_DIR) + "/routersim-node";
  std::filesystem::create_directories(dir);
  const Ran ready = run("cd " + dir + " && cp " + source("node") +
                        "/* . && { test -d node_modules/routeros-client || timeout 100 npm ci "
                        "--ignore-scripts --no-audit --no-fund; }");
  if (ready.code != 0)
    GTEST_SKIP() << "npm ci could not fetch node-routeros and routeros-client: " << ready.output;
  Router router({.admin_password = "sesame", .no_empty = true});
  ApiServer server(router);
  Router old({.admin_password = "sesame", .no_empty = true, .faults = {"legacy-login"}});
  ApiServer old_server(old);
  const Ran ran = run("cd " + dir + " && timeout 60 node check.js " + std::to_string(server.port()) + " " +
                      std::to_string(old_server.port()));
  EXPECT_EQ(ran.output, "ok\n");
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(old.requests().logins(), 1u);
}

}  // namespace
}  // namespace mikroscope::routersim
