// What `tidegate run` is told.
#pragma once

#include <string>
#include <vector>

#include "core/time.hpp"

namespace tidegate::run {

enum class Component : std::uint8_t { Scheduler, QueueController, PodGroupController, VcJobController };
inline constexpr Component kAllComponents[] = {Component::Scheduler, Component::QueueController,
                                               Component::PodGroupController, Component::VcJobController};

enum class LogFormat : std::uint8_t { Text, Json };

// How a vcjob is told to keep no pods.
enum class VcJobSuspend : std::uint8_t {
  Annotation,  // tidegate.dev/suspend, which tidegate's own vcjob controller reads
  Command,     // bus Commands AbortJob and ResumeJob, which Volcano's controller obeys
};

struct RunOptions {
  std::string kubeconfig;  // empty: KUBECONFIG, ~/.kube/config, or the pod's service account
  std::string context;
  std::vector<Component> components{std::begin(kAllComponents), std::end(kAllComponents)};
  std::vector<std::string> schedulerNames = {"volcano", "tidegate"};
  std::string confFile;  // at most one of the two; none: the default policy
  std::string confMap;   // "namespace/name" of a ConfigMap
  bool leaderElect = false;
  std::string lease = "kube-system/tidegate";  // "namespace/name"
  std::string identity;                        // of this replica; empty: host name and a random suffix
  std::string listen = "127.0.0.1:8080";       // health and metrics; empty: none
  LogFormat logFormat = LogFormat::Text;
  VcJobSuspend vcjobSuspend = VcJobSuspend::Annotation;
  bool recreateBarePods = false;  // those that ask for it, after a recall
  Duration coalesce = milliseconds(20);
};

}  // namespace tidegate::run
