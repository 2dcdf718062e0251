// Requests from the network: any bytes, arriving in any two pieces, are a request, not yet one, or refused.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "agent/http.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mikroscope::agent;
  if (size == 0) return 0;
  const std::string_view all(reinterpret_cast<const char*>(data) + 1, size - 1);
  Request early;
  const HeadResult first = parse_head(all.substr(0, data[0] * all.size() / 256), early);
  Request request;
  const HeadResult result = parse_head(all, request);
  // What is decided stays decided when more arrives.
  if (first.complete && (!result.complete || result.status != first.status || result.bytes != first.bytes))
    __builtin_trap();
  if (result.bytes > all.size()) __builtin_trap();
  if (!result.complete || result.status != 0) return 0;
  char value[64];
  std::size_t used = 0;
  std::uint64_t number = 0;
  for (const std::string_view name : {"since", "max", "wait", "instance", "reason"}) {
    if (query_value(request.query, name, value, sizeof value, used) == 1 && used > sizeof value)
      __builtin_trap();
    if (query_number(request.query, name, 1, 1000, number) == 1 && (number < 1 || number > 1000))
      __builtin_trap();
  }
  token_matches(request.authorization, "0123456789abcdef");
  accepts(request.accept, "application/x-ndjson");
  return 0;
}
