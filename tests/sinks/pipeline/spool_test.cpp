#include "sinks/pipeline/spool.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "test_events.h"

namespace mikroscope::sinks {
namespace {

namespace fs = std::filesystem;
using test::samples;

struct TempDir {
  TempDir() {
    char name[] = "/tmp/mikroscope-spool-XXXXXX";
    path = mkdtemp(name);
  }
  ~TempDir() { fs::remove_all(path); }
  std::string path;
};

std::unique_ptr<Spool> opened(const SpoolOptions& options) {
  auto spool = Spool::open(options);
  EXPECT_TRUE(spool.ok()) << spool.error().what;
  return spool.ok() ? std::move(*spool) : nullptr;
}

void put(Spool& spool, const std::string& host, std::uint64_t first, std::uint64_t last,
         const std::string& instance = "one") {
  const RouterCursor cursor{instance, "boot", last, 0};
  const auto done = spool.append(samples(host, first, last, instance), &cursor);
  ASSERT_TRUE(done.ok()) << done.error().what;
}

SpoolReader::Batch all(SpoolReader& reader) {
  SpoolReader::Batch batch;
  reader.read(1'000'000, 0, batch);
  return batch;
}

std::vector<std::uint64_t> seqs(const SpoolReader::Batch& batch) {
  std::vector<std::uint64_t> out;
  for (const model::Event& event : batch.events) out.push_back(event.seq);
  return out;
}

std::vector<fs::path> segment_files(const std::string& dir) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(dir)) {
    if (entry.path().extension() == ".spool") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST(Spool, GivesEverySinkEverythingInOrder) {
  const auto spool = opened({});
  const auto a = spool->reader("a");
  const auto b = spool->reader("b");
  put(*spool, "r1", 1, 3);
  put(*spool, "r2", 7, 7);
  const SpoolReader::Batch batch = all(*a);
  EXPECT_EQ(seqs(batch), (std::vector<std::uint64_t>{1, 2, 3, 7}));
  EXPECT_EQ(batch.events[3].origin->host, "r2");
  a->ack(batch.after[1]);
  EXPECT_EQ(a->behind(), 2U);
  EXPECT_EQ(b->behind(), 4U);
  EXPECT_EQ(seqs(all(*b)), (std::vector<std::uint64_t>{1, 2, 3, 7}));
  EXPECT_TRUE(all(*b).events.empty());
}

TEST(Spool, GoesOnWhereEachSinkWasAfterARestart) {
  const TempDir dir;
  {
    const auto spool = opened({dir.path});
    const auto a = spool->reader("influx http://one");
    const auto b = spool->reader("influx http://two");
    put(*spool, "r1", 1, 5);
    const SpoolReader::Batch batch = all(*a);
    a->ack(batch.after[2]);
  }
  const auto spool = opened({dir.path});
  const auto a = spool->reader("influx http://one");
  const auto b = spool->reader("influx http://two");
  ASSERT_TRUE(spool->cursor("r1").has_value());
  EXPECT_EQ(spool->cursor("r1")->seq, 5U);
  EXPECT_EQ(spool->cursor("r1")->instance, "one");
  EXPECT_FALSE(spool->cursor("r2").has_value());
  put(*spool, "r1", 6, 6);
  EXPECT_EQ(seqs(all(*a)), (std::vector<std::uint64_t>{4, 5, 6}));
  EXPECT_EQ(seqs(all(*b)), (std::vector<std::uint64_t>{1, 2, 3, 4, 5, 6}));
}

// Samples are 100 ms apart.
TEST(Spool, AReaderCanGoBackBeforeWhatItAcknowledged) {
  const TempDir dir;
  {
    const auto spool = opened({dir.path});
    const auto reader = spool->reader("a");
    for (std::uint64_t seq = 1; seq <= 50; ++seq) put(*spool, "r1", seq, seq);
    const SpoolReader::Batch batch = all(*reader);
    reader->ack(batch.after[39]);
  }
  const auto spool = opened({dir.path});
  const auto reader = spool->reader("a");
  reader->rewind(1'000'000'000);
  EXPECT_EQ(seqs(all(*reader)).front(), 30U) << "a second before sample 40";
}

TEST(Spool, RefusesADirectoryThatIsInUse) {
  const TempDir dir;
  const auto first = opened({dir.path});
  const auto second = Spool::open({dir.path});
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().exit, base::Exit::refused);
}

// Whatever of a record had reached the disk when the process ended, what was appended before it is whole.
TEST(Spool, SurvivesATornRecordAtEveryByte) {
  const TempDir dir;
  std::uintmax_t whole = 0;
  {
    const auto spool = opened({dir.path});
    put(*spool, "r1", 1, 2);
    whole = fs::file_size(segment_files(dir.path).back());
    put(*spool, "r1", 3, 4);
  }
  const fs::path file = segment_files(dir.path).back();
  const std::uintmax_t size = fs::file_size(file);
  std::ifstream in(file, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  for (std::uintmax_t cut = 0; cut < size; ++cut) {
    const TempDir copy;
    std::ofstream(copy.path + "/" + file.filename().string(), std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(cut));
    const auto spool = opened({copy.path});
    ASSERT_NE(spool, nullptr) << cut;
    const auto reader = spool->reader("a");
    const std::uint64_t kept = cut >= whole ? 2 : 0;
    if (cut >= whole) {
      ASSERT_EQ(spool->cursor("r1")->seq, 2U) << cut;
    }
    put(*spool, "r1", kept + 1, 4);
    const auto got = seqs(all(*reader));
    ASSERT_EQ(got.size(), 4U) << cut;
    for (std::uint64_t i = 0; i < 4; ++i) ASSERT_EQ(got[i], i + 1) << cut;
  }
}

TEST(Spool, DropsTheOldestBeyondItsBoundAndSaysToWhomWhatIsLost) {
  SpoolOptions options;
  options.max_bytes = 512U << 10;  // segments of 64 KiB
  const auto spool = opened(options);
  const auto quick = spool->reader("quick");
  const auto slow = spool->reader("slow");
  std::uint64_t seq = 0;
  std::uint64_t seen = 0;
  std::mt19937_64 random(1);
  for (int n = 0; n < 4000; ++n) {
    // Numbers that do not compress.
    auto events = samples("r1", seq + 1, seq + 20);
    for (model::Event& event : events) event.values[0] = static_cast<std::int64_t>(random());
    ASSERT_TRUE(spool->append(events, nullptr).ok());
    seq += 20;
    const SpoolReader::Batch batch = all(*quick);
    for (const model::Event& event : batch.events) {
      ASSERT_EQ(event.kind, model::EventKind::sample) << "the quick one lost nothing";
      ASSERT_EQ(event.seq, ++seen);
    }
    if (!batch.after.empty()) quick->ack(batch.after.back());
    ASSERT_LE(spool->counts().bytes, options.max_bytes + (130U << 10));
  }
  EXPECT_EQ(seen, seq);
  EXPECT_GT(slow->dropped(), 0U);

  // What the slow one gets and what it is told of add up to everything, each number once.
  std::vector<std::uint8_t> times(seq + 1, 0);
  const SpoolReader::Batch batch = all(*slow);
  for (const model::Event& event : batch.events) {
    if (event.kind == model::EventKind::sample) {
      ++times[event.seq];
    } else {
      ASSERT_EQ(event.kind, model::EventKind::gap);
      const auto from = static_cast<std::uint64_t>(*model::find_number(event, "gap", {"spool"}, "from"));
      const auto to = static_cast<std::uint64_t>(*model::find_number(event, "gap", {"spool"}, "to"));
      for (std::uint64_t i = from; i <= to; ++i) ++times[i];
    }
  }
  for (std::uint64_t i = 1; i <= seq; ++i) ASSERT_EQ(times[i], 1) << i;
}

TEST(Spool, LetsGoOfWhatAllSinksHave) {
  const TempDir dir;
  SpoolOptions options{dir.path};
  options.max_bytes = 8U << 20;
  options.segment_bytes = 1U << 16;
  const auto spool = opened(options);
  const auto reader = spool->reader("a");
  std::mt19937_64 random(2);
  for (std::uint64_t seq = 1; seq < 20000; seq += 20) {
    auto events = samples("r1", seq, seq + 19);
    for (model::Event& event : events) event.values[0] = static_cast<std::int64_t>(random());
    ASSERT_TRUE(spool->append(events, nullptr).ok());
  }
  EXPECT_GT(spool->counts().segments, 3U);
  const SpoolReader::Batch batch = all(*reader);
  ASSERT_EQ(batch.events.size(), 20000U);
  reader->ack(batch.after.back());
  spool->maintain();
  EXPECT_EQ(spool->counts().segments, 1U);
  EXPECT_EQ(segment_files(dir.path).size(), 1U);
}

// A disk of its own, in a mount namespace that goes with the process.
TEST(Spool, GoesOnOnADiskThatWasFullOnceTheSinksHaveEverything) {
  const TempDir dir;
  const pid_t child = fork();
  if (child == 0) {
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("tmpfs", dir.path.c_str(), "tmpfs", 0, "size=256k") != 0)
      _exit(77);
    auto spool = Spool::open({dir.path});
    if (!spool.ok()) _exit(2);
    const auto reader = (*spool)->reader("a");
    std::mt19937_64 random(3);
    std::uint64_t seq = 0;
    std::uint64_t appended = 0;
    const auto put_some = [&] {
      auto events = samples("r1", seq + 1, seq + 100);
      for (model::Event& event : events) event.values[0] = static_cast<std::int64_t>(random());
      const bool ok = (*spool)->append(events, nullptr).ok();
      if (ok) seq += 100;
      if (ok) appended += 100;
      return ok;
    };
    while (put_some()) {
      if (appended > 1'000'000) _exit(3);  // the disk never filled
    }
    const SpoolReader::Batch batch = all(*reader);
    if (batch.events.size() != appended) _exit(4);
    reader->ack(batch.after.back());
    if (!put_some()) _exit(5);
    const SpoolReader::Batch more = all(*reader);
    _exit(more.events.size() == 100 && more.events.front().seq == appended - 99 ? 0 : 6);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) GTEST_SKIP() << "no mount namespace may be made here";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(Spool, PassesOverDamageAndTellsOfTheLoss) {
  const TempDir dir;
  {
    const auto spool = opened({dir.path});
    for (std::uint64_t seq = 1; seq <= 10; ++seq) put(*spool, "r1", seq, seq);
  }
  const fs::path file = segment_files(dir.path).back();
  std::fstream bytes(file, std::ios::binary | std::ios::in | std::ios::out);
  bytes.seekp(static_cast<std::streamoff>(fs::file_size(file) * 6 / 10));
  bytes.put('\xff');
  bytes.put('\x00');
  bytes.close();
  const auto spool = opened({dir.path});
  const auto reader = spool->reader("a");
  put(*spool, "r1", 11, 11);
  std::vector<int> times(12, 0);
  bool told = false;
  for (const model::Event& event : all(*reader).events) {
    if (event.kind == model::EventKind::sample) {
      ++times[event.seq];
      continue;
    }
    told = true;
    const auto from = static_cast<std::uint64_t>(*model::find_number(event, "gap", {"damaged"}, "from"));
    const auto to = static_cast<std::uint64_t>(*model::find_number(event, "gap", {"damaged"}, "to"));
    for (std::uint64_t i = from; i <= to; ++i) ++times[i];
  }
  EXPECT_TRUE(told);
  EXPECT_GE(spool->counts().damaged_records, 1U);
  for (std::size_t i = 1; i < times.size(); ++i) EXPECT_EQ(times[i], 1) << i;
}

TEST(Spool, AReaderThatWaitsIsWokenByAnAppend) {
  const auto spool = opened({});
  const auto reader = spool->reader("a");
  std::thread writer([&] { put(*spool, "r1", 1, 1); });
  SpoolReader::Batch batch;
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  reader->read(1, (now.tv_sec + 20) * 1'000'000'000LL, batch);
  writer.join();
  EXPECT_EQ(batch.events.size(), 1U);
}

// Killed at any moment, nothing that was said to be appended is lost, and nothing comes twice.
TEST(Spool, LosesNothingWhenItsProcessIsKilled) {
  const TempDir dir;
  std::uint64_t seen = 0;
  for (int round = 0; round < 20; ++round) {
    int said[2];
    ASSERT_EQ(pipe(said), 0);
    const pid_t child = fork();
    if (child == 0) {
      auto spool = Spool::open({dir.path});
      if (!spool.ok()) _exit(1);
      std::uint64_t seq = (*spool)->cursor("r1") ? (*spool)->cursor("r1")->seq : 0;
      for (;; ++seq) {
        const RouterCursor cursor{"one", "boot", seq + 1, 0};
        if (!(*spool)->append(samples("r1", seq + 1, seq + 1), &cursor).ok()) _exit(1);
        const std::uint64_t number = seq + 1;
        if (write(said[1], &number, sizeof number) != sizeof number) _exit(1);
      }
    }
    close(said[1]);
    std::uint64_t last = 0;
    const int until = 5 + round * 7;
    for (int n = 0; n < until; ++n)
      ASSERT_EQ(read(said[0], &last, sizeof last), static_cast<ssize_t>(sizeof last));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    for (std::uint64_t more = 0; read(said[0], &more, sizeof more) == sizeof more;) last = more;
    close(said[0]);

    const auto spool = opened({dir.path});
    ASSERT_GE(spool->cursor("r1")->seq, last);
    const auto reader = spool->reader("a");
    const SpoolReader::Batch batch = all(*reader);
    for (const model::Event& event : batch.events) ASSERT_EQ(event.seq, ++seen);
    ASSERT_EQ(seen, spool->cursor("r1")->seq);
    if (!batch.after.empty()) reader->ack(batch.after.back());
  }
}

}  // namespace
}  // namespace mikroscope::sinks
