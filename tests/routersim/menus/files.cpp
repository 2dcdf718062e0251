// /file and /disk.
#include <fmt/format.h>

#include "tests/routersim/dates.h"
#include "tests/routersim/menus/menus.h"

namespace mikroscope::routersim {
namespace {

constexpr std::size_t kMostContents = 60 * 1024;

constexpr Param kFile[] = {
    {"name", nullptr, {}, {}, {}, {}, true}, {"contents"}, {"type", nullptr, {}, "7.15"}};
constexpr VerbDef kFileVerbs[] = {{"add"}, {"set"}, {"remove"}, {"read", "7.13", false}};

std::string type_of(const std::string& path, const File& file) {
  if (file.disk) return "disk";
  if (file.directory) return "directory";
  const std::size_t slash = path.rfind('/');
  const std::string base = slash == std::string::npos ? path : path.substr(slash + 1);
  const std::size_t dot = base.rfind('.');
  if (dot == std::string::npos) return "file";
  return base.substr(dot) == ".npk" ? "package" : base.substr(dot) + " file";
}

class FileMenu final : public Menu {
 public:
  FileMenu() : Menu({.path = "/file", .params = kFile, .verbs = kFileVerbs, .exported = false}) {}

  std::vector<Row> rows(const State& state) const override {
    std::vector<Row> all;
    for (const auto& [path, file] : state.files.all()) {
      if (file.listed_from_ms > state.now()) continue;
      Row row{{".id", file.id}, {"name", path}, {"type", type_of(path, file)}};
      if (!file.directory && !file.disk) row.put("size", std::to_string(file.contents.size()));
      row.put(state.at_least("7.10") ? "last-modified" : "creation-time",
              date_time(state.at_least("7.10"), file.wall_s));
      if (!file.directory && !file.disk && file.contents.size() <= kMostContents)
        row.put("contents", file.contents);
      all.push_back(std::move(row));
    }
    return all;
  }

 protected:
  std::vector<std::string> named_rows(const State& state, const Request& request,
                                      std::vector<Trap>& traps) const override {
    std::vector<std::string> ids;
    std::string given = request.attributes.text(request.attributes.has("numbers") ? "numbers" : ".id");
    for (const Row& row : rows(state)) {
      const bool named =
          request.where
              ? request.where(row)
              : !given.empty() && ("," + given + ",").find("," + row.text(".id") + ",") != std::string::npos;
      if (named || (!request.where && row.text("name") == given)) ids.push_back(row.text(".id"));
    }
    if (ids.empty() && !request.where) traps.push_back({"no such item (4)", 0});
    return ids;
  }

  Outcome own_verb(State& state, const User& user, const Request& request) override {
    if (request.verb == "add") return add_file(state, request);
    if (request.verb == "read") return read(state, request);
    Outcome outcome;
    for (const std::string& id : named_rows(state, request, outcome.traps)) {
      const std::string path = *state.files.path_of(id);
      if (request.verb == "set") {
        if (auto trap = change(state, request, path)) outcome.traps.push_back(*trap);
        continue;
      }
      const bool stays = state.faults.tar_stays && path.size() > 4 && path.substr(path.size() - 4) == ".tar";
      if (stays || !state.files.remove(path)) outcome.traps.push_back({"failure: cannot delete " + path});
    }
    static_cast<void>(user);
    return outcome;
  }

 private:
  Outcome add_file(State& state, const Request& request) {
    Row row;
    if (auto trap = apply(state, request.attributes, row, true))
      return Outcome::trap(trap->message, trap->category);
    const std::string name = state.files.clean(row.text("name"));
    if (state.files.exists(name)) return Outcome::trap("failure: file already exists");
    if (row.text("contents").size() > kMostContents) return Outcome::trap("failure: contents is too long");
    const bool made = row.text("type") == "directory"
                          ? state.files.make_directory(name, state.now())
                          : state.files.write(name, row.text("contents"), state.now(), state.listing_lag());
    if (!made) return Outcome::trap("failure: not enough space on disk");
    Outcome outcome;
    outcome.ret = state.files.find(name)->id;
    return outcome;
  }

