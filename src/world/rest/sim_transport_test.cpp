#include "world/rest/sim_transport.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/text.hpp"
#include "world/rest/rest_support.hpp"
#include "world/rest/sim_loop.hpp"

namespace tidegate::rest::test {
namespace {

using testing::ElementsAre;

// A process with its answers in the order they came.
struct Client {
  Client(Bench& world, FaultRates faults, std::uint64_t seed = 1)
      : bench(world), transport(world.clock, world.server, {.seed = seed, .network = {}, .faults = faults}) {}

  void send(std::string method, std::string path, std::string body = "") {
    transport.send({.method = std::move(method),
                    .path = std::move(path),
                    .body = std::move(body),
                    .contentType = kMergePatch},
                   [this](const kube::HttpResponse& response) { answers.push_back(response); });
  }
  kube::RequestId watch(std::string path) {
    return transport.stream(
        {.method = "GET", .path = std::move(path), .body = {}, .timeout = seconds(3000)},
        [this](std::string_view bytes) {
          ++chunks;
          received += bytes;
          log += fmt::format("{} {}\n", (bench.clock.now() - Time{}).count(), bytes);
          return keepOn;
        },
        [this](const kube::HttpResponse& response) { ends.push_back(response); });
  }

  Bench& bench;
  SimTransport transport;
  std::vector<kube::HttpResponse> answers;
  std::vector<kube::HttpResponse> ends;
  std::string received;
  std::string log;
  int chunks = 0;
  bool keepOn = true;
};

TEST(SimTransport, AnswersAfterTheJourneyThereAndBack) {
  Bench bench;
  Client client(bench, {});
  client.send("GET", "/readyz");
  bench.run(milliseconds(7));
  EXPECT_TRUE(client.answers.empty());
  bench.run(milliseconds(8));
  ASSERT_EQ(client.answers.size(), 1u);
  EXPECT_EQ(client.answers[0].body, "ok");
}

struct Fault {
  const char* name;
  double FaultRates::* rate;
  std::uint64_t FaultCounts::* count;
  int status;  // as the caller sees it
  bool carriedOut;
};
const std::vector<Fault> kFaults = {
    {"requestLost", &FaultRates::requestLost, &FaultCounts::requestsLost, 0, false},
    {"answerLost", &FaultRates::answerLost, &FaultCounts::answersLost, 0, true},
    {"noAnswer", &FaultRates::noAnswer, &FaultCounts::unanswered, 0, true},
    {"conflict", &FaultRates::conflict, &FaultCounts::conflicts, 409, false},
    {"tooMany", &FaultRates::tooMany, &FaultCounts::tooMany, 429, false},
    {"internalError", &FaultRates::internalError, &FaultCounts::internalErrors, 500, false},
    {"unavailable", &FaultRates::unavailable, &FaultCounts::unavailable, 503, false},
};

class RequestFaults : public testing::TestWithParam<std::size_t> {};

// 1000 requests at 20%: 200 expected, a deviation of 63 is 5 sigma.
TEST_P(RequestFaults, HappenAsOftenAsDrawnAndDoWhatTheySay) {
  const Fault& fault = kFaults[GetParam()];
  SCOPED_TRACE(fault.name);
  Bench bench;
  bench.addPods(1);
  FaultRates rates;
  rates.*fault.rate = 0.2;
  Client client(bench, rates);
  const std::uint64_t before = bench.api.store().version();
  for (int i = 0; i < 1000; ++i) {
    client.send("PATCH", kPods + "/p100", fmt::format(R"({{"metadata":{{"labels":{{"n":"{}"}}}}}})", i));
    bench.run(seconds(31));
  }
  const auto hits = static_cast<double>(client.transport.counts().*fault.count);
  EXPECT_NEAR(hits, 200, 63);
  ASSERT_EQ(client.answers.size(), 1000u) << "each request is answered once";
  EXPECT_EQ(std::ranges::count(client.answers, fault.status, &kube::HttpResponse::status), hits);
  EXPECT_EQ(std::ranges::count(client.answers, 200, &kube::HttpResponse::status), 1000 - hits);
  EXPECT_EQ(static_cast<double>(bench.api.store().version() - before), fault.carriedOut ? 1000 : 1000 - hits);
}
INSTANTIATE_TEST_SUITE_P(SimTransport, RequestFaults, testing::Range<std::size_t>(0, kFaults.size()));

TEST(SimTransport, TooManyRequestsNameWhenToComeBack) {
  Bench bench;
  Client client(bench, {.tooMany = 1, .retryAfter = seconds(3)});
  client.send("GET", kPods);
  bench.run(seconds(1));
  EXPECT_EQ(client.answers.at(0).headers.at("retry-after"), "3");
  EXPECT_EQ(at(client.answers[0], "details.retryAfterSeconds"), "3");
}

TEST(SimTransport, SlowRequestsRunIntoTheirTimeoutAndAreCarriedOutAllTheSame) {
  Bench bench;
  Client client(bench, {.slowRequest = 1, .slowness = seconds(40)});
  client.send("POST", kPods, R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"late"}})");
  bench.run(seconds(31));
  ASSERT_EQ(client.answers.size(), 1u);
  EXPECT_EQ(client.answers[0].status, 0);
  bench.run(seconds(30));
  EXPECT_EQ(client.answers.size(), 1u);
  EXPECT_EQ(bench.get(kPods + "/late").status, 200);
}

