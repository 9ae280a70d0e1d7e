#include "controllers/queue_controller.hpp"

#include <gtest/gtest.h>

#include "api/names.hpp"
#include "controllers/objects_for_tests.hpp"
#include "controllers/test_world.hpp"

namespace tidegate::controllers {
namespace {

using namespace test;
namespace names = api::names;

class QueueControllerTest : public testing::Test {
 protected:
  void settle() { ASSERT_TRUE(world_.runToRest(seconds(60))); }
  const api::QueueStatus& status(const std::string& queue) const {
    return world_.find<api::Queue>(queue)->status;
  }
  std::int64_t gpus(const std::string& queue) const {
    auto at = status(queue).allocated.find("nvidia.com/gpu");
    return at == status(queue).allocated.end() ? 0 : at->second.value();
  }
  void order(const std::string& queue, const std::string& action) {
    world_.put(commandFor("c" + std::to_string(++orders_), queue, action));
    settle();
  }

  QueueController controller_;
  TestWorld world_{controller_};
  int orders_ = 0;
};

TEST_F(QueueControllerTest, RootAndDefaultAreMadeOnceAndOpen) {
  world_.start();
  settle();
  EXPECT_EQ(only<Create>(world_.log()).size(), 2u);
  EXPECT_EQ(status("root").state, "Open");
  EXPECT_EQ(world_.find<api::Queue>("root")->spec.reclaimable, false);
  EXPECT_EQ(world_.find<api::Queue>("default")->spec.reclaimable, true);
  QueueController next;
  world_.clearLog();
  world_.restart(next);
  settle();
  EXPECT_TRUE(world_.log().empty());
}

TEST_F(QueueControllerTest, NothingIsSentBeforeAllIsShown) {
  EXPECT_TRUE(controller_.handle(ObjectSeen{queueOf("a")}, kStart).empty());
}

TEST_F(QueueControllerTest, ParentsHoldTheSumAndSpecsAreLeftAlone) {
  world_.put(queueOf("dept"));
  world_.put(queueOf("team-a", "dept"));
  world_.put(queueOf("team-b", "dept"));
  world_.put(groupOf("ga", "team-a"));
  world_.put(groupOf("gb", "team-b", "Inqueue"));
  world_.put(podOf("a-0", "ga", "n1", 4));
  world_.put(podOf("a-1", "ga", "", 4));
  world_.put(podOf("b-0", "gb", "n1", 2));
  auto done = podOf("b-1", "gb", "n1", 2);
  done.status.phase = "Succeeded";
  world_.put(done);
  auto foreign = podOf("other", "", "n1", 8);
  foreign.spec.schedulerName = "default-scheduler";
  world_.put(foreign);
  world_.put(podOf("bare", "", "n1", 1));
  world_.start();
  settle();
  EXPECT_EQ(gpus("team-a"), 4);
  EXPECT_EQ(gpus("team-b"), 2);
  EXPECT_EQ(gpus("dept"), 6);
  EXPECT_EQ(gpus("default"), 1);
  EXPECT_EQ(gpus("root"), 7);
  EXPECT_EQ(status("team-a").running, 1);
  EXPECT_EQ(status("team-b").inqueue, 1);
  EXPECT_EQ(status("dept").running, 0);
  EXPECT_EQ(world_.find<api::Queue>("dept")->spec.parent, "");
}

TEST_F(QueueControllerTest, WhatAsksForTheDefaultQueueCountsInItsNamespacesQueue) {
  world_.put(queueOf("research"));
  world_.put(queueOf("own"));
  world_.put(groupOf("by-hand", "default"));
  world_.put(groupOf("unset", ""));
  world_.put(groupOf("named", "own"));
  world_.put(podOf("h-0", "by-hand", "n1", 4));
  world_.put(podOf("u-0", "unset", "n1", 2));
  world_.put(podOf("n-0", "named", "n1", 1));
  world_.put(podOf("alone", "", "n1", 8));
  world_.start();
  settle();
  EXPECT_EQ(gpus("default"), 14);
  api::Namespace space;
  space.metadata.name = "ns";
  space.metadata.annotations[names::kQueueName] = "research";
  world_.put(space);
  settle();
  EXPECT_EQ(gpus("default"), 0);
  EXPECT_EQ(gpus("research"), 14);
  EXPECT_EQ(gpus("own"), 1);
  EXPECT_EQ(status("research").running, 2);
  space.metadata.annotations.clear();
  world_.put(space);
  settle();
  EXPECT_EQ(gpus("default"), 14);
  EXPECT_EQ(gpus("research"), 0);
}

TEST_F(QueueControllerTest, AmountsThatAreFreedAgainLeaveTheStatus) {
  world_.put(groupOf("g", "default"));
  world_.put(podOf("p", "g", "n1", 4));
  world_.start();
  settle();
  EXPECT_EQ(gpus("default"), 4);
  world_.remove(api::refOf(podOf("p", "g")));
  settle();
  EXPECT_TRUE(status("default").allocated.empty());
}

TEST_F(QueueControllerTest, FiguresAreWrittenAtMostOncePerInterval) {
  world_.put(groupOf("g", "default"));
  world_.start();
  settle();
  world_.clearLog();
  for (int i = 0; i < 100; ++i) {
    world_.put(podOf("p" + std::to_string(i), "g", "n1"));
    world_.runFor(milliseconds(10));
  }
  settle();
  EXPECT_EQ(gpus("default"), 100);
  EXPECT_LE(only<WriteStatus>(world_.log()).size(), 2 * 4u);  // default and root, in one second
}

TEST_F(QueueControllerTest, ClosesWhenItsGroupsAreGoneAndOpensAgain) {
  world_.put(queueOf("q"));
  world_.put(groupOf("g", "q"));
  world_.start();
  settle();
  order("q", "CloseQueue");
  EXPECT_EQ(status("q").state, "Closing");
  EXPECT_TRUE(world_.all<api::BusCommand>().empty());
  world_.remove(api::refOf(groupOf("g", "q")));
  settle();
  EXPECT_EQ(status("q").state, "Closed");
  order("q", "OpenQueue");
  EXPECT_EQ(status("q").state, "Open");
  order("root", "CloseQueue");
  EXPECT_EQ(status("root").state, "Open");
  EXPECT_TRUE(only<Emit>(world_.log()).back().warning);
}

TEST_F(QueueControllerTest, AnOrderIsForTheQueueItsUidNames) {
  world_.put(queueOf("q"));
  world_.start();
  settle();
  auto command = commandFor("old", "q", "CloseQueue");
  command.target.uid = "of-a-queue-that-was";
  world_.put(command);
  settle();
  EXPECT_EQ(status("q").state, "Open");
  EXPECT_TRUE(world_.all<api::BusCommand>().empty());
}

TEST_F(QueueControllerTest, CommandsForJobsAreLeftToOthers) {
  world_.start();
  auto command = commandFor("c", "job", "AbortJob");
  command.target.kind = "Job";
  command.target.apiVersion = api::VcJob::kApiVersion;
  world_.put(command);
  settle();
  EXPECT_EQ(world_.all<api::BusCommand>().size(), 1u);
}

TEST_F(QueueControllerTest, ACommandSomebodyElseTookIsNotCarriedOut) {
  world_.put(queueOf("q"));
  world_.start();
  settle();
  const auto command = commandFor("c", "q", "CloseQueue");
  auto seen = command;
  seen.metadata.uid = "taken";
  world_.deliver(ObjectSeen{seen});  // it is gone already: the answer is NotFound
  settle();
  EXPECT_EQ(status("q").state, "Open");
}

TEST_F(QueueControllerTest, AnOrderWhoseAnswerIsLostIsCarriedOutOnce) {
  world_.put(queueOf("q"));
  world_.start();
  settle();
  world_.setFaults({.lostAfter = 1});
  world_.put(commandFor("c", "q", "CloseQueue"));
  world_.runFor(milliseconds(500));
  world_.setFaults({});
  settle();
  EXPECT_EQ(status("q").state, "Closed");
  const auto events = only<Emit>(world_.log());
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].reason, "CloseQueue");
}

