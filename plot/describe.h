// What a figure says in words: its subtitle, the note at each panel, the footer, the description for those
// who cannot see it, and the metadata.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plot/figure.h"

namespace mikroscope::plot {

// "600 samples, 10 Hz, 60 s, 4 cores"
std::string subtitle(const Figure& figure);
// "peak 45.1 % at 12.3 s, mean 30.6 %": of the series with the highest single sample.
std::string panel_note(const Figure& figure, const PanelData& panel);
// How lines and bands are to be read, gaps, panels left out, background spans; a sentence each.
std::vector<std::string> footnotes(const Figure& figure);
// "seconds since the recording started"
std::string time_caption(const Figure& figure, std::string_view unit);
// Text of <desc>.
std::string description(const Figure& figure);
// The <metadata> element.
std::string metadata(const Figure& figure);

// Digits after the point that times of this figure deserve.
int time_decimals(const Figure& figure);
std::string value_with_unit(double value, std::string_view unit);
// Lines of at most `width` units, broken at blanks.
std::vector<std::string> wrap(std::string_view text, double width, double px);

// What both layouts begin with: <svg>, <title>, <desc>, <metadata>, <style> and the background.
std::string document_head(const Figure& figure, Theme theme, double width, double height);

}  // namespace mikroscope::plot
