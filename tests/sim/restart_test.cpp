// The brain dies just before any one of its commands, loses all memory, and comes back: nothing is stopped
// twice, nothing is forgotten.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/names.hpp"
#include "lab.hpp"

namespace tidegate::lab {
namespace {

struct Outcome {
  std::uint64_t commands = 0;
  std::uint64_t beforeBurst = 0;  // commands sent while the pool was filled
  std::int32_t evicted = 0;
  std::size_t recalls = 0;
  bool burstRan = false;
  bool allDone = false;
  std::int32_t retries = 0;
  std::vector<sim::Violation> violations;
  std::string trace;
};

const std::vector<std::string> kJobs = {"big", "mid", "elastic"};

Outcome play(std::optional<std::uint64_t> dieAt, Duration downFor = seconds(1)) {
  LabOptions options{
      .nodes = 3,
      .gpus = 8,
      .queues = {{.name = "online", .guarantee = 16, .deserved = 16}, {.name = "offline", .deserved = 8}}};
  if (dieAt) options.sim.faults.restarts = {{.at = {}, .atCommand = dieAt, .downFor = downFor}};
  Lab lab(options);
  lab.submit({.name = "big", .queue = "offline", .pods = 1, .gpus = 8, .annotations = runs(100, saves(2))});
  lab.submit({.name = "mid", .queue = "offline", .pods = 2, .gpus = 4, .annotations = runs(120, saves(3))});
  lab.submit(
      {.name = "elastic", .queue = "offline", .pods = 8, .minimum = 1, .annotations = runs(150, saves(1))});
  lab.run(40);
  Outcome outcome;
  outcome.beforeBurst = lab.world().commandsSent();
  lab.submit({.name = "web",
              .queue = "online",
              .pods = 3,
              .gpus = 4,
              .priority = "top",
              .kind = Kind::BatchJob,
              .annotations = runs(60)});
  outcome.burstRan = lab.runUntil([&] { return lab.running("web") == 3; }, 60);
  outcome.allDone = lab.runUntil(
      [&] {
        return std::ranges::all_of(
            kJobs, [&](const auto& job) { return lab.vcjob(job).status.state.phase == "Completed"; });
      },
      900);
  for (const auto& job : kJobs) outcome.retries += lab.vcjob(job).status.retryCount;
  outcome.commands = lab.world().commandsSent();
  outcome.evicted = lab.evictedInAll();
  outcome.recalls = lab.recalls().size();
  outcome.violations = lab.violations();
  if (!outcome.burstRan || !outcome.allDone || !outcome.violations.empty())
    outcome.trace = lab.world().traceText();
  return outcome;
}

void expectServed(const Outcome& outcome) {
  EXPECT_TRUE(outcome.burstRan);
  EXPECT_TRUE(outcome.allDone);
  EXPECT_EQ(outcome.recalls, 1u);
  EXPECT_EQ(outcome.retries, 0);
  for (const auto& violation : outcome.violations)
    ADD_FAILURE() << violation.rule << ": " << violation.message;
}

TEST(Restart, AtAnyCommandStopsNothingTwiceAndForgetsNothing) {
  const Outcome undisturbed = play(std::nullopt);
  expectServed(undisturbed);
  ASSERT_GT(undisturbed.evicted, 0);
  for (std::uint64_t command = 1; command <= undisturbed.commands; ++command) {
    SCOPED_TRACE(testing::Message() << "dies at command " << command << " of " << undisturbed.commands);
    const Outcome outcome = play(command);
    expectServed(outcome);
    // Before the burst it may fill the pool otherwise, and so need other victims.
    if (command > undisturbed.beforeBurst) {
      EXPECT_EQ(outcome.evicted, undisturbed.evicted);
    }
    ASSERT_FALSE(testing::Test::HasFailure()) << outcome.trace;
  }
}

TEST(Restart, TwiceTheSameRunIsTheSameRun) {
  const Outcome one = play(20);
  const Outcome two = play(20);
  EXPECT_EQ(one.commands, two.commands);
  EXPECT_EQ(one.evicted, two.evicted);
}

}  // namespace
}  // namespace tidegate::lab
