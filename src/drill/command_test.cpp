#include "drill/command.hpp"

#include <gtest/gtest.h>

namespace tidegate::drill {
namespace {

TEST(Command, PlainOptionsGiveTheShortForm) {
  EXPECT_EQ(commandLine({}), "tidegate drill --shape 8x8 --burst deployment --policy tidegate --seed 1");
}

TEST(Command, WhatDiffersFromTheDefaultsIsNamed) {
  DrillOptions options;
  options.shape = {.pods = 16, .gpusPerPod = 4};
  options.burst = BurstKind::Pods;
  options.policy = PolicyChoice::Compare;
  options.nodes = 12;
  options.loadFile = "jobs.csv";
  options.timings.checkpoint = seconds(60);
  options.limits.ready = seconds(45);
  options.outDir = "out";
  EXPECT_EQ(commandLine(options),
            "tidegate drill --shape 16x4 --burst pods --policy compare --seed 1 --nodes 12 --load jobs.csv "
            "--limit-ready 45s --checkpoint 1m");
}

}  // namespace
}  // namespace tidegate::drill
