#include "sinks/net/http_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "base/text.h"

namespace mikroscope::sinks {
namespace {

struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;
  int family = 0;
};

std::optional<Address> address_of(const std::string& host, std::uint16_t port) {
  Address address;
  auto* const v4 = reinterpret_cast<sockaddr_in*>(&address.storage);
  auto* const v6 = reinterpret_cast<sockaddr_in6*>(&address.storage);
  if (host.find(':') == std::string::npos && inet_pton(AF_INET, host.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(port);
    address.size = sizeof(sockaddr_in);
    address.family = AF_INET;
    return address;
  }
  if (inet_pton(AF_INET6, host.c_str(), &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(port);
    address.size = sizeof(sockaddr_in6);
    address.family = AF_INET6;
    return address;
  }
  return std::nullopt;
}

// Ready to accept, or -1 with errno.
int listening_socket(const Address& address, bool both_families) {
  const int fd = socket(address.family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  const int on = 1, off = 0;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (address.family == AF_INET6)
    setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, both_families ? &off : &on, sizeof on);
  if (bind(fd, reinterpret_cast<const sockaddr*>(&address.storage), address.size) != 0 ||
      listen(fd, 64) != 0) {
    const int why = errno;
    close(fd);
    errno = why;
    return -1;
  }
  return fd;
}

std::uint16_t port_of(int fd) {
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&bound), &size) != 0) return 0;
  return ntohs(bound.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&bound)->sin6_port
                                           : reinterpret_cast<sockaddr_in*>(&bound)->sin_port);
}

// The time taken tells nothing of where they differ.
bool same_secret(std::string_view given, std::string_view wanted) {
  unsigned difference = given.size() == wanted.size() ? 0U : 1U;
  for (std::size_t i = 0; i < given.size(); ++i)
    difference |= static_cast<unsigned char>(given[i] ^ wanted[wanted.empty() ? 0 : i % wanted.size()]);
  return difference == 0 && !wanted.empty();
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::string base64(std::string_view in) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < in.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t j = 0; j < 3; ++j)
      bits = bits << 8 | (i + j < in.size() ? static_cast<unsigned char>(in[i + j]) : 0U);
    for (std::size_t j = 0; j < 4; ++j)
      out.push_back(i + j <= in.size() ? kDigits[bits >> (18 - 6 * j) & 63] : '=');
  }
  return out;
}

