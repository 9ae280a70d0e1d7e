#include "drill/live/script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/text.hpp"
#include "drill/cluster.hpp"
#include "drill/live/rights.hpp"
#include "drill/load.hpp"
#include "report/words.hpp"

namespace tidegate::drill::live {
namespace {

constexpr Duration kSyncLimit = seconds(30);
constexpr Duration kFirstBindLimit = seconds(30);
constexpr Duration kOnlineLimit = seconds(300);  // images may have to be pulled
constexpr Duration kFillLimit = seconds(300);
constexpr Duration kQuiet = seconds(5);
constexpr Duration kResumeLimit = seconds(600);

std::string joined(const std::vector<std::string>& items) {
  return listText(items, 10);
}

}  // namespace

Script::Script(Stage stage, LiveOptions& options, const Inputs& inputs)
    : at_(stage), options_(options), inputs_(inputs) {
  outfit_.namespace_ = "tidegate-drill-" + options.id;
  outfit_.id = options.id;
  outfit_.image = options.image;
  outfit_.stop = options.drill.timings.stop;
  at_.mirror.subscribe([this](const sim::Change& change) {
    const auto* pod = std::get_if<api::Pod>(&change.object());
    if (pod != nullptr && pod->metadata.namespace_ == outfit_.namespace_) lastChange_ = at_.waiter.now();
  });
}

// ---- checks ----

std::expected<Ok, std::vector<std::string>> Script::prepare() {
  const auto one = [](std::string text) { return std::unexpected(std::vector{std::move(text)}); };
  const auto selector = selectorOf(options_.poolLabel);
  if (!selector) return one(selector.error().text());
  if (std::vector<std::string> refused = checkAccess(); !refused.empty())
    return std::unexpected(std::move(refused));
  at_.mirror.start();
  const auto known = [&] { return at_.mirror.synced() || !at_.mirror.refused().empty(); };
  at_.waiter.until(known, kSyncLimit);
  if (!at_.waiter.interrupted().empty()) return one("interrupted");
  if (const auto refused = at_.mirror.refused(); !refused.empty())
    return one(fmt::format("may not list {} (deploy/rbac has a role for drills)", joined(refused)));
  if (!at_.mirror.synced()) return one("the server does not list " + joined(at_.mirror.unanswered()));
  std::vector<std::string> absent = at_.mirror.absent();
  std::erase(absent, "recalls.tidegate.dev");  // other schedulers keep none
  if (!absent.empty())
    return one(fmt::format("the server has no {} (deploy/crds has their definitions)", joined(absent)));
  std::vector<std::string> against = objections(options_, inputs_, at_.mirror.store());
  if (!against.empty()) return std::unexpected(std::move(against));

  Pool pool = poolOf(at_.mirror.store(), options_.poolLabel);
  options_.drill.nodes = static_cast<int>(pool.nodes.size());
  options_.drill.gpusPerNode = pool.gpusPerNode;
  outfit_.nodeSelector = *selector;
  outfit_.savesCheckpoints = pool.simulated || options_.drill.timings.checkpoint;
  at_.record.begin(std::move(pool));
  return Ok{};
}

std::vector<std::string> Script::checkAccess() {
  const auto answer = at_.writer.ask("/version");
  if (!answer) return {"the API server cannot be reached: " + answer.error().message};
  if (answer->status == 401)
    return {fmt::format("the API server does not know this user: {} (token or certificate of {})",
                        saidBy(*answer), options_.kubeconfig)};
  // Who may not see the version (403) may still be allowed all else.
  if (!answer->ok() && answer->status != 403)
    return {"the API server does not work: asking for /version: " + saidBy(*answer)};
  const auto missing = missingRights(at_.writer, rightsNeeded(options_), outfit_.namespace_);
  if (!missing && !at_.waiter.interrupted().empty()) return {"interrupted"};
  // A server that does not say: the first refusal will.
  return missing ? explainMissing(*missing) : std::vector<std::string>{};
}

// ---- the drill ----

Result<Ok> Script::play(const Progress& progress) {
  TIDEGATE_TRY(Ok ok, setUp(progress));
  TIDEGATE_TRY(ok, fill(progress));
  TIDEGATE_TRY(ok, burst(progress));
  TIDEGATE_TRY(ok, endPeak(progress));
  return waitForTheWayBack(progress);
}

Result<Ok> Script::wait(const std::function<bool()>& condition, Duration limit,
                        const std::string& otherwise) {
  if (at_.waiter.until(condition, limit)) return Ok{};
  if (!at_.waiter.interrupted().empty()) return fail("interrupted by " + at_.waiter.interrupted());
  return fail(otherwise);
}

Result<Ok> Script::create(std::vector<api::Object> objects) {
  objects = dress(std::move(objects), outfit_);
  for (const api::Object& object : objects) {
    if (api::metadataOf(object).namespace_.empty()) clusterWide_.push_back(api::refOf(object));
  }
  return at_.writer.create(objects);
}

std::vector<const PodLife*> Script::ownPods() const {
  auto out = at_.record.recorder().pods();
  std::erase_if(out, [&](const PodLife* pod) { return !pod->key.starts_with(outfit_.namespace_ + "/"); });
  return out;
}

// The jobs of the load, with their times, as they are created one after another in the simulated drill. With
// victims of the cluster's own only what the user asks for is added to them.
std::vector<api::Object> Script::load() const {
  const bool asked = !options_.drill.offlineFile.empty() || !options_.drill.loadFile.empty();
  std::vector<api::Object> out;
  if (options_.liveVictims && !asked) return out;
  for (Submission& each :
       scheduleLoad(inputs_.load, options_.drill.timings, Rng(options_.drill.seed).split(1)))
    out.push_back(std::move(each.object));
  return out;
}

Result<Ok> Script::setUp(const Progress& progress) {
  std::vector<api::Object> setup = inputs_.setup;
  if (options_.liveVictims) {
    std::erase_if(setup, [](const api::Object& it) { return std::holds_alternative<api::Queue>(it); });
  }
  std::vector<api::Object> online = makeOnline(options_.drill, inputs_.online.name);
  const std::vector<api::Object> offline = load();
  for (const std::vector<api::Object>* part : {&std::as_const(setup), &std::as_const(online), &offline})
    outfit_.priorityClasses.merge(priorityClassesIn(*part));

  progress(fmt::format("namespace {}, image {}", outfit_.namespace_, outfit_.image));
  made_ = true;
  TIDEGATE_TRY(Ok ok, at_.writer.createNamespace(outfit_.namespace_, {{kDrillLabel, outfit_.id}}));
  TIDEGATE_TRY(ok, create(std::move(setup)));
  TIDEGATE_TRY(ok, create({online.begin(), online.end() - 1}));  // its PriorityClass
  TIDEGATE_TRY(ok, create({online.back()}));
  const auto bound = [&] {
    return std::ranges::any_of(ownPods(), [](const auto* it) { return it->bound.has_value(); });
  };
  TIDEGATE_TRY(ok, wait(bound, kFirstBindLimit,
                        fmt::format("no pod was bound within {}: is a scheduler running that places pods of "
                                    "schedulerName volcano?",
                                    report::limitText(kFirstBindLimit))));
  const auto wanted = static_cast<std::size_t>(onlineReplicas(options_.drill));
  const auto allReady = [&] {
    const auto pods = ownPods();
    return pods.size() >= wanted &&
           std::ranges::all_of(pods, [](const auto* it) { return it->ready.has_value(); });
  };
  TIDEGATE_TRY(ok, wait(allReady, kOnlineLimit, "online's everyday pods do not become Ready"));
  progress(fmt::format("online has its everyday {}", report::countText(options_.drill.onlineGpus, "GPU")));
  return ok;
}

bool Script::quietFor(Duration length) const {
  return at_.waiter.now() - lastChange_ >= length;
}

Result<Ok> Script::fill(const Progress& progress) {
  std::vector<api::Object> jobs = load();
  std::vector<api::Object> classes;
  const auto isClass = [](const api::Object& it) { return std::holds_alternative<api::PriorityClass>(it); };
  std::ranges::copy_if(jobs, std::back_inserter(classes), isClass);
  std::erase_if(jobs, isClass);
  TIDEGATE_TRY(Ok ok, create(std::move(classes)));
  const std::size_t count = jobs.size();
  for (api::Object& job : jobs) {  // in their order: who comes first may start first
    TIDEGATE_TRY(ok, create({std::move(job)}));
  }
  lastChange_ = at_.waiter.now();
  const Time limit = at_.waiter.now() + kFillLimit;
  while (!quietFor(kQuiet) && at_.waiter.now() < limit && at_.waiter.interrupted().empty())
    at_.waiter.pause(lastChange_ + kQuiet - at_.waiter.now());
  if (!at_.waiter.interrupted().empty()) return fail("interrupted by " + at_.waiter.interrupted());
  int lent = 0;
  for (const PodLife* pod : at_.record.recorder().pods()) {
    if (pod->queue == inputs_.offline.name && pod->holdsAt(at_.waiter.now())) lent += pod->gpus;
  }
  progress(fmt::format("{} submitted; offline has borrowed {}",
                       report::countText(static_cast<std::int64_t>(count), "offline job"),
                       report::countText(lent, "GPU")));
  return ok;
}

Result<Ok> Script::burst(const Progress& progress) {
  at_.record.takeStill("Before the burst");
  progress(fmt::format("burst: {} as {}", report::countText(options_.drill.shape.gpus(), "GPU"),
                       options_.drill.shape.text()));
  const Time begin = at_.waiter.now();
  at_.record.burstNow();
  if (options_.drill.burst == BurstKind::Deployment) {
    const auto target = sim::refTo<api::Deployment>(outfit_.namespace_, kOnlineDeployment);
    TIDEGATE_TRY([[maybe_unused]] const Ok ok,
                 at_.writer.scale(target, onlineReplicas(options_.drill) + options_.drill.shape.pods));
  }
  TIDEGATE_TRY(Ok ok, create(makeBurst(options_.drill, inputs_.online.name)));
  const auto arrived = [&] {
    const auto ready = std::ranges::count_if(ownPods(), [&](const PodLife* pod) {
      return pod->queue == inputs_.online.name && pod->created >= at_.record.burstAt() && pod->ready;
    });
    return ready >= options_.drill.shape.pods;
  };
  if (at_.waiter.until(arrived, options_.drill.limits.ready)) {
    progress(fmt::format("the burst is Ready after {}", report::durationText(at_.waiter.now() - begin)));
  } else if (at_.waiter.interrupted().empty()) {
    at_.record.noteWaiting(outfit_.namespace_, inputs_.online.name);
    progress(fmt::format("the burst is not Ready after {}", report::limitText(options_.drill.limits.ready)));
  }
  at_.waiter.pause(begin + options_.drill.timings.peak - at_.waiter.now());
  if (!at_.waiter.interrupted().empty()) return fail("interrupted by " + at_.waiter.interrupted());
  at_.record.takeStill("During the peak");
  return ok;
}

Result<Ok> Script::endPeak(const Progress& progress) {
  at_.record.peakEndsNow();
  progress("the peak is over: what was recalled may come back");
  if (options_.drill.burst == BurstKind::Deployment) {
    return at_.writer.scale(sim::refTo<api::Deployment>(outfit_.namespace_, kOnlineDeployment),
                            onlineReplicas(options_.drill));
  }
  std::vector<api::ObjectRef> refs;
  for (const api::Object& object : dress(makeBurst(options_.drill, inputs_.online.name), outfit_))
    refs.push_back(api::refOf(object));
  return at_.writer.remove(refs);
}

std::string Script::missing(const std::vector<std::string>& owners) const {
  std::vector<std::string> out;
  for (const std::string& owner : owners) {
    const auto [ready, enough] = at_.record.strength(owner);
    if (ready < enough) out.push_back(fmt::format("{} ({} of {} Ready)", owner, ready, enough));
  }
  return listText(out, 5);
}

Result<Ok> Script::waitForTheWayBack(const Progress& progress) {
  const std::vector<std::string> owners = at_.record.stopped(inputs_.online.name);
  const auto back = [&] {
    return std::ranges::all_of(owners, [&](const std::string& it) { return at_.record.runsAgain(it); });
  };
  const bool all = at_.waiter.until(back, kResumeLimit);
  if (!at_.waiter.interrupted().empty()) return fail("interrupted by " + at_.waiter.interrupted());
  at_.record.takeStill("After the peak");
  if (all) {
    const auto count = static_cast<std::int64_t>(owners.size());
    progress(fmt::format("{} running again", report::countText(count, "stopped job")));
  } else {
    progress(fmt::format("not running again after {}: {}", report::limitText(kResumeLimit), missing(owners)));
  }
  return Ok{};
}

}  // namespace tidegate::drill::live
