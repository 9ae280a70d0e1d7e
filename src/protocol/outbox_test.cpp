#include "protocol/outbox.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidegate {
namespace {

const Time kStart = Time{} + std::chrono::hours(24 * 20000);
Time at(double t) {
  return kStart + fromSeconds(t);
}

DeletePod order(const char* name) {
  return {.namespace_ = "default", .name = name, .uid = "u", .graceSeconds = 5, .viaEviction = false};
}

CommandDone succeeded(CommandId id) {
  return {.id = id, .outcome = Outcome::Succeeded, .message = ""};
}

TEST(Outbox, AnIntentionUnderWayIsNotSentAgain) {
  Outbox outbox;
  EXPECT_TRUE(outbox.send("delete/u", order("a"), at(0)));
  EXPECT_FALSE(outbox.send("delete/u", order("a"), at(1)));
  EXPECT_TRUE(outbox.send("delete/v", order("b"), at(1)));
  EXPECT_EQ(outbox.take().size(), 2u);
  EXPECT_TRUE(outbox.take().empty());
}

TEST(Outbox, UnansweredCommandsAreNotMultipliedHoweverLongTheyWait) {
  Outbox outbox;
  ASSERT_TRUE(outbox.send("delete/u", order("a"), at(0)));
  for (int t = 1; t < 3600; ++t) ASSERT_FALSE(outbox.send("delete/u", order("a"), at(t)));
  EXPECT_FALSE(outbox.takeRetry()) << "the answer is what to wait for";
  const auto commands = outbox.take();
  ASSERT_EQ(commands.size(), 1u);
  const auto sent = outbox.finished(succeeded(commands[0].id), at(3600));
  ASSERT_TRUE(sent);
  EXPECT_EQ(sent->key, "delete/u");
  EXPECT_EQ(sent->retryAt, at(3605));
  EXPECT_FALSE(outbox.finished(succeeded(commands[0].id), at(3600))) << "told twice";
}

TEST(Outbox, LostAnswerIsMadeGoodByAskingAgain) {
  Outbox outbox;
  outbox.send("delete/u", order("a"), at(0));
  const auto sent = outbox.finished(
      {.id = outbox.take().at(0).id, .outcome = Outcome::Unknown, .message = "no answer"}, at(10));
  ASSERT_TRUE(sent);
  EXPECT_EQ(sent->retryAt, at(10.2));
  EXPECT_FALSE(outbox.send("delete/u", order("a"), at(10.1)));
  EXPECT_EQ(outbox.takeRetry(), at(10.2));
  EXPECT_TRUE(outbox.send("delete/u", order("a"), at(10.2)));
}

TEST(Outbox, FailuresWaitLongerEachTimeUntilOneSucceeds) {
  Outbox outbox;
  Time now = at(0);
  std::vector<Duration> waits;
  for (int i = 0; i < 8; ++i) {
    ASSERT_TRUE(outbox.send("bind/u", order("a"), now));
    outbox.takeRetry();
    outbox.finished({.id = outbox.take().at(0).id, .outcome = Outcome::Conflict, .message = ""}, now);
    EXPECT_FALSE(outbox.send("bind/u", order("a"), now));
    const Time next = *outbox.takeRetry();
    waits.push_back(next - now);
    now = next;
  }
  EXPECT_EQ(waits.front(), milliseconds(200));
  EXPECT_EQ(waits[3], milliseconds(1600));
  EXPECT_EQ(waits.back(), milliseconds(6400));
}

TEST(Outbox, DoneIsAskedForAgainOnlyIfItsEffectStaysUnseen) {
  Outbox outbox;
  outbox.send("patch/x", order("a"), at(0));
  outbox.finished(succeeded(outbox.take().at(0).id), at(0.1));
  EXPECT_FALSE(outbox.send("patch/x", order("a"), at(5)));
  EXPECT_TRUE(outbox.send("patch/x", order("a"), at(5.1)));
}

// Sends as soon as it may and succeeds at once: how long each success kept it from being sent again.
std::vector<double> effectWaits(Outbox& outbox, const Action& action, Time& now, int times) {
  std::vector<double> waits;
  for (int i = 0; i < times; ++i) {
    EXPECT_TRUE(outbox.send("patch/x", action, now));
    outbox.finished(succeeded(outbox.take().at(0).id), now);
    outbox.takeRetry();
    EXPECT_FALSE(outbox.send("patch/x", action, now));
    const Time next = *outbox.takeRetry();
    waits.push_back(toSeconds(next - now));
    now = next;
  }
  return waits;
}

TEST(Outbox, WhatStaysWithoutEffectIsAskedForLessAndLessOften) {
  using testing::ElementsAre;
  Outbox outbox;
  Time now = at(0);
  EXPECT_THAT(effectWaits(outbox, order("a"), now, 5), ElementsAre(5, 10, 20, 40, 40));
  outbox.effectSeen("patch/x");
  EXPECT_THAT(effectWaits(outbox, order("a"), now, 3), ElementsAre(5, 10, 20)) << "its effect was seen";
  EXPECT_THAT(effectWaits(outbox, order("b"), now, 2), ElementsAre(5, 10)) << "something else is wanted";
  now += seconds(10);
  EXPECT_THAT(effectWaits(outbox, order("b"), now, 2), ElementsAre(5, 10)) << "it was not wanted meanwhile";
}

TEST(Outbox, ForgottenIntentionMayBeSentAtOnce) {
  Outbox outbox;
  outbox.send("record", order("a"), at(0));
  outbox.forget("record");
  EXPECT_TRUE(outbox.send("record", order("b"), at(0)));
  EXPECT_EQ(outbox.take().size(), 2u);
}

TEST(Outbox, EffectSeenBeforeOrAfterTheAnswerFreesTheIntention) {
  Outbox outbox;
  outbox.send("status/x", order("a"), at(0));
  outbox.effectSeen("status/x");
  EXPECT_FALSE(outbox.send("status/x", order("b"), at(0.1))) << "one command at a time";
  outbox.finished(succeeded(outbox.take().at(0).id), at(0.2));
  EXPECT_TRUE(outbox.send("status/x", order("b"), at(0.2)));
  outbox.finished(succeeded(outbox.take().at(0).id), at(0.3));
  EXPECT_FALSE(outbox.send("status/x", order("c"), at(0.3)));
  outbox.effectSeen("status/x");
  EXPECT_TRUE(outbox.send("status/x", order("c"), at(0.3)));
}

TEST(Outbox, ChangedObjectsDoNotShortenTheWaitAfterAFailure) {
  Outbox outbox;
  outbox.send("status/x", order("a"), at(0));
  outbox.effectSeen("status/x");
  outbox.finished({.id = outbox.take().at(0).id, .outcome = Outcome::Conflict, .message = ""}, at(0.1));
  outbox.effectSeen("status/x");
  EXPECT_FALSE(outbox.send("status/x", order("a"), at(0.2)));
  EXPECT_TRUE(outbox.send("status/x", order("a"), at(0.3)));
}

TEST(Outbox, KeepsNoMoreThanWhatIsUnderWay) {
  Outbox outbox;
  for (int i = 0; i < 20000; ++i) {
    const Time now = at(i);
    outbox.send("key" + std::to_string(i), order("a"), now);
    outbox.finished(succeeded(outbox.take().at(0).id), now);
  }
  EXPECT_TRUE(outbox.send("key0", order("a"), at(20000)));  // long forgotten
}

}  // namespace
}  // namespace tidegate
