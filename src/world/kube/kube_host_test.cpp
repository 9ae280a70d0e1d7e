#include "world/kube/kube_host.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "world/kube/fake_transport.hpp"

namespace tidegate::kube {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Notes what it is told and asks for what the test says.
struct Recorder : Controller {
  std::vector<std::string> log;
  std::vector<Time> times;
  std::vector<Command> next;
  std::function<void()> onEvent;

  std::vector<Command> handle(const Event& event, Time now) override {
    times.push_back(now);
    if (const auto* seen = std::get_if<ObjectSeen>(&event))
      log.push_back("+" + api::metadataOf(seen->object).name);
    if (const auto* gone = std::get_if<ObjectGone>(&event)) log.push_back("-" + gone->ref.name);
    if (const auto* done = std::get_if<CommandDone>(&event)) {
      log.push_back(fmt::format("done {} {}", done->id, static_cast<int>(done->outcome)));
    }
    if (std::holds_alternative<Tick>(event)) log.push_back("tick");
    if (onEvent) onEvent();
    return std::exchange(next, {});
  }
  std::vector<std::string> take() { return std::exchange(log, {}); }
};

class KubeHostTest : public testing::Test {
 protected:
  KubeHostTest()
      : host({.loop = loop,
              .transport = transport,
              .mayWrite = [this] { return leader; },
              .warning = [this](const std::string& text) { warnings.push_back(text); }},
             {}) {}

  // Answers the list of a kind that waits, leaving it at its watch.
  void list(const std::string& plural, const std::string& names) {
    std::string items;
    for (const char name : names) {
      items +=
          fmt::format(R"({}{{"metadata":{{"name":"{}","uid":"u{}","resourceVersion":"1","namespace":"a"}}}})",
                      items.empty() ? "" : ",", name, name);
    }
    answer(plural, 200, fmt::format(R"({{"metadata":{{"resourceVersion":"9"}},"items":[{}]}})", items));
  }
  void answer(const std::string& part, int status, const std::string& body) {
    for (std::size_t i = 0; i < transport.pending.size(); ++i) {
      if (transport.pending[i].request.path.find(part) == std::string::npos) continue;
      return transport.answerAt(i, status, body);
    }
    FAIL() << "no request for " << part;
  }

  ManualLoop loop;
  FakeTransport transport;
  bool leader = true;
  std::vector<std::string> warnings;
  Recorder brain;
  Recorder other;
  KubeHost host;
};

TEST_F(KubeHostTest, EachIsShownItsKindsThenTicked) {
  host.add("brain", brain, kindsOf<api::Pod, api::Node>());
  host.add("other", other, kindsOf<api::Node>());
  host.start();
  const Time start = loop.now();
  EXPECT_EQ(host.reflectors().size(), 2U);  // the union of kinds
  loop.advance(seconds(1));
  list("nodes", "nm");
  EXPECT_THAT(other.take(), ElementsAre("+n", "+m", "tick"));
  EXPECT_EQ(other.times.back(), start + seconds(1));
  EXPECT_THAT(brain.take(), ElementsAre("+n", "+m"));
  EXPECT_FALSE(host.synced());
  loop.advance(seconds(1));
  list("pods", "p");
  EXPECT_THAT(brain.take(), ElementsAre("+p", "tick"));
  EXPECT_TRUE(host.synced());
  // Until it had seen all, time stood still.
  EXPECT_THAT(brain.times, ElementsAre(start, start, start, start + seconds(2)));
  EXPECT_EQ(host.controllerMetrics().at("brain").events, 4U);
}

TEST_F(KubeHostTest, AKindThatIsNotInstalledKeepsNobodyWaiting) {
  host.add("brain", brain, kindsOf<api::Queue>());
  host.start();
  answer("queues", 404, "");
  EXPECT_THAT(brain.take(), ElementsAre("tick"));
  EXPECT_THAT(warnings, ElementsAre("queues.scheduling.volcano.sh: the server has no such kind"));
}

TEST_F(KubeHostTest, KindsOfOtherProjectsHoldNothingUp) {
  std::vector<std::size_t> kinds = kindsOf<api::Pod>();
  for (const std::size_t kind : operatorKinds()) kinds.push_back(kind);
  EXPECT_EQ(kinds.size(), 1 + api::kOperatorRows);
  host.add("brain", brain, kinds);
  host.start();
  list("pods", "");
  answer("/jobsets", 403, "{}");
  for (const std::size_t kind : operatorKinds()) {
    const Resource& resource = objectResources()[kind];
    if (resource.plural != "jobsets") answer(resource.listPath() + "?", 404, "");
  }
  EXPECT_THAT(brain.take(), ElementsAre("tick"));
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("jobsets.jobset.x-k8s.io"))) << "only what is refused";
  // Installed later.
  loop.advance(seconds(60));
  list("v2beta1/mpijobs", "m");
  EXPECT_THAT(brain.take(), ElementsAre("+m"));
}

