#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "api/checks.hpp"
#include "api/names.hpp"
#include "core/text.hpp"

namespace tidegate::api {
namespace {

enum class Severity : std::uint8_t { Warning, Error };

// One of the three lists of a queue: what it is called, where it stands.
struct Limit {
  std::string_view name;
  std::vector<std::string_view> path;
  const ResourceList& (*list)(const QueueSpec&);
};
const Limit kGuarantee = {"guarantee",
                          {"spec", "guarantee", "resource"},
                          [](const QueueSpec& s) -> const ResourceList& { return s.guarantee.resource; }};
const Limit kDeserved = {
    "deserved", {"spec", "deserved"}, [](const QueueSpec& s) -> const ResourceList& { return s.deserved; }};
const Limit kCapability = {"capability",
                           {"spec", "capability"},
                           [](const QueueSpec& s) -> const ResourceList& { return s.capability; }};

class QueueChecker {
 public:
  QueueChecker(std::span<const Located> objects, Strictness strictness, Findings& findings)
      : findings_(findings), odd_(strictness == Strictness::Strict ? Severity::Error : Severity::Warning) {
    for (const Located& located : objects) {
      if (std::holds_alternative<Queue>(located.object)) queues_.push_back(&located);
      if (const Node* node = std::get_if<Node>(&located.object)) noteOffer(*node);
    }
  }

  void check() {
    for (const Located* queue : queues_) {
      const auto [first, isNew] = byName_.try_emplace(metadata(*queue).name, queue);
      if (isNew) continue;
      report(*queue, {"metadata", "name"}, Severity::Error,
             fmt::format("queue {} is declared twice; first in {}:{}", first->first, *first->second->file,
                         first->second->tree->at.line));
    }
    for (const Located* queue : queues_) {
      checkParent(*queue);
      checkOwn(*queue, kGuarantee, kDeserved);
      checkOwn(*queue, kDeserved, kCapability);
      checkOwn(*queue, kGuarantee, kCapability);
      checkChildren(*queue, kGuarantee, Severity::Error);
      checkChildren(*queue, kDeserved, odd_);
      for (const Limit* limit : {&kGuarantee, &kDeserved, &kCapability}) checkOffered(*queue, *limit);
    }
  }

 private:
  static const ObjectMeta& metadata(const Located& queue) { return metadataOf(queue.object); }
  static const QueueSpec& spec(const Located& queue) { return std::get<Queue>(queue.object).spec; }

  void report(const Located& queue, std::vector<std::string_view> path, Severity severity,
              std::string message) {
    findings_.enterFile(*queue.file);
    const Position at = locate(*queue.tree, path);
    std::string field = fmt::format("{}", fmt::join(path, "."));
    if (severity == Severity::Error) {
      findings_.error(at, std::move(field), std::move(message));
    } else {
      findings_.warn(at, std::move(field), std::move(message));
    }
  }

  static std::vector<std::string_view> pathOf(const Limit& limit, std::string_view resource) {
    std::vector<std::string_view> path = limit.path;
    path.push_back(resource);
    return path;
  }

  const Located* find(const std::string& name) const {
    const auto found = byName_.find(name);
    return found == byName_.end() ? nullptr : found->second;
  }

  void checkParent(const Located& queue) {
    const std::string& parent = spec(queue).parent;
    const std::string& name = metadata(queue).name;
    if (parent.empty()) return;
    if (parent == name) {
      report(queue, {"spec", "parent"}, Severity::Error,
             fmt::format("queue {} names itself as its parent", name));
      return;
    }
    const Located* above = find(parent);
    if (above == nullptr) {
      if (parent != names::kRootQueue) reportUnknownParent(queue);
      return;
    }
    checkCycle(queue);
    for (const auto& [resource, own] : spec(queue).capability) {
      const auto limit = spec(*above).capability.find(resource);
      if (limit == spec(*above).capability.end() || own <= limit->second) continue;
      report(queue, pathOf(kCapability, resource), odd_,
             fmt::format("queue {} may have {}, more than the capability {} of its parent {}", name,
                         own.text(), limit->second.text(), parent));
    }
  }