std::optional<std::string> gzip(const std::string& body) {
  z_stream z{};
  if (deflateInit2(&z, 4, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) return std::nullopt;
  std::string out(deflateBound(&z, static_cast<uLong>(body.size())), '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(body.data()));
  z.avail_in = static_cast<uInt>(body.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  const int result = deflate(&z, Z_FINISH);
  out.resize(z.total_out);
  deflateEnd(&z);
  return result == Z_STREAM_END ? std::optional(std::move(out)) : std::nullopt;
}

MHD_Result keep_header(void* to, MHD_ValueKind, const char* key, const char* value) {
  (*static_cast<std::map<std::string, std::string>*>(to))[lower(key)] = value == nullptr ? "" : value;
  return MHD_YES;
}

}  // namespace

base::Result<ListenAddress> parse_listen(std::string_view text) {
  const base::Error wrong{fmt::format("'{}' is no address to listen on", text),
                          "give a port (9124: this machine only), :9124 for every address, or ADDRESS:9124",
                          base::Exit::usage};
  ListenAddress listen{"127.0.0.1", 0};
  std::string_view port = text;
  if (const std::size_t colon = text.rfind(':'); colon != std::string_view::npos) {
    std::string_view host = text.substr(0, colon);
    port = text.substr(colon + 1);
    const bool brackets = host.size() > 2 && host.front() == '[' && host.back() == ']';
    if (brackets) host = host.substr(1, host.size() - 2);
    if (!brackets && host.find(':') != std::string_view::npos) return wrong;
    listen.host = host == "localhost" ? "127.0.0.1" : std::string(host);
  }
  std::uint64_t number = 0;
  if (!base::parse_u64(port, number) || number > 65535) return wrong;
  listen.port = static_cast<std::uint16_t>(number);
  if (!listen.host.empty() && !address_of(listen.host, 0)) return wrong;
  return listen;
}

std::string basic_credentials(std::string_view user, std::string_view password) {
  return base64(fmt::format("{}:{}", user, password));
}

std::string_view HttpRequest::header(const std::string& lower_case_name) const {
  const auto found = headers.find(lower_case_name);
  return found == headers.end() ? std::string_view() : std::string_view(found->second);
}

struct HttpServer::Impl {
  Options options;
  Handler handler;
  MHD_Daemon* daemon = nullptr;
  std::uint16_t port = 0;
  std::string basic;

  bool allowed(const HttpRequest& request) const {
    if (options.bearer.empty() && options.user.empty()) return true;
    const std::string_view given = request.header("authorization");
    const std::size_t space = given.find(' ');
    if (space == std::string_view::npos) return false;
    const std::string scheme = lower(given.substr(0, space));
    const std::string_view secret = base::trim(given.substr(space));
    if (scheme == "bearer") return !options.bearer.empty() && same_secret(secret, options.bearer);
    return scheme == "basic" && !options.user.empty() && same_secret(secret, basic);
  }

  MHD_Result send(MHD_Connection* connection, const HttpReply& reply, const HttpRequest& request) const {
    std::optional<std::string> packed;
    if (reply.body.size() >= 1024 && request.header("accept-encoding").find("gzip") != std::string_view::npos)
      packed = gzip(reply.body);
    const std::string& body = packed ? *packed : reply.body;
    MHD_Response* const response =
        MHD_create_response_from_buffer(body.size(), const_cast<char*>(body.data()), MHD_RESPMEM_MUST_COPY);
    if (response == nullptr) return MHD_NO;
    MHD_add_response_header(response, "Content-Type", reply.content_type.c_str());
    if (packed) MHD_add_response_header(response, "Content-Encoding", "gzip");
    if (reply.status == 401)
      MHD_add_response_header(response, "WWW-Authenticate",
                              options.bearer.empty() ? "Basic realm=\"mikroscope\"" : "Bearer");
    if (reply.status == 405) MHD_add_response_header(response, "Allow", "GET, HEAD");
    const MHD_Result result = MHD_queue_response(connection, reply.status, response);
    MHD_destroy_response(response);
    return result;
  }

  static MHD_Result answer(void* self, MHD_Connection* connection, const char* url, const char* method,
                           const char*, const char*, size_t* upload_size, void** state) noexcept {
    const auto& impl = *static_cast<Impl*>(self);
    static char begun;
    const bool reads = std::strcmp(method, "GET") == 0 || std::strcmp(method, "HEAD") == 0;
    if (*state == nullptr && reads) {
      *state = &begun;
      return MHD_YES;
    }
    if (*upload_size != 0) {  // a body is not for us
      *upload_size = 0;
      return MHD_YES;
    }
    try {
      HttpRequest request;
      request.path = url;
      MHD_get_connection_values(connection, MHD_HEADER_KIND, keep_header, &request.headers);
      if (!reads) return impl.send(connection, {405, "text/plain; charset=utf-8", "GET or HEAD\n"}, request);
      if (!impl.allowed(request))
        return impl.send(connection, {401, "text/plain; charset=utf-8", "not authorized\n"}, request);
      return impl.send(connection, impl.handler(request), request);
    } catch (...) {
      return MHD_NO;
    }
  }
};

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

HttpServer::~HttpServer() {
  if (impl_->daemon != nullptr) MHD_stop_daemon(impl_->daemon);
}

base::Result<std::unique_ptr<HttpServer>> HttpServer::start(Options options, Handler handler) {
  auto impl = std::make_unique<Impl>();
  impl->options = std::move(options);
  impl->handler = std::move(handler);
  impl->basic = basic_credentials(impl->options.user, impl->options.password);
  const ListenAddress& listen = impl->options.listen;
  const bool every = listen.host.empty();
  int fd = -1;
  if (const auto address = address_of(every ? "::" : listen.host, listen.port))
    fd = listening_socket(*address, every);
  if (fd < 0 && every && errno == EAFNOSUPPORT) {  // a machine without IPv6
    if (const auto address = address_of("0.0.0.0", listen.port)) fd = listening_socket(*address, false);
  }
  const std::string shown = every ? fmt::format("*:{}", listen.port)
                            : listen.host.find(':') != std::string::npos
                                ? fmt::format("[{}]:{}", listen.host, listen.port)
                                : fmt::format("{}:{}", listen.host, listen.port);
  if (fd < 0) {
    return base::Error{fmt::format("cannot listen on {}: {}", shown, std::strerror(errno)),
                       errno == EADDRINUSE ? "another program has this port: choose another, or end it" : ""};
  }
  impl->port = port_of(fd);
  impl->daemon = MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL, 0, nullptr, nullptr,
                                  &Impl::answer, impl.get(), MHD_OPTION_LISTEN_SOCKET, fd,
                                  MHD_OPTION_CONNECTION_TIMEOUT, impl->options.timeout_s,
                                  MHD_OPTION_CONNECTION_LIMIT, impl->options.max_connections, MHD_OPTION_END);
  if (impl->daemon == nullptr) {
    close(fd);
    return base::Error{fmt::format("cannot serve HTTP on {}: the server did not start", shown), ""};
  }
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

std::uint16_t HttpServer::port() const {
  return impl_->port;
}

std::string HttpServer::url() const {
  const std::string& host = impl_->options.listen.host;
  const bool v6 = host.find(':') != std::string::npos;
  return fmt::format("http://{}{}{}:{}", v6 ? "[" : "", host.empty() ? "0.0.0.0" : host, v6 ? "]" : "",
                     impl_->port);
}

}  // namespace mikroscope::sinks
