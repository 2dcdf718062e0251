// A hostile router: whatever it sends while commands run, are listened to and are cancelled, every call ends
// with an answer, and a connection that is lost stays lost.
#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "routeros/api/connection.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mikroscope;
  using namespace mikroscope::routeros;
  int ends[2];
  // More than fits the socket's buffer would have to be sent by a thread.
  if (size > 60'000 || ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return 0;
  const base::Fd router(ends[1]);
  if (::send(router.get(), data, size, MSG_NOSIGNAL) < 0) __builtin_trap();
  ::shutdown(router.get(), SHUT_WR);

  ApiConnection connection{Wire(Socket(base::Fd(ends[0])))};
  const auto first = connection.start({"/a/print", {{".proplist", ".id,name"}}, {"name=x"}}, 1000);
  const auto second = connection.start({"/b/listen", {}, {}}, ApiConnection::kNoDeadline);
  const auto third = connection.start({"/c/print", {}, {}}, 1000);
  if (!first.ok() || !second.ok() || !third.ok()) __builtin_trap();
  if (size != 0 && (data[0] & 1) != 0) (void)connection.cancel(*third);
  for (int i = 0; i < 3; ++i) (void)connection.next_row(*second, 1000);
  const auto answer = connection.wait(*first);
  if (answer.ok()) {
    for (const Row& row : answer->rows) (void)row.id();
  }
  (void)connection.next_row(*third, 1000);
  while (connection.wait(*third).ok()) {
  }
  // The end of the input is the end of the connection.
  const auto after = connection.start({"/d/print", {}, {}}, 1000);
  if (after.ok() && connection.wait(*after).ok() && connection.wait(*after).ok()) __builtin_trap();
  return 0;
}
