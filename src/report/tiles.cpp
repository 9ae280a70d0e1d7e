#include <fmt/format.h>

#include "report/parts.hpp"
#include "report/words.hpp"

namespace tidegate::report {
namespace {

constexpr int kColumns = 4;  // cells in a row of a tile
constexpr int kCell = 12;
constexpr int kGap = 2;
constexpr int kMargin = 5;

std::string_view fillOf(Tenant tenant) {
  switch (tenant) {
    case Tenant::Idle:
      return "f-idle";
    case Tenant::Online:
      return "f-online";
    case Tenant::Burst:
      return "f-burst";
    case Tenant::Offline:
      return "f-offline";
    case Tenant::Victim:
      return "f-victim";
  }
  return "";
}

std::string storyOf(const NodeTile& node) {
  std::string out = node.name;
  for (const Occupant& occupant : node.occupants) {
    const std::string who = occupant.tenant == Tenant::Idle ? "idle" : occupant.name;
    out += fmt::format("\n{}: {}", who, countText(occupant.gpus, "GPU"));
  }
  return out;
}

void renderTile(Markup& out, const NodeTile& node, int gpus) {
  const int columns = std::min(gpus, kColumns);
  const int rows = (gpus + columns - 1) / columns;
  const int width = columns * (kCell + kGap) - kGap + 2 * kMargin;
  const int height = rows * (kCell + kGap) - kGap + 2 * kMargin;
  const std::string box = fmt::format("0 0 {} {}", width, height);
  out.open("figure", {{"class", node.handedOver ? "tile whole" : "tile"}});
  const std::string story = storyOf(node);
  out.open("svg", {{"viewBox", box}, {"role", "img"}, {"aria-label", story}}).element("title", {}, story);
  out.leaf("rect", {{"class", "frame"},
                    {"x", "1"},
                    {"y", "1"},
                    {"width", std::to_string(width - 2)},
                    {"height", std::to_string(height - 2)},
                    {"rx", "4"}});
  int cell = 0;
  for (const Occupant& occupant : node.occupants) {
    for (int i = 0; i < occupant.gpus; ++i, ++cell) {
      out.leaf("rect", {{"class", fillOf(occupant.tenant)},
                        {"x", std::to_string(kMargin + cell % columns * (kCell + kGap))},
                        {"y", std::to_string(kMargin + cell / columns * (kCell + kGap))},
                        {"width", std::to_string(kCell)},
                        {"height", std::to_string(kCell)},
                        {"rx", "2"}});
    }
  }
  out.close().element("figcaption", {}, node.name).close();
}

}  // namespace

void renderTiles(Markup& out, const Report& report, const PolicyRun& run) {
  if (run.snapshots.empty()) return;
  out.open("section").element("h2", {}, "The nodes");
  out.element(
      "p", {{"class", "hint"}},
      "One tile a node, one cell a GPU. Framed: a node handed to the burst free of anybody else's work.");
  renderLegend(out, {{"f-online", "online, before the burst"},
                     {"f-burst", "burst"},
                     {"f-offline", "offline, untouched"},
                     {"f-victim", "offline, recalled"},
                     {"f-idle", "idle"}});
  for (const Snapshot& snapshot : run.snapshots) {
    out.open("h3").text(snapshot.title);
    out.element("span", {{"class", "when"}}, durationText(snapshot.at)).close();
    out.open("div", {{"class", "tiles"}});
    for (const NodeTile& node : snapshot.nodes) renderTile(out, node, report.gpusPerNode);
    out.close().line();
  }
  out.close().line();
}

}  // namespace tidegate::report
