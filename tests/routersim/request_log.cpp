#include "tests/routersim/request_log.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace mikroscope::routersim {

RequestLog::~RequestLog() {
  if (file_ != nullptr) std::fclose(file_);
}

bool RequestLog::to_file(const std::string& path) {
  const std::lock_guard hold(lock_);
  file_ = std::fopen(path.c_str(), "ae");
  return file_ != nullptr;
}

void RequestLog::add(Logged entry) {
  const std::lock_guard hold(lock_);
  for (const auto& [name, value] : Attributes(entry.attributes)) {
    const bool hidden =
        is_secret(entry.menu, name) ||
        (name == "value" && entry.menu == "/container/envs" &&
         (!entry.attributes.has("key") || is_secret(entry.menu, entry.attributes.text("key"))));
    if (hidden && !value.empty()) entry.attributes.put(name, "***");
  }
  if (file_ != nullptr) {
    const std::string line = to_json(entry) + "\n";
    std::fwrite(line.data(), 1, line.size(), file_);
    std::fflush(file_);
  }
  entries_.push_back(std::move(entry));
}

void RequestLog::clear() {
  const std::lock_guard hold(lock_);
  entries_.clear();
}

std::vector<Logged> RequestLog::all() const {
  const std::lock_guard hold(lock_);
  return entries_;
}

std::size_t RequestLog::count(const std::function<bool(const Logged&)>& wanted) const {
  const std::lock_guard hold(lock_);
  return static_cast<std::size_t>(std::count_if(entries_.begin(), entries_.end(), wanted));
}

std::size_t RequestLog::logins() const {
  return count([](const Logged& entry) { return entry.kind == Logged::Kind::login; });
}

std::size_t RequestLog::writes() const {
  return count([](const Logged& entry) { return entry.kind == Logged::Kind::command && entry.writes; });
}

std::size_t RequestLog::prints_without_proplist() const {
  return count([](const Logged& entry) {
    return entry.kind == Logged::Kind::command && (entry.via == Via::api || entry.via == Via::api_ssl) &&
           (entry.verb == "print" || entry.verb == "getall") && !entry.attributes.has(".proplist") &&
           !entry.attributes.has("count-only");
  });
}

std::vector<std::string> RequestLog::commands() const {
  const std::lock_guard hold(lock_);
  std::vector<std::string> commands;
  for (const Logged& entry : entries_) {
    if (entry.kind == Logged::Kind::command) commands.push_back(entry.command());
  }
  return commands;
}

std::string to_json(const Logged& entry) {
  constexpr const char* kKinds[] = {"login", "refused-login", "logout", "command"};
  nlohmann::ordered_json json;
  json["kind"] = kKinds[static_cast<std::size_t>(entry.kind)];
  json["at_ms"] = entry.at_ms;
  json["user"] = entry.user;
  json["via"] = std::string(via_name(entry.via));
  if (entry.kind == Logged::Kind::command) {
    json["menu"] = entry.menu;
    json["verb"] = entry.verb;
    json["writes"] = entry.writes;
    for (const auto& [name, value] : entry.attributes) json["attributes"][name] = value;
    for (const std::string& word : entry.query) json["query"].push_back(word);
    if (entry.where) json["where"] = true;
  }
  if (!entry.trap.empty()) json["trap"] = entry.trap;
  return json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

bool is_secret(std::string_view menu, std::string_view name) {
  constexpr std::string_view kNames[] = {
      "password",          "response",         "token",     "TOKEN", "secret", "as-string",
      "http-header-field", "http-auth-scheme", "passphrase"};
  if (std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames)) return true;
  return menu == "/file" && name == "contents";
}

}  // namespace mikroscope::routersim
