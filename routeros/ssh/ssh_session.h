// routeros::Session over SSH: the router's console, one command line for each request, and SFTP.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "routeros/ssh/connect.h"
#include "routeros/ssh/console_reply.h"
#include "routeros/ssh/console_request.h"
#include "routeros/ssh/link.h"

namespace mikroscope::routeros {

class SshSession final : public Session {
 public:
  // `link` is logged in.
  SshSession(std::unique_ptr<SshLink> link, const SshTarget& target);

  // Reads the router's version, which decides how rows are asked for. An error when the other end is no
  // RouterOS console, or is too old to be read.
  Lost learn_version();

  Answer<std::vector<Row>> print(const Print& print) override;
  Answer<std::string> add(const std::string& menu, const Attributes& attributes) override;
  Answer<void> set(const std::string& menu, const std::string& id, const Attributes& attributes) override;
  Answer<void> remove(const std::string& menu, const std::string& id) override;
  Answer<std::vector<Row>> call(const Call& call) override;

  bool can_upload() const override { return true; }
  Answer<void> upload(const std::string& name, std::string_view bytes, const Progress& progress) override;
  // The size that the router gave for the last upload over the same channel; nothing when it gave none.
  std::optional<std::uint64_t> uploaded_size() const { return uploaded_size_; }

  Via via() const override { return Via::ssh; }
  std::string router() const override;
  std::string host() const override { return host_; }
  std::string local_address() const override { return link_->local_address(); }
  void interrupt_on(int fd) override { link_->interrupt_on(fd); }

 private:
  std::string nonce();
  // Runs a line that requests_ made. The reply has ended and holds no complaint.
  Answer<ConsoleReply> run(const Answer<std::string>& line, const std::string& nonce,
                           const std::string& doing, std::int64_t timeout_ms);
  Answer<ConsoleReply> read_list(const Print& print);
  Answer<ConsoleReply> read_settings(const Print& print);
  Answer<ConsoleReply> read_menu(const Print& print);
  Trouble lose(LostConnection lost);

  std::unique_ptr<SshLink> link_;
  std::string host_;
  std::string user_;
  std::int64_t timeout_ms_;
  ConsoleRequests requests_;
  std::string nonce_base_;
  std::uint64_t lines_ = 0;
  std::set<std::string> settings_menus_;  // found out on the way
  std::optional<std::uint64_t> uploaded_size_;
  Lost lost_;  // why every further request fails
};

}  // namespace mikroscope::routeros
