// tidegate's controller for Volcano's Job (batch.volcano.sh/v1alpha1): PodGroup, pods, plugins, policies,
// retries, bus Commands, suspension. Pure: events in, commands out (see protocol/controller.hpp); any number
// of restarts, in any state, goes on from the objects.
//
// What a job asks for is in vcjob_spec and vcjob_check, what is made of it in vcjob_pods and vcjob_plugins,
// what happens to it in vcjob_events and vcjob_policies, and one step of it in vcjob_step.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "controllers/bus_orders.hpp"
#include "controllers/membership.hpp"
#include "controllers/mirror.hpp"
#include "controllers/vcjob_book.hpp"
#include "protocol/controller.hpp"
#include "protocol/outbox.hpp"

namespace tidegate {

class VcJobController : public Controller {
 public:
  // Without a key maker the ssh plugin makes no Secret.
  explicit VcJobController(vcjob::KeyMaker makeKeys = {}) : makeKeys_(std::move(makeKeys)) {}
  std::vector<Command> handle(const Event& event, Time now) override;

  // Pods that steps have looked at so far, each as often as it was looked at.
  std::uint64_t podsLookedAt() const { return looked_; }

 private:
  struct PodOwner {
    std::string jobUid;
    std::string jobName;
  };

  void take(const ObjectSeen& event, Time now);
  void take(const ObjectGone& event, Time now);
  void take(const CommandDone& event, Time now);
  void take(const Tick& event, Time now);

  void seen(const api::VcJob& job);
  void seen(const api::Pod& pod);
  void seen(const api::PodGroup& group);
  void seen(const api::BusCommand& order);
  void seen(const api::PriorityClass& priority);
  void seen(const api::Namespace& object) { queues_.seen(object); }
  template <class Other>
  void seen(const Other&) {}

  void podGone(const std::string& key, const std::string& uid);
  void orderDone(const std::string& uid, Outcome outcome);
  void carryOut(const api::BusCommand& order);
  void jobAnswer(vcjob::Book& book, const Outbox::Sent& sent, const CommandDone& done);
  void podAnswer(vcjob::Book& book, const Outbox::Sent& sent, const CommandDone& done);
  void extraAnswer(vcjob::Book& book, const std::string& intention, Outcome outcome);

  vcjob::Book* find(const std::string& uid);
  void askForOrders(Time now);
  void stepAll(Time now);
  void step(const std::string& uid, Time now);
  void schedule(const std::string& uid, Time at);
  void askToWake(Time now);

  vcjob::KeyMaker makeKeys_;
  Outbox outbox_;
  std::uint64_t looked_ = 0;
  bool started_ = false;                      // all that exists has been shown
  std::map<std::string, vcjob::Book> books_;  // by the job's uid
  std::map<std::string, std::string> jobs_;   // "namespace/name" -> uid
  controllers::BusOrders orders_;
  std::set<std::string> openOrders_;  // uids of Commands that are to be deleted
  vcjob::Priorities priorities_;
  NamespaceQueues queues_;
  controllers::Mirror<PodOwner> podMirror_;
  controllers::Mirror<std::string> groupMirror_;  // uid of the job
  controllers::Mirror<std::string> jobMirror_;    // its own uid
  std::set<std::string> dirty_;
  std::map<std::string, Time> dueOf_;
  std::set<std::pair<Time, std::string>> due_;
  std::optional<Time> asked_;  // the world is to wake the controller then
};

}  // namespace tidegate
