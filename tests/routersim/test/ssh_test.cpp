// The double's SSH service: driven by OpenSSH's clients, and by ours.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>

#include "routeros/ssh/connect.h"
#include "routeros/ssh/ssh_session.h"
#include "tests/routersim/ssh/ssh_server.h"
#include "tests/support/temp_dir.h"

extern char** environ;

namespace mikroscope::routersim {
namespace {

using mikroscope::test::slurp;
using mikroscope::test::spill;
using mikroscope::test::TempDir;
using routeros::Answer;

#define NEEDS(program) \
  if (::access("/usr/bin/" program, X_OK) != 0) GTEST_SKIP() << program " is not installed"

struct Ran {
  int code = -1;
  std::string out;
};

// Runs a program to its end; both streams.
Ran run(const std::vector<std::string>& argv) {
  const TempDir dir;
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, (dir / "out").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t pid = -1;
  Ran ran;
  if (::posix_spawn(&pid, words[0], &actions, nullptr, words.data(), environ) == 0) {
    int status = 0;
    ::waitpid(pid, &status, 0);
    ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  posix_spawn_file_actions_destroy(&actions);
  ran.out = slurp(dir / "out");
  return ran;
}

class MemoryTrust final : public routeros::TrustStore {
 public:
  base::Result<std::optional<std::string>> lookup(routeros::KeyKind, const std::string& host,
                                                  int port) const override {
    const auto found = keys.find(fmt::format("{} {}", host, port));
    return found == keys.end() ? std::nullopt : std::optional(found->second);
  }
  base::Result<void> remember(routeros::KeyKind, const std::string& host, int port,
                              const std::string& fingerprint) override {
    keys[fmt::format("{} {}", host, port)] = fingerprint;
    return {};
  }
  std::map<std::string, std::string> keys;
};

Config config(const std::string& ros = "7.24.2") {
  Config config;
  config.ros = ros;
  config.admin_password = "pass word";
  return config;
}

User local() {
  User user;
  user.name = "test";
  for (const char* policy : {"read", "write", "policy", "ftp", "test", "sensitive"})
    user.policies.insert(policy);
  return user;
}

class Device {
 public:
  explicit Device(const Config& config, const SshServer::Options& options = {})
      : router(config), server(router, options) {
    EXPECT_EQ(server.trouble(), "");
  }
  // Adds the public key of a fresh pair to admin; the private key's path.
  std::string add_key(const std::string& type = "ed25519") {
    const std::string path = dir / ("key-" + type);
    run({"/usr/bin/ssh-keygen", "-q", "-t", type, "-N", "", "-f", path});
    Request request;
    request.menu = "/user/ssh-keys";
    request.verb = "import";
    EXPECT_TRUE(router.upload("key.pub")->append(slurp(path + ".pub")));
    request.attributes = {{"public-key-file", "key.pub"}, {"user", "admin"}};
    const Outcome outcome = router.execute(local(), request);
    EXPECT_TRUE(outcome.ok()) << outcome.traps.front().message;
    return path;
  }
  routeros::SshTarget target() {
    routeros::SshTarget target;
    target.host = "127.0.0.1";
    target.port = server.port();
    target.user = "admin";
    target.use_agent = false;
    target.password = "pass word";
    target.trust = &trust;
    return target;
  }
  // Options of ssh, sftp and scp.
  std::vector<std::string> options(const std::string& key) {
    return {"-F", "none",
            "-i", key,
            "-o", "BatchMode=yes",
            "-o", "StrictHostKeyChecking=no",
            "-o", "UserKnownHostsFile=" + (dir / "known"),
            "-o", "LogLevel=ERROR",
            "-o", "IdentitiesOnly=yes"};
  }

  TempDir dir;
  Router router;
  SshServer server;
  MemoryTrust trust;
};

std::string what(const base::Result<std::unique_ptr<routeros::Session>>& session) {
  return session ? "(connected)" : session.error().what + " | " + session.error().fix;
}
template <class T>
std::string trouble(const Answer<T>& answer) {
  if (answer) return "(no trouble)";
  if (const auto* error = routeros::device_error(answer.error())) return "device: " + error->message;
  return "lost: " + std::get<routeros::LostConnection>(answer.error()).what;
}
bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// --- OpenSSH drives the double ---

std::vector<std::string> with(std::vector<std::string> first, const std::vector<std::string>& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

TEST(SshDouble, OpenSshRunsCommands) {
  NEEDS("ssh");
  Device device(config());
  const std::string key = device.add_key();
  const auto ssh = [&](const std::string& line) {
    return run(with(with({"/usr/bin/ssh", "-p", std::to_string(device.server.port())}, device.options(key)),
                    {"admin@127.0.0.1", line}));
  };
  const Ran name = ssh(":put [/system/identity/get name]");
  EXPECT_EQ(name.out, "MikroTik\r\n");
  EXPECT_EQ(name.code, 0);
  const Ran lines = ssh(":local a 1; :put $a\n:put \"<$a>\"");
  EXPECT_EQ(lines.out, "1\r\n<>\r\n");
  const Ran bad = ssh("/foo print");
  EXPECT_EQ(bad.out, "bad command name foo (line 1 column 2)\r\n");
  EXPECT_TRUE(bad.code == 0 || bad.code == 1) << bad.code;
  EXPECT_EQ(ssh(":for i from=1 to=20000 do={:put \"0123456789\"}").out.size(), 240000u)
      << "more than a window";
}

TEST(SshDouble, OpenSshCopiesFiles) {
  NEEDS("scp");
  NEEDS("sftp");
  Device device(config());
  const std::string key = device.add_key();
  std::string bytes(300'000, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 7 + i / 251);
  spill(device.dir / "agent.tar", bytes);
  const std::vector<std::string> port = {"-P", std::to_string(device.server.port())};
  const Ran up = run(with(with(with({"/usr/bin/scp"}, port), device.options(key)),
                          {device.dir / "agent.tar", "admin@127.0.0.1:agent.tar"}));
  EXPECT_EQ(up.code, 0) << up.out;
  EXPECT_TRUE(device.router.read_file("agent.tar") == bytes);
  const Ran down = run(with(with(with({"/usr/bin/scp"}, port), device.options(key)),
                            {"admin@127.0.0.1:agent.tar", device.dir / "back.tar"}));
  EXPECT_EQ(down.code, 0) << down.out;
  EXPECT_TRUE(slurp(device.dir / "back.tar") == bytes);

  spill(device.dir / "batch", "put " + (device.dir / "agent.tar") + " other.tar\nls -l\nrm agent.tar\n");
  const Ran batch = run(with(with(with({"/usr/bin/sftp"}, port), device.options(key)),
                             {"-b", device.dir / "batch", "admin@127.0.0.1"}));
  EXPECT_EQ(batch.code, 0) << batch.out;
  EXPECT_TRUE(has(batch.out, "other.tar")) << batch.out;
  EXPECT_FALSE(device.router.read_file("agent.tar"));
  EXPECT_TRUE(device.router.read_file("other.tar") == bytes);
}

TEST(SshDouble, OpenSshSeesARouter) {
  NEEDS("ssh");
  Device device(config());
  const std::string key = device.add_key();
  auto options = device.options(key);
  for (std::string& option : options) {
    if (option == "LogLevel=ERROR") option = "LogLevel=DEBUG1";
  }
  const Ran verbose = run(with(with({"/usr/bin/ssh", "-p", std::to_string(device.server.port())}, options),
                               {"admin@127.0.0.1", ":put 1"}));
  EXPECT_TRUE(has(verbose.out, "ROSSSH")) << verbose.out;
  const std::string known = run({"/usr/bin/ssh-keygen", "-l", "-f", device.dir / "known"}).out;
  EXPECT_TRUE(has(known, device.server.fingerprint())) << known;
}

// --- our client ---

TEST(SshDouble, LogsInByPasswordUntilThereIsAKey) {
  Device device(config());
  {
    const auto session = connect_ssh(device.target());
    ASSERT_TRUE(session) << what(session);
  }
  EXPECT_EQ(device.router.requests().logins(), 1u);
  const std::string key = device.add_key();
  const auto refused = connect_ssh(device.target());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().exit, base::Exit::auth);
  EXPECT_TRUE(has(what(refused), "as soon as an account has an SSH key")) << what(refused);
  EXPECT_FALSE(has(what(refused), "pass word"));
  routeros::SshTarget target = device.target();
  target.key_file = key;
  const auto session = connect_ssh(target);
  EXPECT_TRUE(session) << what(session);
}

TEST(SshDouble, AsksForThePasswordOnlyWhenItIsNeeded) {
  Device device(config());
  routeros::SshTarget target = device.target();
  target.password.reset();
  int asked = 0;
  target.ask = [&asked](const std::string& question) {
    ++asked;
    EXPECT_EQ(question, "password of admin@127.0.0.1");
    return base::Result<std::string>("pass word");
  };
  EXPECT_TRUE(connect_ssh(target));
  EXPECT_EQ(asked, 1);
  Config open = config();
  open.admin_password.clear();
  Device fresh(open);
  target.port = fresh.server.port();
  EXPECT_TRUE(connect_ssh(target)) << "an empty password is let in by none";
  EXPECT_EQ(asked, 1);
  target.port = device.server.port();
  target.ask = nullptr;
  const auto none = connect_ssh(target);
  EXPECT_TRUE(has(what(none), "no password was at hand")) << what(none);
}

TEST(SshDouble, ARouterWithOneRsaKeyAndStrongCryptoIsReached) {
  SshServer::Options options;
  options.host_key = "rsa";
  options.strong_crypto = true;
  Device device(config(), options);
  routeros::SshTarget target = device.target();
  target.key_file = device.add_key("rsa");
  const auto session = connect_ssh(target);
  ASSERT_TRUE(session) << what(session);
  EXPECT_EQ(device.trust.keys.begin()->second, device.server.fingerprint());
  device.server.new_host_key();
  const auto changed = connect_ssh(target);
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error().exit, base::Exit::refused);
  EXPECT_TRUE(has(changed.error().what, device.server.fingerprint())) << what(changed);
}

TEST(SshDouble, ReadsAndWritesRows) {
  Device device(config());
  auto session = connect_ssh(device.target());
  ASSERT_TRUE(session) << what(session);
  routeros::Session& router = **session;

  const auto resource = router.print({"/system/resource", {"version", "architecture-name", "cpu-count"}, {}});
  ASSERT_TRUE(resource) << trouble(resource);
  ASSERT_EQ(resource->size(), 1u);
  EXPECT_EQ(resource->front().text("version"), "7.24.2 (stable)");
  EXPECT_EQ(resource->front().text("cpu-count"), "4");

  std::string comment = "line\none \"two\" $three; \\ [x] {y} ? \xc3\xbc \xe4 007";
  const auto id = router.add(
      "/interface/veth",
      {{"name", "agent"}, {"address", "172.30.10.2/30"}, {"gateway", "172.30.10.1"}, {"comment", comment}});
  ASSERT_TRUE(id) << trouble(id);
  const auto found =
      router.print({"/interface/veth", {"name", "address", "comment"}, {{"comment", comment}}});
  ASSERT_TRUE(found) << trouble(found);
  ASSERT_EQ(found->size(), 1u);
  EXPECT_EQ(found->front().id(), *id);
  EXPECT_EQ(found->front().text("address"), "172.30.10.2/30");
  EXPECT_EQ(found->front().text("comment"), comment);
  EXPECT_FALSE(found->front().find("gateway"));

  EXPECT_TRUE(router.set("/interface/veth", *id, {{"comment", "b"}}));
  EXPECT_EQ(device.router.rows("/interface/veth").back().text("comment"), "b");
  EXPECT_EQ(trouble(router.set("/interface/veth", *id, {{"wings", "2"}})).substr(0, 31),
            "device: expected end of command");
  const auto again = router.add("/interface/veth", {{"name", "agent"}, {"address", "172.30.10.2/30"}});
  ASSERT_FALSE(again);
  EXPECT_TRUE(routeros::device_error(again.error())->already_exists()) << trouble(again);
  EXPECT_TRUE(router.remove("/interface/veth", *id));
  const auto gone = router.remove("/interface/veth", *id);
  ASSERT_FALSE(gone);
  EXPECT_TRUE(routeros::device_error(gone.error())->no_such_item()) << trouble(gone);

  const auto none = router.print({"/interface/veth", {"name"}, {{"name", "agent"}}});
  ASSERT_TRUE(none) << trouble(none);
  EXPECT_TRUE(none->empty());
  EXPECT_TRUE(router.set("/system/identity", "", {{"name", "r 1"}}));
  EXPECT_EQ(router.print({"/system/identity", {"name"}, {}})->front().text("name"), "r 1");
  EXPECT_EQ(device.router.requests().logins(), 1u);
}

TEST(SshDouble, EveryMenuIsRead) {
  Device device(config());
  auto session = connect_ssh(device.target());
  ASSERT_TRUE(session) << what(session);
  for (const char* menu : {"/interface",
                           "/interface/list",
                           "/interface/list/member",
                           "/ip/address",
                           "/ip/route",
                           "/ip/firewall/filter",
                           "/ip/firewall/nat",
                           "/ip/firewall/raw",
                           "/ip/firewall/address-list",
                           "/ip/service",
                           "/ip/dns",
                           "/container",
                           "/container/config",
                           "/container/envs",
                           "/container/mounts",
                           "/file",
                           "/disk",
                           "/log",
                           "/user",
                           "/user/group",
                           "/system/package",
                           "/system/device-mode",
                           "/system/clock",
                           "/system/routerboard",
                           "/system/health"}) {
    const auto rows = (*session)->print({menu, {"name", "comment", "chain", "address"}, {}});
    EXPECT_TRUE(rows) << menu << ": " << trouble(rows);
    if (!rows) continue;
    const auto mine = device.router.rows(menu);
    EXPECT_EQ(rows->size(), menu == std::string("/log") ? rows->size() : mine.size()) << menu;
    for (std::size_t i = 0; i < std::min(rows->size(), mine.size()); ++i) {
      for (const char* name : {"name", "comment", "chain", "address"})
        EXPECT_EQ((*rows)[i].text(name), mine[i].text(name)) << menu;
    }
  }
  EXPECT_EQ(device.router.requests().writes(), 0u);
  const auto absent = (*session)->print({"/no/such/menu", {"name"}, {}});
  ASSERT_FALSE(absent);
  EXPECT_TRUE(routeros::device_error(absent.error())->no_such_command()) << trouble(absent);
}

TEST(SshDouble, OlderRoutersAreReadToo) {
  Device middle(config("7.16.2"));
  auto session = connect_ssh(middle.target());
  ASSERT_TRUE(session) << what(session);
  ASSERT_TRUE((*session)->set("/system/identity", "", {{"name", "12"}}));
  EXPECT_EQ((*session)->print({"/system/identity", {"name"}, {}})->front().text("name"), "12");
  Device old(config("7.12.1"));
  const auto refused = connect_ssh(old.target());
  EXPECT_TRUE(has(what(refused), "use --via api-ssl")) << what(refused);
}

TEST(SshDouble, UploadsAreSeen) {
  Device device(config());
  auto session = connect_ssh(device.target());
  ASSERT_TRUE(session) << what(session);
  const std::string bytes(200'000, 'y');
  const auto done = (*session)->upload("agent.tar", bytes, {});
  ASSERT_TRUE(done) << trouble(done);
  EXPECT_TRUE(device.router.read_file("agent.tar") == bytes);
  EXPECT_EQ(dynamic_cast<routeros::SshSession&>(**session).uploaded_size(), 200'000u);
  const auto listed = (*session)->print({"/file", {"size"}, {{"name", "agent.tar"}}});
  ASSERT_TRUE(listed) << trouble(listed);
  ASSERT_EQ(listed->size(), 1u);
  EXPECT_EQ(listed->front().text("size"), "200000");

  ASSERT_FALSE(device.router.set_fault("disk-full=100000"));
  const auto full = (*session)->upload("big.tar", bytes, {});
  EXPECT_TRUE(has(trouble(full), "after 98304 of 200000 octets")) << trouble(full);
  EXPECT_TRUE(has(trouble(full), "disk full")) << trouble(full);
  device.router.clear_faults();
  ASSERT_FALSE(device.router.set_fault("upload-cut=100000"));
  const auto cut = (*session)->upload("cut.tar", bytes, {});
  EXPECT_TRUE(has(trouble(cut), "lost: ")) << trouble(cut);
}

TEST(SshDouble, PoliciesAreFelt) {
  Device device(config());
  ASSERT_FALSE(device.router.set_fault("no-policy=ftp"));
  auto session = connect_ssh(device.target());
  ASSERT_TRUE(session) << what(session);
  const auto refused = (*session)->upload("agent.tar", "x", {});
  EXPECT_TRUE(has(trouble(refused), "policy ftp")) << trouble(refused);
  ASSERT_FALSE(device.router.set_fault("no-policy=write"));
  session = connect_ssh(device.target());
  ASSERT_TRUE(session) << what(session);
  const auto unwritten = (*session)->set("/system/identity", "", {{"name", "x"}});
  ASSERT_FALSE(unwritten);
  EXPECT_TRUE(routeros::device_error(unwritten.error())->not_permitted()) << trouble(unwritten);
  ASSERT_FALSE(device.router.set_fault("no-policy=ssh"));
  EXPECT_FALSE(connect_ssh(device.target()));
}

TEST(SshDouble, FaultsOfTheConnection) {
  Device device(config());
  auto session = connect_ssh(device.target());
  ASSERT_TRUE(session) << what(session);
  ASSERT_FALSE(device.router.set_fault("print-on-write=1"));
  EXPECT_EQ(trouble((*session)->set("/system/identity", "", {{"name", "a"}})), "device: warning: simulated");
  ASSERT_FALSE(device.router.set_fault("cut-after-write=2"));
  EXPECT_TRUE(has(trouble((*session)->set("/system/identity", "", {{"name", "b"}})), "lost: "));
  EXPECT_EQ(device.router.rows("/system/identity").front().text("name"), "b");
  device.router.clear_faults();

  ASSERT_FALSE(device.router.set_fault("accept-close"));
  const auto dropped = connect_ssh(device.target());
  EXPECT_TRUE(has(what(dropped), "/ip/service")) << what(dropped);
  device.router.clear_faults();

  ASSERT_FALSE(device.router.set_fault("hang-after=1"));
  routeros::SshTarget target = device.target();
  target.timeout_ms = 3000;
  session = connect_ssh(target);
  ASSERT_TRUE(session) << what(session);
  const auto silent = (*session)->call({"/system/identity/print", {}, true, 200});
  EXPECT_TRUE(has(trouble(silent), "in time")) << trouble(silent);
}

TEST(SshDouble, ARebootEndsSessions) {
  Device device(config());
  auto session = connect_ssh(device.target());
  ASSERT_TRUE(session) << what(session);
  device.router.reboot();
  const auto answer = (*session)->print({"/interface", {"name"}, {}});
  EXPECT_TRUE(has(trouble(answer), "lost: ")) << trouble(answer);
  EXPECT_TRUE(connect_ssh(device.target()));
}

}  // namespace
}  // namespace mikroscope::routersim
