// The RouterOS double (tests/routersim) as a program, and how the CLI reaches it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/support/program.h"

namespace mikroscope::test {

// Nothing outside its temporary directory is touched; it ends with this object.
class RouterDouble {
 public:
  // `flags` as its --help lists them: {"--ros", "7.24.2", "--preset", "home,tmpfs"}.
  explicit RouterDouble(std::vector<std::string> flags = {});
  RouterDouble(const RouterDouble&) = delete;
  RouterDouble& operator=(const RouterDouble&) = delete;

  // Why it does not run; "" when it does. Where it was not built, tests skip.
  const std::string& trouble() const { return trouble_; }
  int api_port() const { return api_port_; }
  // The answer to a line of its --control, without the "." at its end.
  std::string control(const std::string& line);

  // mikroscope VERB --router … over the plain API, with `more` behind it; a home of its own. All users have
  // the password "password".
  Exited run(std::string verb, std::vector<std::string> more = {}, const std::string& user = "admin");

 private:
  TempDir home_;
  std::string trouble_;
  int api_port_ = 0;
  std::size_t read_ = 0;  // of its output
  std::unique_ptr<Program> program_;
};

}  // namespace mikroscope::test
