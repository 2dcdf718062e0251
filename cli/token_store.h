// Tokens of installed agents on this workstation: one file for each router and installation, readable by its
// owner only.
#pragma once

#include <optional>
#include <string>

#include "base/host/result.h"

namespace mikroscope::cli {

class TokenStore {
 public:
  // `directory` as for tests; made when the first token is kept.
  explicit TokenStore(std::string directory) : directory_(std::move(directory)) {}
  // state_directory()/tokens.
  static TokenStore of_user();

  // `host` is the router's address or name as the session has it (Session::host()), `installation` its name.
  // Nothing where no token is kept. A file that others can read is refused (Exit::refused).
  base::Result<std::optional<std::string>> find(const std::string& host,
                                                const std::string& installation) const;
  // Replaces the file at once, or not at all.
  base::Result<void> keep(const std::string& host, const std::string& installation,
                          const std::string& token) const;
  // A token that is not there is fine.
  base::Result<void> forget(const std::string& host, const std::string& installation) const;

  std::string path(const std::string& host, const std::string& installation) const;

 private:
  std::string directory_;  // empty: no place is known
};

// The first line of a file that holds a secret. `flag` is what named it, for messages. Refused where a
// regular file is open to others.
base::Result<std::string> read_secret_file(const std::string& path, const std::string& flag);

}  // namespace mikroscope::cli
