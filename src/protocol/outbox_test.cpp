#include "protocol/outbox.hpp"

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

TEST(Outbox, LostAnswerIsMadeGoodByAskingAgain) {
  Outbox outbox;
  outbox.send("delete/u", order("a"), at(0));
  EXPECT_EQ(outbox.takeRetry(), at(10));
  EXPECT_FALSE(outbox.send("delete/u", order("a"), at(9.9)));
  EXPECT_TRUE(outbox.send("delete/u", order("a"), at(10)));
  const auto commands = outbox.take();
  ASSERT_EQ(commands.size(), 2u);
  EXPECT_FALSE(outbox.finished(succeeded(commands[0].id), at(11)))
      << "an answer to the first, which was given up";
  EXPECT_TRUE(outbox.finished(succeeded(commands[1].id), at(11)));
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

TEST(Outbox, CheckpointRequestHasUntilItsDeadline) {
  Outbox outbox;
  const Signal signal{.namespace_ = "default",
                      .pod = "a",
                      .uid = "u",
                      .port = "80",
                      .path = "/",
                      .recall = "r",
                      .deadline = at(300)};
  outbox.send("signal/u", signal, at(0));
  EXPECT_FALSE(outbox.send("signal/u", signal, at(299)));
  EXPECT_TRUE(outbox.send("signal/u", signal, at(300)));
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
