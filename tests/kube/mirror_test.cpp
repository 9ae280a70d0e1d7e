// After any sequence of faults, what the reflectors have told is what the server has, once it is quiet; and
// on the way there they never say what cannot be.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/write.hpp"
#include "world/kube/kube_host.hpp"
#include "world/rest/sim_loop.hpp"
#include "world/rest/sim_transport.hpp"
#include "world/sim/test_support.hpp"

namespace tidegate::kube {
namespace {

constexpr std::uint64_t kSeeds = 240;
// Every back-off, silence and bookmark is over by then.
constexpr Duration kQuiet = seconds(400);

// The state that the events add up to.
class Mirror : public Controller {
 public:
  std::vector<Command> handle(const Event& event, Time) override {
    if (const auto* seen = std::get_if<ObjectSeen>(&event)) see(seen->object);
    if (const auto* gone = std::get_if<ObjectGone>(&event)) lose(*gone);
    if (std::holds_alternative<Tick>(event)) ++ticks;
    return {};
  }

  std::map<api::ObjectRef, api::Object> objects;
  std::vector<std::string> wrong;
  int ticks = 0;

 private:
  void see(const api::Object& object) {
    const api::ObjectMeta& metadata = api::metadataOf(object);
    const auto [found, fresh] = objects.try_emplace(api::refOf(object), object);
    if (fresh) return;
    const api::ObjectMeta& before = api::metadataOf(found->second);
    if (before.uid != metadata.uid) wrong.push_back("another uid without a goodbye: " + metadata.name);
    if (std::stoull(before.resourceVersion) >= std::stoull(metadata.resourceVersion))
      wrong.push_back("told twice, or backwards: " + metadata.name);
    found->second = object;
  }
  void lose(const ObjectGone& gone) {
    const auto found = objects.find(gone.ref);
    if (found == objects.end()) {
      wrong.push_back("never seen, but gone: " + gone.ref.name);
      return;
    }
    if (api::metadataOf(found->second).uid != gone.uid) wrong.push_back("another's uid: " + gone.ref.name);
    objects.erase(found);
  }
};

class World {
 public:
  World(std::uint64_t seed, bool watchList)
      : draw_(seed),
        api_(clock_, seed),
        server_(clock_, api_, {.history = 30, .absent = {"hypernodes.topology.volcano.sh"}}),
        loop_(clock_),
        transport_(clock_, server_, {.seed = seed, .network = {}, .faults = faults()}),
        host_({.loop = loop_, .transport = transport_}, options(seed, watchList)) {
    host_.add("mirror", mirror_, kindsOf<api::Pod, api::Node, api::Queue, api::HyperNode>());
    host_.start();
  }