TEST_F(QueueControllerTest, ChildrenCloseAndOpenWithTheirParent) {
  world_.put(queueOf("dept"));
  world_.put(queueOf("a", "dept"));
  world_.put(queueOf("b", "dept"));
  world_.start();
  settle();
  order("b", "CloseQueue");
  order("dept", "CloseQueue");
  EXPECT_EQ(status("a").state, "Closed");
  EXPECT_EQ(world_.find<api::Queue>("a")->metadata.annotations.at(api::names::kClosedByParent), "true");
  order("a", "OpenQueue");
  EXPECT_EQ(status("a").state, "Closed") << "not under a closed one";
  order("dept", "OpenQueue");
  EXPECT_EQ(status("a").state, "Open");
  EXPECT_EQ(status("b").state, "Closed") << "closed by its user";
}

TEST_F(QueueControllerTest, NodesOfARecallAreItsQueuesReservation) {
  world_.put(queueOf("online"));
  world_.put(groupOf("burst", "online", "Inqueue"));
  auto pod = podOf("burst-0", "burst", "", 8);
  pod.metadata.uid = "b0";
  world_.put(pod);
  api::Recall recall;
  recall.metadata.name = "r1";
  recall.spec.queue = "online";
  recall.spec.nodes = {"n2", "n1"};
  recall.spec.placements = {{.pod = "ns/burst-0", .podUid = "b0", .node = "n1"}};
  recall.status.phase = "Stopping";
  world_.put(recall);
  world_.start();
  settle();
  EXPECT_EQ(status("online").reservation.nodes, (std::vector<std::string>{"n1", "n2"}));
  EXPECT_EQ(status("online").reservation.resource.at("nvidia.com/gpu").value(), 8);
  recall.status.phase = "HandedOver";
  world_.put(recall);
  settle();
  EXPECT_EQ(status("online").reservation, api::QueueReservation{});
}

}  // namespace
}  // namespace tidegate::controllers
