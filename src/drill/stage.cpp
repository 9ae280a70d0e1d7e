#include "drill/stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "drill/cluster.hpp"
#include "report/words.hpp"

namespace tidegate::drill {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

constexpr Duration kEarliestBurst =
    minutes(30);                          // the load comes within kFillTime; then the pool is left to settle
constexpr int kBurstWindowSeconds = 600;  // how long before the burst a job saved last differs by seed
constexpr Duration kResumeLimit = minutes(30);  // after the peak: for every stopped job to run again
constexpr Duration kEndLimit = hours(24);       // after the peak: for every stopped job to end
constexpr const char* kHoldFinalizer = "drill.tidegate.dev/hold";

BrainOptions brainOptions(const DrillOptions& options, const Inputs& inputs, scheduler::VictimPolicy policy) {
  BrainOptions out;
  out.policy = inputs.policy;
  out.policy.victims = policy;
  out.recallDeadline = options.recallDeadline;
  return out;
}

sim::SimOptions worldOptions(const DrillOptions& options) {
  sim::SimOptions out;
  out.seed = options.seed;
  return out;
}

int heldBy(const Recorder& recorder, const std::string& owner, Time t) {
  int gpus = 0;
  for (const PodLife* pod : recorder.pods()) {
    if (pod->owner == owner && pod->holdsAt(t)) gpus += pod->gpus;
  }
  return gpus;
}

// Owners of offline pods that were made to stop since the burst.
std::set<std::string> stoppedOwners(const Recorder& recorder, const std::string& online, Time since) {
  std::set<std::string> out;
  for (const PodLife* pod : recorder.pods()) {
    if (pod->queue != online && pod->bound && pod->terminating && *pod->terminating >= since)
      out.insert(pod->owner);
  }
  return out;
}

}  // namespace

Stage::Stage(const DrillOptions& options, const Inputs& inputs, scheduler::VictimPolicy policy)
    : options_(options),
      inputs_(inputs),
      brain_(std::make_unique<WatchedBrain>(brainOptions(options, inputs, policy))),
      world_(std::make_unique<sim::SimWorld>(worldOptions(options), brain_.get())),
      recorder_(std::make_unique<Recorder>(*world_)) {}

void Stage::setUp() {
  for (const api::Object& object : inputs_.setup) world_->createAt({}, object);
  for (api::Object& node : makeNodes(options_)) world_->createAt({}, std::move(node));
  for (api::Object& object : makeOnline(options_, inputs_.online.name))
    world_->createAt(seconds(1), std::move(object));
  // What a user's own files hold is created as kubectl would: a name that is taken already is left as it is.
  for (const Submission& job : scheduleLoad(inputs_.load, options_.timings, Rng(options_.seed).split(1))) {
    world_->at(seconds(10) + job.at,
               [object = job.object](sim::SimWorld& world) { world.api().create(object); });
  }
}

void Stage::takeStill(std::string title) {
  Still still{.title = std::move(title), .at = world_->now(), .podsOnNode = {}};
  for (const auto& node : world_->store().all<api::Node>()) still.podsOnNode[node->metadata.name];
  for (const PodLife* pod : recorder_->pods()) {
    if (pod->holdsAt(world_->now())) still.podsOnNode[pod->node].push_back(pod->uid);
  }
  stills_.push_back(std::move(still));
}

void Stage::burst() {
  holdVictims();
  burstAt_ = world_->now();
  if (options_.burst == BurstKind::Deployment) {
    const int replicas = onlineReplicas(options_) + options_.shape.pods;
    world_->api().modify<api::Deployment>(sim::keyOf(kOnlineNamespace, kOnlineDeployment), "",
                                          [replicas](api::Deployment& it) { it.spec.replicas = replicas; });
  }
  for (api::Object& object : makeBurst(options_, inputs_.online.name))
    world_->api().create(std::move(object));
}

// Some other controller's finalizer keeps the first pods that go.
void Stage::holdVictims() {
  auto left = std::make_shared<int>(options_.heldPods);
  world_->subscribe([this, left](const sim::Change& change) {
    const auto* pod = change.after ? std::get_if<api::Pod>(&*change.after) : nullptr;
    if (pod == nullptr || *left == 0 || !pod->metadata.deletionTimestamp || !pod->metadata.finalizers.empty())
      return;
    --*left;
    world_->at(world_->elapsed(), [key = sim::keyOf(pod->metadata)](sim::SimWorld& world) {
      world.api().modify<api::Pod>(key, "", [](api::Pod& it) { it.metadata.finalizers = {kHoldFinalizer}; });
    });
  });
}

