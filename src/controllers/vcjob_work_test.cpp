// How much a job's controller looks at, however large the job: counted in pods, not in time.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/names.hpp"
#include "controllers/vcjob.hpp"

namespace tidegate {
namespace {

const Time kStart = Time{} + std::chrono::hours(24 * 20000);

api::VcJob jobOf(std::int32_t pods) {
  api::VcJob job;
  job.metadata.name = "j";
  job.metadata.namespace_ = "ns";
  job.metadata.uid = "job";
  job.metadata.resourceVersion = "1";
  job.spec.minAvailable = 1;
  job.spec.tasks.resize(1);
  job.spec.tasks[0].name = "w";
  job.spec.tasks[0].replicas = pods;
  job.status.state.phase = "Running";
  return job;
}

api::Pod podOf(std::int32_t index, std::uint64_t version, const char* phase) {
  api::Pod pod;
  pod.metadata.name = fmt::format("j-w-{}", index);
  pod.metadata.namespace_ = "ns";
  pod.metadata.uid = fmt::format("u{}", index);
  pod.metadata.resourceVersion = std::to_string(version);
  pod.metadata.annotations[api::names::kTaskSpec] = "w";
  pod.metadata.ownerReferences = {{.apiVersion = api::VcJob::kApiVersion,
                                   .kind = api::VcJob::kKind,
                                   .name = "j",
                                   .uid = "job",
                                   .controller = true}};
  pod.status.phase = phase;
  return pod;
}

// Shows a job of many pods, then a change of one pod after another, evenly over `span`, and answers nothing
// but when it wakes; the pods looked at.
std::uint64_t lookedAt(std::int32_t pods, std::int32_t changes, Duration span) {
  VcJobController controller;
  std::optional<Time> wake;
  const auto feed = [&](const Event& event, Time now) {
    for (const Command& command : controller.handle(event, now)) {
      if (const auto* at = std::get_if<WakeAt>(&command.action)) wake = at->at;
    }
  };
  feed(ObjectSeen{jobOf(pods)}, kStart);
  for (std::int32_t i = 0; i < pods; ++i) feed(ObjectSeen{podOf(i, 1, "Pending")}, kStart);
  feed(Tick{}, kStart);
  const std::uint64_t before = controller.podsLookedAt();
  for (std::int32_t i = 0; i < changes; ++i) {
    const Time now = kStart + span * (i + 1) / changes;
    while (wake && *wake <= now) feed(Tick{}, *std::exchange(wake, std::nullopt));
    feed(ObjectSeen{podOf(i % pods, 2 + static_cast<std::uint64_t>(i), "Running")}, now);
  }
  return controller.podsLookedAt() - before;
}

TEST(VcJobWork, ALargeJobIsNotLookedAtForEachOfItsPods) {
  // 20,000 pods come up within ten seconds.
  const std::uint64_t looked = lookedAt(20'000, 20'000, seconds(10));
  EXPECT_LE(looked, 50'000U * 10 + 20'000) << "at most 50,000 pods a second";
  EXPECT_GE(looked, 20'000U * 5) << "and not forgotten either";
}

TEST(VcJobWork, TheBoundHoldsForEverySize) {
  for (const std::int32_t pods : {65, 500, 2'000, 8'000}) {
    const std::uint64_t looked = lookedAt(pods, 4'000, seconds(4));
    EXPECT_LE(looked, 50'000U * 4 + static_cast<std::uint64_t>(pods)) << pods;
  }
}

TEST(VcJobWork, ASmallJobIsLookedAtAtOnce) {
  EXPECT_GE(lookedAt(10, 100, seconds(10)), 10U * 100);
}

}  // namespace
}  // namespace tidegate
