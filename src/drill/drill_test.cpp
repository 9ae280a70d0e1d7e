// Whole drills on the simulated cluster.
#include "drill/drill.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace tidegate::drill {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Ran {
  int code = 0;
  std::string out;
  std::string err;
};

Ran ran(const DrillOptions& options) {
  std::ostringstream out;
  std::ostringstream err;
  const int code = runDrill(options, {.out = out, .err = err, .colour = false, .progress = false});
  return {.code = code, .out = out.str(), .err = err.str()};
}

// A file that is gone when the test is.
class TempFile {
 public:
  TempFile(const std::string& name, const std::string& text)
      : path_(std::filesystem::temp_directory_path() / ("tidegate-drill-test-" + name)) {
    std::ofstream(path_) << text;
  }
  ~TempFile() { std::filesystem::remove_all(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

constexpr const char* kQueues = R"(
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: promo-online-queue}
spec: {weight: 100, guarantee: {resource: {nvidia.com/gpu: 128}}, capability: {nvidia.com/gpu: 192}}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: offline-research-queue}
spec: {weight: 10, RECLAIMABLE, capability: {nvidia.com/gpu: 128}}
)";

std::string queuesWith(const std::string& reclaimable) {
  std::string out = kQueues;
  return out.replace(out.find("RECLAIMABLE"), 11, reclaimable);
}

std::string slurp(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// ---- drills that hold
// --------------------------------------------------------------------------------------

class EveryShapeAndBurst : public testing::TestWithParam<std::tuple<const char*, BurstKind>> {};

TEST_P(EveryShapeAndBurst, HoldsForSeveralSeeds) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    DrillOptions options;
    options.shape = *parseShape(std::get<0>(GetParam()));
    options.burst = std::get<1>(GetParam());
    options.seed = seed;
    const Ran drill = ran(options);
    EXPECT_EQ(drill.code, kBarsHold) << "seed " << seed << drill.out << drill.err;
  }
}

INSTANTIATE_TEST_SUITE_P(Drill, EveryShapeAndBurst,
                         testing::Combine(testing::Values("8x8", "16x4", "64x1"),
                                          testing::Values(BurstKind::Deployment, BurstKind::Job,
                                                          BurstKind::Pods)));

TEST(Drill, HoldsWithALoadDrawnFromATrace) {
  DrillOptions options;
  options.loadFile = TIDEGATE_SOURCE_DIR "/examples/traces/philly-sample.csv";
  for (const char* shape : {"8x8", "64x1"}) {
    options.shape = *parseShape(shape);
    const Ran drill = ran(options);
    EXPECT_EQ(drill.code, kBarsHold) << shape << drill.out << drill.err;
  }
}

TEST(Drill, SlowCheckpointsPassAndTheWorkLostIsNamedJobByJob) {
  DrillOptions options;
  options.timings.checkpoint = seconds(60);
  const Ran drill = ran(options);
  EXPECT_EQ(drill.code, kBarsHold) << drill.out;
  EXPECT_THAT(drill.out, HasSubstr("its grace was cut short"));
}

// ---- drills that fail
// --------------------------------------------------------------------------------------

TEST(Drill, OfflineThatIsNotReclaimableFailsAndNothingIsEvicted) {
  const TempFile queues("queues.yaml", queuesWith("reclaimable: false"));
  DrillOptions options;
  options.queuesFile = queues.path();
  const Ran drill = ran(options);
  EXPECT_EQ(drill.code, kBarFails);
  EXPECT_THAT(drill.out, HasSubstr("queue offline-research-queue is not reclaimable"));
  EXPECT_THAT(drill.out, Not(HasSubstr("Jobs that gave GPUs back")));
}

