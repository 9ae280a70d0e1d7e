// What a drill changes of objects before it creates them on a cluster that is not its own: where they live,
// what their containers run, what marks them as its own.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/objects.hpp"
#include "core/time.hpp"

namespace tidegate::drill::live {

inline constexpr const char* kDrillLabel = "tidegate.dev/drill";  // of everything a drill makes; its id

struct Outfit {
  std::string id;          // of this drill
  std::string namespace_;  // all that has a namespace goes there
  std::string image;
  api::StringMap nodeSelector = {};
  std::set<std::string> priorityClasses = {};  // those the drill makes itself, by the names in its files
  std::optional<Duration> stop = {};           // SIGTERM to gone, of pods that do not say
  // Someone answers requests to save a checkpoint: by annotation, as on simulated nodes. Else the jobs
  // declare none.
  bool savesCheckpoints = true;
};

std::set<std::string> priorityClassesIn(const std::vector<api::Object>& objects);

// Everything gets the label and the namespace. The drill's PriorityClasses get names that nobody else has,
// and who uses them uses those. Containers run the image and ask for their GPUs and next to nothing else; the
// times by which a pod starts and stops stay in its annotations, for whoever simulates its node.
std::vector<api::Object> dress(std::vector<api::Object> objects, const Outfit& outfit);

}  // namespace tidegate::drill::live
