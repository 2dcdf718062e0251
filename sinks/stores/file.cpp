// Lines in files: a recording that goes on, with what the collector knows beside it.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>

#include "sinks/stores/file_series.h"
#include "sinks/stores/json_text.h"
#include "sinks/stores/ndjson_lines.h"
#include "sinks/stores/registry.h"

namespace mikroscope::sinks {
namespace {

// A host as a part of a file name: two hosts never have the same one.
std::string file_part(std::string_view host) {
  std::string out;
  for (const char c : host) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || (c == '.' && !out.empty());
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out.empty() ? "%" : out;
}

struct HostFile {
  HostFile(const std::string& path, FileSeries::Limits limits) : series(path, limits) {}
  FileSeries series;
  NdjsonLines lines;
  std::int64_t begun_ns = 0;
};

class FileSink final : public Sink {
 public:
  FileSink(std::string path, FileSeries::Limits limits) : path_(std::move(path)), limits_(limits) {}

  std::string name() const override { return "file " + path_; }

  Delivery deliver(std::span<const model::Event> events) override {
    // Per host, and each host's lines in their order.
    std::map<std::string, std::vector<const model::Event*>> hosts;
    for (const model::Event& event : events) hosts[event.origin ? event.origin->host : ""].push_back(&event);
    if (first_host_.empty() && !events.empty() && path_.find("%h") == std::string::npos) {
      if (auto known = learn_owner(events.front().origin ? events.front().origin->host : ""); !known.ok())
        return Delivery::retry(known.error().what);
    }
    std::vector<std::pair<HostFile*, std::uint64_t>> before;
    for (const auto& [host, own] : hosts) {
      auto written = write(host, own, before);
      if (written.ok()) continue;
      // All of it comes again: no line may be there twice.
      for (const auto& [file, size] : before) {
        file->series.undo(size);
        file->lines.forget();
      }
      return Delivery::retry(written.error().what);
    }
    return Delivery::done();
  }

  base::Result<std::string> check() override {
    const std::size_t slash = path_.rfind('/');
    const std::string directory =
        slash == std::string::npos ? "." : path_.substr(0, std::max<std::size_t>(slash, 1));
    if (directory.find("%h") == std::string::npos && access(directory.c_str(), W_OK | X_OK) != 0)
      return base::Error{fmt::format("cannot write into {}: {}", directory, std::strerror(errno)),
                         "make the directory, or give the collector the right to write to it",
                         base::Exit::failed};
    return fmt::format("can write into {}", directory);
  }

 private:
  // Whose file PATH is: the host of its head, or the first host that comes.
  base::Result<void> learn_owner(const std::string& host) {
    const std::string head = FileSeries(path_, limits_).first_line();
    const auto json = nlohmann::json::parse(head, nullptr, false);
    if (json.is_object() && json.contains("file") && json["file"].is_object() &&
        json["file"].contains("host") && json["file"]["host"].is_string())
      first_host_ = json["file"]["host"].get<std::string>();
    else
      first_host_ = valid_utf8(host);
    return {};
  }

  std::string path_of(const std::string& host) const {
    std::string path = path_;
    const std::size_t at = path.find("%h");
    if (at != std::string::npos) return path.replace(at, 2, file_part(host));
    if (valid_utf8(host) == first_host_) return path;
    // Two hosts in one file would be no recording: sample numbers would go to and fro.
    const std::size_t slash = path.rfind('/');
    const std::size_t dot = path.rfind('.');
    const bool extension =
        dot != std::string::npos && dot > 0 && (slash == std::string::npos || dot > slash + 1);
    return path.insert(extension ? dot : path.size(), "." + file_part(host));
  }

  base::Result<void> write(const std::string& host, const std::vector<const model::Event*>& events,
                           std::vector<std::pair<HostFile*, std::uint64_t>>& before) {
    std::unique_ptr<HostFile>& file = files_[host];
    if (!file) file = std::make_unique<HostFile>(path_of(host), limits_);
    if (auto opened = prepare(*file, *events.front()); !opened.ok()) return opened;
    before.emplace_back(file.get(), file->series.size());
    std::string text;
    if (file->series.is_new()) {
      file->begun_ns = events.front()->wall_ns;
      file->lines.forget();
      text = "{\"file\":{\"host\":";
      append_json_string(text, host);
      text += fmt::format(",\"wall_ns\":{}}}}}\n", file->begun_ns);
    }
    for (const model::Event* const event : events) file->lines.render(*event, text);
    return file->series.append(text);
  }

