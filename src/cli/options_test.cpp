// Every flag of every command with a value that cannot be meant: one line that names the flag, and status 2.
#include "cli/options.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/text.hpp"

namespace tidegate::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::expected<Command, Exit> parse(std::vector<std::string> words) {
  std::vector<const char*> argv = {"tidegate"};
  for (const std::string& word : words) argv.push_back(word.c_str());
  return parseCommandLine(static_cast<int>(argv.size()), argv.data());
}

// "run --lease=" and what the error must say.
struct Bad {
  std::string command;
  std::string flag;
  std::vector<std::string> values;
};

const std::string kLong(300, 'x');
const std::vector<std::string> kNoDurations = {"",    "-5s", "5",    "NaN", "s", "99999999999999999999h",
                                               "1h1", "ü",   "1e9h", "--"};
const std::vector<std::string> kNoNumbers = {"",  "-1",  "NaN", "inf", "1e3", "99999999999999999999",
                                             "ü", "1.5", "x"};
const std::vector<std::string> kNoWords = {"", "x", "ü", "text,json", "TEXT "};
const std::vector<std::string> kNoNames = {"", "a b", "a\n", "\t", kLong};
const std::vector<std::string> kNoObjectNames = {"",      "x",          "/",          "a/",   "/b",
                                                 "a/b/c", "A/b",        "a/B",        "a/-",  "ü/b",
                                                 "a.b/c", "a/" + kLong, kLong + "/b", "a/b ", "a b/c"};
const std::vector<std::string> kEmpty = {""};

const std::vector<Bad> kBad = {
    {"run", "--kubeconfig", kEmpty},
    {"run", "--context", kEmpty},
    {"run", "--lease", kNoObjectNames},
    {"run", "--identity", kNoNames},
    {"run", "--components", {"", "foo", "scheduler,", "Scheduler", "scheduler queue-controller", "ü"}},
    {"run", "--scheduler-name", kNoNames},
    {"run", "--conf", kEmpty},
    {"run", "--conf-map", kNoObjectNames},
    {"run", "--coalesce", kNoDurations},
    {"run", "--coalesce", {"2m"}},
    {"run", "--vcjob-suspend", kNoWords},
    {"run",
     "--listen",
     {"foo", "8080", ":-1", "127.0.0.1:65536", "127.0.0.1:", "host:80", "[::1]", "1.2.3:80", "ü:1"}},
    {"run", "--log-format", kNoWords},
    {"run", "--leader-elect", {"maybe"}},
    {"plan", "--file", kEmpty},
    {"plan", "--conf", kEmpty},
    {"plan", "--now", {"", "x", "9999-99-99T00:00:00Z", "-1", "NaN", "2026"}},
    {"plan", "--cycles", kNoNumbers},
    {"plan", "--cycles", {"0", "1001"}},
    {"plan", "--output", kNoWords},
    {"plan", "--keep-terminating", {"maybe"}},
    {"drill", "--nodes", kNoNumbers},
    {"drill", "--nodes", {"0", "10001"}},
    {"drill", "--gpus-per-node", kNoNumbers},
    {"drill", "--gpus-per-node", {"0", "65"}},
    {"drill", "--shape", {"", "8", "x", "0x8", "8x0", "-1x1", "8x8x8", "9999999999x1", "ü", "8X8"}},
    {"drill", "--burst", kNoWords},
    {"drill", "--policy", kNoWords},
    {"drill", "--seed", kNoNumbers},
    {"drill", "--queues", kEmpty},
    {"drill", "--conf", kEmpty},
    {"drill", "--offline", kEmpty},
    {"drill", "--load", kEmpty},
    {"drill", "--out", kEmpty},
    {"drill", "--output", kNoWords},
    {"drill", "--limit-recall", kNoDurations},
    {"drill", "--limit-recall", {"0s"}},
    {"drill", "--limit-ready", kNoDurations},
    {"drill", "--recall-deadline", kNoDurations},
    {"drill", "--recall-deadline", {"0s", "25h"}},
    {"drill", "--checkpoint", kNoDurations},
    {"drill", "--stop", kNoDurations},
    {"drill", "--ready", kNoDurations},
    {"drill", "--peak", kNoDurations},
    {"drill", "--held-pods", kNoNumbers},
    {"drill --kubeconfig=f", "--context", kEmpty},
    {"drill --kubeconfig=f", "--pool-label", {"", "x", "=x", "a b=c"}},
    {"drill --kubeconfig=f", "--image", kNoNames},
    {"drill", "--kubeconfig", kEmpty},
};

