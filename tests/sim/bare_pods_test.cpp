// Bare pods that ask for it are made again after a recall: once, as they were, as whole gangs; whatever
// command tidegate dies at.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/names.hpp"
#include "lab.hpp"

namespace tidegate::lab {
namespace {

namespace names = api::names;
using sim::TraceKind;
using testing::IsEmpty;

// Three nodes lent to queue b, all of them guaranteed to queue a.
LabOptions lent() {
  LabOptions options = lentNodes(3, 12);
  options.brain.remakePods = true;
  return options;
}

JobShape bare(const std::string& name, std::int32_t pods, std::int64_t gpus, api::StringMap more = {}) {
  more[names::kRecreate] = "true";
  return {.name = name,
          .queue = "b",
          .pods = pods,
          .gpus = gpus,
          .kind = Kind::BarePods,
          .annotations = std::move(more)};
}

class BarePods : public testing::Test {
 protected:
  void start(LabOptions options = lent()) { lab_.emplace(std::move(options)); }

  // A gang of two pods that share a PodGroup, and a single pod: all three nodes.
  void fill() {
    api::PodGroup group;
    group.metadata.name = "gang";
    group.metadata.namespace_ = "default";
    group.spec.minMember = 2;
    group.spec.queue = "b";
    ASSERT_TRUE(lab_->world().api().create(group).ok());
    lab_->submit(bare("gang", 2, 4, runs(200, {{names::kGroupName, "gang"}})));
    lab_->submit(bare("solo", 1, 4, runs(200)));
    ASSERT_TRUE(lab_->runUntil([&] { return back(); }, 60)) << lab_->world().traceText();
  }

  bool back() const { return lab_->running("gang") == 2 && lab_->running("solo") == 1; }
  bool peak() const { return lab_->running("claim") == 3; }
  // Times after `from` at which pods of these jobs were made.
  std::size_t made(double from) const {
    std::size_t count = 0;
    for (const char* job : {"gang", "solo"}) {
      const auto times = lab_->times(TraceKind::PodCreated, job);
      count += static_cast<std::size_t>(std::ranges::count_if(times, [&](double t) { return t > from; }));
    }
    return count;
  }
  std::vector<std::shared_ptr<const api::SuspendedPod>> records() const {
    return lab_->world().store().all<api::SuspendedPod>();
  }
  std::shared_ptr<const api::Pod> pod(const std::string& name) const {
    return lab_->world().store().find<api::Pod>("default/" + name);
  }

