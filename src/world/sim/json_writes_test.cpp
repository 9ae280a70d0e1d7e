#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "world/sim/test_support.hpp"

namespace tidegate::sim {
namespace {

using testing::HasSubstr;

const api::ObjectRef kService{"Service", "v1", "default", "svc"};
const std::string kServiceJson =
    R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"svc"},"spec":{"clusterIP":"None"}})";

struct Server {
  EventQueue clock{Time{} + seconds(1'700'000'000)};
  SimApiServer api{clock, 1};
};

TEST(JsonWrites, CreatesObjectsOfKnownKinds) {
  Server server;
  const api::ObjectRef ref = refTo<api::ConfigMap>("default", "hosts");
  const std::string json =
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"hosts"},"data":{"a":"b"}})";
  EXPECT_TRUE(server.api.createJson(ref, json).ok());
  const auto stored = server.api.store().find<api::ConfigMap>("default/hosts");
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->data.at("a"), "b");
  EXPECT_FALSE(stored->metadata.uid.empty());
  EXPECT_EQ(server.api.createJson(ref, json).outcome, Outcome::Conflict);
  EXPECT_EQ(server.api.createJson(refTo<api::ConfigMap>("default", "x"), "[]").outcome, Outcome::Rejected);
}

TEST(JsonWrites, KeepsOtherKindsAsTheyAreWritten) {
  Server server;
  EXPECT_TRUE(server.api.createJson(kService, kServiceJson).ok());
  EXPECT_EQ(server.api.createJson(kService, kServiceJson).outcome, Outcome::Conflict);
  const DocumentPtr stored = server.api.documents().find(kService);
  ASSERT_TRUE(stored);
  EXPECT_THAT(stored->json, HasSubstr(R"("clusterIP":"None")"));
  EXPECT_EQ(stored->resourceVersion, std::to_string(server.api.store().version()));
  EXPECT_EQ(server.api.remove(kService, {.uid = "other"}).outcome, Outcome::Conflict);
  EXPECT_TRUE(server.api.remove(kService, {.uid = stored->uid}).ok());
  EXPECT_EQ(server.api.remove(kService).outcome, Outcome::NotFound);
}

TEST(JsonWrites, APodGroupHasNoStatusSubresource) {
  Server server;
  const api::ObjectRef ref = refTo<api::PodGroup>("default", "g");
  const std::string pending = R"({"spec":{"minMember":2},"status":{"phase":"Pending"}})";
  EXPECT_TRUE(server.api.createJson(ref, pending).ok());
  EXPECT_EQ(server.api.store().find<api::PodGroup>("default/g")->status.phase, "Pending");
  EXPECT_EQ(server.api.updateJson(ref, pending, Part::Status).outcome, Outcome::NotFound);
  const WriteStatus write{.target = ref, .uid = {}, .resourceVersion = {}, .statusJson = R"({"running":2})"};
  EXPECT_TRUE(server.api.writeStatus(write).ok());
  const auto written = server.api.store().find<api::PodGroup>("default/g");
  EXPECT_EQ(written->status.running, 2);
  EXPECT_EQ(written->status.phase, "Pending");
  EXPECT_EQ(written->spec.minMember, 2);
}

TEST(JsonWrites, StatusIsMergedUnderItsPreconditions) {
  Server server;
  server.api.create(test::vcJob("j", 2, test::podTemplate(1)));
  const auto job = server.api.store().find<api::VcJob>("default/j");
  WriteStatus write{.target = refTo<api::VcJob>("default", "j"),
                    .uid = job->metadata.uid,
                    .resourceVersion = job->metadata.resourceVersion,
                    .statusJson = R"({"state":{"phase":"Running"},"running":2})"};
  EXPECT_TRUE(server.api.writeStatus(write).ok());
  EXPECT_EQ(server.api.store().find<api::VcJob>("default/j")->spec, job->spec);
  EXPECT_EQ(server.api.writeStatus(write).outcome, Outcome::Conflict) << "the version has moved on";
  write.resourceVersion.clear();
  write.statusJson = R"({"running":1})";
  EXPECT_TRUE(server.api.writeStatus(write).ok());
  const auto merged = server.api.store().find<api::VcJob>("default/j");
  EXPECT_EQ(merged->status.running, 1);
  EXPECT_EQ(merged->status.state.phase, "Running");
  const std::uint64_t version = server.api.store().version();
  EXPECT_TRUE(server.api.writeStatus(write).ok());
  EXPECT_EQ(server.api.store().version(), version) << "nothing new is no write";
  write.uid = "other";
  EXPECT_EQ(server.api.writeStatus(write).outcome, Outcome::Conflict);
  write.target.name = "none";
  EXPECT_EQ(server.api.writeStatus(write).outcome, Outcome::NotFound);
}