TEST_F(KubeHostTest, AnswersGoToTheOneThatAsked) {
  host.add("brain", brain, kindsOf<api::Pod>());
  host.add("other", other, kindsOf<api::Pod>());
  host.start();
  brain.next = {{.id = 7, .action = Bind{"a", "p", "up", "n"}}};
  list("pods", "p");
  other.take();
  brain.take();
  answer("binding", 201, "{}");
  EXPECT_THAT(brain.take(), ElementsAre("done 7 0"));
  EXPECT_THAT(other.take(), IsEmpty());
  EXPECT_TRUE(host.idle());
}

TEST_F(KubeHostTest, WakesWhenAskedButNotBeforeTheFirstTick) {
  host.add("brain", brain, kindsOf<api::Pod, api::Node>());
  host.start();
  brain.next = {{.id = 1, .action = WakeAt{loop.now() + seconds(1)}}};
  list("pods", "p");
  loop.advance(seconds(3));
  EXPECT_THAT(brain.take(), ElementsAre("+p"));
  brain.next = {{.id = 2, .action = WakeAt{loop.now() + seconds(5)}}};
  list("nodes", "");
  EXPECT_THAT(brain.take(), ElementsAre("tick"));
  loop.advance(seconds(4));
  EXPECT_THAT(brain.take(), IsEmpty());
  loop.advance(seconds(1));
  EXPECT_THAT(brain.take(), ElementsAre("tick"));
  EXPECT_EQ(brain.times.back(), loop.now());
}

TEST_F(KubeHostTest, AControllerWithoutKindsIsTickedToo) {
  host.add("brain", brain, {});
  host.start();
  EXPECT_THAT(brain.take(), IsEmpty());  // not inside start()
  loop.settle();
  EXPECT_THAT(brain.take(), ElementsAre("tick"));
}

TEST_F(KubeHostTest, TheFenceIsAskedForEachCommand) {
  host.add("brain", brain, kindsOf<api::Pod>());
  host.start();
  leader = false;
  brain.next = {{.id = 7, .action = Bind{"a", "p", "up", "n"}}};
  list("pods", "p");
  loop.settle();
  EXPECT_THAT(brain.take(), ElementsAre("+p", "tick", "done 7 4"));
}

TEST_F(KubeHostTest, EventsNameTheUidOfTheirObject) {
  host.add("brain", brain, kindsOf<api::Pod>());
  host.start();
  list("pods", "p");
  brain.next = {{.id = 1,
                 .action = Emit{.about = {.kind = "Pod", .apiVersion = "v1", .namespace_ = "a", .name = "p"},
                                .warning = false,
                                .reason = "R",
                                .message = "m"}}};
  transport.chunk(
      R"({"type":"ADDED","object":{"metadata":{"name":"q","namespace":"a","uid":"uq","resourceVersion":"10"}}})"
      "\n");
  EXPECT_THAT(transport.sent.back().body, HasSubstr(R"("uid":"up")"));
}

TEST_F(KubeHostTest, StoppedFromInsideNobodyIsCalledAnyMore) {
  host.add("brain", brain, kindsOf<api::Pod>());
  host.add("other", other, kindsOf<api::Pod>());
  host.start();
  brain.onEvent = [this] { host.stop(); };
  list("pods", "pq");
  EXPECT_THAT(brain.take(), ElementsAre("+p"));
  EXPECT_THAT(other.take(), IsEmpty());
  EXPECT_THAT(transport.pending, IsEmpty());
  loop.advance(seconds(600));
  EXPECT_THAT(brain.take(), IsEmpty());
  EXPECT_THAT(transport.pending, IsEmpty());
}

}  // namespace
}  // namespace tidegate::kube
