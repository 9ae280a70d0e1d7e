// While the API server is away or refuses the credentials: what the log is told, and how soon all kinds are
// followed again.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "world/kube/kube_host.hpp"
#include "world/rest/sim_loop.hpp"
#include "world/rest/sim_transport.hpp"
#include "world/sim/test_support.hpp"

namespace tidegate::kube {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// Lets requests through, or answers each with 401.
class Gate : public Transport {
 public:
  Gate(Loop& loop, Transport& inner) : loop_(loop), inner_(inner) {}

  RequestId send(HttpRequest request, Done done) override {
    ++requests;
    return open ? inner_.send(std::move(request), std::move(done)) : refuse(std::move(done));
  }
  RequestId stream(HttpRequest request, Chunk chunk, Done done) override {
    ++requests;
    if (!open) return refuse(std::move(done));
    return inner_.stream(std::move(request), std::move(chunk), std::move(done));
  }
  void cancel(RequestId request) override { inner_.cancel(request); }

  bool open = true;
  int requests = 0;

 private:
  RequestId refuse(Done done) {
    loop_.after(milliseconds(5), [done = std::move(done)] {
      done({.status = 401,
            .body = R"({"kind":"Status","code":401,"message":"Unauthorized"})",
            .headers = {},
            .error = {}});
    });
    return ++last_ + 1'000'000;
  }

  Loop& loop_;
  Transport& inner_;
  RequestId last_ = 0;
};

struct Nobody : Controller {
  std::vector<Command> handle(const Event& event, Time) override {
    if (const auto* seen = std::get_if<ObjectSeen>(&event))
      names.push_back(api::metadataOf(seen->object).name);
    return {};
  }
  std::vector<std::string> names;
};

class Outage : public testing::TestWithParam<std::uint64_t> {
 protected:
  Outage() {
    host.add("nobody", nobody, kindsOf<api::Pod, api::Node, api::Queue, api::PodGroup, api::Recall>());
    host.start();
    run(seconds(30));
    EXPECT_TRUE(host.synced());
    EXPECT_THAT(log, IsEmpty());
    gate.requests = 0;
  }
  void run(Duration time) {
    const Time end = clock.now() + time;
    while (!clock.empty() && clock.nextTime() <= end) clock.step();
    clock.advanceTo(end);
  }
  // Every kind is watched by a request that the server has.
  void expectFollowedWithin(Duration time) {
    const Time begin = clock.now();
    while (server.watches() < 5 && clock.now() < begin + time) run(milliseconds(50));
    EXPECT_EQ(server.watches(), 5U) << "after " << formatDuration(time);
    api.create(sim::test::pod("late"));
    run(milliseconds(100));
    EXPECT_THAT(nobody.names, testing::Contains("late"));
  }

  sim::EventQueue clock{Time{} + std::chrono::hours(24 * 20000)};
  sim::SimApiServer api{clock, GetParam()};
  rest::RestServer server{clock, api, {}};
  rest::SimLoop loop{clock};
  rest::SimTransport wire{clock, server, {.seed = GetParam(), .network = {}, .faults = {}}};
  Gate gate{loop, wire};
  std::vector<std::string> log;
  Nobody nobody;
  KubeHost host{{.loop = loop,
                 .transport = gate,
                 .warning = [this](const std::string& text) { log.push_back("W " + text); },
                 .notice = [this](const std::string& text) { log.push_back("I " + text); }},
                {.seed = GetParam()}};
};
INSTANTIATE_TEST_SUITE_P(Seeds, Outage, testing::Range<std::uint64_t>(1, 21));

TEST_P(Outage, IsToldOnceThenNowAndThenThenThatItIsOver) {
  server.restart(seconds(100));
  run(seconds(110));
  EXPECT_THAT(log, SizeIs(5)) << testing::PrintToString(log);
  EXPECT_THAT(log.front(),
              AllOf(HasSubstr("W API server: "), HasSubstr("refused"), HasSubstr("trying again")));
  for (std::size_t i = 1; i + 1 < log.size(); ++i)
    EXPECT_THAT(log[i], AllOf(HasSubstr("W API server: not served for "), HasSubstr("and 2 more")));
  EXPECT_THAT(log.back(), AllOf(HasSubstr("I API server: served again after 1m4"), HasSubstr("refused")));
}

TEST_P(Outage, IsOverForAllKindsSecondsAfterTheServerIsBack) {
  server.restart(seconds(300));
  run(seconds(300));
  // One probe for all, at a polite pace.
  EXPECT_LE(gate.requests, 5 + 5 + 160);
  expectFollowedWithin(seconds(5));
}

TEST_P(Outage, AShortOneIsOverAtOnce) {
  server.restart(milliseconds(300));
  run(milliseconds(300));
  expectFollowedWithin(seconds(2));
}

TEST_P(Outage, OfTheCredentialsIsToldAsOneAndOverForAllAtOnce) {
  gate.open = false;
  server.restart(milliseconds(1));
  run(seconds(100));
  EXPECT_THAT(log, SizeIs(testing::Le(5))) << testing::PrintToString(log);
  EXPECT_THAT(log.back(), HasSubstr("HTTP 401: Unauthorized"));
  const int asked = gate.requests;
  EXPECT_LE(asked, 5 * 25);
  gate.open = true;
  expectFollowedWithin(seconds(6));
  EXPECT_THAT(log.back(), HasSubstr("I API server: served again after "));
}

}  // namespace
}  // namespace tidegate::kube
