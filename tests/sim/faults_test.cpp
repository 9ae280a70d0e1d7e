// Seeded faults of every kind at once. What must hold at every moment is watched by sim::Invariants and, of
// lenders, by LenderWatch; here, that the burst is served and that no job is lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "lab.hpp"
#include "lender_watch.hpp"

namespace tidegate::lab {
namespace {

sim::FaultOptions faultsOf(std::uint64_t seed) {
  Rng rng(seed);
  sim::FaultOptions faults;
  faults.ignoreSigterm = rng.chance(0.5) ? 0.2 : 0;
  faults.holdByFinalizer = rng.chance(0.3) ? 0.05 : 0;
  faults.slowKubelet = rng.chance(0.3) ? 0.3 : 0;
  faults.breakWatch = rng.chance(0.5) ? 0.01 : 0;
  faults.duplicateEvent = rng.chance(0.5) ? 0.1 : 0;
  faults.delayEvent = rng.chance(0.5) ? 0.02 : 0;
  faults.conflict = rng.chance(0.5) ? 0.1 : 0;
  faults.loseAnswer = rng.chance(0.5) ? 0.1 : 0;
  if (rng.chance(0.3))
    faults.crashes = {{.node = "", .at = seconds(rng.between(40, 75)), .recoverAfter = seconds(200)}};
  if (rng.chance(0.6))
    faults.restarts.push_back(
        {.at = milliseconds(rng.between(40'000, 70'000)), .atCommand = {}, .downFor = seconds(2)});
  return faults;
}

// Every recall has served a pod that is bound now, and nothing was stopped that no record names.
void expectNothingInVain(const Lab& lab) {
  std::size_t recorded = 0;
  for (const auto& recall : lab.recalls()) {
    for (const auto& victim : recall.spec.victims) recorded += victim.pods.size();
    const bool serves =
        std::ranges::any_of(recall.spec.placements, [&](const api::RecallPlacement& placement) {
          return lab.bound(placement.pod.substr(placement.pod.find('/') + 1));
        });
    EXPECT_TRUE(serves) << recall.metadata.name << " stopped work for nobody";
  }
  EXPECT_LE(static_cast<std::size_t>(lab.evictedInAll()), recorded);
}

struct Layout {
  std::vector<QueueShape> queues;
  std::vector<JobShape> load;
};

// One lender, which may give half of what it has.
Layout oneLender() {
  return {
      .queues = {{.name = "online", .guarantee = 16, .deserved = 16}, {.name = "offline", .deserved = 16}},
      .load = {{.name = "big", .queue = "offline", .pods = 2, .gpus = 8, .annotations = runs(150, saves(2))},
               {.name = "mid", .queue = "offline", .pods = 2, .gpus = 4, .annotations = runs(150, saves(3))},
               {.name = "small",
                .queue = "offline",
                .pods = 8,
                .gpus = 1,
                .minimum = 1,
                .annotations = runs(150, saves(1))}}};
}

// A second lender stands at its entitlement. Its pods would be the cheapest to stop by far: they save in no
// time, while all that the first lender's big gang has done is lost.
Layout twoLenders() {
  return {.queues = {{.name = "online", .guarantee = 16, .deserved = 16},
                     {.name = "offline", .deserved = 10},
                     {.name = "steady", .deserved = 6}},
          .load = {
              {.name = "big", .queue = "offline", .pods = 2, .gpus = 8, .annotations = runs(150)},
              {.name = "mid", .queue = "offline", .pods = 2, .gpus = 4, .annotations = runs(150, saves(3))},
              {.name = "small", .queue = "offline", .pods = 2, .gpus = 1, .annotations = runs(150, saves(1))},
              {.name = "even",
               .queue = "steady",
               .pods = 6,
               .gpus = 1,
               .minimum = 1,
               .annotations = runs(150, saves(0.1))}}};
}

void play(std::uint64_t seed) {
  const Layout layout = seed % 2 == 0 ? twoLenders() : oneLender();
  LabOptions options{.nodes = 4, .gpus = 8, .queues = layout.queues};
  options.sim.seed = seed;
  options.sim.faults = faultsOf(seed);
  options.sim.nodes.evictAfter = seconds(60);
  Lab lab(options);
  const LenderWatch lenders(lab);
  for (const auto& job : layout.load) lab.submit(job);
  lab.run(45);
  const JobShape web{
      .name = "web", .queue = "online", .pods = 2, .gpus = 8, .priority = "top", .kind = Kind::Deployment};
  lab.submit(web);
  EXPECT_TRUE(lab.runUntil([&] { return lab.running("web") == 2; }, 400)) << "the burst was not served";
  // A lost node makes what was stopped for it useless, and stops work by itself.
  if (options.sim.faults.crashes.empty()) expectNothingInVain(lab);
  lab.run(lab.now() + 30);
  lab.remove(web);
  for (const auto& job : layout.load) {
    EXPECT_TRUE(lab.runUntil([&] { return lab.vcjob(job.name).status.state.phase == "Completed"; }, 3000))
        << job.name << " was lost: " << lab.vcjob(job.name).status.state.phase;
  }
  EXPECT_GE(lenders.judged(), 1u) << "no recall was looked at";
  for (const auto& wronged : lenders.wronged()) ADD_FAILURE() << wronged;
  for (const auto& violation : lab.violations()) {
    ADD_FAILURE() << toSeconds(violation.at - lab.world().start()) << " " << violation.rule << ": "
                  << violation.message;
  }
  if (testing::Test::HasFailure()) std::fputs(lab.world().traceText().c_str(), stderr);
}

// Under the sanitizers a run takes ten times as long; the memory that it touches is the same for fewer seeds.
#ifdef __SANITIZE_ADDRESS__
constexpr std::uint64_t kSeeds = 50;
#else
constexpr std::uint64_t kSeeds = 500;
#endif

TEST(Faults, BurstIsServedAndNoJobIsLost) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    play(seed);
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace tidegate::lab
