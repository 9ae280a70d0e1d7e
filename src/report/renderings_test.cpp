#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "report/json.hpp"
#include "report/junit.hpp"
#include "report/markup.hpp"
#include "report/report_fixture.hpp"
#include "report/text.hpp"
#include "report/words.hpp"

namespace tidegate::report {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Words, DurationsReadAsPeopleSayThem) {
  EXPECT_EQ(durationText(milliseconds(6414)), "6.41 s");
  EXPECT_EQ(durationText(milliseconds(-250)), "-0.25 s");
  EXPECT_EQ(durationText(seconds(125)), "2 min 05 s");
  EXPECT_EQ(durationText(seconds(4320)), "1 h 12 min");
  EXPECT_EQ(durationText(std::optional<Duration>{}), "never");
  EXPECT_EQ(limitText(seconds(15)), "15 s");
  EXPECT_EQ(limitText(milliseconds(1500)), "1.50 s");
}

TEST(Words, CountsAndWork) {
  EXPECT_EQ(countText(1, "GPU"), "1 GPU");
  EXPECT_EQ(countText(0, "GPU"), "0 GPUs");
  EXPECT_EQ(workText(45), "45 GPU s");
  EXPECT_EQ(workText(744), "12.4 GPU min");
  EXPECT_EQ(workText(11520), "3.2 GPU h");
}

TEST(Markup, EscapesTextAndAttributes) {
  Markup out;
  out.element("p", {{"title", "\"a\" & 'b'"}}, "1 < 2\x01");
  EXPECT_EQ(out.take(), "<p title=\"&quot;a&quot; &amp; &#39;b&#39;\">1 &lt; 2 </p>");
}

TEST(Markup, NumbersCarryNoTrailingZeros) {
  EXPECT_EQ(number(12.5), "12.5");
  EXPECT_EQ(number(0), "0");
  EXPECT_EQ(number(-0.0001), "0");
  EXPECT_EQ(percent(100.0 / 3), "33.333%");
}

TEST(Markup, AnElementLeftOpenIsOurOwnFault) {
  Markup out;
  out.open("p");
  EXPECT_DEATH(out.take(), "element left open: p");
}

TEST(Junit, OneCasePerCheckAndTheFailuresCounted) {
  const std::string xml = renderJunit(sampleReport());
  EXPECT_THAT(xml, HasSubstr("tests=\"2\" failures=\"1\""));
  EXPECT_THAT(xml, HasSubstr("Every pod of the burst Ready is 31.20 s, want at most 30 s"));
  EXPECT_THAT(xml, HasSubstr("pod promo/burst-&lt;7&gt; started"));
}

TEST(Json, ReadsBackWithTimesInMillisecondsAndNullForNever) {
  Report report = sampleReport();
  report.runs.front().jobs.front().resumedAt.reset();
  const auto json = boost::json::parse(renderJson(report));
  EXPECT_FALSE(json.at("holds").as_bool());
  const auto& run = json.at("runs").at(0);
  EXPECT_EQ(run.at("totals").at("lastVictimGoneMs"), 6410);
  EXPECT_EQ(run.at("jobs").at(0).at("releasedMs"), 6410);
  EXPECT_TRUE(run.at("jobs").at(0).at("resumedMs").is_null());
  EXPECT_EQ(run.at("bars").at(0).at("checks").at(1).at("holds"), false);
  EXPECT_EQ(run.at("queues").at(0).at("used").at(1).at("gpus"), 128);
}

TEST(Text, EachBarWithFigureLimitAndCause) {
  const std::string text = renderText(sampleReport(), Colour::None);
  EXPECT_THAT(text, HasSubstr("1. Recalled in 15 s, ready in 30 s  FAIL"));
  EXPECT_THAT(text, HasSubstr("31.20 s  at most 30 s  FAIL"));
  EXPECT_THAT(text, HasSubstr("because: pod promo/burst-<7> started"));
  EXPECT_THAT(text, HasSubstr("A bar fails."));
}

TEST(Text, EscapeCodesOnlyWhenAskedFor) {
  EXPECT_THAT(renderText(sampleReport(), Colour::None), Not(HasSubstr("\x1b")));
  EXPECT_THAT(renderText(sampleReport(), Colour::Ansi), HasSubstr("\x1b[1;31mFAIL\x1b[0m"));
}

}  // namespace
}  // namespace tidegate::report