// Whatever the bytes' pieces and repeats, what arrives whole is what the server sent.
TEST(SimTransport, SplitsAndRepeatsEventsWithoutChangingThem) {
  Bench bench;
  Client exact(bench, {});
  Client torn(bench, {.duplicateEvent = 0.2, .splitChunk = 0.7});
  exact.watch(kPods + "?watch=true");
  torn.watch(kPods + "?watch=true");
  bench.run(seconds(1));
  for (int i = 0; i < 300; ++i) {
    bench.api.create(sim::test::pod("p" + std::to_string(1000 + i)));
    bench.run(milliseconds(i % 3 == 0 ? 1 : 20));
  }
  bench.run(seconds(1));
  const auto unique = [](const std::string& text) {
    std::vector<std::string> lines;
    for (const std::string_view line : splitText(text, '\n')) {
      if (line.empty() || (!lines.empty() && lines.back() == line)) continue;
      lines.emplace_back(line);
    }
    return lines;
  };
  EXPECT_EQ(unique(torn.received), unique(exact.received));
  EXPECT_EQ(unique(exact.received).size(), 300u);
  EXPECT_GT(torn.received.size(), exact.received.size());
  EXPECT_GT(torn.chunks, exact.chunks);
  EXPECT_NEAR(static_cast<double>(torn.transport.counts().duplicated), 60, 35);
  EXPECT_NEAR(static_cast<double>(torn.transport.counts().split), 210, 40);
}

struct Break {
  const char* name;
  double FaultRates::* rate;
  bool error;
  bool wholeLines;
};
const std::vector<Break> kBreaks = {{"dropWatch", &FaultRates::dropWatch, true, true},
                                    {"cutWatch", &FaultRates::cutWatch, true, false},
                                    {"endWatch", &FaultRates::endWatch, false, true}};
class WatchBreaks : public testing::TestWithParam<std::size_t> {};

TEST_P(WatchBreaks, EndTheStreamBeforeTheEventIsWhole) {
  const Break& fault = kBreaks[GetParam()];
  SCOPED_TRACE(fault.name);
  Bench bench;
  FaultRates rates;
  Client client(bench, rates);
  client.watch(kPods + "?watch=true");
  bench.addPods(3);
  bench.run(seconds(1));
  rates.*fault.rate = 1;
  client.transport.setFaults(rates);
  bench.api.create(sim::test::pod("unseen"));
  bench.api.create(sim::test::pod("unheard"));
  bench.run(seconds(1));
  ASSERT_EQ(client.ends.size(), 1u);
  EXPECT_EQ(client.ends[0].status, 200);
  EXPECT_EQ(!client.ends[0].error.empty(), fault.error);
  EXPECT_EQ(std::ranges::count(client.received, '\n'), 3);
  EXPECT_EQ(client.received.ends_with('\n'), fault.wholeLines);
  EXPECT_EQ(bench.server.watches(), 0u);
}
INSTANTIATE_TEST_SUITE_P(SimTransport, WatchBreaks, testing::Range<std::size_t>(0, kBreaks.size()));

TEST(SimTransport, WatchesAreGoneInBothWays) {
  Bench bench;
  Client client(bench, {.watchGone = 1});
  bench.addPods(1);
  for (int i = 0; i < 100; ++i) client.watch(kPods + "?watch=true&resourceVersion=" + bench.version());
  bench.run(seconds(1));
  ASSERT_EQ(client.ends.size(), 100u);
  const auto asStatus = std::ranges::count(client.ends, 410, &kube::HttpResponse::status);
  EXPECT_NEAR(static_cast<double>(asStatus), 50, 25);
  EXPECT_EQ(std::ranges::count(client.received, '\n'), 100 - asStatus);
  EXPECT_NE(client.received.find(R"("code":410)"), std::string::npos);
}

// Two kinds written in one order may be seen in the other; within a kind the order holds.
TEST(SimTransport, SlowWatchesReorderKindsOnly) {
  Bench bench;
  Client slow(bench, {.slowWatch = 1, .watchLag = seconds(5)}, 3);
  Client fast(bench, {});
  slow.watch(kPods + "?watch=true");
  fast.watch("/api/v1/nodes?watch=true");
  bench.run(seconds(1));
  bench.addPods(2);
  bench.api.create(sim::test::node("n1"));
  bench.run(milliseconds(500));
  EXPECT_TRUE(slow.received.empty());
  EXPECT_FALSE(fast.received.empty());
  bench.run(seconds(5));
  EXPECT_LT(slow.received.find("p100"), slow.received.find("p101"));
}

