#include <fmt/format.h>

#include <algorithm>

#include "report/parts.hpp"
#include "report/words.hpp"

namespace tidegate::report {
namespace {

// Virtual time on the width of a track. Lengths are percentages, so a track stretches and its text does not.
class Scale {
 public:
  explicit Scale(Duration end) : end_(end) {}
  std::string at(Duration t) const { return percent(share(t)); }
  std::string span(Duration from, Duration to) const {
    return percent(std::max(0.0, share(to) - share(from)));
  }
  Duration end() const { return end_; }
  Duration tick() const {
    for (const int step : {1, 2, 5, 10, 30, 60, 120}) {
      if (seconds(step) * 8 >= end_) return seconds(step);
    }
    return std::chrono::ceil<seconds>(end_ / 8);
  }

 private:
  double share(Duration t) const { return 100 * std::clamp(toSeconds(t) / toSeconds(end_), 0.0, 1.0); }
  Duration end_;
};

struct Segment {
  std::string_view fill;
  Duration from;
  std::optional<Duration> to;  // unset: it never ended
  std::string_view meaning;
};

Scale scaleFor(const Report& report, const PolicyRun& run) {
  Duration end = report.readyLimit;
  const auto reach = [&end](const std::optional<Duration>& t) {
    end = std::max(end, t.value_or(Duration{}));
  };
  for (const JobRow& job : run.jobs) reach(job.releasedAt);
  for (const NodeRow& node : run.nodes) reach(node.readyAt);
  return Scale{end + end / 15};
}

void renderLimits(Markup& out, const Report& report, const Scale& scale) {
  for (const Duration limit : {report.recallLimit, report.readyLimit}) {
    const std::string x = scale.at(limit);
    out.leaf("line", {{"class", "deadline"}, {"x1", x}, {"x2", x}, {"y1", "0"}, {"y2", "100%"}});
  }
}

void renderAxis(Markup& out, const Report& report, const Scale& scale) {
  out.open("div", {{"class", "g-row g-axis"}}).element("div", {{"class", "g-label"}}, "");
  out.open("svg", {{"class", "g-track"}, {"aria-hidden", "true"}});
  for (Duration t{}; t <= scale.end(); t += scale.tick()) {
    const bool first = t == Duration{};
    out.element("text", {{"x", scale.at(t)}, {"y", "30"}, {"text-anchor", first ? "start" : "middle"}},
                fmt::format("{} s", t / seconds(1)));
  }
  const auto limit = [&](Duration at, const char* name) {
    out.element("text",
                {{"class", "deadline-name"}, {"x", scale.at(at)}, {"y", "12"}, {"text-anchor", "end"}},
                fmt::format("{} {}", name, limitText(at)));
  };
  limit(report.recallLimit, "recalled by");
  limit(report.readyLimit, "ready by");
  out.close().close().line();
}

void renderRow(Markup& out, const Report& report, const Scale& scale, const std::string& label,
               const std::string& detail, const std::vector<Segment>& segments) {
  std::string story = label + ":";
  out.open("div", {{"class", "g-row"}});
  out.open("div", {{"class", "g-label"}, {"title", label}})
      .element("b", {}, label)
      .element("span", {}, detail);
  out.close();
  for (const Segment& s : segments) {
    story += fmt::format(" {} {} to {};", s.meaning, durationText(s.from), durationText(s.to));
  }
  out.open("svg", {{"class", "g-track"}, {"role", "img"}, {"aria-label", story}});
  for (Duration t{}; t <= scale.end(); t += scale.tick()) {
    const std::string x = scale.at(t);
    out.leaf("line", {{"class", "grid"}, {"x1", x}, {"x2", x}, {"y1", "0"}, {"y2", "100%"}});
  }
  for (const Segment& s : segments) {
    const Duration to = s.to.value_or(scale.end());
    out.open("rect", {{"class", s.fill},
                      {"x", scale.at(s.from)},
                      {"width", scale.span(s.from, to)},
                      {"y", "5"},
                      {"height", "14"}});
    out.element("title", {},
                fmt::format("{}: {} to {}", s.meaning, durationText(s.from), durationText(s.to)));
    out.close();
  }
  renderLimits(out, report, scale);
  out.close().close().line();
}

std::vector<Segment> segmentsOf(const JobRow& job, Duration end) {
  std::vector<Segment> out;
  const Duration stopped = job.releasedAt.value_or(end);
  const Duration stopping = job.stoppingAt.value_or(stopped);
  const Duration signalled = job.signalledAt.value_or(stopping);
  const Duration saved = job.checkpointedAt.value_or(stopping);
  out.push_back({.fill = "f-victim", .from = Duration{}, .to = signalled, .meaning = "running"});
  if (saved > signalled) {
    out.push_back({.fill = "f-save", .from = signalled, .to = saved, .meaning = "saving its checkpoint"});
  }
  if (stopping > saved)
    out.push_back({.fill = "f-wait", .from = saved, .to = stopping, .meaning = "waiting"});
  out.push_back({.fill = job.releasedAt ? "f-stop" : "f-stuck",
                 .from = stopping,
                 .to = job.releasedAt,
                 .meaning = "stopping"});
  return out;
}

std::vector<Segment> segmentsOf(const NodeRow& node, Duration end) {
  std::vector<Segment> out;
  const Duration free = node.freeAt.value_or(node.recalled ? end : Duration{});
  if (node.recalled) {
    const Duration stop = node.firstStop.value_or(free);
    out.push_back({.fill = "f-victim", .from = Duration{}, .to = stop, .meaning = "offline work"});
    out.push_back(
        {.fill = node.freeAt ? "f-stop" : "f-stuck", .from = stop, .to = node.freeAt, .meaning = "stopping"});
  }
  if (!node.boundAt) return out;
  if (*node.boundAt > free)
    out.push_back({.fill = "f-idle", .from = free, .to = node.boundAt, .meaning = "free"});
  out.push_back({.fill = "f-start", .from = *node.boundAt, .to = node.readyAt, .meaning = "starting"});
  if (node.readyAt)
    out.push_back({.fill = "f-burst", .from = *node.readyAt, .to = end, .meaning = "serving"});
  return out;
}

std::string jobDetail(const JobRow& job) {
  const std::string pods = job.shrunk ? fmt::format("{} of {} pods", job.podsStopped, job.podsTotal)
                                      : countText(job.podsStopped, "pod");
  return fmt::format("{} · {} · {}", countText(job.gpusStopped, "GPU"), pods,
                     countText(static_cast<std::int64_t>(job.nodes.size()), "node"));
}

}  // namespace

void renderGantt(Markup& out, const Report& report, const PolicyRun& run) {
  const Scale scale = scaleFor(report, run);
  out.open("section").element("h2", {}, "The recall, second by second");
  renderLegend(out, {{"f-victim", "offline work"},
                     {"f-save", "saving its checkpoint"},
                     {"f-stop", "stopping"},
                     {"f-start", "burst starting"},
                     {"f-burst", "burst serving"}});
  out.open("div", {{"class", "gantt"}});
  renderAxis(out, report, scale);
  if (!run.jobs.empty()) out.element("h3", {}, "Jobs that give GPUs back");
  for (const JobRow& job : run.jobs) {
    renderRow(out, report, scale, job.name, jobDetail(job), segmentsOf(job, scale.end()));
  }
  if (!run.nodes.empty()) out.element("h3", {}, "Nodes handed over");
  for (const NodeRow& node : run.nodes) {
    const std::string detail = fmt::format("{} for the burst{}", countText(node.burstGpus, "GPU"),
                                           node.recalled ? "" : " · was idle");
    renderRow(out, report, scale, node.name, detail, segmentsOf(node, scale.end()));
  }
  out.close().close().line();
}

}  // namespace tidegate::report
