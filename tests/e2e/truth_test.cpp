// Is what the recording says what happened? Known work is done at known instants and looked for in the
// recording.
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmath>

#include "tests/support/program.h"

namespace mikroscope::test {
namespace {

constexpr double kTick_s = 0.01;
constexpr double kSample_s = 0.1;

double clock_s(clockid_t id) {
  timespec t{};
  ::clock_gettime(id, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) / 1e9;
}

void stay_on(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  ::sched_setaffinity(0, sizeof set, &set);
}

// The last CPU that we may use: interrupts prefer the first.
int last_cpu() {
  cpu_set_t set;
  CPU_ZERO(&set);
  ::sched_getaffinity(0, sizeof set, &set);
  for (int cpu = CPU_SETSIZE - 1; cpu > 0; --cpu) {
    if (CPU_ISSET(cpu, &set)) return cpu;
  }
  return 0;
}

struct Span {
  double begin_s = 0;  // CLOCK_BOOTTIME
  double end_s = 0;
};

// A process of its own that does `work` on one CPU.
template <class Work>
Span child(int cpu, Work work) {
  Span span;
  span.begin_s = clock_s(CLOCK_BOOTTIME);
  const pid_t pid = ::fork();
  if (pid == 0) {
    stay_on(cpu);
    work();
    ::_exit(0);
  }
  ::waitpid(pid, nullptr, 0);
  span.end_s = clock_s(CLOCK_BOOTTIME);
  return span;
}

struct Row {
  double begin_s;
  double end_s;
  std::map<std::string, double> cells;
};

std::vector<Row> read_csv(const std::string& path) {
  std::vector<Row> out;
  std::vector<std::string> names;
  for (const std::string& line : lines_of(slurp(path))) {
    std::istringstream in(line);
    std::vector<std::string> cells;
    for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
    if (names.empty()) {
      names = cells;
      continue;
    }
    Row row{};
    for (std::size_t i = 0; i < cells.size() && i < names.size(); ++i) {
      if (!cells[i].empty() && names[i] != "wall_utc") row.cells[names[i]] = std::stod(cells[i]);
    }
    row.end_s = row.cells["boot_ns"] / 1e9;
    row.begin_s = row.end_s - row.cells["dt_ns"] / 1e9;
    out.push_back(std::move(row));
  }
  return out;
}

// Of one core, for processes at low priority: what the burning process is, and hardly another one.
double nice_ticks(const Row& row, int cpu) {
  const auto it = row.cells.find("cpu." + std::to_string(cpu) + ".nice");
  return it != row.cells.end() ? it->second : 0;
}

// Everything but idle and iowait of one core.
double all_ticks(const Row& row, int cpu) {
  double sum = 0;
  for (const char* mode : {"user", "nice", "system", "irq", "softirq", "steal"}) {
    const auto it = row.cells.find("cpu." + std::to_string(cpu) + "." + mode);
    if (it != row.cells.end()) sum += it->second;
  }
  return sum;
}

// Sum over the samples that touch the span.
template <class Value>
double sum_over(const std::vector<Row>& rows, double begin_s, double end_s, Value value) {
  double sum = 0;
  for (const Row& row : rows) {
    if (row.end_s > begin_s && row.begin_s < end_s) sum += value(row);
  }
  return sum;
}

void wait_s(double seconds) {
  const double until = clock_s(CLOCK_BOOTTIME) + seconds;
  ASSERT_TRUE(eventually(60000, [&] { return clock_s(CLOCK_BOOTTIME) >= until; }));
}

class Truth : public ::testing::Test {
 protected:
  void start() {
    dir_ = std::make_unique<TempDir>();
    recorder_ = std::make_unique<Program>(
        mikroscope({"record", "--local", "--out", *dir_ / "x", "--csv", "cpu,stat,vm"}));
    ASSERT_TRUE(eventually(8000, [&] { return !slurp(*dir_ / "x.meta.json.part").empty(); }));
  }
  std::vector<Row> finish() {
    recorder_->send(SIGINT);
    const Exited exited = recorder_->wait(8000);
    EXPECT_EQ(exited.code, 0) << exited.err;
    return read_csv(*dir_ / "x.csv");
  }
  std::unique_ptr<TempDir> dir_;
  std::unique_ptr<Program> recorder_;
};

TEST_F(Truth, ABurntCoreIsFoundWhereAndWhenItBurnt) {
  const int cpu = last_cpu();
  constexpr double kBurn_s = 0.9;
  // What a virtual machine loses to its host for a moment is no fault of the recorder: an error of the
  // recorder is there in every attempt, so one attempt without a complaint is the answer.
  std::string complaints;
  for (int attempt = 0; attempt < 6; ++attempt) {
    std::string wrong;
    const auto expect = [&](bool good, const char* what, double seen, double wanted) {
      if (!good)
        wrong += std::string(what) + ": " + std::to_string(seen) + ", not " + std::to_string(wanted) + "; ";
    };
    start();
    if (HasFatalFailure()) return;
    wait_s(0.5);
    int report[2];
    ASSERT_EQ(::pipe(report), 0);
    child(cpu, [&] {
      // Above everybody else on this CPU, where we may: then the core does nothing but this. The nice value
      // is only a mark: the kernel keeps such time apart.
      ::setpriority(PRIO_PROCESS, 0, 19);
      sched_param priority{1};
      ::sched_setscheduler(0, SCHED_FIFO, &priority);
      double told[3];
      told[0] = clock_s(CLOCK_BOOTTIME);
      const double first = clock_s(CLOCK_PROCESS_CPUTIME_ID);
      // Mostly in user mode: reading the clock is a call into the kernel, whose time is kept elsewhere.
      while (clock_s(CLOCK_PROCESS_CPUTIME_ID) - first < kBurn_s) {
        for (int i = 0; i < 200'000; ++i) __asm__ volatile("" ::: "memory");
      }
      told[1] = clock_s(CLOCK_BOOTTIME);
      told[2] = clock_s(CLOCK_PROCESS_CPUTIME_ID) - first;
      (void)!::write(report[1], told, sizeof told);
    });
    double told[3];
    ASSERT_EQ(::read(report[0], told, sizeof told), static_cast<ssize_t>(sizeof told));
    ::close(report[0]);
    ::close(report[1]);
    wait_s(0.8);
    const std::vector<Row> rows = finish();

    const auto burnt = [cpu](const Row& row) { return nice_ticks(row, cpu); };
    const auto all = [cpu](const Row& row) { return all_ticks(row, cpu); };
    const double tolerance_s = std::max(0.03 * told[2], 2 * kTick_s);
    const double seen_s = sum_over(rows, told[0], told[1], burnt) * kTick_s;
    const double all_s = sum_over(rows, told[0], told[1], all) * kTick_s;
    // What others did on this core shortly before and after, where the burn cannot have been (0.8 s in all).
    const auto beside = [&](auto value) {
      return sum_over(rows, told[0] - 0.5, told[0] - 0.1, value) +
             sum_over(rows, told[1] + 0.1, told[1] + 0.5, value);
    };
    if (beside(burnt) > 3 || beside(all) > 30 || told[1] - told[0] > 1.03 * told[2])
      continue;  // not alone: what is seen is not only ours
    expect(seen_s >= 0.9 * told[2], "core-seconds of the burner are missing", seen_s, told[2]);
    expect(all_s >= told[2] - tolerance_s, "core-seconds are missing", all_s, told[2]);
    expect(seen_s <= told[2] + tolerance_s + beside(burnt) * kTick_s / 4, "core-seconds too many", seen_s,
           told[2]);
    // The samples at both ends reach beyond the burn: there others may have used the core as they did beside
    // it.
    expect(all_s <= told[2] + tolerance_s + kTick_s * (2 + beside(all)), "core-seconds too many in all",
           all_s, told[2]);
    // The first and the last sample that hold some of it hold a part: how large a part tells the instant.
    const Row* first = nullptr;
    const Row* last = nullptr;
    for (const Row& row : rows) {
      if (burnt(row) < 2) continue;
      if (first == nullptr) first = &row;
      last = &row;
    }
    ASSERT_NE(first, nullptr);
    ASSERT_NE(first, last);
    const double begin_s = first->end_s - burnt(*first) * kTick_s;
    const double end_s = last->begin_s + burnt(*last) * kTick_s;
    expect(std::abs(begin_s - told[0]) <= kSample_s, "start", begin_s, told[0]);
    expect(std::abs(end_s - told[1]) <= kSample_s, "end", end_s, told[1]);
    for (const Row& row : rows) {
      if (row.begin_s < told[0] + 0.01 || row.end_s > told[1] - 0.01) continue;
      const double length_s = row.end_s - row.begin_s;
      expect(std::abs(all(row) * kTick_s - length_s) <= 3 * kTick_s, "a sample within the burn",
             all(row) * kTick_s, length_s);
    }
    if (wrong.empty()) return;
    complaints += wrong + "\n";
  }
  ASSERT_EQ(complaints, "") << "wrong in every quiet attempt";
  GTEST_SKIP() << "other processes kept the core busy in every attempt";
}

// At least the known number, and little more than what is usual meanwhile.
void expect_counted(const std::vector<Row>& rows, const Span& span, const std::string& column, double known,
                    double own_extra) {
  const auto value = [&column](const Row& row) {
    const auto it = row.cells.find(column);
    return it != row.cells.end() ? it->second : 0;
  };
  const double seen = sum_over(rows, span.begin_s, span.end_s, value);
  EXPECT_GE(seen, known) << column;
  const double length = span.end_s - span.begin_s + 0.2;
  const double usual = sum_over(rows, span.begin_s - 0.5, span.begin_s - 0.1, value) / 0.5 * length;
  if (usual > 0.25 * known) return;  // a busy machine: an upper bound would say nothing
  EXPECT_LE(seen, known * 1.25 + own_extra + 4 * usual) << column;
}

TEST_F(Truth, SwitchesFaultsAndForksAreCounted) {
  start();
  if (HasFatalFailure()) return;
  const int cpu = last_cpu();
  wait_s(0.6);

  // Two processes on one CPU that hand a byte to and fro: each round is two switches at least.
  constexpr int kRounds = 20'000;
  const Span switches = child(cpu, [] {
    int there[2];
    int back[2];
    if (::pipe(there) != 0 || ::pipe(back) != 0) return;
    char byte = 0;
    const pid_t other = ::fork();
    if (other == 0) {
      for (int i = 0; i < kRounds; ++i) {
        if (::read(there[0], &byte, 1) != 1 || ::write(back[1], &byte, 1) != 1) break;
      }
      ::_exit(0);
    }
    for (int i = 0; i < kRounds; ++i) {
      if (::write(there[1], &byte, 1) != 1 || ::read(back[0], &byte, 1) != 1) break;
    }
    ::waitpid(other, nullptr, 0);
  });
  wait_s(0.8);

  constexpr int kPages = 50'000;
  const Span faults = child(cpu, [] {
    const long page = ::sysconf(_SC_PAGESIZE);
    const std::size_t bytes = static_cast<std::size_t>(page) * 1000;
    for (int i = 0; i < kPages / 1000; ++i) {
      void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      ::madvise(memory, bytes, MADV_NOHUGEPAGE);
      for (std::size_t at = 0; at < bytes; at += static_cast<std::size_t>(page))
        static_cast<volatile char*>(memory)[at] = 1;
      ::munmap(memory, bytes);
    }
  });
  wait_s(0.8);

  constexpr int kForks = 500;
  const Span forks = child(cpu, [] {
    for (int i = 0; i < kForks; ++i) {
      const pid_t pid = ::fork();
      if (pid == 0) ::_exit(0);
      ::waitpid(pid, nullptr, 0);
    }
  });
  wait_s(0.5);

  const std::vector<Row> rows = finish();
  expect_counted(rows, switches, "stat.ctxt", 2.0 * kRounds, 2000);
  expect_counted(rows, faults, "vm.pgfault", kPages, 5000);
  expect_counted(rows, forks, "stat.forks", kForks, 60);
}

}  // namespace
}  // namespace mikroscope::test
