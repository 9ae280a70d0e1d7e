#include "scheduler/conf.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tidegate::scheduler {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string errorOf(std::string_view text) {
  const auto conf = readConf(text, "c.conf");
  return conf ? "no error" : conf.error().text();
}

Policy policyOf(std::string_view text) {
  const auto conf = readConf(text, "c.conf");
  if (conf) return conf->policy;
  ADD_FAILURE() << conf.error().text();
  return {};
}

std::vector<std::string> noticesOf(std::string_view text) {
  const auto conf = readConf(text, "c.conf");
  std::vector<std::string> out;
  if (!conf) return {conf.error().text()};
  for (const Error& notice : conf->notices) out.push_back(notice.text());
  return out;
}

const std::string kFive =
    "- plugins: [{name: priority}, {name: gang}, {name: drf}, {name: predicates}, {name: nodeorder}]\n";
const std::string kActions = "actions: \"allocate, backfill, preempt, reclaim\"\n";

TEST(Conf, TheUsualChainIsReadInsideItsConfigMap) {
  const std::string text = R"(apiVersion: v1
kind: ConfigMap
metadata: {name: volcano-scheduler-configmap, namespace: volcano-system}
data:
  volcano-scheduler.conf: |
    actions: allocate, backfill, preempt, reclaim
    tiers:
    - plugins:
      - name: priority # by the PriorityClass
      - name: gang
      - name: drf
      - name: predicates
      - name: nodeorder
)";
  const Policy policy = policyOf(text);
  EXPECT_THAT(policy.actions, ElementsAre(ActionKind::Allocate, ActionKind::Backfill, ActionKind::Preempt,
                                          ActionKind::Reclaim));
  EXPECT_TRUE(policy.priorityOrder && policy.gangOrder && policy.drfOrder && policy.predicates &&
              policy.nodeOrder);
  EXPECT_THAT(noticesOf(text), ElementsAre(HasSubstr("c.conf:8:5: tiers: no quota plugin")));
}

TEST(Conf, PlacesInsideAConfigMapAreThoseOfTheFile) {
  const std::string head = "kind: ConfigMap\ndata:\n  volcano-scheduler.conf: ";
  EXPECT_THAT(errorOf(head + "|\n\n    tiers:\n    - plugins:\n      - name: gagn\n"),
              HasSubstr("c.conf:7:15: tiers[0].plugins[0].name: unknown plugin gagn; did you mean gang?"));
  EXPECT_THAT(errorOf(head + "\"tiers:\\n- plugins:\\n  - name: gagn\\n\"\n"),
              HasSubstr("c.conf:3:27: tiers[0].plugins[0].name: unknown plugin gagn; did you mean gang? "
                        "(line 3 of the conf)"));
  EXPECT_THAT(errorOf(head + "|\n    a: [\n"), HasSubstr("c.conf:"));
  EXPECT_THAT(errorOf("kind: ConfigMap\ndata:\n  other.conf: x\n"),
              HasSubstr("the ConfigMap has no entry volcano-scheduler.conf"));
  EXPECT_EQ(errorOf("kind: List\nitems:\n- kind: ConfigMap\n  data:\n    volcano-scheduler.conf: |\n      "
                    "actions: allocate\n"),
            "no error");
}

TEST(Conf, ActionsAreKeptInTheirOrder) {
  EXPECT_THAT(policyOf("actions: \"reclaim,allocate , \"\n").actions,
              ElementsAre(ActionKind::Reclaim, ActionKind::Allocate));
  EXPECT_THAT(
      policyOf("actions: enqueue, allocate, gangreclaim, gangpreempt, shuffle").actions,
      ElementsAre(ActionKind::Enqueue, ActionKind::Allocate, ActionKind::Reclaim, ActionKind::Preempt));
}

