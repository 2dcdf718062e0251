// The upper halves of the Windows code pages that WinBox wrote names and comments in.
#pragma once

#include "routeros/session/text.h"

namespace mikroscope::routeros {

// The character of an octet from 0x80 on; U+FFFD where the page has none.
char32_t character_of(CodePage page, unsigned char octet);

}  // namespace mikroscope::routeros
