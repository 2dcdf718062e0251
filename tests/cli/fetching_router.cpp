#include "tests/cli/fetching_router.h"

#include <poll.h>

#include "base/text.h"
#include "cli/http.h"

namespace mikroscope::test {
namespace {

using routeros::Answer;
using routeros::Attributes;
using routeros::DeviceError;
using routeros::LostConnection;
using routeros::Row;
using routeros::Trouble;

class FetchingRouter final : public routeros::Session {
 public:
  explicit FetchingRouter(FetchScript& script) : script_(script) { ++script.sessions; }

  Answer<std::vector<Row>> print(const routeros::Print& print) override {
    const auto refused = script_.refused.find(print.menu);
    if (refused != script_.refused.end()) return Trouble(refused->second);
    std::vector<Row> out;
    for (const Row& row : script_.menus[print.menu]) {
      bool wanted = true;
      for (const routeros::Where& w : print.where) wanted = wanted && row.text(w.name) == w.value;
      if (wanted) out.push_back(row);
    }
    return out;
  }
  Answer<std::string> add(const std::string&, const Attributes&) override { return unexpected("add"); }
  Answer<void> set(const std::string&, const std::string&, const Attributes&) override {
    return unexpected("set");
  }
  Answer<void> remove(const std::string&, const std::string&) override { return unexpected("remove"); }

  Answer<std::vector<Row>> call(const routeros::Call& call) override {
    const int number = static_cast<int>(script_.calls.size());
    script_.calls.push_back(call);
    if (script_.instead) {
      if (auto answer = script_.instead(call)) return *answer;
    }
    if (script_.delay_ms) {
      pollfd stop{interrupt_, POLLIN, 0};
      if (::poll(&stop, interrupt_ >= 0 ? 1 : 0, static_cast<int>(script_.delay_ms(number))) > 0)
        return interrupted();
    }
    return fetch(call);
  }

  bool can_upload() const override { return false; }
  Answer<void> upload(const std::string&, std::string_view, const routeros::Progress&) override {
    return unexpected("upload");
  }
  routeros::Via via() const override { return routeros::Via::api_ssl; }
  std::string router() const override { return "ops@192.0.2.1 (api-ssl)"; }
  std::string host() const override { return "192.0.2.1"; }
  std::string local_address() const override { return "192.0.2.2"; }
  void interrupt_on(int fd) override { interrupt_ = fd; }

 private:
  static Trouble interrupted() { return LostConnection{"interrupted", "", base::Exit::interrupted}; }
  static Trouble unexpected(const std::string& what) {
    return DeviceError{"nobody asked for " + what, -1, what};
  }

  Answer<std::vector<Row>> fetch(const routeros::Call& call) {
    const Row asked(call.attributes);
    const std::string url(asked.text("url"));
    const std::size_t path = url.find('/', 7);
    std::string token;
    std::string accept;
    // "Name: value,Name: value"
    std::string_view headers = asked.text("http-header-field");
    while (!headers.empty()) {
      const std::size_t end = std::min(headers.find(','), headers.size());
      const std::string_view header = headers.substr(0, end);
      headers.remove_prefix(std::min(end + 1, headers.size()));
      const std::size_t colon = header.find(':');
      const std::string_view name = header.substr(0, colon);
      const std::string value(base::trim(header.substr(colon + 1)));
      if (name == "Accept") accept = value;
      if (name == "Authorization" && value.starts_with("Bearer ")) token = value.substr(7);
    }
    cli::HttpClient http(url.substr(0, path), token);
    const std::string method = asked.text("http-method") == "post"     ? "POST"
                               : asked.text("http-method") == "delete" ? "DELETE"
                                                                       : "GET";
    const auto reply = http.request(method, url.substr(path), accept, 5000);
    if (!reply.ok()) return Trouble(DeviceError{"failure: connection timeout", 4, "/tool/fetch"});
    if (reply->status != 200 && reply->status != 204) {
      return Trouble(
          DeviceError{"failure: Status " + std::to_string(reply->status) + ", Whatever", 4, "/tool/fetch"});
    }
    Row row;
    row.put("status", "finished");
    if (reply->status == 200) row.put("data", reply->body.substr(0, script_.limit));
    script_.longest = std::max(script_.longest, reply->body.size());
    return std::vector<Row>{row};
  }

  FetchScript& script_;
  int interrupt_ = -1;
};

}  // namespace

std::unique_ptr<routeros::Session> make_fetching_router(FetchScript& script) {
  return std::make_unique<FetchingRouter>(script);
}

}  // namespace mikroscope::test
