// Draws recordings as SVG: everything of `mikroscope plot` but the command line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/host/result.h"

namespace mikroscope::plot {

enum class Layout {
  automatic,  // dual for a data set (X.csv), panels for a recording
  panels,     // one panel below the other, all over the same time axis
  dual,       // total CPU and memory used in one figure with two y axes
};

enum class Theme {
  automatic,  // one file that follows the viewer's light or dark preference
  light,
  dark,
  both,  // two files, X-light.svg and X-dark.svg
};

// The words of --layout and --theme ("auto" is automatic); false: unknown word.
bool layout_from_name(std::string_view name, Layout& out);
bool theme_from_name(std::string_view name, Theme& out);

struct PlotOptions {
  // Prefixes of recordings, .jsonl files (also .jsonl.part and saved captures) or data sets (.csv).
  std::vector<std::string> inputs;
  // Panel names (all_panels() in plot/panel.h), in the order to draw; empty: every panel that has data.
  std::vector<std::string> panels;
  Layout layout = Layout::automatic;
  Theme theme = Theme::automatic;
  // Samples per drawn mean; 1 draws single samples, 0 chooses by the width of the figure (dual: at least 5).
  std::uint32_t smooth = 0;
  // Times or marker labels. A time is seconds after t0 (12.5, 12.5s, 1m30s, -3s), start, end, end-5s, an RFC
  // 3339 instant, or HH:MM:SS[.mmm] UTC. t0 itself counts from the first sample. Empty: the whole recording,
  // t0 its start.
  std::string from;
  std::string to;
  std::string t0;
  bool share_axes = false;   // the same x and y axes on the figures of all inputs
  std::uint32_t width = 0;   // of the view box; 0 or 640..4000
  std::uint32_t height = 0;  // panels are stretched to fill it; 0: as high as they need. dual takes neither.
  std::string title;         // empty: the input's name
  // Empty: <prefix>.svg beside each input. With several inputs there is one figure per input, so `out` is
  // refused there.
  std::string out;
  std::string
      background;  // file of from_s,to_s spans of a data set; empty: X-background.csv if there, "none": none
  bool check = false;   // compare with the files instead of writing them
  std::string version;  // of the tool, for the figure's metadata; empty: left out
};

struct FigureSummary {
  std::string input;               // the file that was read
  std::vector<std::string> files;  // written, or compared with --check
  std::uint64_t samples = 0;       // in the window
  std::uint64_t samples_outside = 0;
  std::uint64_t lines_skipped = 0;  // unreadable
  bool cut_last_line = false;  // the file ends inside a line (a run that was killed); not in lines_skipped
  std::uint64_t gaps = 0;
  std::uint64_t samples_lost = 0;  // in those gaps
  std::uint64_t restarts = 0;
  std::uint32_t markers_drawn = 0;  // folded ones count once
  std::uint32_t markers_outside = 0;
  std::uint32_t markers_folded = 0;        // beyond the first of each fold
  std::uint32_t markers_without_chip = 0;  // drawn as a rule, but there was no room for the label
  std::vector<std::string> panels;
  std::vector<std::string> panels_left_out;  // "temperature: no data"
  std::vector<std::string> notes;            // further things that a user should know, one sentence each
};

struct PlotSummary {
  std::vector<FigureSummary> figures;
  bool checked = false;  // --check: every file was as rendered

  // The lines that the command prints, without a final newline.
  std::string text() const;
};

// Errors: no such input (names the paths tried), no samples (Exit::no_data), unknown panel or marker label
// (Exit::usage), a file that cannot be written, and with `check` a stale file (names it and the first line
// that differs).
base::Result<PlotSummary> plot(const PlotOptions& options);

}  // namespace mikroscope::plot
