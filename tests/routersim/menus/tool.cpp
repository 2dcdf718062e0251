// /tool/fetch: a real HTTP request from the router's side.
#include <fmt/format.h>

#include "tests/routersim/container/engine.h"
#include "tests/routersim/fetch.h"
#include "tests/routersim/menus/menus.h"
#include "tests/routersim/network.h"

namespace mikroscope::routersim {
namespace {

constexpr VerbDef kVerbs[] = {{"fetch", "", false, "test"}};
constexpr std::string_view kFetchWords[] = {"url",
                                            "output",
                                            "dst-path",
                                            "http-method",
                                            "http-data",
                                            "http-header-field",
                                            "http-content-encoding",
                                            "mode",
                                            "address",
                                            "src-path",
                                            "host",
                                            "user",
                                            "password",
                                            "port",
                                            "keep-result",
                                            "duration",
                                            "check-certificate",
                                            "as-value",
                                            "http-max-redirect-count",
                                            "http-auth-scheme",
                                            "src-address",
                                            "certificate",
                                            "ascii",
                                            "upload",
                                            "http-percent-encoding"};
// output=user cuts what is longer, and says nothing.
constexpr std::size_t kMostUser = 64'512;

class Tool final : public Menu {
 public:
  Tool() : Menu({.path = "/tool", .kind = MenuDef::Kind::settings, .verbs = kVerbs, .exported = false}) {}
  std::vector<Row> rows(const State&) const override { return {}; }

 protected:
  Outcome own_verb(State& state, const User& user, const Request& request) override {
    const Attributes& given = request.attributes;
    for (const auto& [name, value] : given) {
      const bool known =
          std::find(std::begin(kFetchWords), std::end(kFetchWords), name) != std::end(kFetchWords) ||
          (name == "idle-timeout" && state.at_least("7.15"));
      if (!known) return Outcome::trap(fmt::format("unknown parameter {}", name));
    }
    if (state.config.flagged || !state.device_mode("fetch"))
      return Outcome::trap("failure: not allowed by device-mode");
    if (state.faults.fetch_refused) return Outcome::trap("failure: connection timeout");
    const std::string output = given.has("output") ? given.text("output") : "file";
    const bool to_file = output == "file" || given.has("dst-path");
    if (to_file && !user.may("ftp") && !user.may("write")) return Outcome::trap("not enough permissions (9)");

    FetchRequest fetch;
    fetch.url = given.text("url");
    fetch.method = given.text("http-method");
    fetch.data = given.text("http-data");
    fetch.headers = given.text("http-header-field");
    fetch.idle_ms = parse_span(given.text("idle-timeout")).value_or(10'000);
    fetch.cancelled = request.cancelled;
    // Where the agent runs on loopback in place of its veth, the router reaches it there.
    if (const std::string host = fetch_host(fetch.url); !host.empty())
      fetch.connect_to = state.engine->agent_at(host);
    std::string path = given.text("dst-path");
    if (path.empty()) path = fetch.url.substr(fetch.url.rfind('/') + 1);

    Outcome outcome;
    outcome.later = [&state, fetch, output, to_file, path] {
      return done(state, fetch, output, to_file, path);
    };
    return outcome;
  }

 private:
  static Outcome done(State& state, const FetchRequest& fetch, const std::string& output, bool to_file,
                      const std::string& path) {
    FetchReply reply;
    state.network->in_router([&] { reply = http_fetch(fetch); });
    if (!reply.trouble.empty())
      return reply.cancelled ? Outcome::trap("interrupted", 2) : Outcome::trap("failure: " + reply.trouble);
    if (reply.status >= 400 || reply.status < 200)
      return Outcome::trap(fmt::format("failure: Status {}, {}", reply.status, reply.reason));
    const std::string kib = std::to_string(reply.body.size() / 1024);
    Outcome outcome;
    Row row{{"status", "finished"}, {"downloaded", kib}, {"total", kib}, {"duration", "1s"}};
    if (output == "user" || output == "user-with-headers") row.put("data", reply.body.substr(0, kMostUser));
    outcome.rows.push_back(std::move(row));
    if (!to_file) return outcome;

    const std::lock_guard hold(*state.lock);
    std::string body = reply.body;
    const bool full =
        state.faults.disk_full_at >= 0 && body.size() > static_cast<std::size_t>(state.faults.disk_full_at);
    if (full) body.resize(static_cast<std::size_t>(state.faults.disk_full_at));
    if (!state.files.write(path, std::move(body), state.now(), state.listing_lag()) || full)
      return Outcome::trap("failure: not enough space on disk");
    return outcome;
  }
};

}  // namespace

std::unique_ptr<Menu> make_tool() {
  return std::make_unique<Tool>();
}

}  // namespace mikroscope::routersim
