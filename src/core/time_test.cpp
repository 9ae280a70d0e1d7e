#include "core/time.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tidegate {
namespace {

std::string reformat(std::string_view text) {
  const auto t = parseTime(text);
  return t ? formatTime(*t) : t.error().message;
}

TEST(Time, ReadsRfc3339) {
  EXPECT_EQ(parseTime("1970-01-01T00:00:00Z"), Time{});
  EXPECT_EQ(reformat("2026-06-18T19:59:00Z"), "2026-06-18T19:59:00Z");
  EXPECT_EQ(reformat("2026-06-19T03:59:00+08:00"), "2026-06-18T19:59:00Z");
  EXPECT_EQ(reformat("2026-06-18T15:29:00-04:30"), "2026-06-18T19:59:00Z");
  EXPECT_EQ(reformat("2024-02-29T23:59:59.25Z"), "2024-02-29T23:59:59.250000Z");
  EXPECT_EQ(reformat("2026-06-18T19:59:00.123456789Z"), "2026-06-18T19:59:00.123456Z");
  EXPECT_EQ(reformat("1969-12-31T23:59:59.5Z"), "1969-12-31T23:59:59.500000Z");
}

TEST(Time, RefusesWhatIsNoTime) {
  for (const char* text :
       {"", "2026-06-18", "2026-06-18 19:59:00Z", "2026-06-18T19:59:00", "2026-02-30T00:00:00Z",
        "2026-13-01T00:00:00Z", "2026-06-18T24:00:00Z", "2026-06-18T19:59:00.Z", "2026-06-18T19:59:00Zx",
        "2026-06-18T19:59Z", "20:00", "2026-06-18T19:59:00+8"}) {
    EXPECT_FALSE(parseTime(text)) << text;
  }
}

TEST(Duration, ReadsWhatGoReads) {
  EXPECT_EQ(parseDuration("30s"), seconds(30));
  EXPECT_EQ(parseDuration("1h30m"), seconds(5400));
  EXPECT_EQ(parseDuration("1.5h"), seconds(5400));
  EXPECT_EQ(parseDuration("250ms"), milliseconds(250));
  EXPECT_EQ(parseDuration("1m0.5s"), milliseconds(60'500));
  EXPECT_EQ(parseDuration("-5m"), -seconds(300));
  EXPECT_EQ(parseDuration("1500us"), microseconds(1500));
  EXPECT_EQ(parseDuration("1500\u00b5s"), microseconds(1500));
  EXPECT_EQ(parseDuration("999ns"), microseconds(0));
  EXPECT_EQ(parseDuration("0"), seconds(0));
}

TEST(Duration, RefusesWhatIsNoDuration) {
  for (const char* text : {"", "-", "30", "s", "30 s", "1d", "1h30", ".s", "1..5s", "9999999999999h",
                           "99999999999999999999999999s", "+"}) {
    EXPECT_FALSE(parseDuration(text)) << text;
  }
}

TEST(Duration, PrintsShortest) {
  EXPECT_EQ(formatDuration(seconds(0)), "0s");
  EXPECT_EQ(formatDuration(seconds(15)), "15s");
  EXPECT_EQ(formatDuration(seconds(5400)), "1h30m");
  EXPECT_EQ(formatDuration(milliseconds(1500)), "1.5s");
  EXPECT_EQ(formatDuration(milliseconds(250)), "250ms");
  EXPECT_EQ(formatDuration(microseconds(10)), "10us");
  EXPECT_EQ(formatDuration(-seconds(90)), "-1m30s");
}

RC_GTEST_PROP(Time, TextReadsBack, ()) {
  const Time t{Duration{*rc::gen::inRange<std::int64_t>(-60'000'000'000'000'000, 250'000'000'000'000'000)}};
  RC_ASSERT(parseTime(formatTime(t)).value() == t);
}

RC_GTEST_PROP(Duration, TextReadsBack, ()) {
  const Duration d{*rc::gen::inRange<std::int64_t>(-9'000'000'000'000'000, 9'000'000'000'000'000)};
  RC_ASSERT(parseDuration(formatDuration(d)).value() == d);
}

}  // namespace
}  // namespace tidegate
