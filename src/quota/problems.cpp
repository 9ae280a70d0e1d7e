// Contradictions in what queues declare, told to their owners. Reads declarations only: the effective numbers
// already are the safe reading.
#include <fmt/format.h>

#include <algorithm>

#include "quota/queue_tree.hpp"

namespace tidegate::quota {
namespace {

using Kind = Problem::Kind;

// The numbers of one queue and one resource, and what is wrong with them.
class Reporter {
 public:
  Reporter(const ResourceTable& names, const std::string& queue, ResourceId r, std::vector<Problem>& out)
      : names_(names), queue_(queue), resource_(r), out_(out) {}

  void report(Kind kind, std::string_view section, std::string message) const {
    out_.push_back({.kind = kind,
                    .queue = queue_,
                    .field = fmt::format("spec.{}.{}", section, names_.name(resource_)),
                    .message = std::move(message)});
  }
  std::string text(Amount amount) const { return names_.format(resource_, amount); }

 private:
  const ResourceTable& names_;
  const std::string& queue_;
  ResourceId resource_;
  std::vector<Problem>& out_;
};

constexpr std::string_view kGuarantee = "guarantee.resource";

// A queue's numbers against each other. `asked` is its own guarantee or the sum of its children's.
void reportOwn(const Reporter& reporter, const QueueConfig& config, Amount asked, ResourceId r) {
  const Amount deserved = config.deserved[r];
  const Amount capability = config.capability[r];
  const Amount bound = std::min(deserved, capability);
  if (asked > bound) {
    const bool byDeserved = asked > deserved;
    reporter.report(Kind::GuaranteeAboveOwn, kGuarantee,
                    fmt::format("{}{} is more than its {} {}; read as {}",
                                config.guarantee[r] > 0 ? "" : "its children's sum of ", reporter.text(asked),
                                byDeserved ? "deserved" : "capability",
                                reporter.text(byDeserved ? deserved : capability), reporter.text(bound)));
  }
  if (deserved != kUnlimited && deserved > capability) {
    reporter.report(Kind::DeservedAboveCapability, "deserved",
                    fmt::format("{} is more than its capability {}; read as {}", reporter.text(deserved),
                                reporter.text(capability), reporter.text(capability)));
  }
}

}  // namespace

void QueueTree::reportParent(const Entry& entry, std::vector<Problem>& out) const {
  const std::string& name = entry.config.parent;
  if (entry.onCycle) {
    out.push_back(
        {.kind = Kind::ParentCycle,
         .queue = entry.config.name,
         .field = "spec.parent",
         .message = fmt::format("parent {} leads back to this queue; read as a child of root", name)});
    return;
  }
  const QueueId parent = find(name);
  if (name.empty() || (parent != kNoQueue && entries_[parent].declared)) return;
  out.push_back({.kind = Kind::ParentUnknown,
                 .queue = entry.config.name,
                 .field = "spec.parent",
                 .message = fmt::format("there is no queue {}; read as a child of root", name)});
}

// The guarantees of a queue's children against what the queue declares (at the root: what the cluster has).
// Nothing is said below a queue that declares none: it asks for what they ask.
void QueueTree::reportChildren(QueueId queue, ResourceId r, const ResourceTable& names,
                               std::vector<Problem>& out) const {
  const Entry& entry = entries_[queue];
  const bool atRoot = queue == kRoot;
  const Amount bound = atRoot ? wholeCluster(r) : entry.config.guarantee[r];
  if (!atRoot && bound <= 0) return;
  const Kind kind = atRoot ? Kind::GuaranteeAboveTotal : Kind::GuaranteeAboveParent;
  const Reporter here(names, entry.config.name, r, out);
  const std::string holder =
      atRoot ? fmt::format("the cluster has ({})", here.text(bound))
             : fmt::format("its parent {} is guaranteed ({})", entry.config.name, here.text(bound));
  Amount sum = 0;
  for (QueueId q : entry.children) {
    const Entry& child = entries_[q];
    if (child.askedGuarantee[r] <= bound) {
      sum = saturatingAdd(sum, boundedByOwn(child, r));
      continue;
    }
    const Reporter reporter(names, child.config.name, r, out);
    reporter.report(kind, kGuarantee,
                    fmt::format("{} is more than {}; read as {}", reporter.text(child.askedGuarantee[r]),
                                holder, reporter.text(child.guarantee[r])));
  }
  if (sum <= bound) return;
  here.report(
      kind, kGuarantee,
      fmt::format("its children are guaranteed {} together, more than {}; each is read as less in proportion",
                  here.text(sum), atRoot ? holder : fmt::format("its own {}", here.text(bound))));
}

std::vector<Problem> QueueTree::problems(const ResourceTable& names) const {
  std::vector<Problem> out;
  const auto resources = static_cast<ResourceId>(resourceCount());
  for (const auto& [name, q] : ids_) {
    const Entry& entry = entries_[q];
    if (!entry.declared) continue;
    if (q != kRoot) reportParent(entry, out);
    for (ResourceId r = 0; r < resources; ++r) {
      if (q != kRoot) reportOwn(Reporter(names, name, r, out), entry.config, entry.askedGuarantee[r], r);
      reportChildren(q, r, names, out);
    }
  }
  std::ranges::sort(out, {}, [](const Problem& p) { return std::tie(p.queue, p.field, p.message); });
  return out;
}

}  // namespace tidegate::quota