  mutable std::optional<Lab> lab_;
};

TEST_F(BarePods, AreMadeAgainWhenThePeakIsOver) {
  start();
  fill();
  const auto before = pod("solo-0");
  const double burst = lab_->now();
  lab_->submit(claim(3));
  ASSERT_TRUE(lab_->runUntil([&] { return peak(); }, 30)) << lab_->world().traceText();
  const std::size_t stored = records().size();
  EXPECT_EQ(stored, 3U);
  ASSERT_TRUE(lab_->runUntil([&] { return !peak(); }, 60));
  EXPECT_EQ(made(burst), 0U) << "no pod is made while the peak lasts";
  ASSERT_TRUE(lab_->runUntil([&] { return back() && records().empty(); }, 200)) << lab_->world().traceText();
  EXPECT_EQ(made(burst), stored);
  ASSERT_TRUE(pod("solo-0"));
  api::PodSpec spec = pod("solo-0")->spec;
  spec.nodeName = before->spec.nodeName;
  spec.priority = before->spec.priority;
  EXPECT_EQ(spec, before->spec);
  EXPECT_EQ(pod("solo-0")->metadata.labels, before->metadata.labels);
  EXPECT_THAT(lab_->violations(), IsEmpty());
}

TEST_F(BarePods, WithoutTheWishOrTheSwitchTheyAreGone) {
  LabOptions options = lent();
  options.brain.remakePods = false;
  start(options);
  fill();
  const double burst = lab_->now();
  lab_->submit(claim(3));
  ASSERT_TRUE(lab_->runUntil([&] { return peak(); }, 30)) << lab_->world().traceText();
  lab_->run(lab_->now() + 200);
  EXPECT_EQ(made(burst), 0U);
  EXPECT_THAT(records(), IsEmpty());
}

TEST_F(BarePods, OfAGangAllMustAsk) {
  start();
  fill();
  lab_->world().api().modify<api::Pod>("default/gang-1", "",
                                       [](api::Pod& it) { it.metadata.annotations.erase(names::kRecreate); });
  lab_->submit(claim(3));
  ASSERT_TRUE(lab_->runUntil([&] { return peak(); }, 30)) << lab_->world().traceText();
  ASSERT_EQ(records().size(), 1U);
  EXPECT_EQ(records().front()->metadata.name, "solo-0");
}

TEST_F(BarePods, WhoDeletesTheRecordHasNoPodMade) {
  start();
  fill();
  const double burst = lab_->now();
  lab_->submit(claim(3));
  ASSERT_TRUE(lab_->runUntil([&] { return peak(); }, 30)) << lab_->world().traceText();
  for (const auto& record : records()) lab_->world().api().remove(api::refOf(*record));
  lab_->run(lab_->now() + 200);
  EXPECT_EQ(made(burst), 0U) << lab_->world().traceText();
}

TEST_F(BarePods, WithoutItsPodGroupAGangStaysAway) {
  start();
  fill();
  const double burst = lab_->now();
  lab_->submit(claim(3));
  ASSERT_TRUE(lab_->runUntil([&] { return peak(); }, 30)) << lab_->world().traceText();
  lab_->world().api().remove({api::PodGroup::kKind, api::PodGroup::kApiVersion, "default", "gang"});
  lab_->run(lab_->now() + 200);
  EXPECT_EQ(lab_->existing("gang"), 0) << lab_->world().traceText();
  EXPECT_LE(made(burst), 1U);
}

TEST_F(BarePods, WithoutTheirQueueTheyWait) {
  start();
  fill();
  const double burst = lab_->now();
  lab_->submit(claim(3));
  ASSERT_TRUE(lab_->runUntil([&] { return peak(); }, 30)) << lab_->world().traceText();
  const std::size_t stored = records().size();
  lab_->world().api().remove({api::Queue::kKind, api::Queue::kApiVersion, "", "b"});
  lab_->run(lab_->now() + 200);
  EXPECT_EQ(made(burst), 0U) << lab_->world().traceText();
  EXPECT_EQ(records().size(), stored);
}

TEST_F(BarePods, APodThatItsUserMadeAgainIsNotMadeTwice) {
  start();
  lab_->submit(bare("solo", 3, 4));
  ASSERT_TRUE(lab_->runUntil([&] { return lab_->running("solo") == 3; }, 60));
  lab_->submit(claim(3));
  ASSERT_TRUE(lab_->runUntil([&] { return peak() && records().size() == 3; }, 30));
  api::Pod again{.metadata = records().front()->spec.pod.metadata,
                 .spec = records().front()->spec.pod.spec,
                 .status = {}};
  again.metadata.uid.clear();
  ASSERT_TRUE(lab_->world().api().create(again).ok());
  ASSERT_TRUE(lab_->runUntil([&] { return records().size() == 2; }, 5)) << lab_->world().traceText();
  ASSERT_TRUE(lab_->runUntil([&] { return lab_->running("solo") == 3 && records().empty(); }, 200))
      << lab_->world().traceText();
  EXPECT_EQ(lab_->times(TraceKind::PodCreated, "solo").size(), 3U + 3U);
}

TEST_F(BarePods, AreServedInTheirPlace) {
  start();
  lab_->submit(bare("solo", 3, 4));
  ASSERT_TRUE(lab_->runUntil([&] { return lab_->running("solo") == 3; }, 60));
  lab_->submit(claim(3));
  ASSERT_TRUE(lab_->runUntil([&] { return peak(); }, 30));
  JobShape younger{.name = "younger", .queue = "b", .pods = 3, .gpus = 4};
  younger.annotations = runs(1000);
  lab_->submit(younger);
  ASSERT_TRUE(lab_->runUntil([&] { return lab_->running("solo") == 3; }, 200)) << lab_->world().traceText();
  EXPECT_EQ(lab_->running("younger"), 0);
}

struct Played {
  std::uint64_t commands = 0;
  std::uint64_t beforeBurst = 0;
};

class BarePodsRestart : public BarePods {
 protected:
  Played play(std::optional<std::uint64_t> dieAt, double loseAnswer = 0) {
    LabOptions options = lent();
    if (dieAt) options.sim.faults.restarts = {{.at = {}, .atCommand = dieAt, .downFor = seconds(1)}};
    options.sim.faults.loseAnswer = loseAnswer;
    start(options);
    fill();
    Played played{.commands = 0, .beforeBurst = lab_->world().commandsSent()};
    const double burst = lab_->now();
    lab_->submit(claim(3));
    EXPECT_TRUE(lab_->runUntil([&] { return peak(); }, 60));
    const std::size_t stored = records().size();
    EXPECT_TRUE(lab_->runUntil([&] { return !peak(); }, 60));
    EXPECT_EQ(made(burst), 0U);
    EXPECT_TRUE(lab_->runUntil([&] { return back() && records().empty(); }, 300));
    lab_->run(lab_->now() + 30);
    EXPECT_TRUE(back()) << "and they stay";
    EXPECT_EQ(made(burst), stored);
    EXPECT_THAT(lab_->violations(), IsEmpty());
    played.commands = lab_->world().commandsSent();
    return played;
  }
};

TEST_F(BarePodsRestart, AtAnyCommandNothingIsLostAndNothingMadeTwice) {
  const Played undisturbed = play(std::nullopt);
  for (std::uint64_t command = undisturbed.beforeBurst + 1; command <= undisturbed.commands; ++command) {
    SCOPED_TRACE(testing::Message() << "dies at command " << command << " of " << undisturbed.commands);
    play(command);
    ASSERT_FALSE(testing::Test::HasFailure()) << lab_->world().traceText();
  }
}

TEST_F(BarePodsRestart, AnswersThatAreLostDoNoHarm) {
  for (std::uint64_t command = 20; command < 60; command += 2) {
    SCOPED_TRACE(command);
    play(command, 0.2);
    ASSERT_FALSE(testing::Test::HasFailure()) << lab_->world().traceText();
  }
}

}  // namespace
}  // namespace tidegate::lab
