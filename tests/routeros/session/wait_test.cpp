#include "routeros/session/wait.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>

#include "base/clock.h"
#include "base/file.h"
#include "routeros/session/dial.h"

namespace mikroscope::routeros {
namespace {

base::Fd event(unsigned value) {
  return base::Fd(::eventfd(value, EFD_CLOEXEC));
}

TEST(Wait, EndsWhenThereIsSomething) {
  const base::Fd ready = event(1);
  const base::Fd quiet = event(0);
  EXPECT_EQ(wait_for(ready.get(), POLLIN, within(60'000, -1)), Net::ok);
  EXPECT_EQ(wait_for(ready.get(), POLLIN, {INT64_MAX, quiet.get()}), Net::ok);
}

TEST(Wait, EndsAtItsDeadlineAndNotBefore) {
  const base::Fd quiet = event(0);
  const std::int64_t start = base::monotonic_ns();
  EXPECT_EQ(wait_for(quiet.get(), POLLIN, within(30, -1)), Net::timeout);
  const std::int64_t took_ms = (base::monotonic_ns() - start) / 1'000'000;
  EXPECT_GE(took_ms, 30);
  EXPECT_LT(took_ms, 2000);
}

TEST(Wait, AnInterruptionGoesFirst) {
  const base::Fd ready = event(1);
  const base::Fd interrupt = event(1);
  EXPECT_EQ(wait_for(ready.get(), POLLIN, within(60'000, interrupt.get())), Net::interrupted);
  EXPECT_EQ(wait_for(ready.get(), POLLIN, within(0, interrupt.get())), Net::interrupted);
}

TEST(Wait, APassedDeadlineIsNotMadeGoodByMoreInput) {
  const base::Fd ready = event(1);
  EXPECT_EQ(wait_for(ready.get(), POLLIN, within(-1, -1)), Net::timeout);
}

TEST(Dial, AnInterruptionEndsALookup) {
  const base::Fd interrupt = event(1);
  const auto fd = dial("localhost", 8729, "api-ssl", within(60'000, interrupt.get()));
  ASSERT_FALSE(fd.ok());
  EXPECT_EQ(fd.error().exit, base::Exit::interrupted);
}

// Longer than a part of a name may be: the resolver asks nobody.
TEST(Dial, ANameThatCannotBeIsNamed) {
  const std::string name(64, 'x');
  const auto fd = dial(name, 8729, "api-ssl", within(20'000, -1));
  ASSERT_FALSE(fd.ok());
  EXPECT_EQ(fd.error().what.find("no connection to " + name + " port 8729: "), 0u) << fd.error().what;
}

}  // namespace
}  // namespace mikroscope::routeros
