#include "routeros/session/known_routers.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>

#include "tests/support/temp_dir.h"

namespace mikroscope::routeros {
namespace {

using test::slurp;
using test::spill;

const std::string kOld(64, 'a');
const std::string kNew(64, 'b');

unsigned mode_of(const std::string& path) {
  struct stat info {};
  EXPECT_EQ(::stat(path.c_str(), &info), 0) << path;
  return info.st_mode & 07777U;
}

std::optional<std::string> recorded(const KnownRouters& store, KeyKind kind, const std::string& host,
                                    int port) {
  const auto found = store.lookup(kind, host, port);
  EXPECT_TRUE(found.ok()) << found.error().what;
  return found.ok() ? *found : std::nullopt;
}

TEST(KnownRouters, KnowsNobodyAtFirst) {
  const test::TempDir dir;
  const KnownRouters store(dir / "sub/known-routers");
  EXPECT_EQ(recorded(store, KeyKind::tls, "192.0.2.1", 8729), std::nullopt);
  EXPECT_TRUE(dir.names().empty()) << "looking writes nothing";
}

TEST(KnownRouters, RecordsForNobodyElseToRead) {
  const test::TempDir dir;
  KnownRouters store(dir / "a/b/known-routers");
  ASSERT_TRUE(store.remember(KeyKind::tls, "192.0.2.1", 8729, kOld).ok());
  EXPECT_EQ(recorded(store, KeyKind::tls, "192.0.2.1", 8729), kOld);
  EXPECT_EQ(mode_of(dir / "a"), 0700u);
  EXPECT_EQ(mode_of(dir / "a/b"), 0700u);
  EXPECT_EQ(mode_of(dir / "a/b/known-routers"), 0600u);
  EXPECT_EQ(slurp(dir / "a/b/known-routers"), "tls 192.0.2.1 8729 " + kOld + "\n");
}

TEST(KnownRouters, TellsKindsPortsAndHostsApart) {
  const test::TempDir dir;
  KnownRouters store(dir / "known");
  ASSERT_TRUE(store.remember(KeyKind::tls, "Router.lan", 8729, kOld).ok());
  ASSERT_TRUE(store.remember(KeyKind::ssh, "router.lan", 22, "SHA256:abc").ok());
  EXPECT_EQ(recorded(store, KeyKind::tls, "router.LAN", 8729), kOld);
  EXPECT_EQ(recorded(store, KeyKind::ssh, "router.lan", 22), "SHA256:abc");
  EXPECT_EQ(recorded(store, KeyKind::ssh, "router.lan", 8729), std::nullopt);
  EXPECT_EQ(recorded(store, KeyKind::tls, "router.lan", 8730), std::nullopt);
  EXPECT_EQ(recorded(store, KeyKind::tls, "router", 8729), std::nullopt);
}

TEST(KnownRouters, ReplacesOneLineAndKeepsTheRest) {
  const test::TempDir dir;
  spill(dir / "known", "# mine\n\ntls 192.0.2.1 8729 " + kOld + "\nssh 2001:db8::1 22 SHA256:x\n");
  ::chmod((dir / "known").c_str(), 0600);
  KnownRouters store(dir / "known");
  ASSERT_TRUE(store.remember(KeyKind::tls, "192.0.2.1", 8729, kNew).ok());
  EXPECT_EQ(slurp(dir / "known"), "# mine\n\nssh 2001:db8::1 22 SHA256:x\ntls 192.0.2.1 8729 " + kNew + "\n");
  EXPECT_EQ(dir.names(), std::vector<std::string>{"known"}) << "nothing is left beside it";
}

TEST(KnownRouters, ALineThatIsNoneIsAnErrorAndNotANewRouter) {
  for (const char* line : {"tls 192.0.2.1 8729", "tls 192.0.2.1 port x", "rsa 192.0.2.1 22 x",
                           "tls 192.0.2.1 0 x", "tls 192.0.2.1 8729 x y", "tls 192.0.2.1 65536 x"}) {
    const test::TempDir dir;
    spill(dir / "known", std::string("# first\n") + line + "\n");
    ::chmod((dir / "known").c_str(), 0600);
    KnownRouters store(dir / "known");
    const auto found = store.lookup(KeyKind::tls, "192.0.2.1", 8729);
    ASSERT_FALSE(found.ok()) << line;
    EXPECT_NE(found.error().what.find("known:2"), std::string::npos) << found.error().what;
    EXPECT_FALSE(store.remember(KeyKind::tls, "192.0.2.1", 8729, kNew).ok()) << line;
  }
}

TEST(KnownRouters, AFileThatOthersCanWriteProvesNothing) {
  const test::TempDir dir;
  spill(dir / "known", "tls 192.0.2.1 8729 " + kOld + "\n");
  ::chmod((dir / "known").c_str(), 0666);
  const auto found = KnownRouters(dir / "known").lookup(KeyKind::tls, "192.0.2.1", 8729);
  ASSERT_FALSE(found.ok());
  EXPECT_NE(found.error().fix.find("chmod 600"), std::string::npos) << found.error().fix;
}

SeenKey seen(const std::string& fingerprint) {
  return {KeyKind::tls, "192.0.2.1", 8729, fingerprint, "admin@192.0.2.1"};
}

TEST(Trust, IsGivenOnFirstUseAndKept) {
  const test::TempDir dir;
  KnownRouters store(dir / "known");
  const auto first = check_trust(store, seen(kOld), false);
  ASSERT_TRUE(first.ok()) << first.error().what;
  EXPECT_EQ(*first, Trust::first_use);
  const auto again = check_trust(store, seen(kOld), false);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(*again, Trust::known);
}

TEST(Trust, AChangeShowsBothKeysAndTheCommandThatAcceptsIt) {
  const test::TempDir dir;
  KnownRouters store(dir / "known");
  ASSERT_TRUE(check_trust(store, seen(kOld), false).ok());
  const auto changed = check_trust(store, seen(kNew), false);
  ASSERT_FALSE(changed.ok());
  EXPECT_NE(changed.error().what.find(kOld), std::string::npos) << changed.error().what;
  EXPECT_NE(changed.error().what.find(kNew), std::string::npos) << changed.error().what;
  EXPECT_NE(changed.error().fix.find("mikroscope doctor --router admin@192.0.2.1 --accept-new-key"),
            std::string::npos)
      << changed.error().fix;
  EXPECT_EQ(changed.error().exit, base::Exit::refused);
  EXPECT_EQ(recorded(store, KeyKind::tls, "192.0.2.1", 8729), kOld) << "a refused key is not recorded";
}

TEST(Trust, AChangeCanBeAccepted) {
  const test::TempDir dir;
  KnownRouters store(dir / "known");
  ASSERT_TRUE(check_trust(store, seen(kOld), false).ok());
  const auto accepted = check_trust(store, seen(kNew), true);
  ASSERT_TRUE(accepted.ok()) << accepted.error().what;
  EXPECT_EQ(*accepted, Trust::replaced);
  EXPECT_EQ(recorded(store, KeyKind::tls, "192.0.2.1", 8729), kNew);
}

}  // namespace
}  // namespace mikroscope::routeros
