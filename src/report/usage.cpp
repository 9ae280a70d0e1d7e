#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/parts.hpp"
#include "report/words.hpp"

namespace tidegate::report {
namespace {

constexpr double kWidth = 1000;  // of the drawing; it stretches to the page
constexpr double kHeight = 200;

// After this the recall would be too thin to see, and nothing but jobs that end one by one is left to tell.
constexpr Duration kLongestView = std::chrono::minutes(60);

// The window shown: from a little before the burst to the last change.
struct Window {
  Duration from{};
  Duration to{};
  int gpus = 1;

  double x(Duration t) const {
    return kWidth * std::clamp(toSeconds(t - from) / toSeconds(to - from), 0.0, 1.0);
  }
  double y(int used) const { return kHeight * (1 - static_cast<double>(used) / gpus); }
};

Window windowOf(const Report& report, const PolicyRun& run) {
  Window out{.from = Duration{}, .to = seconds(1), .gpus = std::max(1, report.gpusTotal)};
  for (const QueueSeries& queue : run.queues) {
    for (const auto& [at, used] : queue.used) {
      out.from = std::min(out.from, at);
      out.to = std::max(out.to, at);
    }
  }
  out.to = std::min(out.to, kLongestView);
  out.from = std::max(out.from, -out.to / 2);
  return out;
}

int usedAt(const QueueSeries& queue, Duration t) {
  int used = 0;
  for (const auto& [at, gpus] : queue.used) {
    if (at > t) break;
    used = gpus;
  }
  return used;
}

// Every time at which a series changes, within the window.
std::vector<Duration> changes(const PolicyRun& run, const Window& window) {
  std::set<Duration> times{window.from, window.to};
  for (const QueueSeries& queue : run.queues) {
    for (const auto& [at, used] : queue.used) {
      if (at > window.from && at < window.to) times.insert(at);
    }
  }
  return {times.begin(), times.end()};
}

// A stacked area of steps between the sums below and with this queue.
std::string areaPath(const std::vector<Duration>& times, const std::vector<int>& base,
                     const std::vector<int>& top, const Window& window) {
  std::string out = fmt::format("M{} {}", number(window.x(times.front())), number(window.y(top.front())));
  for (std::size_t i = 1; i < times.size(); ++i) {
    out += fmt::format("H{}", number(window.x(times[i])));
    if (top[i] != top[i - 1]) out += fmt::format("V{}", number(window.y(top[i])));
  }
  for (std::size_t i = times.size() - 1; i > 0; --i) {
    out += fmt::format("V{}H{}", number(window.y(base[i - 1])), number(window.x(times[i - 1])));
  }
  return out + "Z";
}

Duration tickOf(Duration span) {
  for (const int minutes : {1, 2, 5, 10, 15, 30, 60, 120, 240, 720, 1440}) {
    if (std::chrono::minutes(minutes) * 5 >= span) return std::chrono::minutes(minutes);
  }
  return span / 6;
}

std::string clockText(Duration t) {
  const auto minutes = t / std::chrono::minutes(1);
  if (minutes % 60 == 0 && minutes >= 60) return fmt::format("{} h", minutes / 60);
  return fmt::format("{} min", minutes);
}

void renderAxes(Markup& out, const Window& window) {
  out.open("div", {{"class", "u-y"}, {"aria-hidden", "true"}});
  for (int quarter = 4; quarter >= 0; --quarter)
    out.element("span", {}, std::to_string(window.gpus * quarter / 4));
  out.close();
  out.open("svg", {{"class", "u-x"}, {"aria-hidden", "true"}});
  const Duration tick = tickOf(window.to - window.from);
  for (Duration t = window.from / tick * tick; t <= window.to; t += tick) {
    if (t < window.from) continue;
    const double x = window.x(t) / kWidth * 100;
    const std::string_view anchor = x < 3 ? "start" : x > 97 ? "end" : "middle";
    out.element("text", {{"x", percent(x)}, {"y", "12"}, {"text-anchor", anchor}}, clockText(t));
  }
  out.close();
}

void renderAreas(Markup& out, const PolicyRun& run, const Window& window) {
  const std::vector<Duration> times = changes(run, window);
  std::vector<int> base(times.size(), 0);
  for (const QueueSeries& queue : run.queues) {
    std::vector<int> top = base;
    for (std::size_t i = 0; i < times.size(); ++i) top[i] += usedAt(queue, times[i]);
    out.leaf("path",
             {{"class", queue.online ? "f-online" : "f-offline"}, {"d", areaPath(times, base, top, window)}});
    base = std::move(top);
  }
}

void renderQueueFacts(Markup& out, const PolicyRun& run) {
  const auto limitText = [](const std::optional<int>& gpus, const char* none) {
    return gpus ? countText(*gpus, "GPU") : std::string{none};
  };
  out.open("ul", {{"class", "legend"}});
  for (const QueueSeries& queue : run.queues) {
    out.open("li").open("svg", {{"class", "swatch"}, {"aria-hidden", "true"}});
    out.leaf(
        "rect",
        {{"class", queue.online ? "f-online" : "f-offline"}, {"width", "12"}, {"height", "12"}, {"rx", "2"}});
    out.close().text(fmt::format("{}: guarantee {}, capability {}", queue.name,
                                 limitText(queue.guarantee, "none"), limitText(queue.capability, "none")));
    out.close();
  }
  out.close();
}

}  // namespace

void renderUsage(Markup& out, const Report& report, const PolicyRun& run) {
  if (run.queues.empty()) return;
  const Window window = windowOf(report, run);
  out.open("section").element("h2", {}, "GPUs used per queue");
  renderQueueFacts(out, run);
  out.open("div", {{"class", "usage"}});
  out.open("svg", {{"class", "u-plot"},
                   {"viewBox", fmt::format("0 0 {} {}", kWidth, kHeight)},
                   {"preserveAspectRatio", "none"},
                   {"role", "img"},
                   {"aria-label", "GPUs used per queue over time, stacked"}});
  for (int quarter = 0; quarter <= 4; ++quarter) {
    const std::string y = number(kHeight * quarter / 4);
    out.leaf("line", {{"class", "grid"}, {"x1", "0"}, {"x2", number(kWidth)}, {"y1", y}, {"y2", y}});
  }
  renderAreas(out, run, window);
  const std::string burst = number(window.x(Duration{}));
  out.leaf("line",
           {{"class", "deadline"}, {"x1", burst}, {"x2", burst}, {"y1", "0"}, {"y2", number(kHeight)}});
  out.close();
  renderAxes(out, window);
  out.close();
  out.element(
      "p", {{"class", "hint"}},
      "Stacked. The dashed line is the moment the burst is asked for; at most the hour after it is shown.");
  out.close().line();
}

}  // namespace tidegate::report