TEST(Drill, TooFewNodesForAGangFailsAndNothingIsEvicted) {
  DrillOptions options;
  options.nodes = 12;
  options.burst = BurstKind::Job;
  const Ran drill = ran(options);
  EXPECT_EQ(drill.code, kBarFails);
  EXPECT_THAT(drill.out, HasSubstr("of the burst wait"));
  EXPECT_THAT(drill.out, Not(HasSubstr("Jobs that gave GPUs back")));
}

TEST(Drill, TooFewNodesForReplicasEvictsOnlyForThoseThatFit) {
  DrillOptions options;
  options.nodes = 12;
  const Ran drill = ran(options);
  EXPECT_EQ(drill.code, kBarFails);
  EXPECT_THAT(drill.out, testing::ContainsRegex("GPUs of the burst placed +32 of 64"));
  EXPECT_THAT(drill.out, testing::ContainsRegex("GPUs evicted beyond the demand +0 "));
}

TEST(Drill, APodHeldByAFinalizerIsNamed) {
  DrillOptions options;
  options.heldPods = 1;
  const Ran drill = ran(options);
  EXPECT_EQ(drill.code, kBarFails);
  EXPECT_THAT(drill.out,
              testing::ContainsRegex("told to stop at [0-9.]+ s, had given its GPUs back at [0-9.]+ s "
                                     "and is still there, held by the finalizer "
                                     "drill.tidegate.dev/hold"));
  EXPECT_THAT(drill.out, HasSubstr("not back"));
  EXPECT_THAT(drill.out, Not(HasSubstr("never")));
}

// ---- input and output
// --------------------------------------------------------------------------------------

TEST(Drill, BadInputNamesFileLineAndField) {
  const TempFile queues("bad.yaml",
                        "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\n"
                        "metadata: {name: q}\nspec: {weight: many}\n");
  DrillOptions options;
  options.queuesFile = queues.path();
  const Ran drill = ran(options);
  EXPECT_EQ(drill.code, kBadInput);
  EXPECT_THAT(drill.err, HasSubstr("bad.yaml:4"));
  EXPECT_THAT(drill.err, HasSubstr("spec.weight"));
  EXPECT_EQ(drill.out, "");
}

TEST(Drill, MissingFileAndMissingQueuesAreBadInput) {
  DrillOptions options;
  options.confFile = "/nowhere/volcano-scheduler.conf";
  EXPECT_EQ(ran(options).code, kBadInput);
  EXPECT_THAT(ran(options).err, HasSubstr("/nowhere/volcano-scheduler.conf"));
  const TempFile one("one.yaml",
                     "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: q}\n");
  options.confFile.clear();
  options.queuesFile = one.path();
  EXPECT_THAT(ran(options).err, HasSubstr("want two queues"));
}

TEST(Drill, WritesTheSameFilesForTheSameSeed) {
  const TempFile out("out", "");
  std::filesystem::remove(out.path());
  DrillOptions options;
  options.seed = 7;
  options.outDir = out.path();
  std::vector<std::string> first;
  for (const char* name : {"report.html", "report.json", "junit.xml"}) {
    if (first.empty()) ran(options);
    first.push_back(slurp(std::filesystem::path(out.path()) / name));
    EXPECT_FALSE(first.back().empty()) << name;
  }
  ran(options);
  EXPECT_EQ(first[0], slurp(std::filesystem::path(out.path()) / "report.html"));
  EXPECT_EQ(first[1], slurp(std::filesystem::path(out.path()) / "report.json"));
  EXPECT_EQ(first[2], slurp(std::filesystem::path(out.path()) / "junit.xml"));
}

TEST(Drill, ComparisonRunsThreeRulesAndJudgesTheFirst) {
  DrillOptions options;
  options.policy = PolicyChoice::Compare;
  const Ran drill = ran(options);
  EXPECT_EQ(drill.code, kBarsHold) << drill.out;
  EXPECT_THAT(drill.out, testing::ContainsRegex("pod-by-pod .*FAIL"));
  EXPECT_THAT(drill.out, HasSubstr("lyra-count"));
}

}  // namespace
}  // namespace tidegate::drill
