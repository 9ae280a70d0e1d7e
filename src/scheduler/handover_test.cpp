// What a recall frees is handed over node by node, whole, to the pods it is freed for.
#include <gmock/gmock.h>

#include "scheduler/decide_fixture.hpp"

namespace tidegate::scheduler::test {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAre;

class Handover : public DecideTest {
 protected:
  // Node n1, of two victims with four GPUs each, is freed for pods 1 to 8 of a burst of nine.
  Handover() {
    nodes(1);
    queue("online", 8);
    queue("offline", 0);
    put({.name = "burst", .pods = 9, .queue = "online", .minimum = 1});
    put({.name = "victim", .pods = 2, .gpus = 4, .node = "n1", .queue = "offline"});
    stopVictims();
    api::Recall recall;
    recall.metadata.name = "recall-1";
    recall.metadata.uid = "uid-recall-1";
    recall.spec.queue = "online";
    recall.spec.nodes = {"n1"};
    for (int i = 1; i <= 8; ++i) {
      const std::string pod = fmt::format("burst-{}", i);
      recall.spec.placements.push_back({.pod = "default/" + pod, .podUid = "uid-" + pod, .node = "n1"});
    }
    recall.status.phase = "Stopping";
    state_.apply(recall);
  }

  void stopVictims() {
    for (api::Pod& pod : victims_) {
      pod.spec.nodeName = "n1";
      pod.metadata.deletionTimestamp = now_ + seconds(10);
      state_.apply(pod);
    }
  }

  void gone(std::size_t victim) { state_.remove(api::refOf(victims_[victim])); }

  std::vector<api::Pod> victims_ = {
      podOf({.name = "victim", .pods = 2, .gpus = 4, .node = "n1", .queue = "offline"}, 0),
      podOf({.name = "victim", .pods = 2, .gpus = 4, .node = "n1", .queue = "offline"}, 1)};
};

TEST_F(Handover, NobodyMovesInBesideAVictimThatIsStillThere) {
  gone(0);
  EXPECT_THAT(bound(), IsEmpty());
}

TEST_F(Handover, APodThatComesLaterDoesNotTakeThePlaceOfOneItIsFreedFor) {
  gone(0);
  gone(1);
  EXPECT_THAT(bound(), UnorderedElementsAre("burst-1", "burst-2", "burst-3", "burst-4", "burst-5", "burst-6",
                                            "burst-7", "burst-8"));
}

}  // namespace
}  // namespace tidegate::scheduler::test
