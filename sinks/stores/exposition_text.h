// The text formats that Prometheus scrapes: 0.0.4 and OpenMetrics 1.0.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sinks/stores/families.h"

namespace mikroscope::sinks {

enum class TextFormat : std::uint8_t { prometheus, openmetrics };

// The better one for a client that sends this header. Without a word of OpenMetrics it is the older one.
TextFormat format_for(std::string_view accept);
std::string_view content_type(TextFormat format);

// {host="router",cpu="0"}; empty without labels. Escapes are exactly \\ \" \n.
std::string label_text(const Labels& labels);

// What one scrape says. Families are written together, each with one HELP and one TYPE.
class TextFamilies {
 public:
  enum class Type : std::uint8_t { counter, gauge, histogram };

  // The first type of a name holds; what comes with another type gets a name of its own.
  void add(const std::string& family, Type type, std::string_view help, std::string_view labels,
           Number value);
  // counts: of each bucket alone, one more than `bounds`, the last for what is above them all.
  void add_histogram(const std::string& family, std::string_view help, const Labels& labels,
                     const std::vector<double>& bounds, const std::vector<std::uint64_t>& counts, double sum);
  std::string render(TextFormat format) const;

 private:
  struct Family {
    Type type = Type::gauge;
    std::string help;
    std::string lines;
  };
  std::map<std::string, Family> families_;
};

}  // namespace mikroscope::sinks
