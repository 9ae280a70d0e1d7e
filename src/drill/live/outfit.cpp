#include "drill/live/outfit.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "api/names.hpp"
#include "world/sim/pod_timing.hpp"

namespace tidegate::drill::live {
namespace {

namespace names = api::names;

constexpr const char* kGpu = "nvidia.com/gpu";

// Kinds that live in no namespace.
bool isClusterWide(const api::Object& object) {
  return std::holds_alternative<api::Queue>(object) || std::holds_alternative<api::PriorityClass>(object) ||
         std::holds_alternative<api::Node>(object) || std::holds_alternative<api::HyperNode>(object);
}

class Dresser {
 public:
  explicit Dresser(const Outfit& outfit) : outfit_(outfit) {}

  void dress(api::Object& object) const {
    api::ObjectMeta& metadata = api::metadataOf(object);
    metadata.labels[kDrillLabel] = outfit_.id;
    if (!isClusterWide(object)) metadata.namespace_ = outfit_.namespace_;
    std::visit([this](auto& it) { change(it); }, object);
  }

 private:
  void rename(std::string& priorityClass) const {
    if (outfit_.priorityClasses.contains(priorityClass))
      priorityClass = fmt::format("{}-{}", priorityClass, outfit_.id);
  }

  template <class T>
  void change(T&) const {}
  void change(api::PriorityClass& it) const {
    rename(it.metadata.name);
    it.globalDefault = false;
  }
  void change(api::PodGroup& it) const { rename(it.spec.priorityClassName); }
  void change(api::Pod& it) const { pod(it.metadata, it.spec); }
  void change(api::Deployment& it) const { pod(it.spec.template_.metadata, it.spec.template_.spec); }
  void change(api::StatefulSet& it) const { pod(it.spec.template_.metadata, it.spec.template_.spec); }
  void change(api::BatchJob& it) const { pod(it.spec.template_.metadata, it.spec.template_.spec); }
  void change(api::VcJob& it) const {
    rename(it.spec.priorityClassName);
    checkpoint(it.metadata.annotations);
    for (api::TaskSpec& task : it.spec.tasks) {
      task.templateJson.clear();  // the template is another now
      declareSaving(it.metadata.annotations, task.template_.metadata.annotations);
      pod(task.template_.metadata, task.template_.spec);
    }
  }

  void pod(api::ObjectMeta& metadata, api::PodSpec& spec) const {
    metadata.labels[kDrillLabel] = outfit_.id;
    rename(spec.priorityClassName);
    checkpoint(metadata.annotations);
    times(metadata.annotations);
    for (const auto& [key, value] : outfit_.nodeSelector) spec.nodeSelector[key] = value;
    spec.tolerations.push_back(
        {.key = kGpu, .operator_ = "Exists", .value = "", .effect = "", .tolerationSeconds = {}});
    for (api::Container& each : spec.containers) container(each);
    for (api::Container& each : spec.initContainers) container(each);
  }

  // Without the ports, this is by what a pod says that it can save.
  static void declareSaving(const api::StringMap& job, api::StringMap& pod) {
    const auto found = job.find(names::kCheckpointDuration);
    if (found != job.end()) pod.try_emplace(names::kCheckpointDuration, found->second);
  }

  // Nobody listens at the ports that the jobs of the load name.
  void checkpoint(api::StringMap& annotations) const {
    annotations.erase(names::kCheckpointPort);
    annotations.erase(names::kCheckpointPath);
    if (outfit_.savesCheckpoints) return;
    annotations.erase(names::kCheckpointDuration);
    annotations.erase(names::kCheckpointInterval);
  }

  // A simulated node makes a pod Ready as soon as it runs.
  void times(api::StringMap& annotations) const {
    const auto secondsIn = [&](const char* name) {
      const auto found = annotations.find(name);
      return found == annotations.end() ? 0.0 : std::strtod(found->second.c_str(), nullptr);
    };
    const double start = secondsIn(sim::annotations::kStart) + secondsIn(sim::annotations::kReady);
    annotations.erase(sim::annotations::kReady);
    if (start > 0) annotations[sim::annotations::kStart] = fmt::format("{:.3f}", start);
    if (outfit_.stop)
      annotations.try_emplace(sim::annotations::kStop, fmt::format("{:.3f}", toSeconds(*outfit_.stop)));
  }

  // The API server wants what is not overcommitted, as GPUs are, as a limit.
  void container(api::Container& it) const {
    it.image = outfit_.image;
    it.command.clear();
    it.args.clear();
    const auto gpus = it.resources.requests.find(kGpu);
    const bool has = gpus != it.resources.requests.end();
    const Quantity amount = has ? gpus->second : Quantity{};
    it.resources.requests = {{"cpu", Quantity::ofMilli(10)}};
    it.resources.limits.clear();
    if (!has) return;
    it.resources.requests[kGpu] = amount;
    it.resources.limits[kGpu] = amount;
  }

  const Outfit& outfit_;
};

}  // namespace

std::set<std::string> priorityClassesIn(const std::vector<api::Object>& objects) {
  std::set<std::string> out;
  for (const api::Object& object : objects) {
    if (const auto* it = std::get_if<api::PriorityClass>(&object)) out.insert(it->metadata.name);
  }
  return out;
}

std::vector<api::Object> dress(std::vector<api::Object> objects, const Outfit& outfit) {
  const Dresser dresser(outfit);
  for (api::Object& object : objects) dresser.dress(object);
  return objects;
}

}  // namespace tidegate::drill::live
