#include "run/readiness.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "world/kube/fake_transport.hpp"

namespace tidegate::run {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

struct Nobody : Controller {
  std::vector<Command> handle(const Event&, Time) override { return {}; }
};

class ReadinessTest : public testing::Test {
 protected:
  ReadinessTest() {
    kube::HostOptions options;
    lookForRequired(options);
    host.emplace(
        kube::HostServices{
            .loop = loop,
            .transport = transport,
            .notice = [this](const std::string& text) { log.push_back("I " + text); },
            .absent = [this](const kube::Resource& resource) { log.push_back("W " + absentText(resource)); }},
        options);
    host->add("nobody", nobody,
              kube::kindsOf<api::Pod, api::Queue, api::PodGroup, api::Recall, api::HyperNode>());
    host->start();
  }
  // Answers every list that waits for this kind.
  void answer(const std::string& part, int status) {
    for (std::size_t i = 0; i < transport.pending.size(); ++i) {
      if (transport.pending[i].request.path.find(part) == std::string::npos) continue;
      return transport.answerAt(i, status, R"({"metadata":{"resourceVersion":"9"},"items":[]})");
    }
    FAIL() << "no request for " << part;
  }
  Page page() const { return readiness(host->reflectors()); }

  kube::ManualLoop loop;
  kube::FakeTransport transport;
  Nobody nobody;
  std::vector<std::string> log;
  std::optional<kube::KubeHost> host;
};

TEST_F(ReadinessTest, TellsWhatIsNotSyncedYet) {
  EXPECT_EQ(page().status, 503);
  EXPECT_THAT(page().body, HasSubstr("not synced: hypernodes"));
  for (const char* kind : {"/pods", "/queues", "/podgroups", "/recalls", "/hypernodes"}) answer(kind, 200);
  EXPECT_EQ(page().status, 200);
  EXPECT_EQ(page().body, "ok\n");
}

TEST_F(ReadinessTest, ARequiredKindThatIsNotInstalledIsToldOnceAndPickedUp) {
  for (const char* kind : {"/pods", "/podgroups", "/recalls", "/hypernodes"}) answer(kind, 200);
  for (int i = 0; i < 5; ++i) {
    answer("/queues", 404);
    EXPECT_EQ(page().status, 503);
    EXPECT_EQ(page().body,
              "the Queue CRD (queues.scheduling.volcano.sh) is not installed; nothing works without it: "
              "kubectl apply -f deploy/crds\n");
    loop.advance(seconds(5));
  }
  EXPECT_EQ(log.size(), 1U);
  answer("/queues", 200);
  EXPECT_EQ(page().status, 200);
  EXPECT_THAT(log, ElementsAre(HasSubstr("the Queue CRD (queues.scheduling.volcano.sh) is not installed"),
                               "I queues.scheduling.volcano.sh: installed now"));
}

TEST_F(ReadinessTest, OtherKindsMayBeAbsent) {
  for (const char* kind : {"/pods", "/queues", "/podgroups", "/recalls"}) answer(kind, 200);
  answer("/hypernodes", 404);
  EXPECT_EQ(page().status, 200);
  EXPECT_THAT(log, ElementsAre(AllOf(HasSubstr("hypernodes.topology.volcano.sh"), HasSubstr("no fault"),
                                     Not(HasSubstr("kubectl")))));
}

TEST_F(ReadinessTest, SaysWhatIsRefused) {
  for (const char* kind : {"/pods", "/queues", "/podgroups", "/hypernodes"}) answer(kind, 200);
  answer("/recalls", 403);
  EXPECT_EQ(page().status, 503);
  EXPECT_EQ(page().body, "list and watch are refused (401 or 403; see the log): recalls.tidegate.dev\n");
}

}  // namespace
}  // namespace tidegate::run
