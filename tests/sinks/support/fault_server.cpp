#include "tests/sinks/support/fault_server.h"

#include <microhttpd.h>
#include <netinet/in.h>
#include <zlib.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <stdexcept>

namespace mikroscope::sinks::test {
namespace {

std::string unpacked(const std::string& packed) {
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) return {};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string out;
  int done = Z_OK;
  while (done == Z_OK) {
    char piece[16384];
    stream.next_out = reinterpret_cast<Bytef*>(piece);
    stream.avail_out = sizeof piece;
    done = inflate(&stream, Z_NO_FLUSH);
    out.append(piece, sizeof piece - stream.avail_out);
  }
  inflateEnd(&stream);
  return done == Z_STREAM_END ? out : "(damaged gzip)";
}

MHD_Result keep_header(void* to, MHD_ValueKind, const char* name, const char* value) {
  std::string lower = name;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  (*static_cast<std::map<std::string, std::string>*>(to))[lower] = value == nullptr ? "" : value;
  return MHD_YES;
}

ssize_t break_off(void*, std::uint64_t at, char* to, std::size_t most) {
  if (at > 0) return MHD_CONTENT_READER_END_WITH_ERROR;
  const std::size_t size = std::min<std::size_t>(most, 10);
  std::fill(to, to + size, 'x');
  return static_cast<ssize_t>(size);
}

}  // namespace

struct FaultServer::Impl {
  MHD_Daemon* daemon = nullptr;
  mutable std::mutex mutex;
  mutable std::condition_variable changed;
  std::deque<Answer> answers;
  std::vector<std::pair<std::string, Answer>> always;
  std::vector<Asked> asked;
  bool ending = false;

  Answer next(const Asked& request) {
    std::unique_lock lock(mutex);
    asked.push_back(request);
    changed.notify_all();
    Answer answer;
    const auto found = std::find_if(always.begin(), always.end(),
                                    [&](const auto& a) { return request.url.starts_with(a.first); });
    if (found != always.end()) {
      answer = found->second;
    } else if (!answers.empty()) {
      answer = answers.front();
      answers.pop_front();
    }
    if (answer.hang) changed.wait(lock, [this] { return ending; });
    return answer;
  }

  static void* on_uri(void*, const char* uri, MHD_Connection*) { return new Asked{{}, uri, {}, {}}; }
  static void on_completed(void*, MHD_Connection*, void** request, MHD_RequestTerminationCode) {
    delete static_cast<Asked*>(*request);
    *request = nullptr;
  }
  static MHD_Result on_request(void* self, MHD_Connection* connection, const char*, const char* method,
                               const char*, const char* data, std::size_t* size, void** state) {
    Asked& request = *static_cast<Asked*>(*state);
    if (request.method.empty()) {
      request.method = method;
      MHD_get_connection_values(connection, MHD_HEADER_KIND, keep_header, &request.headers);
      return MHD_YES;
    }
    if (*size > 0) {
      request.body.append(data, *size);
      *size = 0;
      return MHD_YES;
    }
    if (request.header("content-encoding") == "gzip") request.body = unpacked(request.body);
    const Answer answer = static_cast<Impl*>(self)->next(request);
    if (answer.hang) return MHD_NO;
    MHD_Response* response =
        answer.reset ? MHD_create_response_from_callback(1000, 1024, break_off, nullptr, nullptr)
                     : MHD_create_response_from_buffer(
                           answer.body.size(), const_cast<char*>(answer.body.data()), MHD_RESPMEM_MUST_COPY);
    for (const auto& [name, value] : answer.headers)
      MHD_add_response_header(response, name.c_str(), value.c_str());
    const MHD_Result queued = MHD_queue_response(connection, answer.status, response);
    MHD_destroy_response(response);
    return queued;
  }
};

FaultServer::FaultServer() : impl_(std::make_unique<Impl>()) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  impl_->daemon = MHD_start_daemon(
      MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION, 0, nullptr, nullptr, &Impl::on_request,
      impl_.get(), MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_URI_LOG_CALLBACK, &Impl::on_uri, impl_.get(),
      MHD_OPTION_NOTIFY_COMPLETED, &Impl::on_completed, impl_.get(), MHD_OPTION_END);
  if (impl_->daemon == nullptr) throw std::runtime_error("no HTTP server for this test");
}

FaultServer::~FaultServer() {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->ending = true;
  }
  impl_->changed.notify_all();
  MHD_stop_daemon(impl_->daemon);
}

int FaultServer::port() const {
  return MHD_get_daemon_info(impl_->daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
}
std::string FaultServer::url() const {
  return "http://127.0.0.1:" + std::to_string(port());
}

void FaultServer::answer(std::vector<Answer> answers) {
  const std::lock_guard lock(impl_->mutex);
  for (Answer& answer : answers) impl_->answers.push_back(std::move(answer));
}
void FaultServer::answer_always(const std::string& begin, Answer answer) {
  const std::lock_guard lock(impl_->mutex);
  impl_->always.emplace_back(begin, std::move(answer));
}
std::vector<Asked> FaultServer::asked() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->asked;
}
bool FaultServer::wait_for(std::size_t requests) const {
  std::unique_lock lock(impl_->mutex);
  return impl_->changed.wait_for(lock, std::chrono::seconds(10),
                                 [&] { return impl_->asked.size() >= requests; });
}

}  // namespace mikroscope::sinks::test
