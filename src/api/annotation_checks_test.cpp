#include "api/annotation_checks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/names.hpp"

namespace tidegate::api {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

template <class T>
std::vector<BadAnnotation> of(const std::string& name, const std::string& value) {
  T object;
  object.metadata.name = "x";
  object.metadata.annotations[name] = value;
  return badAnnotations(object);
}

struct Case {
  const char* name;
  std::vector<std::string> good;
  std::vector<std::string> bad;
};
const std::vector<std::string> kNoDurations = {"", "-5m", "5", "soon", "NaN", "1e400h"};
const std::vector<std::string> kNoCounts = {"", "-1", "1.5", "many", "99999999999999999999", "NaN"};
const std::vector<std::string> kNoTimes = {"", "yesterday", "2026-06-18", "1718740811"};

const std::vector<Case> kQueueCases = {
    {names::kLending, {"none", "lent"}, {"", "None", "maybe"}},
    {names::kRecallDeadline, {"15s", "1m30s"}, kNoDurations},
    {names::kMinRuntime, {"0s", "10m"}, kNoDurations},
    {names::kStraddleRatio, {"4", "1.5", "0"}, {"", "-1", "many", "NaN"}},
    {names::kTopology, {"auto", "whole-node"}, {"", "whole node", "node"}},
};
const std::vector<Case> kJobCases = {
    {names::kMinRuntime, {"10m"}, kNoDurations},
    {names::kTopology, {"whole-node"}, {"whole"}},
    {names::kCheckpointPort, {"1", "8471"}, {"", "0", "65536", "http", "-1"}},
    {names::kCheckpointPath, {"/", "/save?x=1"}, {"", "save", "/a b"}},
    {names::kCheckpointMode, {"host"}, {"", "Host", "storage"}},
    {names::kCheckpointInterval, {"30m"}, kNoDurations},
    {names::kCheckpointDuration, {"8s"}, kNoDurations},
    {names::kStopDuration, {"500ms"}, kNoDurations},
    {names::kLastCheckpoint, {"2026-06-18T20:00:11Z"}, kNoTimes},
    {names::kPreemptable, {"true", "false", "0", "T"}, {"", "maybe", "yes", "no"}},
    {names::kRecreate, {"true", "false"}, {"", "True", "1", "yes"}},
    {names::kEvictions, {"0", "7"}, kNoCounts},
    {names::kResumedAt, {"2026-06-18T20:00:11.5Z"}, kNoTimes},
    {names::kSuspendedAt, {"2026-06-18T20:00:11Z"}, kNoTimes},
    {names::kSuspendedReplicas, {"0", "3"}, kNoCounts},
    {names::kReplicasLimit, {"0", "3"}, kNoCounts},
};

template <class T>
void expectAll(const std::vector<Case>& cases) {
  for (const Case& each : cases) {
    for (const std::string& value : each.good)
      EXPECT_THAT(of<T>(each.name, value), IsEmpty()) << each.name << "=" << value;
    for (const std::string& value : each.bad) {
      const auto found = of<T>(each.name, value);
      ASSERT_EQ(found.size(), 1U) << each.name << "=" << value;
      EXPECT_THAT(found[0].text(), HasSubstr(each.name));
      EXPECT_THAT(found[0].text(), HasSubstr("got \"" + value + "\"; "));
    }
  }
}

TEST(AnnotationChecks, OfQueues) {
  expectAll<Queue>(kQueueCases);
}

TEST(AnnotationChecks, OfJobsAndTheirPods) {
  expectAll<PodGroup>(kJobCases);
  expectAll<Pod>(kJobCases);
  expectAll<VcJob>(kJobCases);
  expectAll<BatchJob>(kJobCases);
  expectAll<Deployment>(kJobCases);
  expectAll<StatefulSet>(kJobCases);
}

TEST(AnnotationChecks, SayWhatIsWantedAndWhatIsUsed) {
  EXPECT_EQ(of<Queue>(names::kMinRuntime, "-5m").at(0).text(),
            "annotation tidegate.dev/min-runtime: want a duration such as 30s or 10m, not negative, got "
            "\"-5m\"; the default is used: the conf's, else 10m");
  EXPECT_EQ(of<Pod>(names::kTopology, std::string(1000, 'x')).at(0).value.size(), 64U);
}

TEST(AnnotationChecks, ALabelMayBePreemptableToo) {
  Pod pod;
  pod.metadata.labels[names::kPreemptable] = "maybe";
  EXPECT_EQ(badAnnotations(pod).size(), 1U);
  pod.metadata.annotations[names::kPreemptable] = "false";
  EXPECT_THAT(badAnnotations(pod), IsEmpty());
}

TEST(AnnotationChecks, OtherKindsAndNamesAreNotLookedAt) {
  EXPECT_THAT(of<Node>(names::kMinRuntime, "x"), IsEmpty());
  EXPECT_THAT(of<Pod>("example.com/x", "x"), IsEmpty());
}

}  // namespace
}  // namespace tidegate::api
