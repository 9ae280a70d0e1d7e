#include "drill/judge.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.hpp"
#include "drill/causes.hpp"
#include "report/words.hpp"

namespace tidegate::drill {
namespace {

using report::Bar;
using report::Check;
using report::durationText;

constexpr Duration kHandOverLimit = milliseconds(500);

Check timeCheck(std::string id, std::string what, const std::optional<Duration>& measured, Duration limit) {
  return {.id = std::move(id),
          .what = std::move(what),
          .measured = durationText(measured),
          .limit = "at most " + report::limitText(limit),
          .share = measured ? toSeconds(*measured) / toSeconds(limit) : 1.0,
          .holds = measured && *measured <= limit};
}

// Holds if `measured` is at most `limit`.
Check countCheck(std::string id, std::string what, int measured, int limit) {
  return {.id = std::move(id),
          .what = std::move(what),
          .measured = std::to_string(measured),
          .limit = limit == 0 ? "none" : fmt::format("at most {}", limit),
          .holds = measured <= limit};
}

// Holds if all of them are counted.
Check allCheck(std::string id, std::string what, std::size_t measured, std::size_t all) {
  return {.id = std::move(id),
          .what = std::move(what),
          .measured = fmt::format("{} of {}", measured, all),
          .limit = "all",
          .holds = measured == all};
}

Check because(Check check, const std::string& cause) {
  if (!check.holds) check.cause = cause;
  return check;
}

class Judge {
 public:
  Judge(const DrillOptions& options, const Inputs& inputs, const Played& played, const Measured& measured)
      : options_(options),
        inputs_(inputs),
        played_(played),
        measured_(measured),
        totals_(measured.run.totals) {}

  Bar latency() const {
    Check recall =
        timeCheck("recall", "Offline evicted, its GPUs free", totals_.lastVictimGone, options_.limits.recall);
    if (measured_.victims.empty() && totals_.lastBound) {
      recall.holds = true;
      recall.measured = "nothing to evict";
      recall.share.reset();
    }
    const Check ready =
        timeCheck("ready", "Every pod of the burst Ready", totals_.lastReady, options_.limits.ready);
    const std::string late =
        measured_.victims.empty() ? causeOfWaiting(inputs_, played_) : causeOfLateRecall(played_, measured_);
    const std::string slow = causeOfLateReady(inputs_, played_, measured_);
    return {.id = "latency",
            .title = fmt::format("Recalled in {}, ready in {}", report::limitText(options_.limits.recall),
                                 report::limitText(options_.limits.ready)),
            .checks = {because(recall, late), because(handOver(), slow), because(ready, slow)}};
  }

  // From the last victim gone to the last pod of the burst bound.
  Check handOver() const {
    std::optional<Duration> taken;
    if (totals_.lastBound) {
      taken = std::max(Duration{}, *totals_.lastBound - totals_.lastVictimGone.value_or(*totals_.lastBound));
    }
    return timeCheck("handover", "Burst bound once they are free", taken, kHandOverLimit);
  }

  Bar topology() const {
    int foreign = 0;
    int recalled = 0;
    int delivered = 0;
    int placed = 0;
    std::vector<std::string> shared;
    for (const report::NodeRow& node : measured_.run.nodes) {
      placed += node.burstGpus;
      if (!node.recalled) continue;
      ++recalled;
      delivered += node.givenGpus;
      foreign += node.foreignGpus;
      if (node.foreignGpus > 0) shared.push_back(node.name);
    }
    const int enough = (delivered + options_.gpusPerNode - 1) / options_.gpusPerNode;
    Check all = allCheck("placed", "GPUs of the burst placed", static_cast<std::size_t>(placed),
                         static_cast<std::size_t>(totals_.gpusWanted));
    return {.id = "topology",
            .title = "Whole nodes, whole gangs",
            .checks = {
                because(all, causeOfWaiting(inputs_, played_)),
                because(countCheck("foreign", "Foreign GPUs on recalled nodes", foreign, 0),
                        "offline work stays beside the burst on " + listText(shared, 4)),
                because(countCheck("packed", "Nodes recalled", recalled, enough),
                        fmt::format("{} GPUs would fit on {}", delivered, report::countText(enough, "node"))),
                because(countCheck("gangs", "Gangs broken", totals_.gangsBroken, 0),
                        "fewer pods than a gang needs were left of " + listText(brokenGangs(), 4)),
                beyond()}};
  }

