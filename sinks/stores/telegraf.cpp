// Telegraf: line protocol to its http_listener_v2 or socket_listener.
#include <fmt/format.h>

#include "base/clock.h"
#include "sinks/net/http_post.h"
#include "sinks/net/line_socket.h"
#include "sinks/stores/line_protocol.h"
#include "sinks/stores/registry.h"
#include "sinks/stores/tls_options.h"

namespace mikroscope::sinks {
namespace {

constexpr std::size_t kMaxBody = std::size_t{8} << 20;
constexpr std::int64_t kSocketNs = 10 * base::kNsPerSecond;
constexpr std::string_view kFix =
    "write it like http://127.0.0.1:8186, tcp://127.0.0.1:8094 or udp://127.0.0.1:8094";

class TelegrafHttp final : public Sink {
 public:
  TelegrafHttp(std::string url, std::vector<std::string> headers, TlsOptions tls)
      : url_(std::move(url)), poster_(std::move(headers), std::move(tls)) {}

  std::string name() const override { return "telegraf " + url_; }
  void interrupt() override { poster_.interrupt(); }

  Delivery deliver(std::span<const model::Event> events) override {
    body_.clear();
    for (const model::Event& event : events) lines_.render(event, body_);
    if (body_.empty()) return Delivery::done();
    if (body_.size() > kMaxBody && events.size() > 1)
      return Delivery::split("more than 8 MiB in one request");
    return classify(post(body_));
  }

  base::Result<std::string> check() override {
    const auto response = post({});
    const Delivery answer = classify(response);
    // An empty request is refused by some; that it was answered is what counts.
    if (answer.verdict == Delivery::Verdict::done || answer.verdict == Delivery::Verdict::reject)
      return fmt::format("{} answers", url_);
    const bool denied = response.ok() && (response->status == 401 || response->status == 403);
    return base::Error{fmt::format("telegraf {}: {}", url_, answer.why),
                       denied ? "set MIKROSCOPE_TELEGRAF_TOKEN to user:password or to a token"
                              : "is [[inputs.http_listener_v2]] on, and is this its address and path?",
                       denied ? base::Exit::auth : base::Exit::failed};
  }

 private:
  base::Result<HttpResponse> post(std::string_view body) {
    return poster_.post(url_, "text/plain; charset=utf-8", body, true);
  }

  std::string url_;
  HttpPoster poster_;
  LineProtocol lines_;
  std::string body_;
};

class TelegrafSocket final : public Sink {
 public:
  TelegrafSocket(LineSocket::Kind kind, const std::string& host, const std::string& port)
      : kind_(kind),
        name_(fmt::format("telegraf {}://{}:{}", kind == LineSocket::Kind::tcp ? "tcp" : "udp", host, port)),
        socket_(kind, host, port) {}

  std::string name() const override { return name_; }
  void interrupt() override { socket_.interrupt(); }

  Delivery deliver(std::span<const model::Event> events) override {
    body_.clear();
    for (const model::Event& event : events) lines_.render(event, body_);
    if (body_.empty()) return Delivery::done();
    const std::int64_t deadline_ns = base::monotonic_ns() + kSocketNs;
    if (auto open = socket_.open(deadline_ns); !open.ok()) return Delivery::retry(open.error().what);
    const auto sent = socket_.send(body_, deadline_ns);
    if (!sent.ok()) return Delivery::retry(sent.error().what);
    Delivery delivery = Delivery::done();
    delivery.rejected = *sent;
    if (*sent > 0)
      delivery.rejected_why =
          fmt::format("a line of more than {} bytes fits into no datagram", LineSocket::kDatagram);
    return delivery;
  }

  base::Result<std::string> check() override {
    if (auto open = socket_.open(base::monotonic_ns() + kSocketNs); !open.ok()) return open.error();
    return kind_ == LineSocket::Kind::tcp ? name_ + " takes connections"
                                          : name_ + ": the address is good; nobody answers to datagrams";
  }

 private:
  LineSocket::Kind kind_;
  std::string name_;
  LineSocket socket_;
  LineProtocol lines_;
  std::string body_;
};

constexpr SinkOption kOptions[] = {
    {"telegraf", "URL",
     "Telegraf: http://host:8186 (without a path: /telegraf), tcp://host:8094 or udp://host:8094"},
    {"telegraf-token", "TOKEN", "with http: user:password or a token", {}, {}, true},
    kTlsCa,
    kTlsCert,
    kTlsKey,
    kTlsInsecure,
};

base::Error wrong(const std::string& what) {
  return base::Error{"--telegraf: " + what, std::string(kFix), base::Exit::usage};
}

base::Result<std::unique_ptr<Sink>> make_socket(LineSocket::Kind kind, std::string rest) {
  while (!rest.empty() && rest.back() == '/') rest.pop_back();
  const std::size_t colon = rest.rfind(':');
  if (rest.find_first_of("/@?") != std::string::npos)
    return wrong("a socket has a host and a port, and nothing else");
  if (colon == std::string::npos || colon + 1 == rest.size() || colon == 0 ||
      rest.find(']', colon) != std::string::npos)
    return wrong("the address has no port");
  const std::string port = rest.substr(colon + 1);
  if (port.size() > 5 || port.find_first_not_of("0123456789") != std::string::npos ||
      std::stoi(port) > 65535 || std::stoi(port) == 0)
    return wrong(fmt::format("{} is no port", port));
  std::string host = rest.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  return std::unique_ptr<Sink>(std::make_unique<TelegrafSocket>(kind, host, port));
}

base::Result<std::unique_ptr<Sink>> make(const SinkValues& values) {
  std::string text = values.text("telegraf");
  if (text.starts_with("tcp://")) return make_socket(LineSocket::Kind::tcp, text.substr(6));
  if (text.starts_with("udp://")) return make_socket(LineSocket::Kind::udp, text.substr(6));
  if (text.find("://") == std::string::npos) text = "http://" + text;
  auto url = parse_store_url(text, "/telegraf");
  if (!url.ok()) return wrong(url.error().what);
  std::vector<std::string> headers;
  const std::string token = values.text("telegraf-token");
  const std::size_t colon = token.find(':');
  if (!url->user.empty()) {
    headers.push_back(basic_authorization(url->user, url->password));
  } else if (colon != std::string::npos) {
    headers.push_back(basic_authorization(token.substr(0, colon), token.substr(colon + 1)));
  } else if (!token.empty()) {
    headers.push_back("Authorization: Token " + token);
  }
  return std::unique_ptr<Sink>(
      std::make_unique<TelegrafHttp>(url->url, std::move(headers), tls_options(values)));
}

}  // namespace

const SinkDef kTelegrafSink = {"telegraf", "Telegraf over HTTP, TCP or UDP", kOptions, make};

}  // namespace mikroscope::sinks
