#include "state/namespace_queues.hpp"

#include "api/names.hpp"
#include "state/translate.hpp"

namespace tidegate {
namespace names = api::names;

bool NamespaceQueues::isNews(const api::Namespace& object) const {
  const auto held = queues_.find(object.metadata.name);
  const std::string* queue = annotation(object.metadata, names::kQueueName);
  return (held == queues_.end() ? "" : held->second) != (queue == nullptr ? "" : *queue);
}

void NamespaceQueues::seen(const api::Namespace& object) {
  const auto queue = object.metadata.annotations.find(names::kQueueName);
  if (queue == object.metadata.annotations.end() || queue->second.empty())
    queues_.erase(object.metadata.name);
  else
    queues_[object.metadata.name] = queue->second;
}

std::string NamespaceQueues::queueFor(const std::string& inNamespace, const std::string& asked) const {
  if (!asked.empty() && asked != names::kDefaultQueue) return asked;
  const auto queue = queues_.find(inNamespace);
  return queue == queues_.end() ? names::kDefaultQueue : queue->second;
}

}  // namespace tidegate
