#include "routeros/tier/link.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace mikroscope::routeros {

TierLink::TierLink(ApiTarget target)
    : interrupt_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), target_(std::move(target)) {
  target_.interrupt_fd = interrupt_.get();
}

TierLink::Dial TierLink::connect(std::int64_t now_ns) {
  if (connection_ != nullptr) return Dial::connected;
  if (interrupted() || waits(now_ns)) return Dial::waiting;
  base::Result<std::unique_ptr<ApiConnection>> made = connect_api_commands(target_);
  if (made.ok()) {
    next_dial_ns_ = now_ns + kRedialNs;
    connection_ = std::move(*made);
    ++connects_;
    return Dial::connected;
  }
  why_ = made.error();
  const bool refused =
      why_.exit == base::Exit::auth || why_.exit == base::Exit::refused || why_.exit == base::Exit::usage;
  next_dial_ns_ = now_ns + (refused ? kRefusedNs : kRedialNs);
  ++failed_dials_;
  return Dial::failed;
}

std::vector<Answer<ApiResult>> TierLink::run(const std::vector<ApiCommand>& commands) {
  std::vector<Answer<ApiResult>> answers;
  if (connection_ == nullptr) {
    answers.assign(commands.size(), Trouble(LostConnection{"not connected", ""}));
    return answers;
  }
  std::vector<Answer<ApiConnection::Tag>> tags;
  for (const ApiCommand& command : commands) tags.push_back(connection_->start(command, target_.timeout_ms));
  bool lost = false;
  for (const Answer<ApiConnection::Tag>& tag : tags) {
    Answer<ApiResult> answer = tag.ok() ? connection_->wait(*tag) : Answer<ApiResult>(tag.error());
    if (!answer.ok() && device_error(answer.error()) == nullptr) lost = true;
    if (answer.ok() && !answer->traps.empty()) {
      DeviceError refusal = std::move(answer->traps.front());
      answer = Trouble(std::move(refusal));
    }
    answers.push_back(std::move(answer));
  }
  if (lost) connection_.reset();
  return answers;
}

Answer<ApiResult> TierLink::run(const ApiCommand& command) {
  return std::move(run(std::vector<ApiCommand>{command}).front());
}

void TierLink::interrupt() {
  const std::uint64_t one = 1;
  (void)!::write(interrupt_.get(), &one, sizeof one);
}

bool TierLink::interrupted() const {
  pollfd fd{interrupt_.get(), POLLIN, 0};
  return ::poll(&fd, 1, 0) > 0;
}

}  // namespace mikroscope::routeros
