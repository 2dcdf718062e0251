#include "sinks/pipeline/sink.h"

namespace mikroscope::sinks {
namespace {

Delivery with(Delivery::Verdict verdict, std::string why) {
  Delivery delivery;
  delivery.verdict = verdict;
  delivery.why = std::move(why);
  return delivery;
}

}  // namespace

Delivery Delivery::retry(std::string why) {
  return with(Verdict::retry, std::move(why));
}
Delivery Delivery::reject(std::string why) {
  return with(Verdict::reject, std::move(why));
}
Delivery Delivery::split(std::string why) {
  return with(Verdict::split, std::move(why));
}
Delivery Delivery::fatal(std::string why) {
  return with(Verdict::fatal, std::move(why));
}

}  // namespace mikroscope::sinks