  Bar resume() const {
    std::vector<std::string> running;
    for (const report::JobRow& job : measured_.run.jobs) {
      if (!job.shrunk && !job.suspendedAt) running.push_back(job.name);
    }
    const std::size_t jobs = measured_.run.jobs.size();
    Bar bar{.id = "resume",
            .title = played_.knowsWork() ? "Suspended, then resumed from the checkpoint"
                                         : "Suspended, then running again",
            .checks = {
                because(allCheck("suspended", "Stopped jobs suspended", jobs - running.size(), jobs),
                        "left to their owners' retries: " + listText(running, 4)),
                because(countCheck("storm", "Offline pods made meanwhile", totals_.createdWhileSuspended, 0),
                        "owners kept making pods for jobs that could not run"),
                because(countCheck("vain", "Pods evicted in vain", totals_.evictedInVain, 0),
                        "no pod of the burst came to stand on their nodes")}};
    addWayBack(bar.checks);
    return bar;
  }

 private:
  void addWayBack(std::vector<Check>& checks) const {
    std::vector<std::string> away;
    std::vector<std::string> unfinished;
    for (const report::JobRow& job : measured_.run.jobs) {
      if (!isBack(job)) away.push_back(job.name);
      if (!job.endedAt && !endless(job)) unfinished.push_back(job.name);
    }
    const std::size_t jobs = measured_.run.jobs.size();
    if (!played_.knowsWork()) {
      checks.push_back(because(allCheck("resumed", "Running again after the peak", jobs - away.size(), jobs),
                               jobsText("not running again", away)));
      return;
    }
    checks.push_back(because(allCheck("resumed", "Resumed from their last save", jobs - away.size(), jobs),
                             jobsText("not resumed, or from another step", away)));
    checks.push_back(because(allCheck("ended", "Ended after the peak", jobs - unfinished.size(), jobs),
                             jobsText("not ended", unfinished)));
  }

  Check beyond() const {
    Check check = countCheck("beyond", "GPUs evicted beyond the demand", totals_.gpusBeyondDemand,
                             options_.gpusPerNode);
    const std::string gang = forcedBy();
    if (!check.holds && !gang.empty()) {
      check.holds = true;
      check.limit = fmt::format("more, for gang {} stops whole", gang);
    }
    return because(check, "no gang forces it");
  }

  // What these jobs failed to do, and, where a pod of theirs is stuck, why.
  std::string jobsText(const char* what, const std::vector<std::string>& jobs) const {
    const std::string stuck = causeOfStaying(played_, measured_, jobs);
    return fmt::format("{}: {}{}{}", what, listText(jobs, 4), stuck.empty() ? "" : "; ", stuck);
  }

  std::string forcedBy() const {
    for (const auto& planned : played_.begun()) {
      if (planned.at >= played_.burstAt() && !planned.forcedBy.empty()) return planned.forcedBy;
    }
    return "";
  }

  std::vector<std::string> brokenGangs() const {
    std::vector<std::string> out;
    for (const report::JobRow& job : measured_.run.jobs) {
      if (job.broken) out.push_back(job.name);
    }
    return out;
  }

  // Services and notebooks have no end to reach.
  static bool endless(const report::JobRow& job) { return job.kind == "Deployment" || job.kind == "Pod"; }

  bool isBack(const report::JobRow& job) const {
    if (job.shrunk) return true;
    if (endless(job) || !played_.knowsWork()) return job.resumedAt.has_value();
    return job.resumedAt && job.resumedFromStep && *job.resumedFromStep == job.savedStep;
  }

  const DrillOptions& options_;
  const Inputs& inputs_;
  const Played& played_;
  const Measured& measured_;
  const report::Totals& totals_;
};

}  // namespace

std::vector<Bar> judge(const DrillOptions& options, const Inputs& inputs, const Played& played,
                       const Measured& measured) {
  const Judge judge(options, inputs, played, measured);
  return {judge.latency(), judge.topology(), judge.resume()};
}

std::vector<std::string> notesOn(const DrillOptions& options, const Played& played,
                                 const Measured& measured) {
  std::vector<std::string> out;
  const report::Totals& totals = measured.run.totals;
  if (totals.planCost && totals.lowerBound && *totals.planCost > 0) {
    const double gap = (*totals.planCost - *totals.lowerBound) / *totals.planCost;
    out.push_back(
        gap < 1e-9
            ? "The plan is proven to be the cheapest there is."
            : fmt::format("The plan costs at most {:.2f}% more than the cheapest there can be.", 100 * gap));
  }
  for (const auto& planned : played.begun()) {
    if (planned.at < played.burstAt() || planned.forcedBy.empty()) continue;
    out.push_back(fmt::format("Gang {} stops whole, which makes {} stop beyond the demand.", planned.forcedBy,
                              report::countText(totals.gpusBeyondDemand, "GPU")));
    break;
  }
  for (const report::JobRow& job : measured.run.jobs) {
    if (job.note.empty()) continue;
    out.push_back(fmt::format("{} lost {}: {}.", job.name, report::workText(job.lostGpuSeconds), job.note));
  }
  if (totals.lastReady && *totals.lastReady > options.limits.ready) {
    out.push_back(
        "A peak that comes faster than this needs headroom, warm replicas, or to be announced ahead.");
  }
  return out;
}

}  // namespace tidegate::drill
