#include "drill/trace_load.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "drill/options.hpp"

namespace tidegate::drill {
namespace {

constexpr const char* kHead = "id,arrival_s,duration_s,workers,gpus_per_worker,queue,class,priority\n";

std::string errorOf(const std::string& csv) {
  const auto jobs = readTrace(csv, "jobs.csv");
  return jobs ? "" : jobs.error().text();
}

TEST(TraceLoad, ReadsOfflineRowsByColumnName) {
  const auto jobs = readTrace(
      "priority,class,gpus_per_worker,workers,duration_s,id\n"
      "100,offline,8,2,3600,a\n"
      "100,online,1,1,60,b\n"
      "\n"
      "7,offline,0.25,1,1.5,c\r\n",
      "jobs.csv");
  ASSERT_TRUE(jobs.has_value());
  ASSERT_EQ(jobs->size(), 2u);
  EXPECT_EQ(
      (*jobs)[0],
      (TraceJob{.id = "a", .workers = 2, .gpusPerWorker = 8, .priority = 100, .duration = seconds(3600)}));
  EXPECT_EQ((*jobs)[1].gpusPerWorker, 1);
  EXPECT_EQ((*jobs)[1].duration, milliseconds(1500));
}

TEST(TraceLoad, ErrorsNameFileLineAndColumn) {
  EXPECT_THAT(errorOf("id,duration_s\n"), testing::HasSubstr("jobs.csv:1"));
  EXPECT_THAT(errorOf("id,duration_s\n"), testing::HasSubstr("workers"));
  EXPECT_THAT(errorOf(std::string(kHead) + "a,0,many,1,8,q,offline,1\n"), testing::HasSubstr("jobs.csv:2"));
  EXPECT_THAT(errorOf(std::string(kHead) + "a,0,many,1,8,q,offline,1\n"), testing::HasSubstr("\"many\""));
  EXPECT_THAT(errorOf(std::string(kHead) + "a,0,60,0,8,q,offline,1\n"), testing::HasSubstr("workers"));
  EXPECT_THAT(errorOf(std::string(kHead) + "a,0,60\n"), testing::HasSubstr("class"));
  EXPECT_THAT(errorOf(""), testing::HasSubstr("empty"));
  EXPECT_THAT(errorOf(kHead), testing::HasSubstr("no offline job"));
}

std::vector<TraceJob> hundredJobs() {
  std::vector<TraceJob> out;
  for (int i = 0; i < 100; ++i) {
    out.push_back({.id = std::to_string(i),
                   .workers = 1 + i % 3,
                   .gpusPerWorker = 1 << i % 5,
                   .priority = 0,
                   .duration = seconds(60)});
  }
  return out;
}

TEST(TraceLoad, DrawsEnoughWithinLimitsNeverTwiceTheSame) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const auto jobs = drawJobs(hundredJobs(), {.gpus = 160, .gpusPerWorker = 8, .gpusPerJob = 20}, Rng(seed));
    int sum = 0;
    std::set<std::string> ids;
    for (const TraceJob& job : jobs) {
      EXPECT_LE(job.gpusPerWorker, 8);
      EXPECT_LE(job.gpus(), 20);
      EXPECT_TRUE(ids.insert(job.id).second);
      sum += job.gpus();
    }
    EXPECT_GE(sum, 160);
    EXPECT_LT(sum - jobs.back().gpus(), 160);
  }
}

TEST(TraceLoad, TheSeedDecides) {
  const DrawLimits limits{.gpus = 100, .gpusPerWorker = 8, .gpusPerJob = 64};
  EXPECT_EQ(drawJobs(hundredJobs(), limits, Rng(3)), drawJobs(hundredJobs(), limits, Rng(3)));
  EXPECT_NE(drawJobs(hundredJobs(), limits, Rng(3)), drawJobs(hundredJobs(), limits, Rng(4)));
}

TEST(Shape, ReadsPodsTimesGpus) {
  EXPECT_EQ(*parseShape("16x4"), (Shape{.pods = 16, .gpusPerPod = 4}));
  EXPECT_EQ(parseShape("64x1")->text(), "64x1");
  for (const char* bad : {"", "8", "8x", "x8", "8x8x8", "0x8", "8x0", "-1x8", "8 x 8", "2000x1"}) {
    EXPECT_FALSE(parseShape(bad).has_value()) << bad;
  }
}

}  // namespace
}  // namespace tidegate::drill
