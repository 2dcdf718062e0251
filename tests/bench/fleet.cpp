// Stands for many agents at once: passes one real agent's replies on to any number of clients, each reply
// asked for once. It also takes what a store would be sent, and counts it.
//
//   bench_fleet AGENT_URL PORT      POST anything: 204; GET /fleet: what was served and taken, as JSON
#include <curl/curl.h>
#include <fmt/format.h>
#include <microhttpd.h>
#include <time.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>

namespace {

struct Kept {
  unsigned status = 0;
  std::string body;
  std::map<std::string, std::string> headers;
  std::int64_t until_ns = 0;
};

struct Fleet {
  std::string agent;
  CURL* curl = nullptr;
  std::map<std::string, Kept> kept;
  std::uint64_t replies = 0;
  std::uint64_t posts = 0;
  std::uint64_t posted_bytes = 0;
};

std::int64_t now_ns() {
  timespec ts{};
  clock_gettime(CLOCK_MONOTONIC, &ts);
  return ts.tv_sec * 1'000'000'000LL + ts.tv_nsec;
}

std::size_t on_body(char* data, std::size_t size, std::size_t n, void* to) {
  static_cast<std::string*>(to)->append(data, size * n);
  return size * n;
}
std::size_t on_header(char* data, std::size_t size, std::size_t n, void* to) {
  const std::string line(data, size * n);
  const std::size_t colon = line.find(':');
  if (colon != std::string::npos && (line.starts_with("Mikroscope-") || line.starts_with("Content-Type"))) {
    const std::size_t start = line.find_first_not_of(' ', colon + 1);
    (*static_cast<std::map<std::string, std::string>*>(to))[line.substr(0, colon)] =
        line.substr(start, line.find_last_not_of("\r\n") + 1 - start);
  }
  return size * n;
}

// A reply of samples holds until there can be another sample, the rest a second.
Kept& fetch(Fleet& fleet, const std::string& path, const char* accept) {
  Kept& kept = fleet.kept[path + (accept != nullptr ? accept : "")];
  const std::int64_t now = now_ns();
  if (kept.status == 200 && now < kept.until_ns) return kept;
  kept = {};
  curl_slist* headers =
      accept != nullptr ? curl_slist_append(nullptr, fmt::format("Accept: {}", accept).c_str()) : nullptr;
  curl_easy_setopt(fleet.curl, CURLOPT_URL, (fleet.agent + path).c_str());
  curl_easy_setopt(fleet.curl, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(fleet.curl, CURLOPT_WRITEDATA, &kept.body);
  curl_easy_setopt(fleet.curl, CURLOPT_HEADERDATA, &kept.headers);
  long status = 503;
  if (curl_easy_perform(fleet.curl) == CURLE_OK)
    curl_easy_getinfo(fleet.curl, CURLINFO_RESPONSE_CODE, &status);
  curl_slist_free_all(headers);
  kept.status = static_cast<unsigned>(status);
  kept.until_ns = now + (path.starts_with("/samples") ? 50'000'000 : 1'000'000'000);
  if (fleet.kept.size() > 4000) {
    std::erase_if(fleet.kept,
                  [&](const auto& one) { return &one.second != &kept && one.second.until_ns < now; });
  }
  return kept;
}

MHD_Result append_argument(void* to, MHD_ValueKind, const char* name, const char* value) {
  std::string& query = *static_cast<std::string*>(to);
  query += query.empty() ? '?' : '&';
  query += fmt::format("{}={}", name, value != nullptr ? value : "");
  return MHD_YES;
}

MHD_Result answer(void* cls, MHD_Connection* connection, const char* path, const char* method, const char*,
                  const char*, std::size_t* size, void** state) {
  Fleet& fleet = *static_cast<Fleet*>(cls);
  static int seen;
  if (*state == nullptr) {
    *state = &seen;
    return MHD_YES;
  }
  Kept own;
  const Kept* reply = &own;
  if (std::strcmp(method, "POST") == 0) {
    if (*size > 0) {
      fleet.posted_bytes += *size;
      *size = 0;
      return MHD_YES;
    }
    ++fleet.posts;
    own.status = 204;
  } else if (std::strcmp(path, "/fleet") == 0) {
    own.status = 200;
    own.body = fmt::format("{{\"replies\":{},\"posts\":{},\"posted_bytes\":{}}}\n", fleet.replies,
                           fleet.posts, fleet.posted_bytes);
  } else {
    std::string query;
    MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, append_argument, &query);
    reply = &fetch(fleet, path + query, MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Accept"));
    ++fleet.replies;
  }
  MHD_Response* const response = MHD_create_response_from_buffer(
      reply->body.size(), const_cast<char*>(reply->body.data()), MHD_RESPMEM_MUST_COPY);
  for (const auto& [name, value] : reply->headers)
    MHD_add_response_header(response, name.c_str(), value.c_str());
  const MHD_Result done = MHD_queue_response(connection, reply->status, response);
  MHD_destroy_response(response);
  return done;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: bench_fleet AGENT_URL PORT\n", stderr);
    return 2;
  }
  std::signal(SIGPIPE, SIG_IGN);
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTERM);
  sigaddset(&stop, SIGINT);
  sigprocmask(SIG_BLOCK, &stop, nullptr);
  Fleet fleet;
  fleet.agent = argv[1];
  fleet.curl = curl_easy_init();
  curl_easy_setopt(fleet.curl, CURLOPT_PROXY, "");
  curl_easy_setopt(fleet.curl, CURLOPT_WRITEFUNCTION, on_body);
  curl_easy_setopt(fleet.curl, CURLOPT_HEADERFUNCTION, on_header);
  curl_easy_setopt(fleet.curl, CURLOPT_TIMEOUT_MS, 5000L);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(std::atoi(argv[2])));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  MHD_Daemon* const daemon =
      MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD, 0, nullptr, nullptr, answer, &fleet,
                       MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_CONNECTION_LIMIT, 8000U, MHD_OPTION_END);
  if (daemon == nullptr) {
    std::fprintf(stderr, "cannot listen on port %s\n", argv[2]);
    return 1;
  }
  int signal = 0;
  sigwait(&stop, &signal);
  MHD_stop_daemon(daemon);
  curl_easy_cleanup(fleet.curl);
}
