// From an agent's reply to InfluxDB line protocol on one core: the collector's way (packed frames, events,
// render) beside a JSON DOM of the same samples with the same render.
//
//   bench_lines PACKED NDJSON [SECONDS]     both bodies of GET /samples?since=oldest
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "model/event_builder.h"
#include "proc/reader/reader.h"
#include "sinks/kernel/kernel_events.h"
#include "sinks/kernel/store_tables.h"
#include "sinks/stores/line_protocol.h"

namespace {

using namespace mikroscope;

std::string slurp(const char* path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

double cpu_s() {
  timespec ts{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
  return static_cast<double>(ts.tv_sec) + static_cast<double>(ts.tv_nsec) / 1e9;
}

struct Round {
  std::uint64_t frames = 0;
  std::uint64_t bytes = 0;
};

// A pull: the reply is decoded, its events are rendered and let go.
Round packed_way(const std::string& body, sinks::LineProtocol& lines) {
  Round round;
  proc::PackedReader reader;
  sinks::KernelEvents kernel("router");
  std::vector<model::Event> events;
  std::string out;
  reader.feed(body);
  const auto render = [&] {
    for (const model::Event& event : events) {
      round.frames += event.kind == model::EventKind::sample ? 1 : 0;
      lines.render(event, out);
    }
    round.bytes += out.size();
    out.clear();
    events.clear();
  };
  while (const auto item = reader.next()) {
    kernel.take(*item, 0, events);
    if (events.size() >= 50) render();
  }
  render();
  return round;
}

// What a collector of JSON lines does: a document for each line, its tables looked up by name, the same
// render.
Round dom_way(const std::string& body, sinks::LineProtocol& lines) {
  Round round;
  std::map<std::string, model::MeasurementPtr> known;
  for (const model::MeasurementPtr& m : sinks::kernel_measurements()) known[m->name] = m;
  const auto origin = std::make_shared<const model::Origin>(model::Origin{"router", {}, {}});
  std::string out;
  for (std::size_t at = 0; at < body.size();) {
    const std::size_t end = body.find('\n', at);
    const auto json = nlohmann::json::parse(body.begin() + static_cast<std::ptrdiff_t>(at),
                                            body.begin() + static_cast<std::ptrdiff_t>(end), nullptr, false);
    at = end + 1;
    if (!json.is_object() || !json.contains("seq")) continue;
    ++round.frames;
    model::EventBuilder builder(model::EventKind::sample, origin, json["wall_ns"].get<std::int64_t>());
    for (const auto& [name, table] : json.items()) {
      const auto m = known.find(name);
      if (m == known.end() || (!table.is_array() && !table.is_object())) continue;
      const auto row = [&](const nlohmann::json& cells) {
        std::vector<std::string> keys;
        for (const model::Key& key : m->second->keys) {
          const auto cell = cells.find(key.name);
          keys.push_back(cell == cells.end() ? ""
                         : cell->is_string() ? cell->get<std::string>()
                                             : cell->dump());
        }
        builder.row(m->second, std::move(keys));
        for (const model::Field& field : m->second->fields) {
          const auto cell = cells.find(field.name);
          if (cell == cells.end() || field.type != model::Type::integer) continue;
          builder.integer(field.name, cell->get<std::int64_t>());
        }
      };
      if (table.is_object()) row(table);
      if (table.is_array())
        for (const auto& cells : table) row(cells);
    }
    const model::Event event = builder.finish();
    lines.render(event, out);
    round.bytes += out.size();
    out.clear();
  }
  return round;
}

template <class Way>
double frames_per_second(const char* name, Way way, double seconds) {
  std::vector<double> rates;
  Round all;
  while (rates.size() < 5) {
    const double begin = cpu_s();
    Round round;
    while (cpu_s() - begin < seconds / 5) {
      const Round one = way();
      round.frames += one.frames;
      round.bytes += one.bytes;
    }
    rates.push_back(static_cast<double>(round.frames) / (cpu_s() - begin));
    all.frames += round.frames;
    all.bytes += round.bytes;
  }
  std::sort(rates.begin(), rates.end());
  fmt::print("{}: {:.0f} frames/s ({:.0f} to {:.0f}), {:.0f} bytes of lines a frame\n", name, rates[2],
             rates[0], rates[4],
             static_cast<double>(all.bytes) / static_cast<double>(std::max<std::uint64_t>(1, all.frames)));
  return rates[2];
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: bench_lines PACKED NDJSON [SECONDS]\n", stderr);
    return 2;
  }
  const std::string packed = slurp(argv[1]);
  const std::string ndjson = slurp(argv[2]);
  const double seconds = argc > 3 ? std::atof(argv[3]) : 5;
  sinks::LineProtocol lines;
  const double fast = frames_per_second(
      "packed frames", [&] { return packed_way(packed, lines); }, seconds);
  const double dom = frames_per_second(
      "JSON DOM", [&] { return dom_way(ndjson, lines); }, seconds);
  fmt::print("ratio: {:.1f}\n", fast / dom);
}
