#include <algorithm>
#include <map>

#include "drill/view.hpp"

namespace tidegate::drill {
namespace {

class NodeMeasure {
 public:
  explicit NodeMeasure(const View& view) : view_(view) {}

  std::vector<report::NodeRow> rows() const {
    std::map<std::string, Pods> byNode;
    for (const PodLife* pod : view_.burst) {
      if (pod->bound && view_.during(*pod->bound)) byNode[pod->node].push_back(pod);
    }
    std::vector<report::NodeRow> out;
    for (const auto& [name, pods] : byNode) out.push_back(nodeRow(name, pods));
    return out;
  }

 private:
  // Pods that took idle GPUs of a node before anything on it was stopped were given nothing by a recall.
  report::NodeRow nodeRow(const std::string& name, const Pods& burst) const {
    report::NodeRow row{.name = name, .recalled = false, .burstGpus = gpusOf(burst)};
    addVictims(row);
    bool allReady = true;
    std::optional<Time> handedOver;
    for (const PodLife* pod : burst) {
      row.boundAt = std::max(row.boundAt, view_.since(pod->bound));
      row.readyAt = std::max(row.readyAt, view_.since(pod->ready));
      allReady = allReady && pod->ready;
      const bool given = !row.firstStop || *view_.since(pod->bound) > *row.firstStop;
      if (!given) continue;
      handedOver = handedOver ? std::min(handedOver, pod->bound) : pod->bound;
      row.givenGpus += row.firstStop ? pod->gpus : 0;
    }
    if (!allReady) row.readyAt.reset();
    row.recalled = row.givenGpus > 0;
    for (const PodLife* pod : view_.pods) {
      const bool foreign =
          pod->node == name && !view_.isOnline(*pod) && handedOver && pod->holdsAt(*handedOver);
      row.foreignGpus += foreign ? pod->gpus : 0;
    }
    return row;
  }

  void addVictims(report::NodeRow& row) const {
    bool allGone = true;
    for (const PodLife* pod : view_.victims) {
      if (pod->node != row.name) continue;
      const auto begun = view_.since(pod->terminating);
      row.firstStop = row.firstStop ? std::min(row.firstStop, begun) : begun;
      row.freeAt = std::max(row.freeAt, view_.since(pod->free));
      allGone = allGone && pod->free;
    }
    if (!allGone) row.freeAt.reset();
  }

  const View& view_;
};

}  // namespace

std::vector<report::NodeRow> measureNodes(const View& view) {
  return NodeMeasure(view).rows();
}

}  // namespace tidegate::drill
