// The sections of the report page, one function each; page.cpp puts them in order.
#pragma once

#include "report/markup.hpp"
#include "report/model.hpp"

namespace tidegate::report {

// Verdict cards: each bar with its figures and limits; below a failed one the cause.
void renderBars(Markup& out, const PolicyRun& run);
// The critical path as one stacked line, with the figures.
void renderPhases(Markup& out, const PolicyRun& run);
// The recall per job and per node over time, against the two limits.
void renderGantt(Markup& out, const Report& report, const PolicyRun& run);
// The nodes before, during and after, one cell a GPU, nodes given whole to the burst framed.
void renderTiles(Markup& out, const Report& report, const PolicyRun& run);
// GPUs used per queue over the whole drill.
void renderUsage(Markup& out, const Report& report, const PolicyRun& run);
// What every stopped job lost, where it went on, and when it ended.
void renderJobs(Markup& out, const PolicyRun& run);
// All runs side by side; nothing when there is only one.
void renderComparison(Markup& out, const Report& report);

// The style sheet of the page.
extern const char* const kStyle;

// A legend entry: a swatch of the given fill class and its meaning.
void renderLegend(Markup& out, std::initializer_list<std::pair<std::string_view, std::string_view>> entries);

}  // namespace tidegate::report
