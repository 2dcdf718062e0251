#include "model/measurement.h"

namespace mikroscope::model {

int Measurement::field(std::string_view wanted) const {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].name == wanted) return static_cast<int>(i);
  }
  return -1;
}

std::string store_name(const Measurement& measurement) {
  return "mikroscope_" + measurement.name;
}

}  // namespace mikroscope::model
