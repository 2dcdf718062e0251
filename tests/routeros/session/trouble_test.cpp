#include "routeros/session/trouble.h"

#include <gtest/gtest.h>

namespace mikroscope::routeros {
namespace {

enum Kind { kNone, kCommand, kItem, kPolicy, kThere, kParameter };

struct Words {
  const char* message;
  Kind kind;
};

// What routers say, and what it is taken for: at most one thing.
constexpr Words kWords[] = {
    {"no such command prefix", kCommand},
    {"no such command", kCommand},
    {"no such command or directory (adress)", kCommand},
    {"bad command name foo (line 1 column 1)", kCommand},
    {"syntax error (line 1 column 29)", kCommand},
    {"expected command name (line 1 column 1)", kCommand},
    {"no such item", kItem},
    {"no such item (4)", kItem},
    {"No Such Item (4)", kItem},
    {"not enough permissions (9)", kPolicy},
    {"failure: already have such entry", kThere},
    {"failure: already have interface with such name", kThere},
    {"failure: container with the same name already exists", kThere},
    {"failure: such client already exists", kThere},
    {"unknown parameter", kParameter},
    {"unknown parameter envlists", kParameter},
    {"bad parameter envlists (line 1 column 16)", kParameter},
    {"expected end of command (line 1 column 17)", kParameter},
    {"input does not match any value of value-name", kParameter},
    {"input does not match any value of interface", kNone},
    {"value of port is out of range (1 .. 65535)", kNone},
    {"invalid value for argument address", kNone},
    {"ambiguous value of interface, more than one possible value matches input", kNone},
    {"failure: not allowed by device-mode", kNone},
    {"failure: configuration flagged, check all router configuration for unauthorized changes and update "
     "device-mode",
     kNone},
    {"update canceled", kNone},
    {"cannot add to builtin list", kNone},
    {"interrupted", kNone},
    {"failure: Status 404, Not Found", kNone},
    {"failure: connection timeout", kNone},
    {"the router reported an error", kNone},
};

TEST(Trouble, RoutersWordsAreToldApart) {
  for (const Words& w : kWords) {
    const DeviceError error{w.message, -1, "/x"};
    EXPECT_EQ(error.no_such_command(), w.kind == kCommand) << w.message;
    EXPECT_EQ(error.no_such_item(), w.kind == kItem) << w.message;
    EXPECT_EQ(error.not_permitted(), w.kind == kPolicy) << w.message;
    EXPECT_EQ(error.already_exists(), w.kind == kThere) << w.message;
    EXPECT_EQ(error.unknown_parameter(), w.kind == kParameter) << w.message;
  }
}

TEST(Trouble, ADeviceErrorNamesTheRouterTheCommandAndItsWords) {
  const Trouble trouble = DeviceError{"failure: not allowed by device-mode", 4, "/container/add"};
  const base::Error error = to_error(trouble, "admin@192.0.2.1 (api-ssl)");
  EXPECT_EQ(error.what, "admin@192.0.2.1 (api-ssl): /container/add: failure: not allowed by device-mode");
  EXPECT_NE(error.fix.find("/system/device-mode/update"), std::string::npos) << error.fix;
  EXPECT_EQ(error.exit, base::Exit::failed);
  ASSERT_NE(device_error(trouble), nullptr);
  EXPECT_EQ(device_error(trouble)->category, 4);
}

TEST(Trouble, TheRoutersWordsCannotReachTheTerminalAsTheyAre) {
  const Trouble trouble = DeviceError{"bad \x1b[2J value\nof \xE4", 1, "/x/set"};
  EXPECT_EQ(to_error(trouble, "r").what, "r: /x/set: bad \\x1b[2J value\\nof ä");
}

TEST(Trouble, ALostConnectionKeepsItsExitCode) {
  const Trouble trouble = LostConnection{"login refused", "check the password", base::Exit::auth};
  const base::Error error = to_error(trouble, "admin@192.0.2.1 (api)");
  EXPECT_EQ(error.what, "admin@192.0.2.1 (api): login refused");
  EXPECT_EQ(error.fix, "check the password");
  EXPECT_EQ(error.exit, base::Exit::auth);
  EXPECT_EQ(device_error(trouble), nullptr);
}

TEST(Trouble, AMissingPolicyIsNamedAsSuch) {
  const base::Error error = to_error(DeviceError{"not enough permissions (9)", -1, "/user/print"}, "r");
  EXPECT_NE(error.fix.find("policy"), std::string::npos) << error.fix;
}

}  // namespace
}  // namespace mikroscope::routeros
