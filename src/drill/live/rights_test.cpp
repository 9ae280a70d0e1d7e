#include "drill/live/rights.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "drill/live/manual_driver.hpp"

namespace tidegate::drill::live {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Knows who may do what.
class Reviewer : public kube::Transport {
 public:
  explicit Reviewer(kube::Loop& loop) : loop_(loop) {}
  kube::RequestId send(kube::HttpRequest request, Done done) override {
    asked.push_back(request);
    const bool no = std::ranges::any_of(
        refused, [&](const std::string& text) { return request.body.find(text) != std::string::npos; });
    kube::HttpResponse answer;
    answer.status = status;
    answer.body =
        no ? R"({"status":{"allowed":false,"reason":"no rule"}})" : R"({"status":{"allowed":true}})";
    loop_.after(milliseconds(5), [answer, done] { done(answer); });
    return asked.size();
  }
  kube::RequestId stream(kube::HttpRequest, Chunk, Done) override { return 0; }
  void cancel(kube::RequestId) override {}

  std::vector<kube::HttpRequest> asked;
  std::vector<std::string> refused;
  int status = 201;

 private:
  kube::Loop& loop_;
};

class RightsTest : public testing::Test {
 protected:
  Result<std::vector<Right>> missing() {
    return missingRights(writer, rightsNeeded(LiveOptions{}), "tidegate-drill-x");
  }
  ManualDriver driver;
  Waiter waiter{driver};
  Reviewer server{driver.loop()};
  Writer writer{waiter, server};
};

TEST_F(RightsTest, EachIsAskedForAsTheServerNamesIt) {
  EXPECT_THAT(missing().value(), IsEmpty());
  std::vector<std::string> bodies;
  for (const auto& request : server.asked) {
    EXPECT_EQ(request.method, "POST");
    EXPECT_EQ(request.path, "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews");
    bodies.push_back(request.body);
  }
  EXPECT_THAT(
      bodies,
      Contains(HasSubstr(R"({"verb":"create","resource":"queues","group":"scheduling.volcano.sh"})")));
  EXPECT_THAT(bodies,
              Contains(HasSubstr(R"({"verb":"create","resource":"pods","namespace":"tidegate-drill-x"})")));
}

TEST_F(RightsTest, TheMissingOnesAreNamed) {
  server.refused = {R"("verb":"create","resource":"queues")", R"("resource":"deployments")"};
  const auto lines = explainMissing(missing().value());
  EXPECT_THAT(lines.front(), HasSubstr("403"));
  EXPECT_THAT(lines, Contains("  may not create queues.scheduling.volcano.sh"));
  EXPECT_THAT(lines, Contains("  may not patch deployments.apps in its namespace"));
  EXPECT_THAT(lines, Contains("  may not list deployments.apps"));
  EXPECT_THAT(lines, Not(Contains(HasSubstr("nodes"))));
}

TEST_F(RightsTest, AServerThatDoesNotSayIsAnError) {
  server.status = 404;
  EXPECT_FALSE(missing().has_value());
}

TEST(RightsNeeded, QueuesAreMadeOnlyWhereTheyAreTheDrills) {
  const Right makes{.verb = "create", .resource = "queues.scheduling.volcano.sh"};
  EXPECT_THAT(rightsNeeded({}), Contains(makes));
  LiveOptions guest;
  guest.liveVictims = true;
  EXPECT_THAT(rightsNeeded(guest), Not(Contains(makes)));
}

}  // namespace
}  // namespace tidegate::drill::live
