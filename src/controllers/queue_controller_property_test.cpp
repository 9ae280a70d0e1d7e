// Whatever happens, in whatever order it is told and however many commands and answers are lost: once all is
// quiet, every queue says what the rules say, and nothing more is sent.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "controllers/objects_for_tests.hpp"
#include "controllers/property_support.hpp"
#include "controllers/queue_controller.hpp"
#include "controllers/test_world.hpp"
#include "state/cluster_state.hpp"

namespace tidegate::controllers {
namespace {

using namespace test;

const std::vector<std::string> kQueues = {"dept", "a", "b", "c"};
const std::vector<std::string> kPhases = {"", "Pending", "Inqueue", "Running", "Unknown", "Completed"};

template <class T>
const T& oneOf(const std::vector<T>& list, Rng& rng) {
  return list[rng.below(list.size())];
}

void happen(TestWorld& world, Rng& rng, int step) {
  const std::string gang = fmt::format("g{}", rng.below(6));
  const std::string pod = fmt::format("p{}", rng.below(12));
  const std::string& queue = oneOf(kQueues, rng);
  switch (rng.below(9)) {
    case 0:
      if (world.find<api::Queue>(queue) != nullptr) return;
      return world.put(queueOf(queue, queue != "dept" && rng.chance(0.5) ? "dept" : ""));
    case 1:
      return world.remove(api::refOf(queueOf(oneOf(kQueues, rng))));
    case 2:
    case 3:
      return world.put(groupOf(gang, oneOf(kQueues, rng), oneOf(kPhases, rng)));
    case 4:
      return world.remove(api::refOf(groupOf(gang, "")));
    case 5:
    case 6:
      return world.put(
          podOf(pod, rng.chance(0.8) ? gang : "", rng.chance(0.6) ? "n1" : "", rng.between(1, 8)));
    case 7:
      return world.remove(api::refOf(podOf(pod, "")));
    default:
      return world.put(commandFor(fmt::format("c{}", step), oneOf(kQueues, rng),
                                  rng.chance(0.5) ? "OpenQueue" : "CloseQueue"));
  }
}

bool below(const TestWorld& world, const std::string& queue, const std::string& ancestor) {
  if (queue == ancestor || ancestor == "root") return true;
  const auto* object = world.find<api::Queue>(queue);
  return object != nullptr && object->spec.parent == ancestor && queue != ancestor;
}

std::string queueOfPod(const TestWorld& world, const api::Pod& pod) {
  auto named = pod.metadata.annotations.find(api::names::kGroupName);
  if (named == pod.metadata.annotations.end()) return "default";
  const auto* group = world.find<api::PodGroup>(named->second, "ns");
  return group == nullptr ? "default" : group->spec.queue;
}

void expectTruth(const TestWorld& world, const api::Queue& queue) {
  const std::string& name = queue.metadata.name;
  std::int64_t gpus = 0;
  for (const auto& pod : world.all<api::Pod>()) {
    const std::string at = queueOfPod(world, pod);
    const bool counts = world.find<api::Queue>(at) != nullptr && below(world, at, name);
    if (counts && !pod.spec.nodeName.empty()) {
      gpus += pod.spec.containers[0].resources.requests.at("nvidia.com/gpu").value();
    }
  }
  auto held = queue.status.allocated.find("nvidia.com/gpu");
  RC_ASSERT((held == queue.status.allocated.end() ? 0 : held->second.value()) == gpus);
  std::map<std::string, std::int32_t> phases;
  std::int32_t groups = 0;
  for (const auto& group : world.all<api::PodGroup>()) {
    if (group.spec.queue == name) ++phases[group.status.phase], ++groups;
  }
  RC_ASSERT(queue.status.pending == phases["Pending"] + phases[""]);
  RC_ASSERT(queue.status.inqueue == phases["Inqueue"]);
  RC_ASSERT(queue.status.running == phases["Running"]);
  RC_ASSERT(queue.status.unknown == phases["Unknown"]);
  RC_ASSERT(queue.status.completed == phases["Completed"]);
  RC_ASSERT(queue.status.state == "Open" || isClosed(queue.status.state));
  RC_ASSERT(queue.status.state != "Closing" || groups > 0);
  const auto* parent = world.find<api::Queue>(queue.spec.parent.empty() ? "root" : queue.spec.parent);
  if (parent != nullptr && name != "root" && isClosed(parent->status.state)) {
    RC_ASSERT(isClosed(queue.status.state));
  }
}

TEST(QueueControllerProperty, OnceQuietEveryQueueTellsTheTruth) {
  EXPECT_TRUE(rc::check("status of queues", [](std::uint64_t seed) {
    Rng rng(seed);
    QueueController first;
    QueueController second;
    TestWorld world(first, seed,
                    {.lostBefore = 0.1, .lostAfter = 0.1, .repeated = 0.2, .delay = milliseconds(300)});
    for (int i = 0; i < 10; ++i) happen(world, rng, i);
    world.start();
    for (int i = 10; i < 60; ++i) {
      happen(world, rng, i);
      world.runFor(milliseconds(rng.between(0, 400)));
      if (i == 40 && rng.chance(0.5)) world.restart(second);
    }
    world.setFaults({});
    RC_ASSERT(world.runToRest(seconds(120)));
    for (const auto& queue : world.all<api::Queue>()) expectTruth(world, queue);
    RC_ASSERT(world.find<api::Queue>("root") != nullptr);
    RC_ASSERT(world.find<api::Queue>("default") != nullptr);
    RC_ASSERT(world.all<api::BusCommand>().empty());
    assertNothingIsLeftToDo<QueueController>(world);
  }));
}

}  // namespace
}  // namespace tidegate::controllers
