// Text on its way into an SVG: made legal, measured, cut.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mikroscope::plot {

// `text` as XML 1.0 may hold it: octets that are no UTF-8, control characters and bidirectional overrides
// become U+FFFD, line breaks and tabs a blank. Not escaped.
std::string clean_text(std::string_view text);
// Escapes & < > " ' of clean text.
std::string escape_xml(std::string_view text);

// Characters, a wide one (East Asian, emoji) counted as two and a combining mark as none.
std::size_t text_cells(std::string_view clean);
// Width in units at a font size of `px`: an estimate for the common sans-serif fonts, on the wide side, since
// the viewer's font is unknown and a label that is too narrow for its box is worse than one that is too wide.
double text_width(std::string_view clean, double px);

// At most `cells` cells; what is cut ends in an ellipsis, and never inside a character.
std::string cut_cells(std::string_view clean, std::size_t cells);
// At most `width` units wide at `px`; empty when not even one character and the ellipsis fit.
std::string cut_width(std::string_view clean, double width, double px);

}  // namespace mikroscope::plot