  void live() {
    for (int step = 0; step < 150; ++step) {
      run(Duration{draw_.between(0, 400'000)});
      write();
      if (draw_.chance(0.01)) server_.restart(milliseconds(draw_.between(10, 5000)));
      if (draw_.chance(0.02)) server_.forgetHistory();
    }
    transport_.setFaults({});
    run(kQuiet);
  }

  void check() const {
    EXPECT_TRUE(host_.synced());
    EXPECT_EQ(mirror_.ticks, 1);
    EXPECT_THAT(mirror_.wrong, testing::IsEmpty());
    std::map<api::ObjectRef, api::Object> expected;
    for (const std::size_t kind : kindsOf<api::Pod, api::Node, api::Queue>()) {
      for (const auto& [key, object] : api_.store().table(kind))
        expected.emplace(api::refOf(*object), *object);
    }
    for (const auto& [ref, object] : expected) {
      const auto found = mirror_.objects.find(ref);
      if (found == mirror_.objects.end()) {
        ADD_FAILURE() << "missing: " << ref.name;
      } else {
        EXPECT_EQ(found->second, object) << api::toJson(found->second) << "\n" << api::toJson(object);
      }
    }
    EXPECT_EQ(mirror_.objects.size(), expected.size());
  }

  const rest::FaultCounts& counts() const { return transport_.counts(); }
  std::uint64_t lists() const {
    std::uint64_t sum = 0;
    for (const Reflector* reflector : host_.reflectors()) sum += reflector->stats().lists;
    return sum;
  }

 private:
  static HostOptions options(std::uint64_t seed, bool watchList) {
    HostOptions options;
    options.reflector.pageSize = 3;
    options.reflector.watchList = watchList;
    options.reflector.watchFor = seconds(20);
    options.reflector.decode.lean = false;
    options.seed = seed;
    return options;
  }

  rest::FaultRates faults() {
    rest::FaultRates rates;
    const auto some = [&](double most) { return draw_.chance(0.5) ? draw_.unit() * most : 0.0; };
    rates.requestLost = some(0.2);
    rates.answerLost = some(0.2);
    rates.noAnswer = some(0.1);
    rates.tooMany = some(0.2);
    rates.internalError = some(0.2);
    rates.unavailable = some(0.2);
    rates.slowRequest = some(0.2);
    rates.watchGone = some(0.3);
    rates.slowWatch = some(0.5);
    rates.dropWatch = some(0.1);
    rates.cutWatch = some(0.1);
    rates.endWatch = some(0.1);
    rates.duplicateEvent = some(0.2);
    rates.splitChunk = some(0.8);
    return rates;
  }

  void run(Duration span) {
    const Time end = clock_.now() + span;
    while (!clock_.empty() && clock_.nextTime() <= end) clock_.step();
    clock_.advanceTo(end);
  }

  void write() {
    const std::string name = fmt::format("x{}", draw_.below(9));
    switch (draw_.below(3)) {
      case 0:
        return writeTo<api::Pod>("default", sim::test::pod(name));
      case 1:
        return writeTo<api::Node>("", sim::test::node(name));
      default: {
        api::Queue queue;
        queue.metadata.name = name;
        return writeTo<api::Queue>("", queue);
      }
    }
  }
  // Creates the object if there is none, else changes or removes it.
  template <class T>
  void writeTo(const std::string& inNamespace, const T& object) {
    if (api_.create(object).ok()) return;
    const std::string& name = object.metadata.name;
    if (draw_.chance(0.5)) {
      api_.remove(sim::refTo<T>(inNamespace, name));
      if (draw_.chance(0.3)) api_.create(object);  // another of the same name
      return;
    }
    api_.modify<T>(sim::keyOf(inNamespace, name), "",
                   [&](T& it) { it.metadata.labels["n"] = std::to_string(draw_.below(1000)); });
  }

  Rng draw_;
  sim::EventQueue clock_{Time{} + std::chrono::hours(24 * 20000)};
  sim::SimApiServer api_;
  rest::RestServer server_;
  rest::SimLoop loop_;
  rest::SimTransport transport_;
  Mirror mirror_;
  KubeHost host_;
};

class MirrorTest : public testing::TestWithParam<bool> {};

TEST_P(MirrorTest, EqualsTheServerOnceItIsQuiet) {
  rest::FaultCounts sum;
  std::uint64_t lists = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    World world(seed, GetParam());
    world.live();
    world.check();
    const rest::FaultCounts& counts = world.counts();
    sum.dropped += counts.dropped;
    sum.cut += counts.cut;
    sum.watchesGone += counts.watchesGone;
    sum.answersLost += counts.answersLost;
    sum.duplicated += counts.duplicated;
    lists += world.lists();
    if (HasFailure()) return;
  }
  // The faults have happened.
  EXPECT_GT(sum.dropped, kSeeds / 2);
  EXPECT_GT(sum.cut, kSeeds / 2);
  EXPECT_GT(sum.watchesGone, kSeeds / 2);
  if (!GetParam()) {  // of a watch there is no answer to lose
    EXPECT_GT(sum.answersLost, kSeeds / 2);
  }
  EXPECT_GT(sum.duplicated, kSeeds / 2);
  EXPECT_GT(lists, 6 * kSeeds);
}

INSTANTIATE_TEST_SUITE_P(Lists, MirrorTest, testing::Bool(),
                         [](const auto& param) { return param.param ? "AsEvents" : "InPages"; });

}  // namespace
}  // namespace tidegate::kube
