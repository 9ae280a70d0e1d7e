#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quota/tree_builder.hpp"

namespace tidegate::quota::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Kind = Problem::Kind;
const ResourceTable kNames;

auto problem(Kind kind, const std::string& queue, const std::string& field, const std::string& text) {
  return AllOf(Field(&Problem::kind, kind), Field(&Problem::queue, queue), Field(&Problem::field, field),
               Field(&Problem::message, HasSubstr(text)));
}
const std::string kGuaranteeField = "spec.guarantee.resource.nvidia.com/gpu";

TEST(Promises, SoundNumbersStandAsDeclared) {
  Tree tree(200, {queue("a").guarantee(128).capability(192), queue("b").deserved(50).guarantee(50)});
  EXPECT_EQ(tree.guaranteed("a"), 128);
  EXPECT_EQ(tree.guaranteed("b"), 50);
  EXPECT_EQ(tree.owed("b"), 50);
  EXPECT_EQ(tree.deserved(tree.find("a"), kGpu), kUnlimited);
  EXPECT_THAT(tree.problems(kNames), IsEmpty());
}

TEST(Promises, InnerQueueGuaranteesWhatItsChildrenAreGuaranteed) {
  Tree tree(20, {queue("p"), queue("p1").under("p").guarantee(3), queue("p2").under("p").guarantee(4)});
  EXPECT_EQ(tree.guaranteed("p"), 7);
  EXPECT_THAT(tree.problems(kNames), IsEmpty());
}

TEST(Promises, AbsurdGuaranteeHarmsItselfOnly) {
  Tree tree(8, {queue("good").guarantee(1).deserved(4), queue("bad").guarantee(10000).deserved(10)});
  // bad is read as at most its deserved 10, then as what the 1 of good leaves of 8.
  EXPECT_EQ(tree.guaranteed("good"), 1);
  EXPECT_EQ(tree.guaranteed("bad"), 7);
  EXPECT_THAT(tree.problems(kNames),
              ElementsAre(problem(Kind::GuaranteeAboveOwn, "bad", kGuaranteeField,
                                  "10000 is more than its deserved 10"),
                          problem(Kind::GuaranteeAboveTotal, "bad", kGuaranteeField,
                                  "10000 is more than the cluster has (8); read as 7")));
}

TEST(Promises, AbsurdChildOfAQueueWithoutGuaranteeHarmsItselfOnly) {
  Tree tree(8, {queue("good").guarantee(1), queue("p"), queue("fair").under("p").guarantee(2),
                queue("bad").under("p").guarantee(10000)});
  // p asks for 10002: it gets the 7 that good leaves; of those fair has its 2.
  EXPECT_EQ(tree.guaranteed("good"), 1);
  EXPECT_EQ(tree.guaranteed("p"), 7);
  EXPECT_EQ(tree.guaranteed("fair"), 2);
  EXPECT_EQ(tree.guaranteed("bad"), 5);
}

TEST(Promises, TwoAbsurdGuaranteesShareWhatIsLeft) {
  Tree tree(8, {queue("a").guarantee(100), queue("b").guarantee(9), queue("c").guarantee(2)});
  EXPECT_EQ(tree.guaranteed("c"), 2);
  EXPECT_EQ(tree.guaranteed("a"), 3);
  EXPECT_EQ(tree.guaranteed("b"), 3);
}

TEST(Promises, ParentsBoundWinsOverItsChildrensSum) {
  Tree tree(20, {queue("p").guarantee(6), queue("p1").under("p").guarantee(4),
                 queue("p2").under("p").guarantee(5)});
  // 6 * 4/9 = 2.667, 6 * 5/9 = 3.333, exact in thousandths.
  EXPECT_EQ(tree.guaranteed("p1"), 2.667);
  EXPECT_EQ(tree.guaranteed("p2"), 3.333);
  EXPECT_THAT(tree.problems(kNames),
              ElementsAre(problem(Kind::GuaranteeAboveParent, "p", kGuaranteeField,
                                  "its children are guaranteed 9 together, more than its own 6")));
}

