#include "drill/inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "api/read.hpp"
#include "core/files.hpp"
#include "core/rng.hpp"
#include "drill/load.hpp"
#include "scheduler/conf.hpp"

namespace tidegate::embedded {
extern const std::string_view promo_drill_queues;
extern const std::string_view promo_drill_volcano_scheduler;
extern const std::string_view promo_drill_offline_jobs;
}  // namespace tidegate::embedded

namespace tidegate::drill {
namespace {

constexpr const char* kGpu = "nvidia.com/gpu";
constexpr double kOversubscription = 1.3;  // trace jobs drawn per GPU that offline may use

struct Source {
  std::string name;
  std::string text;
};

Result<Source> sourceOf(const std::string& path, std::string_view builtIn, const char* builtInName) {
  if (path.empty()) return Source{.name = builtInName, .text = std::string{builtIn}};
  TIDEGATE_TRY(std::string text, readFile(path));
  return Source{.name = path, .text = std::move(text)};
}

std::optional<int> gpusIn(const ResourceList& list) {
  const auto found = list.find(kGpu);
  return found == list.end() ? std::nullopt : std::optional{static_cast<int>(found->second.value())};
}

int promised(const api::Queue& queue) {
  return std::max(gpusIn(queue.spec.guarantee.resource).value_or(0), gpusIn(queue.spec.deserved).value_or(0));
}

QueueRole roleOf(const api::Queue& queue) {
  return {.name = queue.metadata.name,
          .guarantee = gpusIn(queue.spec.guarantee.resource),
          .capability = gpusIn(queue.spec.capability),
          .reclaimable = queue.spec.reclaimable.value_or(true)};
}

std::vector<const api::Queue*> leavesOf(const std::vector<api::Object>& objects) {
  std::set<std::string> parents;
  std::vector<const api::Queue*> out;
  for (const api::Object& object : objects) {
    if (const auto* queue = std::get_if<api::Queue>(&object)) parents.insert(queue->spec.parent);
  }
  for (const api::Object& object : objects) {
    const auto* queue = std::get_if<api::Queue>(&object);
    if (queue != nullptr && !parents.contains(queue->metadata.name)) out.push_back(queue);
  }
  return out;
}

class Reader {
 public:
  explicit Reader(const DrillOptions& options) : options_(options) {}

  std::expected<Inputs, std::vector<Error>> read() {
    readQueues();
    readPolicy();
    if (errors_.empty()) readLoad();
    if (!errors_.empty()) return std::unexpected(std::move(errors_));
    return std::move(inputs_);
  }

 private:
  template <class T>
  std::optional<T> take(Result<T> result) {
    if (result) return std::move(*result);
    errors_.push_back(std::move(result).error());
    return std::nullopt;
  }

  std::vector<api::Object> readObjects(const Source& source) {
    auto loaded = api::readObjects(source.text, source.name, {.strictness = api::Strictness::Strict});
    if (!loaded) {
      errors_.insert(errors_.end(), loaded.error().begin(), loaded.error().end());
      return {};
    }
    inputs_.warnings.insert(inputs_.warnings.end(), loaded->warnings.begin(), loaded->warnings.end());
    return std::move(loaded->objects);
  }

  void readQueues() {
    const auto source =
        take(sourceOf(options_.queuesFile, embedded::promo_drill_queues, "built-in queues.yaml"));
    if (!source) return;
    inputs_.setup = readObjects(*source);
    if (!errors_.empty()) return;
    if (auto roles = take(pickQueues(inputs_.setup, source->name))) {
      std::tie(inputs_.online, inputs_.offline) = std::move(*roles);
    }
  }

  void readPolicy() {
    const auto source = take(sourceOf(options_.confFile, embedded::promo_drill_volcano_scheduler,
                                      "built-in volcano-scheduler.conf.yaml"));
    if (!source) return;
    auto conf = take(scheduler::readConf(source->text, source->name));
    if (!conf) return;
    inputs_.policy = conf->policy;
    inputs_.policy.recallDeadline = options_.recallDeadline;
    inputs_.warnings.insert(inputs_.warnings.end(), conf->notices.begin(), conf->notices.end());
  }

  void readLoad() {
    if (!options_.loadFile.empty()) return readTraceLoad();
    const auto source = take(
        sourceOf(options_.offlineFile, embedded::promo_drill_offline_jobs, "built-in offline-jobs.yaml"));
    if (!source) return;
    inputs_.load = readObjects(*source);
    redirect(inputs_.load, inputs_.offline.name);
  }

  void readTraceLoad() {
    const auto text = take(readFile(options_.loadFile));
    if (!text) return;
    const auto jobs = take(readTrace(*text, options_.loadFile));
    if (!jobs) return;
    const int pool = options_.nodes * options_.gpusPerNode - options_.onlineGpus;
    const int most = std::max(0, std::min(pool, inputs_.offline.capability.value_or(pool)));
    const DrawLimits limits{.gpus = static_cast<int>(most * kOversubscription),
                            .gpusPerWorker = options_.gpusPerNode,
                            .gpusPerJob = most};
    inputs_.load = jobsFromTrace(drawJobs(*jobs, limits, Rng(options_.seed)), inputs_.offline.name);
  }

  const DrillOptions& options_;
  Inputs inputs_;
  std::vector<Error> errors_;
};

}  // namespace

Result<std::pair<QueueRole, QueueRole>> pickQueues(const std::vector<api::Object>& objects,
                                                   const std::string& file) {
  std::vector<const api::Queue*> leaves = leavesOf(objects);
  if (leaves.size() < 2) {
    return fail(Error{.message = "want two queues: one that is promised GPUs, and one that borrows them",
                      .where = {.file = file}});
  }
  std::ranges::sort(leaves, [](const api::Queue* a, const api::Queue* b) {
    return std::tuple(promised(*b), b->spec.weight, a->metadata.name) <
           std::tuple(promised(*a), a->spec.weight, b->metadata.name);
  });
  return std::pair{roleOf(*leaves.front()), roleOf(*leaves.back())};
}

std::expected<Inputs, std::vector<Error>> readInputs(const DrillOptions& options) {
  return Reader(options).read();
}

}  // namespace tidegate::drill
