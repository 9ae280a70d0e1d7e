// Tells, as events on the object, what of it cannot be meant and what is used instead: annotation values that
// cannot be read, and parents of queues that do not exist or form a circle.
//
// In: Queue, PodGroup, Pod, VcJob, batch Job, Deployment, StatefulSet. Out: Emit, WakeAt. Each value is told
// once for an object; what a controller hands on to its pods and pod groups, once for all of them. Parents
// are looked at a moment after the last change, when the rest of a file has been applied too.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "protocol/controller.hpp"

namespace tidegate::controllers {

class ObjectChecks : public Controller {
 public:
  std::vector<Command> handle(const Event& event, Time now) override;

 private:
  struct Parent {
    std::string uid;
    std::string parent;
    std::string told;  // what was told last; empty: it is well
  };

  void seen(const api::Object& object, Time now);
  void seenQueue(const api::Queue& queue, Time now);
  void gone(const ObjectGone& gone, Time now);
  void checkParents();
  std::string wrongWith(const std::string& queue) const;
  void wake(Time now);
  void warn(const api::ObjectRef& about, const char* reason, std::string message);

  std::map<std::string, Parent> queues_;
  // By the uid of the object, or of the controller it has it from.
  std::map<std::string, std::map<std::string, std::set<std::string>>> told_;
  std::optional<Time> parentsAt_;  // when to look at them
  std::vector<Command> out_;
  CommandId lastId_ = 0;
};

}  // namespace tidegate::controllers
