#include "world/kube/curl_loop.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <thread>

namespace tidegate::kube {
namespace {

TEST(CurlLoop, RunsTimersInOrderAndEqualTimesInTheOrderOfAsking) {
  CurlLoop loop;
  std::string ran;
  const Time start = loop.now();
  loop.at(start + milliseconds(4), [&] { loop.stop(); });
  loop.at(start + milliseconds(2), [&] { ran += 'c'; });
  loop.at(start + milliseconds(1), [&] { ran += 'a'; });
  loop.at(start + milliseconds(1), [&] { ran += 'b'; });
  loop.run();
  EXPECT_EQ(ran, "abc");
  EXPECT_GE(loop.now(), start + milliseconds(4));
}

TEST(CurlLoop, NeverRunsATimerInsideTheCallNorEarly) {
  CurlLoop loop;
  bool ran = false;
  loop.at(loop.now() - seconds(5), [&] { ran = true; });
  loop.at(Time::min(), [] {});
  EXPECT_FALSE(ran);
  const Time due = loop.now() + microseconds(1500);
  loop.at(due, [&] {
    EXPECT_GE(loop.now(), due);
    loop.stop();
  });
  loop.run();
  EXPECT_TRUE(ran);
}

TEST(CurlLoop, ACancelledTimerDoesNotRunAlsoWhenItIsDue) {
  CurlLoop loop;
  bool ran = false;
  TimerId second = 0;
  loop.at(loop.now(), [&] { loop.cancel(second); });
  second = loop.at(loop.now(), [&] { ran = true; });
  loop.after(milliseconds(2), [&] { loop.stop(); });
  loop.cancel(12345);
  loop.run();
  EXPECT_FALSE(ran);
}

TEST(CurlLoop, TimersThatSetThemselvesAgainStarveNobody) {
  CurlLoop loop;
  int turns = 0;
  std::function<void()> again = [&] {
    ++turns;
    loop.at(loop.now(), again);
  };
  again();
  bool posted = false;
  loop.post([&] { posted = true; });
  loop.after(milliseconds(2), [&] { loop.stop(); });
  loop.run();
  EXPECT_TRUE(posted);
  EXPECT_GT(turns, 1);
}

TEST(CurlLoop, PostOfAnotherThreadWakesItInOrder) {
  CurlLoop loop;
  std::string ran;
  std::thread other([&] {
    loop.post([&] { ran += 'a'; });
    loop.post([&] { ran += 'b'; });
    loop.post([&] { loop.stop(); });
  });
  loop.run();  // without timers it would sleep for minutes
  other.join();
  EXPECT_EQ(ran, "ab");
}

TEST(CurlLoop, AStopThatComesFirstMakesRunReturnOnce) {
  CurlLoop loop;
  loop.stop();
  loop.run();
  bool ran = false;
  loop.at(loop.now(), [&] {
    ran = true;
    loop.stop();
  });
  loop.run();
  EXPECT_TRUE(ran);
}

TEST(CurlLoop, TellsWhatADescriptorBringsAndItsEnd) {
  CurlLoop loop;
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  std::string got;
  loop.watch(ends[0], [&] {
    char byte = 0;
    if (read(ends[0], &byte, 1) == 1) {
      got += byte;
      return;
    }
    loop.unwatch(ends[0]);
    loop.stop();
  });
  loop.at(loop.now(), [&] {
    ASSERT_EQ(write(ends[1], "ab", 2), 2);
    close(ends[1]);
  });
  loop.run();
  close(ends[0]);
  EXPECT_EQ(got, "ab");
}

TEST(CurlClock, FollowsTheWallClockForward) {
  CurlClock clock;
  const Time start{seconds(1000)};
  EXPECT_EQ(clock.advance(start, seconds(5)), start);
  EXPECT_EQ(clock.advance(start + seconds(1), seconds(6)), start + seconds(1));
  EXPECT_EQ(clock.advance(start + seconds(500), seconds(7)), start + seconds(500));
}

TEST(CurlClock, GoesOnMoreSlowlyUntilAWallClockPutBackHasCaughtUp) {
  CurlClock clock;
  const Time start{seconds(1000)};
  clock.advance(start, seconds(0));
  // Put back by 10 s: in each 10 s that pass, 1 s of the difference is made up for.
  EXPECT_EQ(clock.advance(start, seconds(10)), start + seconds(9));
  EXPECT_EQ(clock.advance(start + seconds(40), seconds(50)), start + seconds(45));
  EXPECT_EQ(clock.advance(start + seconds(100), seconds(110)), start + seconds(100));
}

}  // namespace
}  // namespace tidegate::kube
