// The drawings of the report: tiles of nodes and queue usage over time.
#include <algorithm>
#include <set>

#include "drill/view.hpp"

namespace tidegate::drill {
namespace {

class SnapshotMeasure {
 public:
  SnapshotMeasure(const View& view, const std::vector<report::NodeRow>& nodes) : view_(view), nodes_(nodes) {
    for (const PodLife* pod : view_.victims) stoppedOwners_.insert(pod->owner);
  }

  std::vector<report::Snapshot> snapshots() const {
    std::vector<report::Snapshot> out;
    for (const Still& still : view_.played.stills()) {
      report::Snapshot shot{.title = still.title, .at = still.at - view_.played.burstAt()};
      for (const auto& [node, uids] : still.podsOnNode) shot.nodes.push_back(tileOf(node, uids));
      out.push_back(std::move(shot));
    }
    return out;
  }

 private:
  report::Occupant occupantOf(const PodLife& pod) const {
    const bool burst = std::ranges::find(view_.burst, &pod) != view_.burst.end();
    const auto tenant = burst                                ? report::Tenant::Burst
                        : view_.isOnline(pod)                ? report::Tenant::Online
                        : stoppedOwners_.contains(pod.owner) ? report::Tenant::Victim
                                                             : report::Tenant::Offline;
    return {.tenant = tenant, .name = pod.owner, .gpus = pod.gpus};
  }

  report::NodeTile tileOf(const std::string& node, const std::vector<std::string>& uids) const {
    report::NodeTile tile{.name = node};
    tile.handedOver = std::ranges::any_of(
        nodes_, [&](const report::NodeRow& row) { return row.name == node && row.foreignGpus == 0; });
    int used = 0;
    for (const std::string& uid : uids) {
      const auto pod = std::ranges::find(view_.pods, uid, &PodLife::uid);
      report::Occupant next = occupantOf(**pod);
      used += next.gpus;
      const auto same = std::ranges::find_if(tile.occupants, [&](const report::Occupant& it) {
        return it.tenant == next.tenant && it.name == next.name;
      });
      if (same == tile.occupants.end()) {
        tile.occupants.push_back(std::move(next));
      } else {
        same->gpus += next.gpus;
      }
    }
    if (used < view_.options.gpusPerNode)
      tile.occupants.push_back({.gpus = view_.options.gpusPerNode - used});
    return tile;
  }

  const View& view_;
  const std::vector<report::NodeRow>& nodes_;
  std::set<std::string> stoppedOwners_;
};

report::QueueSeries seriesOf(const View& view, const QueueRole& role, bool online) {
  report::QueueSeries out{
      .name = role.name, .guarantee = role.guarantee, .capability = role.capability, .online = online};
  int used = 0;
  for (const Recorder::UsageStep& step : view.played.recorder().usage()) {
    if (step.queue != role.name) continue;
    used += step.gpus;
    const Duration at = step.at - view.played.burstAt();
    if (!out.used.empty() && out.used.back().first == at) out.used.pop_back();
    out.used.emplace_back(at, used);
  }
  return out;
}

}  // namespace

std::vector<report::Snapshot> measureSnapshots(const View& view, const std::vector<report::NodeRow>& nodes) {
  return SnapshotMeasure(view, nodes).snapshots();
}

std::vector<report::QueueSeries> measureQueues(const View& view) {
  return {seriesOf(view, view.inputs.online, true), seriesOf(view, view.inputs.offline, false)};
}

}  // namespace tidegate::drill
