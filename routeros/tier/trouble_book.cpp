#include "routeros/tier/trouble_book.h"

#include <fmt/format.h>

#include "routeros/session/text.h"
#include "routeros/tier/measurements.h"

namespace mikroscope::routeros {

void TroubleBook::say(const std::string& line) const {
  if (note_) note_("api tier: " + line);
}

void TroubleBook::failed(std::string_view command, std::string message) {
  ++failed_commands_;
  failures_ = true;
  message = printable(message);
  if (failed_rounds_ == 0 && !now_.contains(command)) say(fmt::format("{}: {}", command, message));
  now_.try_emplace(std::string(command), std::move(message));
}

void TroubleBook::once(std::string_view command, const std::string& message, const std::string& advice) {
  const std::string text = printable(message);
  if (!told_.insert(fmt::format("{}: {}", command, text)).second) return;
  say(fmt::format("{}: {}{}{}", command, text, advice.empty() ? "" : "; ", advice));
  now_.try_emplace(std::string(command), text);
}

bool TroubleBook::end_round() {
  const bool failed = std::exchange(failures_, false);
  if (failed) {
    ++failed_rounds_;
  } else if (const std::uint64_t rounds = std::exchange(failed_rounds_, 0); rounds != 0) {
    say(fmt::format("recovered after {} failed round{}", rounds, rounds == 1 ? "" : "s"));
  }
  return failed;
}

bool TroubleBook::write(model::EventBuilder& out) {
  for (const auto& [command, message] : now_) out.row(api_error(), {command}).text("message", message);
  out.head().repeat = !now_.empty() && now_ == before_;
  before_ = now_;
  return !now_.empty();
}

}  // namespace mikroscope::routeros
