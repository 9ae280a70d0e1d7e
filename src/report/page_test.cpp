#include "report/page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <regex>

#include "report/report_fixture.hpp"

namespace tidegate::report {
namespace {

using testing::HasSubstr;
using testing::Not;

int occurrences(const std::string& text, const std::string& part) {
  int n = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

// Without its style sheet, so that class names are those of elements.
std::string bodyOf(const Report& report) {
  const std::string page = renderPage(report);
  return page.substr(page.find("<body"));
}

TEST(Page, SameReportSameBytes) {
  EXPECT_EQ(renderPage(sampleReport()), renderPage(sampleReport()));
}

TEST(Page, OpensWithoutAnyOtherFile) {
  const std::string page = renderPage(sampleReport());
  EXPECT_THAT(page, Not(HasSubstr("src=")));
  EXPECT_THAT(page, Not(HasSubstr("href=")));
  EXPECT_THAT(page, Not(HasSubstr("url(")));
  EXPECT_THAT(page, Not(HasSubstr("@import")));
}

TEST(Page, EveryElementIsClosed) {
  const std::string body = bodyOf(sampleReport());
  std::vector<std::string> open;
  const std::regex tag(R"(<(/?)([a-z0-9]+)[^>]*?(/?)>)");
  for (std::sregex_iterator it(body.begin(), body.end(), tag); it != std::sregex_iterator(); ++it) {
    if ((*it)[3].length() > 0) continue;
    if ((*it)[1].length() == 0) {
      open.push_back((*it)[2]);
      continue;
    }
    if (open.empty() && (*it)[2] == "html") break;  // opened before the body
    ASSERT_FALSE(open.empty()) << it->str();
    EXPECT_EQ(open.back(), (*it)[2]);
    open.pop_back();
  }
}

TEST(Page, TextFromObjectsIsEscaped) {
  Report report = sampleReport();
  report.runs.front().jobs.front().name = "a/<script>alert(1)</script>";
  const std::string page = renderPage(report);
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, HasSubstr("a/&lt;script&gt;"));
}

TEST(Page, FailedBarNamesFigureLimitAndCause) {
  const std::string body = bodyOf(sampleReport());
  EXPECT_THAT(body, HasSubstr("A bar fails"));
  EXPECT_THAT(body, HasSubstr("31.20 s"));
  EXPECT_THAT(body, HasSubstr("started 24.5 s after its node was free"));
  EXPECT_EQ(occurrences(body, "class=\"card failed\""), 1);
}

TEST(Page, OneTilePerNodeAndSnapshotWithHandedOverNodesFramed) {
  const std::string body = bodyOf(sampleReport());
  EXPECT_EQ(occurrences(body, "<figure"), 3 * 25);
  EXPECT_EQ(occurrences(body, "class=\"tile whole\""), 3 * 8);
}

TEST(Page, GanttHasARowForEachJobAndNode) {
  const std::string body = bodyOf(sampleReport());
  EXPECT_EQ(occurrences(body, "class=\"g-row\""), 2 + 8);
}

TEST(Page, AJobThatNeverStopsIsDrawnToTheEnd) {
  Report report = sampleReport();
  report.runs.front().jobs.front().releasedAt.reset();
  EXPECT_THAT(bodyOf(report), HasSubstr("f-stuck"));
  EXPECT_THAT(bodyOf(report), HasSubstr("to never"));
}

TEST(Page, ComparisonOnlyWhenThereIsSomethingToCompare) {
  Report report = sampleReport();
  EXPECT_THAT(bodyOf(report), HasSubstr("Against plain rules"));
  report.runs.pop_back();
  EXPECT_THAT(bodyOf(report), Not(HasSubstr("Against plain rules")));
}

TEST(Page, EmptyReportIsStillAPage) {
  EXPECT_THAT(renderPage(Report{}), HasSubstr("</html>"));
}

}  // namespace
}  // namespace tidegate::report