TEST(SimTransport, ADownServerRefusesAndARestartBreaksWhatIsUnderWay) {
  Bench bench;
  Client client(bench, {});
  client.watch(kPods + "?watch=true");
  bench.run(seconds(1));
  client.send("GET", kPods);
  bench.run(milliseconds(7));  // the answer is on its way
  bench.server.restart(seconds(1));
  bench.run(milliseconds(100));
  client.send("GET", kPods);
  bench.run(milliseconds(100));
  EXPECT_EQ(client.ends.size(), 1u);
  ASSERT_EQ(client.answers.size(), 2u);
  EXPECT_EQ(client.answers[0].status, 0);
  EXPECT_EQ(client.answers[1].error, "connection refused");
  EXPECT_EQ(client.transport.counts().refused, 1u);
}

TEST(SimTransport, CallersMayEndCancelAndDie) {
  Bench bench;
  Client client(bench, {});
  client.keepOn = false;  // ends at its first chunk
  client.watch(kPods + "?watch=true");
  const kube::RequestId cancelled = client.watch("/api/v1/nodes?watch=true");
  client.send("POST", kPods, R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"by-the-dead"}})");
  bench.run(seconds(1));
  EXPECT_EQ(client.ends.size(), 1u);
  EXPECT_EQ(bench.server.watches(), 1u);
  client.transport.cancel(cancelled);
  EXPECT_EQ(bench.server.watches(), 0u);
  client.send("DELETE", kPods + "/by-the-dead");
  client.transport.kill();
  client.send("GET", kPods);
  bench.run(seconds(60));
  EXPECT_EQ(client.answers.size(), 1u) << "the dead are told nothing";
  EXPECT_EQ(bench.get(kPods + "/by-the-dead").status, 404) << "what they have sent arrives";
}

TEST(SimTransport, SilentStreamsTimeOut) {
  Bench bench;
  SimTransport transport(bench.clock, bench.server, {});
  std::vector<kube::HttpResponse> ends;
  transport.stream(
      {.method = "GET", .path = kPods + "?watch=true", .body = {}, .timeout = seconds(10)},
      [](std::string_view) { return true; },
      [&](const kube::HttpResponse& response) { ends.push_back(response); });
  for (int i = 0; i < 4; ++i) {
    bench.run(seconds(6));
    bench.api.create(sim::test::pod("p" + std::to_string(i)));
  }
  EXPECT_TRUE(ends.empty());
  bench.run(seconds(11));
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends[0].error, "timed out");
}

std::string runWith(std::uint64_t seed) {
  Bench bench;
  Client client(
      bench,
      {.requestLost = 0.1, .conflict = 0.1, .slowWatch = 0.5, .duplicateEvent = 0.1, .splitChunk = 0.3},
      seed);
  client.watch(kPods + "?watch=true");
  for (int i = 0; i < 100; ++i) {
    client.send("PATCH", kPods + "/p" + std::to_string(100 + i % 7), R"({"metadata":{"labels":{"a":"b"}}})");
    bench.api.create(sim::test::pod("p" + std::to_string(100 + i)));
    bench.run(milliseconds(15));
  }
  std::string text = client.log;
  for (const kube::HttpResponse& answer : client.answers)
    text += fmt::format("{} {}\n", answer.status, answer.body);
  return text;
}

TEST(SimTransport, EqualSeedsGiveEqualBytesAtEqualTimes) {
  EXPECT_EQ(runWith(5), runWith(5));
  EXPECT_NE(runWith(5), runWith(6));
}

TEST(SimLoop, RunsTimersByItsOwnClock) {
  sim::EventQueue clock{Time{} + seconds(1000)};
  SimLoop loop(clock, seconds(-7));
  std::vector<std::string> ran;
  EXPECT_EQ(loop.now(), Time{} + seconds(993));
  loop.after(seconds(2), [&] { ran.push_back("after"); });
  loop.at(Time{} + seconds(994), [&] { ran.push_back("at"); });
  loop.at(Time{} + seconds(1), [&] { ran.push_back("past"); });
  loop.cancel(loop.after(seconds(1), [&] { ran.push_back("cancelled"); }));
  EXPECT_TRUE(ran.empty());
  while (!clock.empty()) clock.step();
  EXPECT_THAT(ran, ElementsAre("past", "at", "after"));
  EXPECT_EQ(clock.now(), Time{} + seconds(1002));
}

TEST(SimLoop, NothingRunsAfterDeath) {
  sim::EventQueue clock{Time{}};
  int ran = 0;
  {
    SimLoop loop(clock);
    loop.after(seconds(1), [&] {
      ++ran;
      loop.kill();
      loop.after(seconds(1), [&] { ++ran; });
    });
    loop.after(seconds(2), [&] { ++ran; });
    clock.step();
    SimLoop gone(clock);
    gone.after(seconds(1), [&] { ++ran; });
  }
  while (!clock.empty()) clock.step();
  EXPECT_EQ(ran, 1);
}

}  // namespace
}  // namespace tidegate::rest::test
