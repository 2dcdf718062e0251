// The ring against random samples: what it gives back, decoded, is what went in, wherever reading begins.

#include "agent/ring.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "agent/recorder.h"
#include "agent/store.h"

namespace mikroscope::agent {
namespace {

constexpr proc::Column kColumns[] = {
    {"a", proc::Kind::counter, proc::Unit::none, "a"},
    {"b", proc::Kind::gauge, proc::Unit::none, "b"},
    {"c", proc::Kind::counter, proc::Unit::none, "c", proc::Width::bits32},
};
constexpr proc::KeyColumn kKey[] = {{"id", false, false, "id"}};
const proc::Schema kRows{"rows", kKey, kColumns, "rows"};
const proc::Schema kOne{"one", {}, kColumns, "one"};

struct Kept {
  proc::TickHeader head;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> cells;  // table, slot
  std::string event;
};

struct World {
  explicit World(std::uint64_t keep, std::uint32_t chunks, std::uint32_t seed) : random(seed) {
    memory.resize(8 << 20);
    arena = base::Arena(memory.data(), memory.size());
    texts = proc::Texts(arena, 16, 1024);
    const proc::Schema* schemas[] = {&kRows, &kOne};
    const std::uint32_t capacities[] = {40, 1};
    layout = proc::make_layout(arena, schemas, capacities, &texts);
    state = proc::make_state(arena, layout);
    store.layout = &layout;
    store.recorder = new (arena.take(sizeof(Recorder))) Recorder(arena, layout, 8);
    constexpr std::size_t kNominal = 4096;
    constexpr std::size_t kStride = 16384;
    char* const bytes = static_cast<char*>(arena.take(chunks * kStride, 64));
    store.ring = Ring(arena, ChunkPool(arena, bytes, kNominal, kStride, chunks), keep);
    for (StandingDecoder& d : store.decoders) d.decoder = proc::FrameDecoder(arena, layout);
    proc::begin_tick(layout, state, {});
    store.recorder->prime(state);
  }

  void tick() {
    proc::TickHeader head;
    head.seq = store.ring.newest() + 1;
    head.boot_ns = state.head.boot_ns + 100000000 + static_cast<std::int64_t>(random() % 1000000);
    head.wall_ns = head.boot_ns + 1700000000000000000 + static_cast<std::int64_t>(random() % 5);
    head.dt_ns = head.boot_ns - state.head.boot_ns;
    proc::begin_tick(layout, state, head);
    if (random() % 20 == 0 && rows < 40) ++rows;
    Kept kept;
    kept.head = head;
    proc::TableWriter w(layout, state, 0);
    for (std::uint32_t r = 0; r < rows; ++r) {
      if (random() % 7 == 0) continue;  // this row vanished for a tick
      w.row(static_cast<proc::KeyPart>(r * 3));
      for (std::uint32_t c = 0; c < 3; ++c) {
        if (random() % 11 == 0) continue;
        const std::uint64_t wide = (static_cast<std::uint64_t>(random()) << 32) | random();
        w.set(c, random() % 50 == 0 ? wide : state.values[layout.tables[0].slot(r, c)] + random() % 300);
      }
    }
    if (random() % 3 != 0) {
      proc::TableWriter one(layout, state, 1);
      one.single();
      one.set_gauge(1, -static_cast<std::int64_t>(random() % 1000));
    }
    for (std::uint32_t t = 0; t < 2; ++t) {
      for (std::uint32_t s = layout.tables[t].slot0;
           s < layout.tables[t].slot0 + layout.tables[t].used_slots(); ++s) {
        if (state.present[s] != 0) kept.cells[{t, s}] = state.values[s];
      }
    }
    if (random() % 5 == 0) {
      kept.event = "{\"n\":" + std::to_string(random()) + "}";
      store.recorder->event(kept.event);
    }
    store.recorder->view(state);
    ASSERT_TRUE(store.recorder->commit(state, store.ring));
    originals.push_back(kept);
  }