  // Open, and a new one where the old one is full.
  base::Result<void> prepare(HostFile& file, const model::Event& event) {
    if (!file.series.is_open()) {
      if (auto opened = file.series.open(); !opened.ok()) return opened;
      file.lines.forget();
      const auto head = nlohmann::json::parse(file.series.first_line(), nullptr, false);
      if (head.is_object() && head.contains("file") && head["file"].is_object() &&
          head["file"].contains("wall_ns") && head["file"]["wall_ns"].is_number_integer())
        file.begun_ns = head["file"]["wall_ns"].get<std::int64_t>();
    }
    if (!file.series.full(file.begun_ns, event.wall_ns)) return {};
    return file.series.rotate(event.wall_ns);
  }

  std::string path_;
  FileSeries::Limits limits_;
  std::string first_host_;
  std::map<std::string, std::unique_ptr<HostFile>> files_;
};

// A number, and what its last letter multiplies it by. nullopt: neither.
std::optional<std::uint64_t> scaled(std::string_view text,
                                    std::span<const std::pair<std::string_view, std::uint64_t>> units) {
  std::uint64_t scale = 1;
  for (const auto& [unit, times] : units) {
    if (text.size() > unit.size() && text.ends_with(unit)) {
      scale = times;
      text.remove_suffix(unit.size());
      break;
    }
  }
  if (text != "0" && !is_digits(text)) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : text) value = value * 10 + static_cast<std::uint64_t>(c - '0');
  if (value > std::uint64_t{1} << 62 || (scale > 1 && value > (std::uint64_t{1} << 62) / scale))
    return std::nullopt;
  return value * scale;
}

constexpr std::pair<std::string_view, std::uint64_t> kSizes[] = {{"KiB", 1U << 10}, {"MiB", 1U << 20},
                                                                 {"GiB", 1U << 30}, {"k", 1U << 10},
                                                                 {"M", 1U << 20},   {"G", 1U << 30}};
constexpr std::pair<std::string_view, std::uint64_t> kTimes[] = {
    {"s", 1'000'000'000}, {"m", 60'000'000'000}, {"h", 3'600'000'000'000}, {"d", 86'400'000'000'000}};

constexpr SinkOption kOptions[] = {
    {"file", "PATH", "append lines to this file, as a recording has them; %h in it becomes the host"},
    {"file-max-bytes", "SIZE", "begin a new file at this size, such as 256MiB; 0: never", "", "256MiB"},
    {"file-max-age", "TIME", "begin a new file when it is as old as this, such as 24h; 0: never", "", "0"},
    {"file-keep", "N", "keep so many of the files put aside; 0: all", "", "0"},
};

base::Result<std::unique_ptr<Sink>> make(const SinkValues& values) {
  const std::string path = values.text("file");
  if (path.empty() || path.back() == '/')
    return base::Error{"--file names no file", "--file capture.jsonl", base::Exit::usage};
  const auto bytes = scaled(values.text("file-max-bytes", "256MiB"), kSizes);
  const auto age = scaled(values.text("file-max-age", "0"), kTimes);
  const auto keep = scaled(values.text("file-keep", "0"), {});
  if (!bytes) return base::Error{"--file-max-bytes is no size", "such as 256MiB or 1GiB", base::Exit::usage};
  if (!age) return base::Error{"--file-max-age is no time", "such as 24h or 7d", base::Exit::usage};
  if (!keep) return base::Error{"--file-keep is no number", "such as 10", base::Exit::usage};
  return std::unique_ptr<Sink>(std::make_unique<FileSink>(
      path, FileSeries::Limits{*bytes, static_cast<std::int64_t>(*age), static_cast<std::size_t>(*keep)}));
}

}  // namespace

const SinkDef kFileSink = {"file", "files of lines that read like a recording", kOptions, make};

}  // namespace mikroscope::sinks