TEST(BadFlags, OneErrorThatNamesTheFlag) {
  for (const Bad& bad : kBad) {
    for (const std::string& value : bad.values) {
      std::vector<std::string> words;
      for (const std::string_view word : splitText(bad.command, ' ')) words.emplace_back(word);
      words.push_back(bad.flag + "=" + value);
      const auto parsed = parse(words);
      ASSERT_FALSE(parsed) << bad.command << " " << words.back();
      EXPECT_EQ(parsed.error().code, kBadInput);
      EXPECT_THAT(parsed.error().text, StartsWith("tidegate: ")) << words.back();
      EXPECT_THAT(parsed.error().text, HasSubstr(bad.flag)) << words.back();
      EXPECT_THAT(parsed.error().text, HasSubstr("\nSee tidegate ")) << words.back();
    }
  }
}

TEST(BadFlags, AValueOnItsOwnMayBeginWithADash) {
  const auto parsed = parse({"run", "--coalesce", "-5s"});
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().text,
            "tidegate: --coalesce: want 0s to 1m, got \"-5s\"\nSee tidegate run --help.\n");
}

TEST(BadFlags, WhatIsGivenTwiceIsAnError) {
  for (const char* flag :
       {"--coalesce=1s", "--lease=a/b", "--identity=x", "--conf=f", "--listen=127.0.0.1:1"}) {
    const auto parsed = parse({"run", flag, flag});
    ASSERT_FALSE(parsed) << flag;
    EXPECT_THAT(parsed.error().text, HasSubstr(std::string(flag).substr(0, std::string(flag).find('='))));
  }
  EXPECT_THAT(parse({"plan", "-f", "-", "-f", "-"}).error().text, HasSubstr("--file: standard input (-)"));
  EXPECT_TRUE(parse({"run", "--scheduler-name=a", "--scheduler-name=b"}));
}

TEST(Help, TellsExitStatusesAndWhereFlagsAreListed) {
  for (const char* command : {"", "run", "plan", "drill"}) {
    const auto parsed = *command == 0 ? parse({"--help"}) : parse({command, "--help"});
    ASSERT_FALSE(parsed);
    EXPECT_EQ(parsed.error().code, 0);
    EXPECT_THAT(parsed.error().text, HasSubstr("Exit status: 0 if"));
    EXPECT_EQ(parsed.error().text.contains("tidegate COMMAND --help lists"), *command == 0) << command;
  }
}

TEST(Help, ThePeakHasADefaultForEachKindOfCluster) {
  const std::string help = parse({"drill", "--help"}).error().text;
  EXPECT_THAT(help, HasSubstr("Default: 5m;"));
  EXPECT_THAT(help, HasSubstr("30s."));
}

TEST(GoodFlags, TheVersionMayBeAFlag) {
  for (const char* word : {"version", "--version", "-V"}) {
    const auto parsed = parse({word});
    ASSERT_TRUE(parsed) << word;
    EXPECT_TRUE(std::holds_alternative<VersionCommand>(*parsed)) << word;
  }
}

TEST(GoodFlags, AreTaken) {
  const auto parsed = parse({"run", "--lease=kube-system/tide.gate-1", "--identity=host_1", "--coalesce=0s",
                             "--listen", "", "--components=scheduler,vcjob-controller", "--conf-map=a/b"});
  ASSERT_TRUE(parsed) << parsed.error().text;
  const auto& run = std::get<RunCommand>(*parsed).options;
  EXPECT_EQ(run.lease, "kube-system/tide.gate-1");
  EXPECT_EQ(run.listen, "");
  EXPECT_EQ(run.components.size(), 2U);
  for (const char* listen : {"--listen=[::1]:0", "--listen=:8080", "--listen=0.0.0.0:65535"})
    EXPECT_TRUE(parse({"run", listen})) << listen;
  const auto drill = parse({"drill", "--seed=18446744073709551615", "--peak=0s", "--checkpoint=24h"});
  ASSERT_TRUE(drill) << drill.error().text;
  EXPECT_EQ(std::get<DrillCommand>(*drill).options.seed, UINT64_MAX);
  EXPECT_TRUE(parse({"drill", "--kubeconfig=f", "--pool-label=pool=", "--image=a/b:c@sha256:d"}));
}

}  // namespace
}  // namespace tidegate::cli
