#include "drill/live/waiter.hpp"

#include <gtest/gtest.h>

#include "drill/live/manual_driver.hpp"

namespace tidegate::drill::live {
namespace {

TEST(Waiter, WaitsForAConditionThatSomethingMakesTrue) {
  ManualDriver driver;
  Waiter waiter(driver);
  bool done = false;
  driver.loop().after(seconds(3), [&] {
    done = true;
    waiter.poke();
  });
  const Time begin = waiter.now();
  EXPECT_TRUE(waiter.until([&] { return done; }, seconds(10)));
  EXPECT_EQ(waiter.now() - begin, seconds(3));
}

TEST(Waiter, GivesUpWhenTheTimeIsOver) {
  ManualDriver driver;
  Waiter waiter(driver);
  const Time begin = waiter.now();
  EXPECT_FALSE(waiter.until([] { return false; }, seconds(10)));
  EXPECT_EQ(waiter.now() - begin, seconds(10));
  EXPECT_TRUE(waiter.interrupted().empty());
}

TEST(Waiter, AnInterruptEndsThisWaitAndAllThatFollowUntilItIsToGoOn) {
  ManualDriver driver;
  Waiter waiter(driver);
  driver.loop().after(seconds(1), [&] { waiter.interrupt("SIGINT"); });
  const Time begin = waiter.now();
  EXPECT_FALSE(waiter.until([] { return false; }, seconds(10)));
  EXPECT_FALSE(waiter.until([] { return true; }, seconds(10)));
  EXPECT_EQ(waiter.now() - begin, seconds(1));
  EXPECT_EQ(waiter.interrupted(), "SIGINT");
  waiter.goOn();
  waiter.pause(seconds(5));
  EXPECT_EQ(waiter.now() - begin, seconds(6));
}

}  // namespace
}  // namespace tidegate::drill::live
