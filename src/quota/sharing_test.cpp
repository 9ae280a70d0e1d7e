#include "quota/sharing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>

namespace tidegate::quota {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ScaledDown, LeavesWhatFits) {
  EXPECT_THAT(scaledDown(std::vector<Amount>{3, 0, 4}, 7), ElementsAre(3, 0, 4));
  EXPECT_THAT(scaledDown({}, 7), IsEmpty());
}

TEST(ScaledDown, ReducesInProportion) {
  EXPECT_THAT(scaledDown(std::vector<Amount>{30, 10, 0}, 20), ElementsAre(15, 5, 0));
}

TEST(ScaledDown, RemainderGoesToTheLargestFractionThenTheEarlier) {
  // 7 * 3/8 = 2.625, 2.625, 1.75: one left after 2 + 2 + 1 for the .75, one for the first .625.
  EXPECT_THAT(scaledDown(std::vector<Amount>{3, 3, 2}, 7), ElementsAre(3, 2, 2));
}

TEST(ScaledDown, HoldsAmountsNearTheEndOfTheRange) {
  const Amount huge = kUnlimited - 1;
  EXPECT_THAT(scaledDown(std::vector<Amount>{huge, huge}, 11), ElementsAre(6, 5));
}

TEST(WaterFill, FillsTheModestFirst) {
  // 12 by equal weight: 4 each; the first wants 1, so the others share 11.
  EXPECT_THAT(waterFill(12, std::vector<Want>{{1, 1}, {1, 10}, {1, 10}}), ElementsAre(1, 6, 5));
}

TEST(WaterFill, FollowsWeights) {
  EXPECT_THAT(waterFill(8, std::vector<Want>{{1, 10}, {3, 10}}), ElementsAre(2, 6));
  // 3 of 4 to the second, which wants 2; the first takes the rest.
  EXPECT_THAT(waterFill(4, std::vector<Want>{{1, 4}, {3, 2}}), ElementsAre(2, 2));
}

TEST(WaterFill, HandsOutNoMoreThanIsWanted) {
  EXPECT_THAT(waterFill(100, std::vector<Want>{{1, 3}, {5, 0}}), ElementsAre(3, 0));
  EXPECT_THAT(waterFill(0, std::vector<Want>{{1, 3}, {5, 0}}), ElementsAre(0, 0));
  EXPECT_THAT(waterFill(5, {}), IsEmpty());
}

TEST(WaterFill, WhoHoldsMoreThanItsPartLeavesTheRestToTheOthers) {
  EXPECT_THAT(waterFill(12, std::vector<Want>{{1, 8, 8}, {1, 10}, {1, 10}}), ElementsAre(8, 2, 2));
  EXPECT_THAT(waterFill(12, std::vector<Want>{{1, 10, 3}, {1, 10}, {1, 10}}), ElementsAre(4, 4, 4));
  EXPECT_THAT(waterFill(4, std::vector<Want>{{1, 3, 3}, {9, 3, 3}, {9, 5}}), ElementsAre(3, 3, 0));
}

TEST(WaterFill, HoldsBytesTimesLargeWeights) {
  const Amount pebi = Amount{1} << 62;
  EXPECT_THAT(waterFill(pebi, std::vector<Want>{{65535, pebi}, {65535, pebi}}),
              ElementsAre(pebi / 2, pebi / 2));
}

std::vector<Want> anyWants() {
  const auto numbers = *rc::gen::container<std::vector<std::pair<int, int>>>(
      rc::gen::pair(rc::gen::inRange(1, 9), rc::gen::inRange(0, 40)));
  std::vector<Want> wants;
  for (const auto& [weight, amount] : numbers) wants.push_back({weight, amount});
  return wants;
}

RC_GTEST_PROP(WaterFill, IsMaxMinFair, ()) {
  const Amount amount = *rc::gen::inRange(0, 120);
  const std::vector<Want> wants = anyWants();
  const std::vector<Amount> parts = waterFill(amount, wants);
  Amount wanted = 0;
  for (std::size_t i = 0; i < wants.size(); ++i) {
    RC_ASSERT(parts[i] >= 0 && parts[i] <= wants[i].amount);
    wanted += wants[i].amount;
  }
  RC_ASSERT(std::accumulate(parts.begin(), parts.end(), Amount{0}) == std::min(amount, wanted));
  // Nobody who is left wanting stands lower than another by more than the unit that rounding moves.
  for (std::size_t i = 0; i < wants.size(); ++i) {
    for (std::size_t j = 0; j < wants.size(); ++j) {
      if (parts[i] < wants[i].amount) {
        RC_ASSERT((parts[i] + 1) * wants[j].weight >= (parts[j] - 1) * wants[i].weight);
      }
    }
  }
}

RC_GTEST_PROP(WaterFill, WantingMoreNeverGivesLess, ()) {
  const Amount amount = *rc::gen::inRange(0, 120);
  std::vector<Want> wants = anyWants();
  RC_PRE(!wants.empty());
  const auto i = *rc::gen::inRange<std::size_t>(0, wants.size());
  const Amount before = waterFill(amount, wants)[i];
  wants[i].amount += *rc::gen::inRange(0, 40);
  RC_ASSERT(waterFill(amount, wants)[i] >= before);
}

RC_GTEST_PROP(ScaledDown, SumsToTheBoundAndGrowsNothing, ()) {
  const auto small = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 50));
  const std::vector<Amount> parts(small.begin(), small.end());
  const Amount bound = *rc::gen::inRange(0, 200);
  const std::vector<Amount> scaled = scaledDown(parts, bound);
  const Amount sum = std::accumulate(parts.begin(), parts.end(), Amount{0});
  RC_ASSERT(std::accumulate(scaled.begin(), scaled.end(), Amount{0}) == std::min(sum, bound));
  for (std::size_t i = 0; i < parts.size(); ++i) RC_ASSERT(scaled[i] <= parts[i]);
}

}  // namespace
}  // namespace tidegate::quota
