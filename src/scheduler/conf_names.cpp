#include "scheduler/conf_names.hpp"

#include <array>

namespace tidegate::scheduler {
namespace {

constexpr std::array kActions = {
    KnownAction{
        "enqueue", ActionKind::Enqueue,
        "accepted; admission never keeps a job from claiming its quota back, so nothing waits for it"},
    KnownAction{"allocate", ActionKind::Allocate, ""},
    KnownAction{"backfill", ActionKind::Backfill, ""},
    KnownAction{"preempt", ActionKind::Preempt, ""},
    KnownAction{"reclaim", ActionKind::Reclaim, ""},
    KnownAction{"gangpreempt", ActionKind::Preempt, "runs as preempt, which stops whole gangs already"},
    KnownAction{"gangreclaim", ActionKind::Reclaim, "runs as reclaim, which plans by whole gangs already"},
    KnownAction{"shuffle", std::nullopt, "accepted and left out: running pods are not moved to balance load"},
};

constexpr std::string_view kQuotaOn =
    "accepted; quota is always on here: guarantee, deserved, capability, weight and the tree of queues hold "
    "whether "
    "or not a plugin is named for them";
constexpr std::string_view kNoEffect = "accepted without effect in this version";

constexpr std::array kPlugins = {
    KnownPlugin{"priority", &Policy::priorityOrder, "enableJobOrder", ""},
    KnownPlugin{"gang", &Policy::gangOrder, "enableJobOrder", ""},
    KnownPlugin{"drf", &Policy::drfOrder, "enableJobOrder", ""},
    KnownPlugin{"predicates", &Policy::predicates, "enablePredicate", ""},
    KnownPlugin{"nodeorder", &Policy::nodeOrder, "enableNodeOrder", ""},
    KnownPlugin{"capacity", nullptr, "", kQuotaOn},
    KnownPlugin{"proportion", nullptr, "", kQuotaOn},
    KnownPlugin{"binpack", nullptr, "",
                "accepted; placement packs GPUs onto the fullest nodes already, its weights are not used"},
    KnownPlugin{"overcommit", nullptr, "", "accepted without effect: admission is not limited"},
    KnownPlugin{"conformance", nullptr, "", kNoEffect},
    KnownPlugin{"deviceshare", nullptr, "", kNoEffect},
    KnownPlugin{"resource-strategy-fit", nullptr, "", kNoEffect},
    KnownPlugin{"tdm", nullptr, "", kNoEffect},
    KnownPlugin{"sla", nullptr, "", kNoEffect},
    KnownPlugin{"task-topology", nullptr, "", kNoEffect},
    KnownPlugin{"numaaware", nullptr, "", kNoEffect},
    KnownPlugin{"cdp", nullptr, "", kNoEffect},
    KnownPlugin{"rescheduling", nullptr, "", kNoEffect},
    KnownPlugin{"usage", nullptr, "", kNoEffect},
    KnownPlugin{"pdb", nullptr, "", kNoEffect},
    KnownPlugin{"nodegroup", nullptr, "", kNoEffect},
    KnownPlugin{"network-topology-aware", nullptr, "", kNoEffect},
    KnownPlugin{"extender", nullptr, "", kNoEffect},
    KnownPlugin{"resourcequota", nullptr, "", kNoEffect},
};

constexpr std::array<std::string_view, 25> kFlags = {
    "enableJobOrder",          "enableHierarchy",     "enableJobReady",         "enableJobPipelined",
    "enableTaskOrder",         "enablePreemptable",   "enableReclaimable",      "enablePreemptive",
    "enableQueueOrder",        "enabledClusterOrder", "enablePredicate",        "enableBestNode",
    "enableNodeOrder",         "enableTargetJob",     "enableReservedNodes",    "enableJobEnqueued",
    "enabledVictim",           "enableJobStarving",   "enabledOverused",        "enabledAllocatable",
    "enabledHyperNodeOrder",   "enabledSubJobReady",  "enabledSubJobPipelined", "enabledSubJobOrder",
    "enabledHyperNodeGradient"};

constexpr std::array<std::string_view, 8> kActionArguments = {"predicateErrorCacheEnable",
                                                              "enableTopologyAwarePreemption",
                                                              "topologyAwarePreemptWorkerNum",
                                                              "minCandidateNodesPercentage",
                                                              "minCandidateNodesAbsolute",
                                                              "maxCandidateNodesAbsolute",
                                                              "maxDomains",
                                                              "allowWholeBundle"};

constexpr std::array kWeights = {
    KnownWeight{"leastrequested.weight", &NodeOrderWeights::leastRequested},
    KnownWeight{"mostrequested.weight", &NodeOrderWeights::mostRequested},
    KnownWeight{"nodeaffinity.weight", &NodeOrderWeights::nodeAffinity},
    KnownWeight{"balancedresource.weight", &NodeOrderWeights::balancedResource},
    KnownWeight{"tainttoleration.weight", &NodeOrderWeights::taintToleration},
    KnownWeight{"podaffinity.weight", nullptr},
    KnownWeight{"imagelocality.weight", nullptr},
    KnownWeight{"podtopologyspread.weight", nullptr},
};

}  // namespace

std::span<const KnownAction> knownActions() {
  return kActions;
}
std::span<const KnownPlugin> knownPlugins() {
  return kPlugins;
}
std::span<const std::string_view> knownFlags() {
  return kFlags;
}
std::span<const std::string_view> knownActionArguments() {
  return kActionArguments;
}
std::span<const KnownWeight> knownNodeOrderWeights() {
  return kWeights;
}

}  // namespace tidegate::scheduler
