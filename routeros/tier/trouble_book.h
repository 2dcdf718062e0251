// What went wrong in the rounds of a tier: rows for stores, and lines for people, each thing said once.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "model/event_builder.h"

namespace mikroscope::routeros {

class TroubleBook {
 public:
  using Note = std::function<void(const std::string& line)>;
  explicit TroubleBook(Note note) : note_(std::move(note)) {}

  void begin_round() { now_.clear(); }
  // A command of this round failed: an error row, and a line when the round before was well.
  void failed(std::string_view command, std::string message);
  // Something that is the router's nature or its administrator's will, and no failure: said once for the life
  // of the tier.
  void once(std::string_view command, const std::string& message, const std::string& advice);
  // A line that is said whenever it comes.
  void say(const std::string& line) const;
  // True: the round had failures. Says so when it is the first one that is well again.
  bool end_round();

  std::uint64_t failed_commands() const { return failed_commands_; }
  // Rows of api_error. An event that says the same as the one before is a repetition.
  bool write(model::EventBuilder& out);

 private:
  using Messages = std::map<std::string, std::string, std::less<>>;

  Note note_;
  Messages now_;     // of this round, by command
  Messages before_;  // of the last event
  std::set<std::string> told_;
  std::uint64_t failed_commands_ = 0;
  std::uint64_t failed_rounds_ = 0;  // in a row
  bool failures_ = false;
};

}  // namespace mikroscope::routeros
