// Writes a synthetic recording: every table of this build, shaped like a four-core router, from a fixed seed.
//
//   make_recording HZ SECONDS OUT.jsonl [burst_at_s]
//
// The same arguments give the same bytes. A burst (one core busy for one sample) stands at burst_at_s.

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "proc/codec.h"
#include "proc/ndjson.h"
#include "proc/source.h"

using namespace mikroscope;

namespace {

constexpr int kCpus = 4;

// Rows that a table would have on such a machine.
std::vector<proc::RowKey> rows_of(const proc::Schema& schema, proc::Texts& texts) {
  std::vector<std::vector<proc::KeyPart>> values;
  for (const proc::KeyColumn& key : schema.keys) {
    std::vector<proc::KeyPart> parts;
    if (key.name == "cpu") {
      for (int i = 0; i < kCpus; ++i) parts.push_back(i);
    } else if (!key.text) {
      parts.push_back(0);
    } else if (key.label) {
      parts.push_back(texts.intern(std::string(schema.table) + " label"));
    } else {
      const int count = schema.table == "irq_cpu"   ? 27
                        : schema.table == "softirq" ? 10
                        : schema.table == "slab"    ? 12
                                                    : 3;
      for (int i = 0; i < count; ++i)
        parts.push_back(texts.intern(std::string(key.name) + std::to_string(i)));
    }
    values.push_back(std::move(parts));
  }
  std::vector<proc::RowKey> rows(1);
  for (std::size_t k = 0; k < values.size(); ++k) {
    std::vector<proc::RowKey> next;
    for (const proc::RowKey& row : rows) {
      for (const proc::KeyPart part : values[k]) {
        next.push_back(row);
        next.back().part[k] = part;
      }
    }
    rows = std::move(next);
  }
  return rows;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: %s HZ SECONDS OUT.jsonl [burst_at_s]\n", argv[0]);
    return 2;
  }
  const int hz = std::atoi(argv[1]);
  const std::uint64_t ticks = std::strtoull(argv[2], nullptr, 10) * static_cast<std::uint64_t>(hz);
  const std::uint64_t burst = argc > 4 ? static_cast<std::uint64_t>(std::atof(argv[4]) * hz) : 0;
  const int fd = open(argv[3], O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (fd < 0) {
    std::perror(argv[3]);
    return 1;
  }
  std::vector<std::byte> memory(8 << 20);
  base::Arena arena(memory.data(), memory.size());
  proc::Texts texts(arena, 512, 16384);
  std::vector<const proc::Schema*> schemas;
  std::vector<std::uint32_t> capacities;
  std::vector<std::vector<proc::RowKey>> rows;
  for (const proc::TableDef& def : proc::all_tables()) {
    if (def.schema->table == "subtick") continue;  // off by default
    schemas.push_back(def.schema);
    rows.push_back(rows_of(*def.schema, texts));
    capacities.push_back(static_cast<std::uint32_t>(rows.back().size()));
  }
  proc::Layout layout = proc::make_layout(arena, schemas, capacities, &texts);
  proc::State now = proc::make_state(arena, layout);
  proc::Track track = proc::make_track(arena, layout);
  std::mt19937 random(42);
  const std::int64_t period = 1'000'000'000 / hz;
  std::string out;
  std::vector<char> line(1 << 20);
  const auto flush = [&] {
    for (std::size_t done = 0; done < out.size();) {
      const ssize_t n = write(fd, out.data() + done, out.size() - done);
      if (n < 0) {
        std::perror(argv[3]);
        std::exit(1);
      }
      done += static_cast<std::size_t>(n);
    }
    out.clear();
  };
  for (std::uint64_t seq = 0; seq <= ticks; ++seq) {
    const auto jitter = static_cast<std::int64_t>(random() % 200'000) - 100'000;
    const std::int64_t boot = 161'000'000'000'000 + static_cast<std::int64_t>(seq) * period + jitter;
    proc::begin_tick(layout, now,
                     {seq, boot, 1'789'000'000'000'000'000 + static_cast<std::int64_t>(seq) * period + jitter,
                      seq == 0 ? 0 : boot - track.head.boot_ns});
    for (std::uint32_t t = 0; t < layout.table_count; ++t) {
      const proc::Schema& schema = *layout.tables[t].schema;
      const bool slow = schema.table == "slab" || schema.table == "buddy" || schema.table == "zone" ||
                        schema.table == "thermal" || schema.table == "mtd";
      if (slow && seq % static_cast<std::uint64_t>(hz) != 0) continue;
      proc::TableWriter writer(layout, now, t);
      for (std::size_t r = 0; r < rows[t].size(); ++r) {
        if (!writer.row(rows[t][r])) continue;
        for (std::uint32_t c = 0; c < schema.columns.size(); ++c) {
          std::uint64_t& value = now.values[layout.tables[t].slot(static_cast<std::uint32_t>(r), c)];
          if (schema.table == "cpu") {
            // Ten ticks in 100 ms: user, system, softirq and idle share them.
            const std::uint32_t per_tick = 100 / static_cast<std::uint32_t>(hz);
            const bool hot = seq == burst && burst != 0 && r == 1;
            if (c == 0) value += hot ? per_tick : random() % 8 == 0 ? 1 : 0;
            if (c == 3) value += hot ? 0 : per_tick;
          } else if (schema.columns[c].kind == proc::Kind::counter) {
            value += random() % 3 == 0 ? random() % 300 : 0;
          } else if (seq == 0) {
            value = 40000 + random() % 100000;
          } else if (random() % 8 == 0) {
            value += random() % 3 - 1;
          }
          writer.set(c, value);
        }
      }
    }
    if (seq == 0) {
      proc::prime(layout, now, track);
      base::Writer names(line.data(), line.size());
      proc::write_names(layout, 0, names);
      out += names.view();
      continue;
    }
    base::Writer w(line.data(), line.size());
    if (!proc::write_sample(proc::view(layout, now, track), false, w)) return 1;
    out += w.view();
    std::vector<char> packed(1 << 16);
    proc::ByteWriter moved(packed.data(), packed.size());
    proc::write_frame(moved, layout, now, track);
    if (out.size() > (4 << 20)) flush();
  }
  flush();
  close(fd);
  return 0;
}
