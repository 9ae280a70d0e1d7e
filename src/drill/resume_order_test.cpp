// Who gets the GPUs of a peak that is over.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "drill/measure.hpp"
#include "drill/stage.hpp"

namespace tidegate::drill {
namespace {

std::map<std::string, Time> submitted(const Stage& stage) {
  std::map<std::string, Time> times;
  for (const PodLife* pod : stage.recorder().pods()) times.try_emplace(pod->owner, pod->created);
  return times;
}

std::optional<Time> boundAfterPeak(const Stage& stage, const std::string& owner) {
  std::optional<Time> first;
  for (const PodLife* pod : stage.recorder().pods()) {
    const bool back = pod->owner == owner && pod->bound && *pod->bound >= stage.peakEndsAt();
    if (back && (!first || *pod->bound < *first)) first = pod->bound;
  }
  return first;
}

// Pods of later jobs that waited at the end of the peak and were bound while this job was still away.
std::vector<std::string> passedBy(const Stage& stage, const report::JobRow& job, Time back) {
  const auto times = submitted(stage);
  std::vector<std::string> pods;
  for (const PodLife* pod : stage.recorder().pods()) {
    const bool waited = pod->created < stage.peakEndsAt() && pod->bound && *pod->bound >= stage.peakEndsAt();
    const bool later = pod->queue == job.queue && times.at(pod->owner) > times.at(job.name);
    if (waited && later && *pod->bound < back) pods.push_back(pod->key);
  }
  return pods;
}

TEST(DrillResume, NoYoungerWorkThatWaitedIsServedBeforeARecalledJob) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    DrillOptions options;
    options.seed = seed;
    const auto inputs = readInputs(options);
    ASSERT_TRUE(inputs.has_value());
    Stage stage(options, *inputs, scheduler::VictimPolicy::Tidegate);
    stage.play([](const std::string&) {});
    const Measured measured = measure(options, *inputs, stage);
    ASSERT_FALSE(measured.run.jobs.empty());
    for (const report::JobRow& job : measured.run.jobs) {
      if (job.shrunk) continue;
      const auto back = boundAfterPeak(stage, job.name);
      ASSERT_TRUE(back) << job.name << " never came back";
      EXPECT_THAT(passedBy(stage, job, *back), testing::IsEmpty()) << job.name;
      EXPECT_LE(*back, stage.peakEndsAt() + seconds(60)) << job.name;
    }
  }
}

}  // namespace
}  // namespace tidegate::drill
