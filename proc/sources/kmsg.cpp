// /dev/kmsg: the kernel's log, from the moment it is opened. Each read gives one record; records carry
// sequence numbers, so what the kernel overwrote before it was read is counted exactly. The time of a record
// is the kernel's own log clock: microseconds since boot that do not count time asleep and drift a little
// from CLOCK_BOOTTIME. Emits
// {"log":{"level":,"facility":,"record":,"boot_ns":,"message":,"interface":,"kind":}}, the last two only
// where an interface is named.

#include <errno.h>
#include <unistd.h>

#include "base/format.h"
#include "base/text.h"
#include "proc/file_source.h"
#include "proc/self_columns.h"
#include "proc/sources/kmsg_record.h"
#include "proc/tables.h"

namespace mikroscope::proc {
namespace {

constexpr int kRecordsPerTick = 64;    // the rest waits in the kernel for the next tick
constexpr std::size_t kRecord = 8192;  // longest record the kernel hands out
constexpr std::size_t kLine = 7168;    // a message of 1 KB, each byte escaped, and the rest of the line

class Kmsg final : public Source {
 public:
  ReadStatus open(const Roots& roots, base::Arena&, base::ReadBuffer) override {
    if (roots.kmsg.size() >= sizeof path_) return ReadStatus::failed;
    roots.kmsg.copy(path_, roots.kmsg.size());
    path_[roots.kmsg.size()] = '\0';
    base::Fd fd = base::open_read(path_);
    if (!fd) return status_of_errno(errno);
    lseek(fd.get(), 0, SEEK_END);  // not the backlog of the boot; a pipe has no such thing
    fd_ = static_cast<base::Fd&&>(fd);
    started_ = false;
    return ReadStatus::ok;
  }
  void bind(Layout& layout, State& state) override { self_.bind(layout, state, kSelfSchema); }

  ReadStatus read(Tick& tick) override {
    ReadStatus status = ReadStatus::ok;
    for (int i = 0; i < kRecordsPerTick; ++i) {
      const std::size_t room = tick.buffer.capacity < kRecord ? tick.buffer.capacity : kRecord;
      const ssize_t got = ::read(fd_.get(), tick.buffer.data, room);
      if (got > 0) {
        records({tick.buffer.data, static_cast<std::size_t>(got)}, tick);
        continue;
      }
      // EPIPE: records were overwritten, the next read gives the oldest left. EINVAL: one did not fit and was
      // skipped. Both show as a jump of the sequence numbers.
      if (got < 0 && (errno == EPIPE || errno == EINTR || errno == EINVAL)) continue;
      if (got < 0 && errno != EAGAIN) status = is_gone(errno) ? ReadStatus::absent : ReadStatus::failed;
      break;
    }
    self_.single();
    self_.set(kSelfKmsgDropped, dropped_);
    return status;
  }

  void paths(void (*visit)(void*, std::string_view), void* context) const override {
    if (fd_) visit(context, path_);
  }

 private:
  // The kernel gives one record; a file that stands in for it may give several.
  void records(base::ReadBuffer chunk, Tick& tick) {
    base::Scanner s(std::string_view(chunk.data, chunk.capacity));
    while (!s.done()) {
      const std::string_view line = s.line();
      if (line.empty() || line.front() == ' ') continue;  // a property of the record before it
      KmsgRecord record;
      if (!parse_kmsg(line, record)) continue;  // shows as a jump with the next record
      if (started_ && record.seq > next_seq_) dropped_ += record.seq - next_seq_;
      started_ = true;
      next_seq_ = record.seq + 1;
      char* const text = chunk.data + (record.message.data() - chunk.data);
      record.message = {text, unescape_kmsg(text, record.message.size())};
      if (tick.events != nullptr) emit(record, *tick.events);
    }
  }

  void emit(const KmsgRecord& record, EventSink& events) {
    char line[kLine];
    base::Writer out(line, sizeof line);
    // "record", not "seq": pullers look for that to find their cursor.
    out.print("{\"log\":{\"level\":%u,\"facility\":%u,\"record\":%u,\"boot_ns\":%u,\"message\":%j",
              record.level, record.facility, record.seq, record.boot_us * 1000, record.message);
    const KmsgMeaning meaning = classify_kmsg(record.message);
    if (!meaning.interface.empty()) {
      out.print(",\"interface\":%j,\"kind\":%j", meaning.interface, meaning.kind);
    }
    out.put("}}");
    if (out.overflow()) {
      ++dropped_;
    } else {
      events.event(out.view());
    }
  }

  base::Fd fd_;
  char path_[kMaxPath] = {};
  bool started_ = false;
  std::uint64_t next_seq_ = 0;
  std::uint64_t dropped_ = 0;
  TableWriter self_;
};

}  // namespace

constinit const SourceDef kKmsgSource{
    "kmsg", "/dev/kmsg: records of the kernel's log, as events", Group::devices, {}, true, make_source<Kmsg>,
};

}  // namespace mikroscope::proc
