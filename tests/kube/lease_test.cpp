// Leader election against the simulated API server: never two that may write at once, whatever breaks; and
// one that leads, once nothing does.
#include "run/lease.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "world/rest/sim_loop.hpp"
#include "world/rest/sim_transport.hpp"
#include "world/sim/test_support.hpp"

namespace tidegate::run {
namespace {

constexpr std::uint64_t kSeeds = 100;
constexpr int kReplicas = 3;

// One process; after its death another takes its place.
struct Replica {
  Replica(sim::EventQueue& clock, rest::RestServer& server, const std::string& name, std::uint64_t seed,
          const rest::FaultRates& faults)
      : loop(clock, seconds(static_cast<std::int64_t>(seed % 7) - 3)),
        transport(clock, server, {.seed = seed, .network = {}, .faults = faults}),
        elector(loop, transport, {.namespace_ = "kube-system", .name = "tidegate", .identity = name},
                {.elected = [this] { ++elected; },
                 .deposed = [this](const std::string&) { deposed = true; },
                 .follows = [](const std::string&) {},
                 .troubled = [this](const std::string& why) { troubles.push_back(why); }}) {
    elector.start();
  }

  int elected = 0;
  bool deposed = false;
  std::vector<std::string> troubles;
  rest::SimLoop loop;
  rest::SimTransport transport;
  LeaderElector elector;
};

class Election {
 public:
  explicit Election(std::uint64_t seed)
      : draw_(seed),
        api_(clock_, seed),
        server_(clock_, api_),
        faults_{.requestLost = 0.1,
                .answerLost = 0.1,
                .noAnswer = 0.05,
                .conflict = 0.05,
                .internalError = 0.1,
                .slowRequest = 0.1,
                .slowness = seconds(8)} {
    for (int i = 0; i < kReplicas; ++i) replicas_.push_back(make());
  }

  // Runs until `end`, judging after every event.
  void run(Duration length) {
    const Time end = clock_.now() + length;
    while (!clock_.empty() && clock_.nextTime() <= end) {
      clock_.step();
      ASSERT_LE(writers(), 1) << "at " << formatTime(clock_.now());
    }
    clock_.advanceTo(end);
  }

  void live() {
    for (int step = 0; step < 60; ++step) {
      run(Duration{draw_.between(0, 10'000'000)});
      const auto which = draw_.below(kReplicas);
      if (draw_.chance(0.1) || replicas_[which]->deposed) restart(which);
      if (draw_.chance(0.05)) server_.restart(seconds(draw_.between(1, 20)));
    }
  }

  void mend() {
    faults_ = {};
    for (std::size_t i = 0; i < kReplicas; ++i) restart(i);
  }
  void restart(std::size_t which) {
    dead_.push_back(std::move(replicas_[which]));
    dead_.back()->loop.kill();
    dead_.back()->transport.kill();
    replicas_[which] = make();
  }

  int writers() const {
    return static_cast<int>(
        std::ranges::count_if(replicas_, [](const auto& replica) { return replica->elector.mayWrite(); }));
  }
  Replica& leader() {
    return **std::ranges::find_if(replicas_, [](const auto& replica) { return replica->elector.leads(); });
  }
  std::string holder() {
    const auto answer = server_.answer(
        {.path = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/tidegate", .body = {}});
    return answer.body;
  }

 private:
  std::unique_ptr<Replica> make() {
    ++made_;
    return std::make_unique<Replica>(clock_, server_, fmt::format("replica-{}", made_), draw_.next(),
                                     faults_);
  }

  Rng draw_;
  sim::EventQueue clock_{Time{} + std::chrono::hours(24 * 20000)};
  sim::SimApiServer api_;
  rest::RestServer server_;
  rest::FaultRates faults_;
  int made_ = 0;
  std::vector<std::unique_ptr<Replica>> replicas_;
  std::vector<std::unique_ptr<Replica>> dead_;
};

TEST(Lease, NeverTwoThatMayWrite) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    Election election(seed);
    election.live();
    ASSERT_FALSE(testing::Test::HasFatalFailure());
  }
}

TEST(Lease, OneLeadsOnceNothingBreaks) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    Election election(seed);
    election.live();
    election.mend();
    election.run(seconds(40));
    ASSERT_EQ(election.writers(), 1);
  }
}

TEST(Lease, TellsOnceWhyTheLeaseCannotBeUsed) {
  sim::EventQueue clock{Time{} + std::chrono::hours(24 * 20000)};
  sim::SimApiServer api(clock, 1);
  rest::RestServer server(clock, api);
  const Replica replica(clock, server, "replica", 1, {.internalError = 1});
  for (const Time end = clock.now() + seconds(60); clock.nextTime() <= end;) clock.step();
  EXPECT_EQ(replica.elected, 0);
  EXPECT_THAT(replica.troubles, testing::ElementsAre("Internal error occurred: injected"));
}

TEST(Lease, ALeaderThatDiesIsFollowedWhenItsLeaseHasRunOut) {
  Election election(1);
  election.mend();
  election.run(seconds(40));
  const std::string first = election.holder();
  for (std::size_t i = 0; i < kReplicas; ++i) election.restart(i);
  election.run(seconds(10));
  EXPECT_EQ(election.writers(), 0);
  election.run(seconds(10));
  EXPECT_EQ(election.writers(), 1);
  EXPECT_NE(election.holder(), first);
}

TEST(Lease, OneThatIsGivenBackIsTakenAtOnce) {
  Election election(1);
  election.mend();
  election.run(seconds(40));
  bool released = false;
  election.leader().elector.release([&] { released = true; });
  election.run(seconds(3));
  EXPECT_TRUE(released);
  EXPECT_EQ(election.writers(), 1);
}

}  // namespace
}  // namespace tidegate::run