TEST(Promises, OneChildAboveItsParentIsNamed) {
  Tree tree(20, {queue("p").guarantee(6), queue("p1").under("p").guarantee(2),
                 queue("p2").under("p").guarantee(7)});
  EXPECT_EQ(tree.guaranteed("p1"), 2);
  EXPECT_EQ(tree.guaranteed("p2"), 4);
  EXPECT_THAT(tree.problems(kNames),
              ElementsAre(problem(Kind::GuaranteeAboveParent, "p2", kGuaranteeField,
                                  "7 is more than its parent p is guaranteed (6); read as 4")));
}

TEST(Promises, GuaranteesOfASmallerClusterShrinkTogether) {
  Tree tree(20, {queue("a").guarantee(8), queue("b").guarantee(12)});
  EXPECT_THAT(tree.problems(kNames), IsEmpty());
  tree.setTotal(gpus(15));
  EXPECT_EQ(tree.guaranteed("a"), 6);
  EXPECT_EQ(tree.guaranteed("b"), 9);
  EXPECT_THAT(tree.problems(kNames),
              ElementsAre(problem(Kind::GuaranteeAboveTotal, "root", kGuaranteeField,
                                  "guaranteed 20 together, more than the cluster has (15)")));
  tree.setTotal(gpus(20));
  EXPECT_EQ(tree.guaranteed("a"), 8);
}

TEST(Promises, GuaranteeDeservedAndCapabilityAreReadInOrder) {
  Tree tree(100, {queue("q").guarantee(9).deserved(8).capability(5)});
  EXPECT_EQ(tree.guaranteed("q"), 5);
  EXPECT_EQ(tree.owed("q"), 5);
  EXPECT_THAT(
      tree.problems(kNames),
      ElementsAre(
          problem(Kind::DeservedAboveCapability, "q", "spec.deserved.nvidia.com/gpu", "8 is more than"),
          problem(Kind::GuaranteeAboveOwn, "q", kGuaranteeField, "more than its deserved 8; read as 5")));
}

TEST(Promises, GuaranteeAloneIsBoundedByCapability) {
  Tree tree(100, {queue("q").guarantee(9).capability(5)});
  EXPECT_EQ(tree.guaranteed("q"), 5);
  EXPECT_THAT(tree.problems(kNames), ElementsAre(problem(Kind::GuaranteeAboveOwn, "q", kGuaranteeField,
                                                         "9 is more than its capability 5; read as 5")));
}

TEST(Promises, ChildrensSumAboveTheParentsDeservedIsTold) {
  Tree tree(100, {queue("p").deserved(6), queue("p1").under("p").guarantee(4),
                  queue("p2").under("p").guarantee(4)});
  EXPECT_EQ(tree.guaranteed("p"), 6);
  EXPECT_EQ(tree.guaranteed("p1"), 3);
  EXPECT_EQ(tree.guaranteed("p2"), 3);
  EXPECT_THAT(tree.problems(kNames), ElementsAre(problem(Kind::GuaranteeAboveOwn, "p", kGuaranteeField,
                                                         "its children's sum of 8 is more than")));
}

TEST(Promises, DerivedDeservedIsNeverBelowTheGuarantee) {
  Tree tree(100, {queue("p").guarantee(10), queue("p1").under("p").deserved(3),
                  queue("p2").under("p").guarantee(2)});
  EXPECT_EQ(tree.owed("p"), 10);  // the children's: 3 + 2
}

TEST(Promises, ParentsThatCannotBeAreTold) {
  Tree tree(8, {queue("a").under("b"), queue("b").under("a"), queue("c").under("nowhere")});
  EXPECT_THAT(tree.problems(kNames),
              ElementsAre(problem(Kind::ParentCycle, "a", "spec.parent", "leads back"),
                          problem(Kind::ParentCycle, "b", "spec.parent", "leads back"),
                          problem(Kind::ParentUnknown, "c", "spec.parent", "no queue nowhere")));
}

TEST(Promises, EachResourceIsItsOwn) {
  Tree tree(8, {queue("a").guarantee(10000).guarantee(20, kCpu)});
  EXPECT_EQ(tree.guarantee(tree.find("a")), amounts({{kGpu, 8}, {kCpu, 20}}));
}

}  // namespace
}  // namespace tidegate::quota::testing