TEST(JsonWrites, PatchesLabelsAndSuspendsOtherKinds) {
  Server server;
  server.api.create(test::pod("p"));
  Patch patch{.target = refTo<api::Pod>("default", "p"),
              .uid = {},
              .annotations = {},
              .replicas = {},
              .condition = {}};
  patch.labels["a"] = "b";
  EXPECT_TRUE(server.api.patch(patch).ok());
  EXPECT_EQ(server.api.store().find<api::Pod>("default/p")->metadata.labels.at("a"), "b");

  const api::ObjectRef training{"XGBoostJob", "kubeflow.org/v1", "default", "t"};
  server.api.createJson(training, R"({"metadata":{"name":"t"},"spec":{"runPolicy":{"ttl":1}}})");
  patch = {.target = training,
           .uid = {},
           .annotations = {{"x", "y"}},
           .suspend = true,
           .replicas = {},
           .condition = {}};
  EXPECT_TRUE(server.api.patch(patch).ok());
  EXPECT_THAT(server.api.documents().find(training)->json, HasSubstr(R"("suspend":true)"));
  EXPECT_THAT(server.api.documents().find(training)->json, HasSubstr(R"("ttl":1)"));
  patch.uid = "other";
  EXPECT_EQ(server.api.patch(patch).outcome, Outcome::Conflict);
}

TEST(JsonWrites, OwnedThingsGoWithTheirOwner) {
  SimWorld world(test::exactOptions());
  world.api().create(test::vcJob("j", 1, test::podTemplate(1)));
  const std::string uid = world.store().find<api::VcJob>("default/j")->metadata.uid;
  const std::string owners =
      R"("ownerReferences":[{"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job","name":"j","uid":")" +
      uid + R"(","controller":true}])";
  world.api().createJson(kService, R"({"metadata":{"name":"svc",)" + owners + "}}");
  world.api().createJson(refTo<api::ConfigMap>("default", "c"),
                         R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c",)" + owners + "}}");
  world.runUntil(seconds(1));
  EXPECT_TRUE(world.api().documents().find(kService));
  world.api().remove(refTo<api::VcJob>("default", "j"));
  world.runUntil(seconds(2));
  EXPECT_FALSE(world.api().documents().find(kService));
  EXPECT_FALSE(world.store().find<api::ConfigMap>("default/c"));
}

// ---- hosting further controllers
// ---------------------------------------------------------------------------

// Gives each vcjob a Service and a phase.
class Namer : public Controller {
 public:
  std::vector<Command> handle(const Event& event, Time) override {
    const auto* seen = std::get_if<ObjectSeen>(&event);
    if (const auto* done = std::get_if<CommandDone>(&event)) outcomes.push_back(done->outcome);
    const auto* job = seen ? std::get_if<api::VcJob>(&seen->object) : nullptr;
    if (!job || !known.insert(job->metadata.uid).second) return {};
    const api::ObjectRef service{"Service", "v1", job->metadata.namespace_, job->metadata.name};
    return {{1, Create{service, R"({"metadata":{}})"}},
            {2, WriteStatus{refTo<api::VcJob>(job->metadata.namespace_, job->metadata.name),
                            job->metadata.uid, "", R"({"state":{"phase":"Named"}})"}}};
  }
  std::set<std::string> known;
  std::vector<Outcome> outcomes;
};

TEST(HostedControllers, RunBesideTheBrainAndComeBackWithoutMemory) {
  SimOptions options = test::exactOptions();
  options.vcJobController = false;
  SimWorld world(options);
  int made = 0;
  world.host("namer", [&] {
    ++made;
    return std::make_unique<Namer>();
  });
  world.createAt(seconds(1), test::vcJob("j", 2, test::podTemplate(1)));
  world.runUntil(seconds(5));
  const auto job = world.store().find<api::VcJob>("default/j");
  EXPECT_EQ(job->status.state.phase, "Named");
  EXPECT_TRUE(world.store().all<api::Pod>().empty()) << "the built-in controller is off";
  world.restartHosted("namer", seconds(1));
  world.runUntil(seconds(10));
  EXPECT_EQ(made, 2);
  const auto* namer = dynamic_cast<Namer*>(world.hosted("namer"));
  ASSERT_NE(namer, nullptr);
  EXPECT_EQ(namer->known.size(), 1u);
  EXPECT_EQ(namer->outcomes, (std::vector{Outcome::Conflict, Outcome::Succeeded}));
}

}  // namespace
}  // namespace tidegate::sim
