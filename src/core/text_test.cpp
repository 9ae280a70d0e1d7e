#include "core/text.hpp"

#include <gtest/gtest.h>

#include <array>

#include "core/error.hpp"

namespace tidegate {
namespace {

constexpr std::array<std::string_view, 6> kNames = {"allocate",    "backfill", "preempt",
                                                    "gangpreempt", "capacity", "drf"};

TEST(ListText, CountsWhatItDoesNotName) {
  EXPECT_EQ(listText({}, 3), "");
  EXPECT_EQ(listText({"a"}, 3), "a");
  EXPECT_EQ(listText({"a", "b", "c"}, 3), "a, b, c");
  EXPECT_EQ(listText({"a", "b", "c", "d"}, 3), "a, b and 2 more");
  EXPECT_EQ(listText({"a", "b", "c"}, 1), "a and 2 more") << "one is always named";
}

TEST(NearestName, FindsTheWordThatWasMeant) {
  EXPECT_EQ(nearestName("allocat", kNames), "allocate");
  EXPECT_EQ(nearestName("capasity", kNames), "capacity");
  EXPECT_EQ(nearestName("gangPreempt", kNames), "gangpreempt");
  EXPECT_EQ(nearestName("prempt", kNames), "preempt");
  EXPECT_EQ(nearestName("backflil", kNames), "backfill");
  EXPECT_EQ(nearestName("dfr", kNames), "drf");
}

TEST(NearestName, StaysSilentWhenNothingIsClose) {
  EXPECT_EQ(nearestName("", kNames), "");
  EXPECT_EQ(nearestName("x", kNames), "");
  EXPECT_EQ(nearestName("nodeSelector", kNames), "");
  EXPECT_EQ(nearestName(std::string(100'000, 'a'), kNames), "");
  EXPECT_EQ(nearestName("allocate", {}), "");
}

TEST(SplitText, KeepsEmptyParts) {
  EXPECT_EQ(splitText("a,,b", ','), (std::vector<std::string_view>{"a", "", "b"}));
  EXPECT_EQ(splitText("", ','), (std::vector<std::string_view>{""}));
}

TEST(TrimText, TakesBlanksOffBothEnds) {
  EXPECT_EQ(trimText(" \t a b\r\n"), "a b");
  EXPECT_EQ(trimText(" \n"), "");
}

TEST(Utf8, FindsTheFirstBadByte) {
  EXPECT_EQ(findInvalidUtf8("gr\u00fc\u00df \u5927\u4fc3 \U0001f30a"), std::nullopt);
  EXPECT_EQ(findInvalidUtf8("ab\xff"), 2U);
  EXPECT_EQ(findInvalidUtf8("a\xe5\xa4"), 1U) << "cut off";
  EXPECT_EQ(findInvalidUtf8("\xc0\x80"), 0U) << "overlong";
  EXPECT_EQ(findInvalidUtf8("\xed\xa0\x80"), 0U) << "surrogate";
  EXPECT_EQ(findInvalidUtf8("\xf4\x90\x80\x80"), 0U) << "beyond Unicode";
}

TEST(Utf8, AppendsWhatTheCheckAccepts) {
  for (std::uint32_t code : {0x41U, 0x7FFU, 0x800U, 0x5927U, 0xFFFFU, 0x10000U, 0x1F30AU, 0x10FFFFU}) {
    std::string text;
    appendUtf8(text, code);
    EXPECT_EQ(findInvalidUtf8(text), std::nullopt) << code;
  }
}

TEST(Error, TellsPlaceFieldAndMessage) {
  EXPECT_EQ((Error{"want an integer, got \"many\"", {"queues.yaml", 12, 7}, "spec.weight"}.text()),
            "queues.yaml:12:7: spec.weight: want an integer, got \"many\"");
  EXPECT_EQ((Error{"empty", {"a.yaml", 0, 0}, ""}.text()), "a.yaml: empty");
  EXPECT_EQ((Error{"empty", {"", 3, 0}, ""}.text()), "line 3: empty");
  EXPECT_EQ(Error{"empty"}.text(), "empty");
}

TEST(CheckDeathTest, SaysWhatBroke) {
  EXPECT_DEATH(TIDEGATE_CHECK(1 > 2, "sums differ"), "sums differ");
}

}  // namespace
}  // namespace tidegate
