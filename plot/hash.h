// SHA-256, whole or by pieces.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace mikroscope::plot {

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  void update(std::string_view bytes);
  std::string hex();  // once, at the end; lower-case

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

std::string sha256_hex(std::string_view bytes);

}  // namespace mikroscope::plot
