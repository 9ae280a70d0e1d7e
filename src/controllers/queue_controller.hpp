// The queue controller: keeps the status of queues, opens and closes them, and sees to it that root and
// default exist.
//
// In: Queue, PodGroup, Pod, Recall, Command. Out: Create (root, default), WriteStatus and the mark
// closed-by-parent of queues, Delete of Commands it carries out, events about them.
//
// Sources: Volcano's pkg/controllers/queue (states, hierarchy, Commands, counts) and pkg/scheduler/framework/
// session.go (allocated). An empty spec.parent is read as root and never written. A parent's `allocated`
// holds its children's; `reservation` are the nodes that active recalls free for the queue and what is still
// to come to them. A status is written only where it differs, and, unless its state changes, once per
// interval.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "controllers/bus_orders.hpp"
#include "controllers/queue_state.hpp"
#include "controllers/queue_usage.hpp"
#include "controllers/reconciler.hpp"

namespace tidegate::controllers {

struct QueueControllerOptions {
  SchedulerNames schedulers = defaultSchedulers();
  Duration interval = milliseconds(500);  // between two writes of figures of one queue
};

class QueueController : public Reconciler {
 public:
  explicit QueueController(QueueControllerOptions options = {});

 private:
  struct Hold {  // what an active recall keeps for a queue
    std::string queue;
    std::vector<std::string> nodes;
    std::vector<api::RecallPlacement> placements;
  };
  struct Totals {  // of all queues, children included
    std::map<std::string, ResourceVec> held;
  };

  void seen(const api::Object& object, Time now) override;
  void gone(const api::ObjectRef& ref, const std::string& uid) override;
  void reconcile(const std::string& key, Time now) override;
  void answered(const Outbox::Sent& sent, const CommandDone& done) override;

  void seenQueue(const api::Queue& queue);
  void seenRecall(const api::Recall& recall);
  void seenCommand(const api::BusCommand& command);
  void accept(const api::BusCommand& command);
  void usageChanged();
  void touchFamily(const std::string& queue);
  void touchUpwards(std::string queue);

  void ensureExists(const std::string& name, Time now);
  void takeCommand(const std::string& uid, Time now);
  QueueSituation situationOf(const api::Queue& queue) const;
  void settleOrder(const api::Queue& queue, const QueueStep& step);
  bool keepMark(const api::Queue& queue, const QueueStep& step, Time now);
  void keepStatus(const api::Queue& queue, const std::string& state, Time now);
  api::QueueStatus wantedStatus(const api::Queue& queue, const std::string& state);
  api::QueueReservation reservationOf(const std::string& queue);
  const ResourceVec& totalOf(const std::string& queue);
  std::string parentOf(const std::string& queue) const;

  QueueControllerOptions options_;
  QueueUsage usage_;
  BusOrders commands_;
  Mirror<api::Queue> queues_;
  Mirror<Hold> holds_;
  std::map<std::string, QueueOrder> orders_;  // taken, not yet carried out; by queue
  std::map<std::string, Time> written_;       // by queue
  std::optional<Totals> totals_;
};

}  // namespace tidegate::controllers