  std::optional<Trap> change(State& state, const Request& request, const std::string& path) {
    const std::string* contents = request.attributes.find("contents");
    const std::string* name = request.attributes.find("name");
    for (const auto& [given, value] : request.attributes) {
      if (given != ".id" && given != "numbers" && given != "contents" && given != "name")
        return Trap{fmt::format("unknown parameter {}", given)};
    }
    if (contents != nullptr) {
      if (contents->size() > kMostContents) return Trap{"failure: contents is too long"};
      if (!state.files.write(path, *contents, state.now(), state.listing_lag()))
        return Trap{"failure: not enough space on disk"};
    }
    if (name == nullptr || state.files.clean(*name) == path) return std::nullopt;
    if (state.files.exists(*name)) return Trap{"failure: file already exists"};
    const std::string kept = state.files.find(path)->contents;
    state.files.remove(path);
    if (!state.files.write(*name, kept, state.now(), 0)) return Trap{"failure: not enough space on disk"};
    return std::nullopt;
  }

  Outcome read(State& state, const Request& request) {
    const File* file = state.files.find(request.attributes.text("file"));
    if (file == nullptr || file->directory) return Outcome::trap("input does not match any value of file", 1);
    std::string offset = request.attributes.has("offset") ? request.attributes.text("offset") : "0";
    std::string chunk =
        request.attributes.has("chunk-size") ? request.attributes.text("chunk-size") : "32768";
    if (check_number(state, "offset", offset) || check_number(state, "chunk-size", chunk))
      return Outcome::trap("invalid value for argument offset", 1);
    const std::size_t size = std::stoull(chunk);
    if (size < 1 || size > 32'768)
      return Outcome::trap("value of chunk-size is out of range (1 .. 32768)", 1);
    const std::size_t from = std::min<std::size_t>(std::stoull(offset), file->contents.size());
    Outcome outcome;
    outcome.rows.push_back({{"data", file->contents.substr(from, size)}});
    return outcome;
  }
};

constexpr Param kDisk[] = {
    {"type"}, {"slot"}, {"tmpfs-max-size", check_bytes}, {"comment"}, {"disabled", check_flag, "false"}};

class Disks final : public Menu {
 public:
  Disks() : Menu({.path = "/disk", .params = kDisk, .unique = {"slot"}}) {}
  std::vector<Row> rows(const State& state) const override {
    std::vector<Row> all = Menu::rows(state);
    for (Row& row : all) {
      const Files::Space* space = state.files.volume(row.text("slot"));
      if (space == nullptr) continue;
      row.put("size", std::to_string(space->total));
      row.put("free", std::to_string(space->total - space->used));
      row.put("use", std::to_string(space->used));
      row.put("mounted", "true");
      if (row.text("type") != "tmpfs") row.put("fs", "ext4");
    }
    return all;
  }

 protected:
  std::optional<Trap> before_add(State& state, Row& row, const Request&) override {
    if (row.text("type") != "tmpfs") return Trap{"failure: this double adds tmpfs disks only"};
    if (!row.has("slot")) row.put("slot", fmt::format("tmp{}", state.table("/disk").next));
    if (state.files.exists(row.text("slot"))) return Trap{"failure: slot is in use"};
    return std::nullopt;
  }
  void after_add(State& state, Row& row) override {
    const auto size = parse_size(row.text("tmpfs-max-size"));
    state.files.add_volume(row.text("slot"), {size.value_or(state.config.memory / 2), 0, true}, state.now());
  }
  std::optional<Trap> before_remove(State&, const Row& row) override {
    return row.text("type") == "tmpfs" ? std::nullopt
                                       : std::optional<Trap>(Trap{"failure: cannot remove hardware disk"});
  }
  void after_remove(State& state, const Row& row) override { state.files.remove_volume(row.text("slot")); }
};

}  // namespace

std::unique_ptr<Menu> make_file() {
  return std::make_unique<FileMenu>();
}
std::unique_ptr<Menu> make_disk() {
  return std::make_unique<Disks>();
}

}  // namespace mikroscope::routersim
