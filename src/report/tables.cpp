#include <fmt/format.h>

#include <algorithm>

#include "report/parts.hpp"
#include "report/words.hpp"

namespace tidegate::report {
namespace {

void renderHeads(Markup& out, std::initializer_list<std::string_view> names) {
  out.open("thead").open("tr");
  for (const std::string_view name : names) out.element("th", {{"scope", "col"}}, name);
  out.close().close().line();
}

std::string stateOf(const JobRow& job) {
  if (job.broken) return "broken";
  if (job.endedAt) return "ended";
  if (job.resumedAt) return "running";
  return job.shrunk ? "shrunk" : "suspended";
}

std::string resumeText(const JobRow& job) {
  if (job.shrunk && !job.resumedFromStep) return "kept running";
  return job.resumedFromStep ? fmt::format("step {}", *job.resumedFromStep) : "not yet";
}

void renderJob(Markup& out, const JobRow& job) {
  const std::string state = stateOf(job);
  const bool good = state == "ended";
  out.open("tr");
  out.open("th", {{"scope", "row"}}).text(job.name).element("small", {}, job.kind + " in " + job.queue);
  if (!job.note.empty()) out.element("small", {{"class", "cause"}}, job.note);
  out.close();
  const auto cell = [&out](std::string_view head, std::string_view text) {
    out.element("td", {{"data-head", head}}, text);
  };
  cell("GPUs", job.shrunk ? fmt::format("{} of {} pods", job.podsStopped, job.podsTotal)
                          : std::to_string(job.gpusStopped));
  cell("Saved", fmt::format("step {}", job.savedStep));
  cell("Work lost", workText(job.lostGpuSeconds));
  cell("Suspended", job.suspendedAt ? durationText(*job.suspendedAt) : "no");
  cell("Resumed", durationText(job.resumedAt));
  cell("Resumed from", resumeText(job));
  cell("Ended", durationText(job.endedAt));
  out.open("td", {{"data-head", "State"}});
  out.element("span", {{"class", good ? "chip pass" : "chip fail"}}, state).close();
  out.close().line();
}

struct Contrast {
  const char* name;
  std::string (*value)(const PolicyRun&);
  bool bad(const PolicyRun& run) const { return worse != nullptr && worse(run); }
  bool (*worse)(const PolicyRun&);
};

std::string when(const std::optional<Duration>& t) {
  return durationText(t);
}

const Contrast kContrasts[] = {
    {"First eviction", [](const PolicyRun& r) { return when(r.totals.firstEviction); }, nullptr},
    {"Last victim gone", [](const PolicyRun& r) { return when(r.totals.lastVictimGone); }, nullptr},
    {"Burst bound", [](const PolicyRun& r) { return when(r.totals.lastBound); }, nullptr},
    {"Burst ready", [](const PolicyRun& r) { return when(r.totals.lastReady); },
     [](const PolicyRun& r) { return !r.totals.lastReady; }},
    {"GPUs stopped", [](const PolicyRun& r) { return std::to_string(r.totals.gpusStopped); }, nullptr},
    {"… beyond the demand", [](const PolicyRun& r) { return std::to_string(r.totals.gpusBeyondDemand); },
     nullptr},
    {"Jobs stopped", [](const PolicyRun& r) { return std::to_string(r.totals.jobsStopped); }, nullptr},
    {"Gangs broken", [](const PolicyRun& r) { return std::to_string(r.totals.gangsBroken); },
     [](const PolicyRun& r) { return r.totals.gangsBroken > 0; }},
    {"Work lost", [](const PolicyRun& r) { return workText(r.totals.lostGpuSeconds); }, nullptr},
    {"Nodes of the burst", [](const PolicyRun& r) { return std::to_string(r.totals.nodesUsed); },
     [](const PolicyRun& r) { return r.totals.nodesUsed > r.totals.nodesWanted; }},
    {"… shared with offline work", [](const PolicyRun& r) { return std::to_string(r.totals.nodesShared); },
     [](const PolicyRun& r) { return r.totals.nodesShared > 0; }},
    {"Offline pods made in vain",
     [](const PolicyRun& r) { return std::to_string(r.totals.createdWhileSuspended); },
     [](const PolicyRun& r) { return r.totals.createdWhileSuspended > 0; }},
};

}  // namespace

void renderJobs(Markup& out, const PolicyRun& run) {
  if (run.jobs.empty()) return;
  out.open("section").element("h2", {}, "What it cost the offline jobs");
  out.open("table", {{"class", "jobs"}});
  renderHeads(
      out, {"Job", "GPUs", "Saved", "Work lost", "Suspended", "Resumed", "Resumed from", "Ended", "State"});
  out.open("tbody");
  for (const JobRow& job : run.jobs) renderJob(out, job);
  out.close().close();
  out.element("p", {{"class", "hint"}},
              "Work lost is what a job does again because it was recalled: the time since "
              "its last checkpoint times its GPUs.");
  out.close().line();
}

void renderComparison(Markup& out, const Report& report) {
  if (report.runs.size() < 2) return;
  out.open("section").element("h2", {}, "Against plain rules");
  out.open("div", {{"class", "scroll"}}).open("table", {{"class", "compare"}}).open("thead").open("tr");
  out.element("th", {{"scope", "col"}}, "");
  for (const PolicyRun& run : report.runs) {
    out.open("th", {{"scope", "col"}}).text(run.policy).element("small", {}, run.about).close();
  }
  out.close().close().line().open("tbody");
  for (const Contrast& contrast : kContrasts) {
    out.open("tr").element("th", {{"scope", "row"}}, contrast.name);
    for (const PolicyRun& run : report.runs) {
      out.element("td", {{"class", contrast.bad(run) ? "bad" : ""}}, contrast.value(run));
    }
    out.close().line();
  }
  out.open("tr").element("th", {{"scope", "row"}}, "Bars that hold");
  for (const PolicyRun& run : report.runs) {
    const auto held = std::ranges::count_if(run.bars, [](const Bar& bar) { return bar.holds(); });
    out.open("td").element("span", {{"class", run.holds() ? "chip pass" : "chip fail"}},
                           fmt::format("{} of {}", held, run.bars.size()));
    out.close();
  }
  out.close().close().close().close().close().line();
}

}  // namespace tidegate::report