  // Reads everything after `since` and compares.
  void compare(std::uint64_t since) {
    StandingDecoder* const d = store.decoder_at(since);
    ASSERT_NE(d, nullptr);
    std::uint64_t expected = since + 1;
    std::string event;
    proc::Record record;
    std::string_view whole;
    while (store.ring.next(d->place, record, whole)) {
      if (record.kind == proc::RecordKind::base) {
        ASSERT_TRUE(d->decoder.base(record.payload));
      } else if (record.kind == proc::RecordKind::event) {
        event = record.payload;
      } else {
        ASSERT_TRUE(d->decoder.frame(record.payload));
        d->last_seq = d->place.next_seq - 1;
        const Kept& kept = originals[expected - 1];
        const proc::FrameView view = d->decoder.view();
        ASSERT_EQ(view.head.seq, expected);
        ASSERT_EQ(view.head.boot_ns, kept.head.boot_ns);
        ASSERT_EQ(view.head.wall_ns, kept.head.wall_ns);
        ASSERT_EQ(view.head.dt_ns, kept.head.dt_ns);
        ASSERT_EQ(event, kept.event);
        std::size_t present = 0;
        for (std::uint32_t t = 0; t < 2; ++t) {
          for (std::uint32_t s = 0; s < view.rows[t] * 3; ++s) {
            const std::uint32_t slot = layout.tables[t].slot0 + s;
            if (!view.has(t, slot)) continue;
            ++present;
            ASSERT_EQ(view.now[slot], kept.cells.at({t, slot}));
          }
        }
        ASSERT_EQ(present, kept.cells.size());
        ++expected;
        event.clear();
      }
    }
    ASSERT_EQ(expected, store.ring.newest() + 1);
  }

  std::mt19937 random;
  std::vector<char> memory;
  base::Arena arena;
  proc::Texts texts;
  proc::Layout layout;
  proc::State state;
  Store store;
  std::uint32_t rows = 1;
  std::vector<Kept> originals;
};

TEST(Ring, GivesBackWhatWentInFromEveryPlace) {
  for (std::uint32_t seed = 1; seed <= 12; ++seed) {
    World w(60, 10, seed);
    for (int i = 0; i < 700; ++i) {
      w.tick();
      ASSERT_FALSE(testing::Test::HasFatalFailure());
      const std::uint64_t oldest = w.store.ring.oldest();
      const std::uint64_t newest = w.store.ring.newest();
      // Not at every tick, so that the standing decoders meet all kinds of distances.
      if (w.random() % 9 == 0) w.compare(oldest - 1 + w.random() % (newest - oldest + 2));
      if (w.random() % 40 == 0) w.compare(oldest - 1);
      ASSERT_FALSE(testing::Test::HasFatalFailure()) << "seed " << seed << " tick " << i;
    }
    EXPECT_GE(w.store.ring.held(), 60u);
    EXPECT_EQ(w.store.ring.cut_short(), 0u);
    EXPECT_GT(w.store.ring.oldest(), 1u);
  }
}

TEST(Ring, StaysWithinItsMemoryAndSaysWhenThatCutsThePromise) {
  World w(100000, 3, 5);
  for (int i = 0; i < 600; ++i) w.tick();
  EXPECT_GT(w.store.ring.cut_short(), 0u);
  EXPECT_LE(w.store.ring.bytes(), 3u * 16384);
  w.compare(w.store.ring.oldest() - 1);
}

TEST(Ring, KeepsWhatItPromisesWithoutTouchingMoreChunksThanItNeeds) {
  World w(60, 50, 9);
  for (int i = 0; i < 900; ++i) w.tick();
  EXPECT_GE(w.store.ring.held(), 60u);
  EXPECT_LT(w.store.ring.pool().count() - w.store.ring.pool().free_count(), 50u);
}

TEST(RingPlan, HoldsThePromiseForPlannedFrames) {
  const RingPlan plan = plan_ring(600, 64, 300, 900);
  EXPECT_GE(plan.nominal * (plan.chunks - 2), 600 * plan.frame_bytes);
  EXPECT_EQ(plan.bytes, plan.chunks * plan.stride);
  // One hour at 10 Hz of a router with 700 cells stays below 12 MiB for frames of 300 bytes and is bounded
  // anyway.
  EXPECT_LT(plan_ring(36000, 64, 700, 2500).bytes, 24u << 20);
  // A day at 100 Hz does not overflow.
  EXPECT_GT(plan_ring(8640000, 100, 700, 2500).bytes, std::uint64_t{3} << 30);
}

TEST(Recorder, CountsEventsThatFindNoRoom) {
  World w(60, 10, 3);
  const std::string large(3000, 'x');
  for (int i = 0; i < 5; ++i) w.store.recorder->event(large);
  EXPECT_EQ(w.store.recorder->events_lost(), 3u);
}

}  // namespace
}  // namespace mikroscope::agent
