#include "brain/pending_news.hpp"

#include "lifecycle/objects.hpp"

namespace tidegate {

namespace {

// The names that kubectl and Volcano's tools look for.
api::Condition condition(const std::string& reason, Time now) {
  return {.type = "Unschedulable",
          .status = reason.empty() ? "False" : "True",
          .reason = reason.empty() ? "Scheduled" : "NotEnoughResources",
          .message = reason,
          .lastTransitionTime = now};
}

struct News {
  api::ObjectRef target;
  std::string uid;
  std::string reason;
};

// One reason per gang: that of its first waiting pod.
std::map<std::string, News> newsOf(const ClusterState& state, const scheduler::Decisions& decisions) {
  std::map<std::string, News> news;
  for (const auto& pending : decisions.pending) {
    const PodInfo& pod = state.pod(pending.pod);
    const GangInfo& gang = state.gang(pod.gang);
    if (gang.exists) news.try_emplace(gang.uid, News{lifecycle::groupRef(gang), gang.uid, pending.reason});
  }
  return news;
}

}  // namespace

void PendingNews::tell(const ClusterState& state, const scheduler::Decisions& decisions, Outbox& outbox,
                       Time now) {
  const auto news = newsOf(state, decisions);
  auto send = [&](const News& item) {
    Patch patch = lifecycle::patchOf(item.target, item.uid);
    patch.condition = condition(item.reason, now);
    return outbox.send("pending/" + item.uid, std::move(patch), now);
  };
  for (const auto& [uid, item] : news) {
    auto told = told_.find(uid);
    if ((told == told_.end() || told->second != item.reason) && send(item)) told_[uid] = item.reason;
  }
  std::map<std::string, std::string> stillTold;
  for (const auto& [key, id] : state.gangIndex()) {
    const GangInfo& gang = state.gang(id);
    if (!told_.contains(gang.uid) || news.contains(gang.uid)) continue;
    if (!send({lifecycle::groupRef(gang), gang.uid, ""})) stillTold[gang.uid] = told_[gang.uid];
  }
  // What is gone needs no news.
  std::erase_if(told_, [&](const auto& told) { return !news.contains(told.first); });
  told_.merge(stillTold);
}

}  // namespace tidegate