struct Wrong {
  const char* text;
  const char* message;
};
class ConfRefuses : public testing::TestWithParam<Wrong> {};
TEST_P(ConfRefuses, WithPlaceAndNearestName) {
  EXPECT_THAT(errorOf(GetParam().text), HasSubstr(GetParam().message));
}
INSTANTIATE_TEST_SUITE_P(
    Names, ConfRefuses,
    testing::Values(
        Wrong{"actions: \"enqueue, allocat, backfill\"",
              "c.conf:1:10: actions: unknown action allocat; did you mean allocate?"},
        Wrong{"actions: gangPreempt", "unknown action gangPreempt; did you mean gangpreempt?"},
        Wrong{"actions: allocate, frobnicate, x", "unknown action frobnicate (and 1 more errors)"},
        Wrong{"actions: [allocate]", "actions: want text such as \"allocate, reclaim\", got a list"},
        Wrong{"action: allocate", "c.conf:1:1: action: unknown section; did you mean actions?"},
        Wrong{"tiers: [{plugins: [{name: capasity}]}]", "unknown plugin capasity; did you mean capacity?"},
        Wrong{"tiers: [{plugins: [gang]}]", "tiers[0].plugins[0]: want a map with name, got \"gang\""},
        Wrong{"tiers: [{plugin: [{name: gang}]}]", "tiers[0].plugin: unknown field; did you mean plugins?"},
        Wrong{"tiers: {plugins: []}", "tiers: want a list, got a map"},
        Wrong{"tiers: [{plugins: [{name: gang, enableJobOrder: maybe}]}]",
              "enableJobOrder: want true or false, got \"maybe\""},
        Wrong{"tiers: [{plugins: [{name: nodeorder, arguments: {leastrequested.weight: much}}]}]",
              "arguments.leastrequested.weight: want a whole number, zero or more, got \"much\""},
        Wrong{"tiers: [{plugins: [{name: binpack, arguments: {binpack.weight: -1}}]}]",
              "binpack.weight: want a whole number"},
        Wrong{"tiers: [{plugins: [{name: binpack, arguments: [1]}]}]", "arguments: want a map, got a list"},
        Wrong{"configurations: [{name: preemt}]",
              "configurations[0].name: unknown action preemt; did you mean preempt?"},
        Wrong{"configurations: [{name: reclaim, arguments: {tidegate.minRuntime: long}}]",
              "want a duration such as 15s or 10m, got \"long\""},
        Wrong{"configurations: [{name: reclaim, arguments: {tidegate.straddleRatio: 0.5}}]",
              "want a number, one or more"},
        Wrong{"configurations: [{name: allocate, arguments: {tidegate.minRuntime: 5m}}]",
              "belongs to the action reclaim"},
        Wrong{"just text", "want a map with actions and tiers"}, Wrong{"actions: [", "c.conf:"}));

TEST(Conf, AllOfVolcanosNamesAreAccepted) {
  std::string text =
      "actions: enqueue, allocate, backfill, preempt, reclaim, gangpreempt, gangreclaim, shuffle\ntiers:\n- "
      "plugins:\n";
  for (const char* plugin : {"drf",
                             "gang",
                             "deviceshare",
                             "predicates",
                             "priority",
                             "nodeorder",
                             "conformance",
                             "binpack",
                             "resource-strategy-fit",
                             "tdm",
                             "overcommit",
                             "sla",
                             "task-topology",
                             "numaaware",
                             "cdp",
                             "rescheduling",
                             "usage",
                             "pdb",
                             "nodegroup",
                             "network-topology-aware",
                             "proportion",
                             "capacity",
                             "extender",
                             "resourcequota"}) {
    text += std::string("  - name: ") + plugin + "\n";
  }
  EXPECT_EQ(errorOf(text), "no error");
  const auto notices = noticesOf(text);
  for (const char* name :
       {"enqueue", "shuffle", "gangpreempt", "capacity", "proportion", "overcommit", "binpack", "sla"}) {
    EXPECT_THAT(notices, Contains(HasSubstr(std::string(": ") + name + ": "))) << name;
  }
  EXPECT_THAT(notices, Not(Contains(HasSubstr("no quota plugin"))));
}

TEST(Conf, PluginsAndFlagsSwitchRules) {
  const Policy policy =
      policyOf(kActions +
               "tiers:\n- plugins:\n  - {name: priority}\n  - {name: gang, enableJobOrder: false}\n"
               "- plugins:\n  - {name: nodeorder, enableNodeOrder: 'yes'}\n");
  EXPECT_TRUE(policy.priorityOrder);
  EXPECT_FALSE(policy.gangOrder);
  EXPECT_FALSE(policy.drfOrder);
  EXPECT_FALSE(policy.predicates);
  EXPECT_TRUE(policy.nodeOrder);
}

