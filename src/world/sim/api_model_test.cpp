// Thousands of random requests against the API server beside a model of a few lines: what a pod's deletion
// may do.
#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "world/sim/test_support.hpp"

namespace tidegate::sim {
namespace {

// What the rules say about one pod; no versions, no objects.
struct ModelPod {
  bool bound = false;
  bool ended = false;
  bool held = false;                  // by a finalizer
  std::optional<std::int64_t> grace;  // set: being deleted
  Time asked{};
};

class Model {
 public:
  Outcome create(const std::string& name, bool held) {
    if (pods.contains(name)) return Outcome::Conflict;
    pods[name].held = held;
    return Outcome::Succeeded;
  }
  Outcome bind(const std::string& name) {
    if (!pods.contains(name)) return Outcome::NotFound;
    ModelPod& pod = pods[name];
    if (pod.bound || pod.grace) return Outcome::Conflict;
    pod.bound = true;
    return Outcome::Succeeded;
  }
  Outcome end(const std::string& name) {
    if (!pods.contains(name)) return Outcome::NotFound;
    pods[name].ended = true;
    return Outcome::Succeeded;
  }
  Outcome release(const std::string& name) {
    if (!pods.contains(name)) return Outcome::NotFound;
    pods[name].held = false;
    if (pods[name].grace == 0) pods.erase(name);
    return Outcome::Succeeded;
  }
  Outcome remove(const std::string& name, std::int64_t grace, Time now) {
    if (!pods.contains(name)) return Outcome::NotFound;
    ModelPod& pod = pods[name];
    if (!pod.bound || pod.ended) grace = 0;
    if (grace == 0) {
      if (!pod.held) {
        pods.erase(name);
      } else if (pod.grace != 0) {
        pod.grace = 0;
        pod.asked = now;
      }
      return Outcome::Succeeded;
    }
    if (!pod.grace) pod.asked = now;
    if (!pod.grace || grace < *pod.grace) pod.grace = grace;
    return Outcome::Succeeded;
  }

  std::map<std::string, ModelPod> pods;
};

void compare(const Model& model, const ObjectStore& store, std::uint64_t seed, int step) {
  const auto pods = store.all<api::Pod>();
  ASSERT_EQ(pods.size(), model.pods.size()) << "seed " << seed << " step " << step;
  for (const auto& pod : pods) {
    const auto found = model.pods.find(pod->metadata.name);
    ASSERT_NE(found, model.pods.end()) << pod->metadata.name;
    const ModelPod& expected = found->second;
    EXPECT_EQ(!pod->spec.nodeName.empty(), expected.bound) << "seed " << seed << " step " << step;
    EXPECT_EQ(pod->metadata.deletionGracePeriodSeconds, expected.grace)
        << "seed " << seed << " step " << step;
    if (expected.grace) {
      EXPECT_EQ(pod->metadata.deletionTimestamp, expected.asked + seconds(*expected.grace));
    }
  }
}

TEST(ApiModelTest, RandomRequestsEndAsTheRulesSay) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Rng draw{seed};
    EventQueue clock{Time{} + seconds(1000)};
    SimApiServer api(clock, seed);
    Model model;
    for (int step = 0; step < 1000; ++step) {
      clock.advanceTo(clock.now() + milliseconds(draw.between(0, 5000)));
      const std::string name = "p" + std::to_string(draw.below(6));
      const auto stored = api.store().find<api::Pod>("default/" + name);
      const auto grace = draw.between(0, 3) * 10;
      switch (draw.below(7)) {
        case 0:
        case 1: {
          api::Pod pod = test::pod(name);
          if (draw.chance(0.3)) pod.metadata.finalizers = {"x/hold"};
          EXPECT_EQ(api.create(pod).outcome, model.create(name, !pod.metadata.finalizers.empty()));
          break;
        }
        case 2:
          EXPECT_EQ(api.bind({"default", name, stored ? stored->metadata.uid : "", "n1"}).outcome,
                    model.bind(name));
          break;
        case 3:
          EXPECT_EQ(
              api.modify<api::Pod>("default/" + name, "", [](api::Pod& it) { it.status.phase = "Failed"; })
                  .outcome,
              model.end(name));
          break;
        case 4:
          EXPECT_EQ(api.modify<api::Pod>("default/" + name, "",
                                         [](api::Pod& it) { it.metadata.finalizers.clear(); })
                        .outcome,
                    model.release(name));
          break;
        default:
          EXPECT_EQ(api.remove(refTo<api::Pod>("default", name), {.uid = "", .graceSeconds = grace}).outcome,
                    model.remove(name, grace, clock.now()));
      }
      compare(model, api.store(), seed, step);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace tidegate::sim
