// What `mikroscope doctor` says, as text and as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/agent_health.h"
#include "routeros/deploy/facts.h"
#include "routeros/deploy/finding.h"
#include "routeros/session/text.h"

namespace mikroscope::cli {

struct DoctorReport {
  std::string router;  // as it was given, or the file of facts
  const routeros::Facts* facts = nullptr;
  routeros::CodePage code_page = routeros::CodePage::cp1252;
  std::string about;  // whose options were checked, one line; empty: those given
  std::vector<std::pair<const routeros::Check*, routeros::Finding>> findings;
  std::optional<AgentHealth> health;
  std::string no_health;  // why there is none

  std::size_t count(routeros::Level level) const;
};

std::string report_text(const DoctorReport& report);
std::string report_json(const DoctorReport& report);

}  // namespace mikroscope::cli