TEST(Conf, WeightsOfNodeOrderArePartOfThePolicy) {
  const std::string text =
      kActions +
      "tiers:\n- plugins:\n  - name: nodeorder\n    arguments:\n      leastrequested.weight: 0\n"
      "      mostrequested.weight: \"10\"\n      podaffinity.weight: 3\n      nodeaffinty.weight: 2\n";
  const NodeOrderWeights weights = policyOf(text).nodeOrderWeights;
  EXPECT_EQ(weights.leastRequested, 0);
  EXPECT_EQ(weights.mostRequested, 10) << "a quoted number is accepted";
  EXPECT_EQ(weights.nodeAffinity, 2);
  EXPECT_THAT(noticesOf(text), Contains(HasSubstr("podaffinity.weight: no effect")));
  EXPECT_THAT(
      noticesOf(text),
      Contains(HasSubstr("nodeaffinty.weight: unknown weight, ignored; did you mean nodeaffinity.weight?")));
}

TEST(Conf, TidegatesSettingsStandWithTheActionReclaim) {
  const Policy policy = policyOf(
      "configurations:\n- name: reclaim\n  arguments: {tidegate.recallDeadline: 20s, tidegate.minRuntime: "
      "0s, "
      "tidegate.straddleRatio: 2, tidegate.overrideBudgets: false, tidegate.jobPenalty: 5m, "
      "tidegate.checkpointInterval: 1h, tidegate.restartCost: 90s}\n");
  EXPECT_EQ(policy.recallDeadline, seconds(20));
  EXPECT_EQ(policy.minRuntime, seconds(0));
  EXPECT_EQ(policy.straddleRatio, 2);
  EXPECT_EQ(policy.jobPenalty, seconds(300));
  EXPECT_EQ(policy.checkpointInterval, seconds(3600));
  EXPECT_EQ(policy.restartCost, seconds(90));
  EXPECT_FALSE(policy.overrideBudgets);
}

TEST(Conf, WhatIsOddIsTold) {
  EXPECT_THAT(noticesOf(kActions + "tiers:\n" + kFive + "- plugins: [{name: gang}]\n"),
              Contains(HasSubstr("gang: named twice")));
  EXPECT_THAT(noticesOf(kActions + "tiers:\n- plugins: [{name: gang, enableVictim: true}]\n"),
              Contains(HasSubstr("enableVictim: unknown flag, ignored; did you mean enabledVictim?")));
  EXPECT_THAT(noticesOf(kActions + "tiers:\n- plugins: [{name: gang, enableJobStarving: false}]\n"),
              Contains(HasSubstr("enableJobStarving: no effect")));
  EXPECT_THAT(noticesOf("actions: allocate\ntiers:\n" + kFive), Contains(HasSubstr("reclaim is not named")));
  EXPECT_THAT(noticesOf("actions: reclaim, gangreclaim, allocate\n"),
              Contains(HasSubstr("gangreclaim: already there")));
  EXPECT_THAT(
      noticesOf(
          "configurations: [{name: preempt, arguments: {enableTopologyAwarePreemption: true, x.y: 1}}]\n"),
      Contains(HasSubstr("enableTopologyAwarePreemption: no effect")));
}

TEST(Conf, AnEmptyOneMeansTheDefaultsAndSaysSo) {
  for (const char* text : {"", "# nothing\n", "kind: ConfigMap\ndata:\n  volcano-scheduler.conf: \"\"\n"}) {
    EXPECT_EQ(policyOf(text).actions, Policy{}.actions);
    EXPECT_THAT(noticesOf(text), ElementsAre(HasSubstr("the conf is empty: the default is used")));
  }
  EXPECT_TRUE(policyOf(kActions).predicates);
  EXPECT_THAT(noticesOf(kActions), ElementsAre(HasSubstr("tiers: not set: the default is used")));
  EXPECT_THAT(noticesOf("tiers:\n" + kFive), Contains(HasSubstr("actions: not set: the default is used")));
  EXPECT_THAT(noticesOf(kActions + "tiers:\n- plugins: [{name: capacity}]\n"), Not(IsEmpty()));
}

}  // namespace
}  // namespace tidegate::scheduler
