#include "routeros/ssh/sftp_upload.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "routeros/session/text.h"
#include "routeros/ssh/sftp_packets.h"

namespace mikroscope::routeros {
namespace {

constexpr std::size_t kChunk = 32768;  // more in one request some servers cut
constexpr std::size_t kInFlight = 8;   // requests that are not answered yet

class Upload {
 public:
  Upload(SshLink& link, SshChannel channel, std::string name, std::int64_t timeout_ms)
      : link_(link),
        channel_(std::move(channel)),
        name_(std::move(name)),
        doing_("the upload of " + name_),
        timeout_ms_(timeout_ms),
        wait_(within(timeout_ms, -1)) {}

  Answer<std::optional<std::uint64_t>> run(std::string_view bytes, const Progress& progress) {
    total_ = bytes.size();
    sftp::Reply reply;
    send(sftp::init_packet());
    if (auto trouble = receive(reply)) return *trouble;
    if (reply.type != sftp::Type::version) return Trouble(unexpected());

    send(sftp::open_for_writing(next_id_++, name_));
    if (auto trouble = receive(reply)) return *trouble;
    if (reply.type == sftp::Type::status) return Trouble(refused(reply));
    if (reply.type != sftp::Type::handle) return Trouble(unexpected());
    handle_ = reply.handle;

    if (auto trouble = write(bytes, progress)) return *trouble;

    send(sftp::close_packet(next_id_++, handle_));
    if (auto trouble = receive(reply)) return *trouble;
    if (reply.type != sftp::Type::status) return Trouble(unexpected());
    if (reply.status != sftp::Status::ok) return Trouble(refused(reply));

    send(sftp::stat_packet(next_id_++, name_));
    if (auto trouble = receive(reply)) return *trouble;
    return reply.type == sftp::Type::attrs ? reply.size : std::nullopt;
  }

 private:
  std::optional<Trouble> write(std::string_view bytes, const Progress& progress) {
    std::map<std::uint32_t, std::size_t> in_flight;  // id to octets
    std::size_t sent = 0;
    while (sent < bytes.size() || !in_flight.empty()) {
      while (sent < bytes.size() && in_flight.size() < kInFlight) {
        const std::string_view chunk = bytes.substr(sent, kChunk);
        in_flight.emplace(next_id_, chunk.size());
        send(sftp::write_packet(next_id_++, handle_, sent, chunk));
        sent += chunk.size();
      }
      sftp::Reply reply;
      if (auto trouble = receive(reply)) return trouble;
      const auto found = in_flight.find(reply.id);
      if (reply.type != sftp::Type::status || found == in_flight.end()) return Trouble(unexpected());
      if (reply.status != sftp::Status::ok) return Trouble(refused(reply));
      arrived_ += found->second;
      in_flight.erase(found);
      if (progress) progress(arrived_, total_);
    }
    return {};
  }

  void send(const std::string& packet) { out_ += packet; }

  // Sends what is due and waits for the next reply.
  std::optional<Trouble> receive(sftp::Reply& reply) {
    wait_ = within(timeout_ms_, -1);
    while (true) {
      if (auto trouble = flush()) return trouble;
      switch (sftp::take_reply(in_, reply)) {
        case sftp::Taken::reply:
          answered_ = true;
          return {};
        case sftp::Taken::bad:
          return Trouble(unexpected());
        case sftp::Taken::need_more:
          break;
      }
      const std::size_t had = in_.size();
      const auto more = channel_.read_some(in_, false, doing_);
      if (!more) return Trouble(more.error());
      if (in_.size() > had) continue;
      if (!*more) return Trouble(closed());
      if (Lost lost = link_.turn(wait_, doing_)) return Trouble(*lost);
    }
  }

  std::optional<Trouble> flush() {
    while (out_.size() > out_done_) {
      const auto taken = channel_.write_some(std::string_view(out_).substr(out_done_), doing_);
      if (!taken) return Trouble(taken.error());
      if (*taken == 0) return {};
      out_done_ += *taken;
    }
    out_.clear();
    out_done_ = 0;
    return {};
  }

  std::string progress_text() const { return fmt::format("after {} of {} octets", arrived_, total_); }

  DeviceError refused(const sftp::Reply& reply) const {
    const std::string words = printable(reply.message);
    switch (reply.status) {
      case sftp::Status::no_such_file:
        return {fmt::format("no such directory or disk for {}", name_), 0, doing_};
      case sftp::Status::permission_denied:
        return {fmt::format("not enough permissions to write {} (the account's group needs the policies ftp "
                            "and write)",
                            name_),
                -1, doing_};
      default:
        return {fmt::format("SFTP failed {}{}{}; is its disk full?", progress_text(),
                            words.empty() ? "" : ": ", words),
                -1, doing_};
    }
  }

  // The channel ended while the connection lives.
  Trouble closed() const {
    if (!answered_)
      return DeviceError{
          "not enough permissions for SFTP: the router closed it at once, as it does when the "
          "account's group lacks the policy ftp",
          -1, doing_};
    return DeviceError{fmt::format("the router ended the transfer {}", progress_text()), -1, doing_};
  }

  DeviceError unexpected() const {
    return {fmt::format("an answer that is no SFTP {}", progress_text()), -1, doing_};
  }

  SshLink& link_;
  SshChannel channel_;
  std::string name_;
  std::string doing_;
  std::int64_t timeout_ms_;
  Wait wait_;
  std::string handle_;
  std::string in_;
  std::string out_;
  std::size_t out_done_ = 0;
  std::uint32_t next_id_ = 1;
  std::uint64_t arrived_ = 0;
  std::uint64_t total_ = 0;
  bool answered_ = false;
};

}  // namespace

bool is_upload_name(std::string_view name) {
  if (name.empty() || name.size() > 200 || name.front() == '/' || name.back() == '/') return false;
  const bool known = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-' || c == '/';
  });
  return known && name.find("..") == std::string_view::npos && name.find("//") == std::string_view::npos;
}

Answer<std::optional<std::uint64_t>> sftp_upload(SshLink& link, const std::string& name,
                                                 std::string_view bytes, const Progress& progress,
                                                 std::int64_t timeout_ms) {
  const std::string doing = "the upload of " + name;
  if (!is_upload_name(name))
    return Trouble(DeviceError{fmt::format("not a name for a file on a router: \"{}\" (a relative path of "
                                           "letters, digits, '.', '_', '-' and '/')",
                                           printable(name)),
                               1, "the upload"});
  const Wait wait = within(timeout_ms, -1);
  base::Result<SshChannel, LostConnection> channel = SshChannel::open(link, wait, doing);
  if (!channel) return Trouble(channel.error());
  const auto accepted = channel->subsystem("sftp", wait, doing);
  if (!accepted) return Trouble(accepted.error());
  if (!*accepted)
    return Trouble(
        DeviceError{"not enough permissions for SFTP: the router refused it, as it does when the "
                    "account's group lacks the policy ftp",
                    -1, doing});
  return Upload(link, std::move(*channel), name, timeout_ms).run(bytes, progress);
}

}  // namespace mikroscope::routeros
