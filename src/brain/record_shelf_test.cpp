// Which records of finished recalls go, and which stay.
#include "brain/record_shelf.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/names.hpp"

namespace tidegate {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

const Time kStart = Time{} + std::chrono::hours(24 * 20000);

class RecordShelf : public testing::Test {
 protected:
  void record(int number, double startedAt, const char* phase = "HandedOver") {
    api::Recall recall;
    recall.metadata.name = fmt::format("recall-{}", number);
    recall.metadata.uid = fmt::format("uid-{}", number);
    recall.spec.startedAt = kStart + fromSeconds(startedAt);
    recall.status.phase = phase;
    state_.apply(recall);
  }
  std::vector<std::string> deletedAt(double t) {
    Outbox outbox;
    pruneRecalls(state_, {.keep = 3, .keepFor = seconds(3600)}, outbox, kStart + fromSeconds(t));
    std::vector<std::string> names;
    for (const Command& command : outbox.take()) names.push_back(std::get<DeleteRecall>(command.action).name);
    return names;
  }

  ClusterState state_;
};

TEST_F(RecordShelf, KeepsTheNewestAndThoseOfTheLastHour) {
  for (int i = 1; i <= 3; ++i) record(i, 100 * i);
  EXPECT_THAT(deletedAt(90000), IsEmpty());
  for (int i = 4; i <= 12; ++i) record(i, 100 * i);
  EXPECT_THAT(deletedAt(3600), IsEmpty());
  EXPECT_THAT(deletedAt(3800), UnorderedElementsAre("recall-1", "recall-2"));
  EXPECT_THAT(deletedAt(90000).size(), 9u) << "10, 11 and 12 stay";
  EXPECT_THAT(deletedAt(90000), testing::Not(testing::Contains("recall-10")));
}

TEST_F(RecordShelf, NeverOneUnderWayNorOneThatASuspendedJobNames) {
  record(1, 0, "Stopping");
  record(2, 1);
  record(3, 2, "Abandoned");
  for (int i = 4; i <= 6; ++i) record(i, 10);
  api::VcJob job;
  job.metadata.name = "train";
  job.metadata.namespace_ = "default";
  job.metadata.annotations[api::names::kSuspend] = "recall-2";
  state_.apply(job);
  EXPECT_THAT(deletedAt(90000), ElementsAre("recall-3"));
}

}  // namespace
}  // namespace tidegate
