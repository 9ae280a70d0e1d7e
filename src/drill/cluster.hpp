// The objects a drill makes itself: the nodes, what online serves every day, and the burst.
#pragma once

#include <string>
#include <vector>

#include "api/objects.hpp"
#include "drill/options.hpp"

namespace tidegate::drill {

inline constexpr const char* kOnlineNamespace = "promo";
inline constexpr const char* kOnlineDeployment = "ranker";
inline constexpr const char* kBurstName = "promo-burst";

// Nodes of gpusPerNode A100 each, all Ready.
std::vector<api::Object> makeNodes(const DrillOptions& options);

// Online's PriorityClass and its Deployment: as many pods of the burst's size as onlineGpus allows.
std::vector<api::Object> makeOnline(const DrillOptions& options, const std::string& queue);
int onlineReplicas(const DrillOptions& options);

// The burst as a gang of one batch Job, or as bare pods. (A Deployment bursts by being scaled up.)
std::vector<api::Object> makeBurst(const DrillOptions& options, const std::string& queue);

}  // namespace tidegate::drill
