#include "cli/http.h"

#include <curl/curl.h>
#include <fmt/format.h>
#include <strings.h>

#include <utility>

#include "base/clock.h"
#include "base/text.h"

namespace mikroscope::cli {
namespace {

constexpr std::size_t kMaxBody = std::size_t{256} << 20;  // of hostile or broken peers
constexpr long kConnectTimeoutMs = 3000;
constexpr int kLookEveryMs = 100;

std::size_t on_body(char* data, std::size_t size, std::size_t count, void* context) {
  auto* const reply = static_cast<HttpReply*>(context);
  if (reply->body.size() + size * count > kMaxBody) return 0;
  reply->body.append(data, size * count);
  return size * count;
}

std::size_t on_header(char* data, std::size_t size, std::size_t count, void* context) {
  auto* const reply = static_cast<HttpReply*>(context);
  const std::string_view line(data, size * count);
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return size * count;
  const std::string name(line.substr(0, colon));
  const std::string value(base::trim(line.substr(colon + 1)));
  const auto is = [&name](const char* wanted) { return ::strcasecmp(name.c_str(), wanted) == 0; };
  if (is("Content-Type")) reply->content_type = value;
  if (is("Mikroscope-Instance")) reply->instance = value;
  if (is("Mikroscope-Boot-Id")) reply->boot_id = value;
  std::uint64_t seq = 0;
  if (is("Mikroscope-Newest-Seq") && base::parse_u64(value, seq)) reply->newest_seq = seq;
  return size * count;
}

}  // namespace

struct HttpClient::Impl {
  std::string base_url;
  std::string token;
  int interrupt_fd = -1;
  WhileWaiting look;
  int look_fd = -1;
  CURL* easy = nullptr;
  CURLM* multi = nullptr;

  Impl(std::string url, std::string bearer) : base_url(std::move(url)), token(std::move(bearer)) {
    while (!base_url.empty() && base_url.back() == '/') base_url.pop_back();
    curl_global_init(CURL_GLOBAL_DEFAULT);
    easy = curl_easy_init();
    multi = curl_multi_init();
  }
  ~Impl() {
    curl_easy_cleanup(easy);
    curl_multi_cleanup(multi);
  }

  // CURLE_OK, CURLE_ABORTED_BY_CALLBACK for an interruption, or what curl says.
  CURLcode perform(const HttpReply& reply) {
    curl_multi_add_handle(multi, easy);
    CURLcode code = CURLE_OK;
    std::size_t received = 0;
    std::int64_t progress_ns = base::monotonic_ns();
    for (;;) {
      int running = 0;
      curl_multi_perform(multi, &running);
      if (finished(code)) break;
      curl_waitfd extra[2] = {{interrupt_fd, CURL_WAIT_POLLIN, 0}, {look_fd, CURL_WAIT_POLLIN, 0}};
      // Descriptors that are not there go to the end.
      if (interrupt_fd < 0) std::swap(extra[0], extra[1]);
      const unsigned count = (interrupt_fd >= 0 ? 1U : 0U) + (look_fd >= 0 ? 1U : 0U);
      curl_multi_poll(multi, count != 0 ? extra : nullptr, count, look ? kLookEveryMs : 1000, nullptr);
      if (interrupt_fd >= 0 && extra[0].revents != 0) {
        code = CURLE_ABORTED_BY_CALLBACK;
        break;
      }
      const std::int64_t now_ns = base::monotonic_ns();
      if (reply.body.size() != received) {
        received = reply.body.size();
        progress_ns = now_ns;
      }
      if (look && !look(now_ns - progress_ns)) {
        code = CURLE_ABORTED_BY_CALLBACK;
        break;
      }
    }
    curl_multi_remove_handle(multi, easy);
    return code;
  }

  bool finished(CURLcode& code) const {
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      code = message->data.result;
      return true;
    }
    return false;
  }
};

HttpClient::HttpClient(std::string base_url, std::string token)
    : impl_(std::make_unique<Impl>(std::move(base_url), std::move(token))) {}
HttpClient::~HttpClient() = default;

void HttpClient::interrupt_on(int fd) {
  impl_->interrupt_fd = fd;
}
void HttpClient::while_waiting(WhileWaiting look, int fd) {
  impl_->look = std::move(look);
  impl_->look_fd = fd;
}
const std::string& HttpClient::base_url() const {
  return impl_->base_url;
}

base::Result<HttpReply> HttpClient::get(const std::string& path, const std::string& accept, long timeout_ms) {
  return request("GET", path, accept, timeout_ms);
}

base::Result<HttpReply> HttpClient::request(const std::string& method, const std::string& path,
                                            const std::string& accept, long timeout_ms) {
  CURL* const easy = impl_->easy;
  if (easy == nullptr || impl_->multi == nullptr)
    return base::Error{"libcurl could not be started", "", base::Exit::failed};
  HttpReply reply;
  const std::string url = impl_->base_url + path;
  char error_text[CURL_ERROR_SIZE] = {};
  curl_slist* headers = nullptr;
  if (!accept.empty()) headers = curl_slist_append(headers, ("Accept: " + accept).c_str());
  if (!impl_->token.empty())
    headers = curl_slist_append(headers, ("Authorization: Bearer " + impl_->token).c_str());
  curl_easy_reset(easy);  // keeps the connection
  curl_easy_setopt(easy, CURLOPT_URL, url.c_str());
  if (method == "POST") {
    curl_easy_setopt(easy, CURLOPT_POST, 1L);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, 0L);
  } else if (method != "GET") {
    curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method.c_str());
  }
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &reply);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, &reply);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, error_text);
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, kConnectTimeoutMs);
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, timeout_ms);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_PROXY, "");
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_USERAGENT, "mikroscope/" MIKROSCOPE_VERSION);
  reply.sent_wall_ns = base::wall_ns();
  reply.sent_boot_ns = base::boot_ns();
  const CURLcode code = impl_->perform(reply);
  reply.received_boot_ns = base::boot_ns();
  reply.received_wall_ns = base::wall_ns();
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, nullptr);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, nullptr);
  curl_slist_free_all(headers);
  if (code == CURLE_ABORTED_BY_CALLBACK) return base::Error{"interrupted", "", base::Exit::interrupted};
  if (code != CURLE_OK) {
    return base::Error{fmt::format("no answer from {}: {}", impl_->base_url,
                                   error_text[0] != '\0' ? error_text : curl_easy_strerror(code)),
                       "check the address and that the agent runs: curl " + impl_->base_url + "/healthz",
                       base::Exit::failed};
  }
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &reply.status);
  return reply;
}

}  // namespace mikroscope::cli
