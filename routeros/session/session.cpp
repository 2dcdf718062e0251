#include "routeros/session/session.h"

namespace mikroscope::routeros {

std::string_view via_name(Via via) {
  switch (via) {
    case Via::api_ssl:
      return "api-ssl";
    case Via::api:
      return "api";
    case Via::ssh:
      return "ssh";
  }
  return "?";
}

}  // namespace mikroscope::routeros