void Stage::endPeak() {
  peakEndsAt_ = world_->now();
  if (options_.burst == BurstKind::Deployment) {
    const int replicas = onlineReplicas(options_);
    world_->api().modify<api::Deployment>(sim::keyOf(kOnlineNamespace, kOnlineDeployment), "",
                                          [replicas](api::Deployment& it) { it.spec.replicas = replicas; });
  }
  for (const api::Object& object : makeBurst(options_, inputs_.online.name)) {
    world_->api().remove(api::refOf(object));
  }
}

std::vector<Begun> Stage::begun() const {
  std::vector<Begun> out;
  for (const auto& planned : brain_->planned())
    out.push_back({.at = planned.at, .forcedBy = planned.decision.forcedBy});
  return out;
}

Suspension Stage::suspension(const std::string& owner) const {
  Suspension out;
  for (const sim::TraceEntry& entry : world_->trace().entries()) {
    if (entry.at < burstAt_ || entry.object != owner) continue;
    if (entry.kind == sim::TraceKind::JobSuspended && !out.from) out.from = entry.at;
    if (entry.kind == sim::TraceKind::JobResumed && out.from && !out.to) out.to = entry.at;
  }
  return out;
}

const sim::JobWork* Stage::work(const std::string& owner) const {
  const auto jobs = world_->work().jobs();
  const auto found = std::ranges::find(jobs, owner, &sim::JobWork::name);
  return found == jobs.end() ? nullptr : *found;
}

std::optional<int> Stage::minimumOf(const std::string& owner) const {
  const sim::JobWork* found = work(owner);
  return found == nullptr ? std::nullopt : std::optional<int>(found->minimum);
}

bool Stage::everyoneIsBack() const {
  std::set<std::string> done;
  for (const sim::JobWork* work : world_->work().jobs()) {
    if (work->finishedAt) done.insert(work->name);
  }
  std::set<std::string> endless;
  for (const PodLife* pod : recorder_->pods()) {
    if (pod->ownerKind == "Deployment" || pod->ownerKind == "Pod") endless.insert(pod->owner);
  }
  const auto isBack = [&](const std::string& owner) {
    const bool runsAgain = heldBy(*recorder_, owner, world_->now()) >= heldBy(*recorder_, owner, burstAt_);
    return done.contains(owner) || (endless.contains(owner) && runsAgain);
  };
  return std::ranges::all_of(stoppedOwners(*recorder_, inputs_.online.name, burstAt_), isBack);
}

void Stage::waitForTheWayBack() {
  const auto runsAgain = [this](const std::string& owner) {
    return heldBy(*recorder_, owner, world_->now()) > 0;
  };
  while (world_->now() < peakEndsAt_ + kResumeLimit) {
    runFor(seconds(5));
    const auto owners = stoppedOwners(*recorder_, inputs_.online.name, burstAt_);
    if (std::ranges::all_of(owners, runsAgain)) break;
  }
  takeStill("After the peak");
  while (!everyoneIsBack() && world_->now() < peakEndsAt_ + kEndLimit) runFor(minutes(1));
}

void Stage::play(const Progress& progress) {
  setUp();
  progress(fmt::format("filling {} nodes: online takes {} GPUs, offline borrows what is idle", options_.nodes,
                       options_.onlineGpus));
  Rng rng = Rng(options_.seed).split(2);
  world_->runUntil(kEarliestBurst + seconds(rng.below(kBurstWindowSeconds)));
  takeStill("Before the burst");
  progress(fmt::format("burst: {} GPUs as {}", options_.shape.gpus(), options_.shape.text()));
  burst();
  runFor(options_.limits.ready);
  waiting_ = brain_->waiting(kOnlineNamespace);
  runFor(std::max(Duration{}, options_.timings.peak - options_.limits.ready));
  takeStill("During the peak");
  progress("the peak is over: what was recalled may come back");
  endPeak();
  waitForTheWayBack();
  progress(fmt::format("after {} of virtual time the drill ends", report::durationText(world_->elapsed())));
}

}  // namespace tidegate::drill
