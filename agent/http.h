// HTTP/1.1 requests: the head of one, and the query of its target. No body is ever accepted.
#pragma once

#include <cstdint>
#include <string_view>

namespace mikroscope::agent {

constexpr std::size_t kMaxHead = 4096;

enum class Method : std::uint8_t { get, head, post, del, other };

struct Request {
  Method method = Method::other;
  std::string_view path;           // as sent, without the query
  std::string_view query;          // as sent
  std::string_view authorization;  // values of headers, trimmed; empty where there is none
  std::string_view accept;
  bool http10 = false;
  bool keep_alive = true;
};

// What is wrong with a request, as its status; 0: nothing.
// 400 not HTTP, 411 a body of unknown length, 413 a body, 417 an expectation, 431 a head over kMaxHead, 505
// another version.
struct HeadResult {
  bool complete = false;  // the head is all there (or is known to be wrong)
  std::uint16_t status = 0;
  std::size_t bytes = 0;  // of the head with its empty line; what follows is the next request
};

// Looks at what has arrived so far. `out` holds views of `data`.
HeadResult parse_head(std::string_view data, Request& out);

// The decoded value of `name` in a query: 1 found, 0 absent, -1 found, but longer than `capacity` or badly
// encoded.
int query_value(std::string_view query, std::string_view name, char* out, std::size_t capacity,
                std::size_t& size);
// 1 a whole number in low..high, 0 absent, -1 anything else.
int query_number(std::string_view query, std::string_view name, std::uint64_t low, std::uint64_t high,
                 std::uint64_t& out);

// True if `authorization` is "Bearer <token>"; takes the same time for every wrong token of one length.
bool token_matches(std::string_view authorization, std::string_view token);

// True if a comma-separated Accept value lists this media type.
bool accepts(std::string_view accept, std::string_view media_type);

std::string_view reason_phrase(std::uint16_t status);

}  // namespace mikroscope::agent
