// The queue of PodGroups that ask for the default queue, or for none, may stand on their namespace, as
// annotation scheduling.volcano.sh/queue-name (Volcano: pkg/webhooks/admission/podgroups/mutate, which writes
// it into PodGroups when they are made).
#pragma once

#include <map>
#include <string>

#include "api/objects.hpp"

namespace tidegate {

class NamespaceQueues {
 public:
  // It names another queue than before.
  bool isNews(const api::Namespace& object) const;
  void seen(const api::Namespace& object);
  void gone(const std::string& name) { queues_.erase(name); }
  std::string queueFor(const std::string& inNamespace, const std::string& asked) const;

 private:
  std::map<std::string, std::string> queues_;  // by namespace
};

}  // namespace tidegate