  void reportUnknownParent(const Located& queue) {
    std::vector<std::string_view> known = {names::kRootQueue};
    for (const auto& [name, located] : byName_) known.push_back(name);
    const std::string_view near = nearestName(spec(queue).parent, known);
    report(queue, {"spec", "parent"}, odd_,
           fmt::format("queue {} names the parent {}, which is not declared{}", metadata(queue).name,
                       spec(queue).parent, near.empty() ? "" : fmt::format("; did you mean {}?", near)));
  }

  // Tells of a cycle once, at the first of its queues.
  void checkCycle(const Located& start) {
    std::vector<std::string> chain = {metadata(start).name};
    for (const Located* at = find(spec(start).parent); at != nullptr; at = find(spec(*at).parent)) {
      const std::string& name = metadata(*at).name;
      if (onCycle_.contains(name)) return;
      if (name == chain.front()) {
        onCycle_.insert(chain.begin(), chain.end());
        report(start, {"spec", "parent"}, Severity::Error,
               fmt::format("the parents form a cycle: {} -> {}", fmt::join(chain, " -> "), name));
        return;
      }
      if (std::find(chain.begin(), chain.end(), name) != chain.end()) return;  // a cycle above: told there
      chain.push_back(name);
    }
  }

  void checkOwn(const Located& queue, const Limit& small, const Limit& large) {
    for (const auto& [resource, amount] : small.list(spec(queue))) {
      const auto limit = large.list(spec(queue)).find(resource);
      if (limit == large.list(spec(queue)).end() || amount <= limit->second) continue;
      report(queue, pathOf(small, resource), odd_,
             fmt::format("queue {}: {} {} is more than its {} {}", metadata(queue).name, small.name,
                         amount.text(), large.name, limit->second.text()));
    }
  }

  void checkChildren(const Located& parent, const Limit& limit, Severity severity) {
    ResourceTable table;
    for (const auto& [resource, declared] : limit.list(spec(parent))) {
      const ResourceId id = table.intern(resource);
      Amount sum = 0;
      std::string shares;
      for (const Located* child : queues_) {
        if (spec(*child).parent != metadata(parent).name || child == &parent) continue;
        const auto own = limit.list(spec(*child)).find(resource);
        if (own == limit.list(spec(*child)).end()) continue;
        sum = saturatingAdd(sum, table.toAmount(id, own->second));
        shares +=
            fmt::format("{}{} {}", shares.empty() ? "" : ", ", metadata(*child).name, own->second.text());
      }
      if (sum <= table.toAmount(id, declared)) continue;
      report(parent, pathOf(limit, resource), severity,
             fmt::format("queue {} declares {} {}, less than its children together, {} ({})",
                         metadata(parent).name, limit.name, declared.text(), table.format(id, sum), shares));
    }
  }

  void noteOffer(const Node& node) {
    for (const auto& [resource, amount] : node.status.allocatable) offered_.insert(resource);
    for (const auto& [resource, amount] : node.status.capacity) offered_.insert(resource);
  }

  void checkOffered(const Located& queue, const Limit& limit) {
    if (offered_.empty()) return;
    for (const auto& [resource, amount] : limit.list(spec(queue))) {
      if (offered_.contains(resource)) continue;
      const std::vector<std::string_view> known(offered_.begin(), offered_.end());
      const std::string_view near = nearestName(resource, known);
      report(queue, pathOf(limit, resource), Severity::Warning,
             fmt::format("no node offers {}{}", resource,
                         near.empty() ? "" : fmt::format("; did you mean {}?", near)));
    }
  }

  Findings& findings_;
  Severity odd_;
  std::vector<const Located*> queues_;
  std::map<std::string, const Located*> byName_;
  std::set<std::string> onCycle_;
  std::set<std::string> offered_;
};

}  // namespace

void checkQueues(std::span<const Located> objects, Strictness strictness, Findings& findings) {
  QueueChecker(objects, strictness, findings).check();
}

}  // namespace tidegate::api
