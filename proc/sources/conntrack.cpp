// The number of tracked connections, at every tick: the nf_conntrack row of /proc/slabinfo, by a read that
// stops just behind it. The kernel generates slabinfo row by row for as long as the reader's buffer has room,
// and this row stands near the front, so that costs a twentieth of the whole file. (nf_conntrack_count is per
// network namespace: in a container it is 0.)

#include <errno.h>
#include <unistd.h>

#include "base/text.h"
#include "proc/sources/slab_table.h"
#include "proc/tables.h"

namespace mikroscope::proc {
namespace {

class ConntrackRow final : public Source {
 public:
  ReadStatus open(const Roots& roots, base::Arena&, base::ReadBuffer buffer) override {
    root_ = roots.proc;
    limit_.open(roots, buffer);
    const ReadStatus status = open_file(path().c_str(), buffer, base::kUntilZero, fd_);
    if (status != ReadStatus::ok) return status;
    std::uint64_t active = 0;
    return whole(buffer, active);
  }
  void bind(Layout& layout, State& state) override { slab_.bind(layout, state, kSlabSchema); }

  ReadStatus read(Tick& tick) override {
    std::uint64_t active = 0;
    if (!quick(tick.buffer, active)) {
      const ReadStatus status = whole(tick.buffer, active);
      if (status != ReadStatus::ok) return status;
    }
    key_ = slab_.intern(kConntrackCache, key_);
    if (!slab_.row(key_)) return ReadStatus::ok;
    slab_.set(kSlabActive, active);
    limit_.set(slab_, tick);
    return ReadStatus::ok;
  }

  void paths(void (*visit)(void*, std::string_view), void* context) const override {
    if (fd_) visit(context, path().view());
  }

 private:
  KernelPath path() const { return KernelPath(root_, "slabinfo"); }

  // Reads as far as the row's end of last time. Rows before it change their length now and then, so the row
  // is looked for, and must be there with its newline; otherwise false.
  bool quick(base::ReadBuffer buffer, std::uint64_t& active) {
    if (end_ == 0 || end_ > buffer.capacity) return false;
    std::size_t size = 0;
    while (size < end_) {
      const ssize_t got = pread(fd_.get(), buffer.data + size, end_ - size, static_cast<off_t>(size));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      size += static_cast<std::size_t>(got);
    }
    return find({buffer.data, size}, active);
  }

  ReadStatus whole(base::ReadBuffer buffer, std::uint64_t& active) {
    const base::ReadResult got = base::read_whole(fd_.get(), buffer, base::kUntilZero);
    if (got.error != base::ReadError::none) return ReadStatus::failed;
    if (find(got.text, active)) return ReadStatus::ok;
    end_ = 0;
    return ReadStatus::absent;  // connection tracking is not loaded
  }

  bool find(std::string_view text, std::uint64_t& active) {
    // Where it stood last time, else from the front.
    if (begin_ < text.size() && (begin_ == 0 || text[begin_ - 1] == '\n') && at(text, begin_, active))
      return true;
    for (std::size_t begin = 0; begin < text.size();) {
      if (at(text, begin, active)) return true;
      const std::size_t newline = text.find('\n', begin);
      if (newline == std::string_view::npos) return false;
      begin = newline + 1;
    }
    return false;
  }

  bool at(std::string_view text, std::size_t begin, std::uint64_t& active) {
    const std::string_view rest(text.data() + begin, text.size() - begin);
    if (!rest.starts_with(kConntrackCache)) return false;
    const std::size_t newline = rest.find('\n');
    if (newline == std::string_view::npos) return false;
    if (!parse_slab_row(rest.substr(0, newline), kConntrackCache, active)) return false;
    begin_ = begin;
    end_ = begin + newline + 1;
    return true;
  }

  std::string_view root_;
  base::Fd fd_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  ConntrackLimit limit_;
  KeyPart key_ = -1;
  TableWriter slab_;
};

}  // namespace

constinit const SourceDef kConntrackSource{
    "conntrack",   "the nf_conntrack row of /proc/slabinfo: tracked connections, at every tick",
    Group::memory, {},
    true,          make_source<ConntrackRow>,
};

}  // namespace mikroscope::proc
