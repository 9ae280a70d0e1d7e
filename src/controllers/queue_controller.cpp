#include "controllers/queue_controller.hpp"

#include <algorithm>

#include "api/names.hpp"
#include "api/write.hpp"
#include "controllers/queue_status.hpp"
#include "state/cluster_state.hpp"
#include "state/translate.hpp"

namespace tidegate::controllers {
namespace names = api::names;

namespace {

constexpr const char* kCommandKey = "command:";
constexpr const char* kQueueKey = "queue:";
constexpr int kDeepest = 64;  // levels of queues; ends a walk around a circle of parents

std::string keyFor(const std::string& queue) {
  return kQueueKey + queue;
}

bool isOpenPhase(const api::RecallStatus& status) {
  return status.phase != "HandedOver" && status.phase != "Abandoned";
}

bool addressed(const api::BusCommand& command) {
  return command.target.kind == api::Queue::kKind &&
         command.target.apiVersion.starts_with("scheduling.volcano.sh/");
}

}  // namespace

QueueController::QueueController(QueueControllerOptions options)
    : options_(std::move(options)), usage_(options_.schedulers) {
  touch(keyFor(names::kRootQueue));
  touch(keyFor(names::kDefaultQueue));
}

// ---- what happens -------------------------------------------------------------------------------

void QueueController::seen(const api::Object& object, Time) {
  if (const auto* queue = std::get_if<api::Queue>(&object)) seenQueue(*queue);
  if (const auto* recall = std::get_if<api::Recall>(&object)) seenRecall(*recall);
  if (const auto* command = std::get_if<api::BusCommand>(&object)) seenCommand(*command);
  if (const auto* pod = std::get_if<api::Pod>(&object)) usage_.seen(*pod);
  if (const auto* group = std::get_if<api::PodGroup>(&object)) usage_.seen(*group);
  if (const auto* space = std::get_if<api::Namespace>(&object)) usage_.seen(*space);
  usageChanged();
}

void QueueController::gone(const api::ObjectRef& ref, const std::string& uid) {
  if (ref.kind == api::Queue::kKind) {
    const auto before = queues_.remove(ref.name, uid);
    if (!before) return;
    written_.erase(ref.name);
    orders_.erase(ref.name);
    totals_.reset();
    for (const char* verb : {"create", "status", "mark"}) forget(verb, keyFor(ref.name));
    touchFamily(ref.name);
    touchUpwards(before->spec.parent);
    touchUpwards(names::kRootQueue);
  } else if (ref.kind == api::Pod::kKind) {
    usage_.podGone(keyOf(ref.namespace_, ref.name), uid);
  } else if (ref.kind == api::PodGroup::kKind) {
    usage_.groupGone(keyOf(ref.namespace_, ref.name), uid);
  } else if (ref.kind == api::Recall::kKind) {
    if (const auto hold = holds_.remove(ref.name, uid)) touch(keyFor(hold->queue));
  } else if (ref.kind == api::BusCommand::kKind) {
    commands_.gone(ref, uid);
  }
  usageChanged();
}

void QueueController::seenQueue(const api::Queue& queue) {
  const std::string& name = queue.metadata.name;
  if (!queues_.isNews(name, queue.metadata)) return;
  const auto before = queues_.put(name, queue.metadata, queue);
  for (const char* verb : {"create", "status", "mark"}) effectSeen(verb, keyFor(name));
  const bool sameTree = before && before->spec.parent == queue.spec.parent;
  if (!sameTree) {
    totals_.reset();
    if (before) touchUpwards(before->spec.parent);
    touchUpwards(name);
  }
  touchFamily(name);
}

void QueueController::seenRecall(const api::Recall& recall) {
  const std::string& name = recall.metadata.name;
  if (!holds_.isNews(name, recall.metadata)) return;
  Hold hold{.queue = recall.spec.queue, .nodes = {}, .placements = {}};
  if (isOpenPhase(recall.status)) {
    hold.nodes = recall.spec.nodes;
    hold.placements = recall.spec.placements;
  }
  touch(keyFor(hold.queue));
  if (const auto before = holds_.put(name, recall.metadata, hold)) touch(keyFor(before->queue));
}

void QueueController::seenCommand(const api::BusCommand& command) {
  if (!addressed(command)) return;
  commands_.seen(command);
  touch(kCommandKey + command.metadata.uid);
}

void QueueController::answered(const Outbox::Sent& sent, const CommandDone& done) {
  if (verbOf(sent.key) != "take") return;
  const std::string uid = keyIn(sent.key).substr(std::string(kCommandKey).size());
  if (const auto command = commands_.deletionAnswered(uid, done.outcome)) accept(*command);
}

void QueueController::accept(const api::BusCommand& command) {
  const auto* queue = queues_.find(command.target.name);
  if (queue == nullptr || (!command.target.uid.empty() && command.target.uid != queue->uid)) return;
  if (command.action == "OpenQueue") orders_[command.target.name] = QueueOrder::Open;
  if (command.action == "CloseQueue") orders_[command.target.name] = QueueOrder::Close;
  touch(keyFor(command.target.name));
}

void QueueController::usageChanged() {
  for (const std::string& queue : usage_.takeChanged()) {
    totals_.reset();
    touchUpwards(queue);
  }
}

void QueueController::touchFamily(const std::string& queue) {
  touch(keyFor(queue));
  for (const auto& [name, entry] : queues_.entries()) {
    if (parentOf(name) == queue) touch(keyFor(name));
  }
}

void QueueController::touchUpwards(std::string queue) {
  for (int level = 0; !queue.empty() && level < kDeepest; ++level) {
    touch(keyFor(queue));
    queue = parentOf(queue);
  }
}

// ---- what follows -------------------------------------------------------------------------------

void QueueController::reconcile(const std::string& key, Time now) {
  if (key.starts_with(kCommandKey)) {
    takeCommand(key.substr(std::string(kCommandKey).size()), now);
    return;
  }
  const std::string name = key.substr(std::string(kQueueKey).size());
  const auto* held = queues_.find(name);
  if (held == nullptr) {
    ensureExists(name, now);
    return;
  }
  if (held->info.metadata.deletionTimestamp) return;
  const QueueStep step = nextStep(situationOf(held->info));
  settleOrder(held->info, step);
  if (keepMark(held->info, step, now)) keepStatus(held->info, step.state, now);
}

void QueueController::takeCommand(const std::string& uid, Time now) {
  const auto deletion = commands_.deletion(uid);
  if (deletion && send("take", kCommandKey + uid, *deletion, now)) commands_.deletionSent(uid);
}

// As Volcano's scheduler makes them when it starts.
void QueueController::ensureExists(const std::string& name, Time now) {
  if (name != names::kRootQueue && name != names::kDefaultQueue) return;
  api::Queue queue;
  queue.metadata.name = name;
  queue.spec.reclaimable = name != names::kRootQueue;
  send("create", keyFor(name), Create{.target = api::refOf(queue), .json = api::toJson(queue)}, now);
}

QueueSituation QueueController::situationOf(const api::Queue& queue) const {
  const std::string& name = queue.metadata.name;
  const std::string* mark = annotation(queue.metadata, names::kClosedByParent);
  const std::string parentName = parentOf(name);
  const auto* parent = queues_.find(parentName);
  auto order = orders_.find(name);
  auto parentOrder = orders_.find(parentName);
  const bool parentOpens = parentOrder != orders_.end() && parentOrder->second == QueueOrder::Open;
  return {.state = queue.status.state,
          .root = name == names::kRootQueue,
          .marked = mark != nullptr && *mark == "true",
          .parentClosed = parent != nullptr && isClosed(parent->info.status.state) && !parentOpens,
          .hasGroups = usage_.of(name).groups > 0,
          .order = order == orders_.end() ? std::nullopt : std::optional(order->second)};
}

void QueueController::settleOrder(const api::Queue& queue, const QueueStep& step) {
  const std::string& name = queue.metadata.name;
  if (step.order == OrderFate::None || step.order == OrderFate::Waiting) return;
  const bool open = orders_.at(name) == QueueOrder::Open;
  orders_.erase(name);
  const bool refused = step.order == OrderFate::Refused;
  std::string message = open ? "The queue is open" : "The queue is closed for new work";
  if (refused) message = open ? "Its parent is closed: open that first" : "The root queue cannot be closed";
  emit({.about = api::refOf(queue),
        .warning = refused,
        .reason = open ? "OpenQueue" : "CloseQueue",
        .message = message});
}

// True if the mark is as it should be: only then may the state follow.
bool QueueController::keepMark(const api::Queue& queue, const QueueStep& step, Time now) {
  if (!step.mark) return true;
  Patch patch{.target = api::refOf(queue), .uid = queue.metadata.uid};
  patch.annotations[names::kClosedByParent] = *step.mark ? "true" : "false";
  send("mark", keyFor(queue.metadata.name), std::move(patch), now);
  return false;
}

void QueueController::keepStatus(const api::Queue& queue, const std::string& state, Time now) {
  const std::string& name = queue.metadata.name;
  auto last = written_.find(name);
  if (state == queue.status.state && last != written_.end() && now < last->second + options_.interval) {
    wake(last->second + options_.interval);
    return;
  }
  const std::string patch = statusPatch(queue.status, wantedStatus(queue, state));
  if (patch.empty()) return;
  const bool sent = send("status", keyFor(name),
                         WriteStatus{.target = api::refOf(queue),
                                     .uid = queue.metadata.uid,
                                     .resourceVersion = queue.metadata.resourceVersion,
                                     .statusJson = patch},
                         now);
  if (sent) written_[name] = now;
}

// ---- figures ------------------------------------------------------------------------------------

api::QueueStatus QueueController::wantedStatus(const api::Queue& queue, const std::string& state) {
  const QueueUse& use = usage_.of(queue.metadata.name);
  auto count = [&](GroupPhase phase) { return use.phases[static_cast<std::size_t>(phase)]; };
  return {.state = state,
          .allocated = totalOf(queue.metadata.name).toList(usage_.resources()),
          .deserved = deservedOf(queue.spec),
          .reservation = reservationOf(queue.metadata.name),
          .pending = count(GroupPhase::Pending),
          .inqueue = count(GroupPhase::Inqueue),
          .running = count(GroupPhase::Running),
          .unknown = count(GroupPhase::Unknown),
          .completed = count(GroupPhase::Completed)};
}

api::QueueReservation QueueController::reservationOf(const std::string& queue) {
  std::set<std::string> nodes;
  ResourceVec resource;
  for (const auto& [name, hold] : holds_.entries()) {
    if (hold.info.queue != queue) continue;
    nodes.insert(hold.info.nodes.begin(), hold.info.nodes.end());
    for (const auto& placement : hold.info.placements) {
      resource += usage_.waiting(placement.pod, placement.podUid);
    }
  }
  return {.nodes = {nodes.begin(), nodes.end()}, .resource = resource.toList(usage_.resources())};
}

const ResourceVec& QueueController::totalOf(const std::string& queue) {
  if (!totals_) {
    totals_.emplace();
    for (const auto& [name, entry] : queues_.entries()) {
      const ResourceVec& own = usage_.of(name).held;
      std::string at = name;
      for (int level = 0; !at.empty() && level < kDeepest; ++level) {
        totals_->held[at] += own;
        at = parentOf(at);
      }
    }
  }
  return totals_->held[queue];
}

// A queue that is not there hangs under root.
std::string QueueController::parentOf(const std::string& queue) const {
  const auto* held = queues_.find(queue);
  if (queue == names::kRootQueue) return "";
  return held == nullptr || held->info.spec.parent.empty() ? names::kRootQueue : held->info.spec.parent;
}

}  // namespace tidegate::controllers
