// For tests: a drill made up by hand, with one of everything that a report can show.
#pragma once

#include <fmt/format.h>

#include "report/model.hpp"

namespace tidegate::report {

inline std::vector<Bar> sampleBars() {
  return {
      {.id = "latency",
       .title = "Recalled in 15 s, ready in 30 s",
       .checks = {{.id = "recall",
                   .what = "Offline evicted, quota recalled",
                   .measured = "6.41 s",
                   .limit = "at most 15 s",
                   .share = 6.41 / 15},
                  {.id = "ready",
                   .what = "Every pod of the burst Ready",
                   .measured = "31.20 s",
                   .limit = "at most 30 s",
                   .share = 31.2 / 30,
                   .holds = false,
                   .cause = "pod promo/burst-<7> started 24.5 s after its node was free"}}},
      {.id = "topology",
       .title = "Whole nodes only",
       .checks = {{.id = "foreign",
                   .what = "Foreign GPUs on nodes handed over",
                   .measured = "0",
                   .limit = "none"}}},
      {.id = "resume", .title = "Suspended, then resumed from a checkpoint"},
  };
}

inline JobRow sampleJob(const std::string& name, int node) {
  return {.name = name,
          .kind = "vcjob",
          .queue = "offline-research-queue",
          .podsStopped = 2,
          .podsTotal = 2,
          .gpusStopped = 16,
          .nodes = {fmt::format("gpu-{:02}", node), fmt::format("gpu-{:02}", node + 1)},
          .signalledAt = milliseconds(60),
          .checkpointedAt = milliseconds(3900),
          .stoppingAt = milliseconds(3910),
          .releasedAt = milliseconds(6410),
          .suspendedAt = milliseconds(3910),
          .resumedAt = seconds(371),
          .endedAt = seconds(2400),
          .stepAtStop = 1210,
          .savedStep = 1200,
          .resumedFromStep = 1200,
          .lostGpuSeconds = 160};
}

inline NodeRow sampleNode(int index, bool recalled) {
  return {.name = fmt::format("gpu-{:02}", index),
          .recalled = recalled,
          .foreignGpus = 0,
          .burstGpus = 8,
          .firstStop = recalled ? std::optional<Duration>(milliseconds(3910)) : std::nullopt,
          .freeAt = recalled ? std::optional<Duration>(milliseconds(6410)) : std::nullopt,
          .boundAt = recalled ? milliseconds(6450) : milliseconds(70),
          .readyAt = recalled ? milliseconds(12500) : milliseconds(6100)};
}

// Nodes 0-7 online; 8-14 give way to the burst; 15 was idle; the others keep their offline work.
inline Snapshot sampleSnapshot(const std::string& title, Duration at, Tenant recalled, Tenant idle) {
  Snapshot out{.title = title, .at = at, .nodes = {}};
  for (int i = 0; i < 25; ++i) {
    const Tenant tenant = i < 8 ? Tenant::Online : i < 15 ? recalled : i == 15 ? idle : Tenant::Offline;
    NodeTile tile{.name = fmt::format("gpu-{:02}", i), .occupants = {}, .handedOver = i >= 8 && i <= 15};
    tile.occupants.push_back({.tenant = tenant, .name = "promo/web", .gpus = i == 20 ? 5 : 8});
    if (i == 20) tile.occupants.push_back({.tenant = Tenant::Idle, .name = "", .gpus = 3});
    out.nodes.push_back(tile);
  }
  return out;
}

inline PolicyRun sampleRun() {
  PolicyRun run{
      .policy = "tidegate", .about = "Whole gangs on whole nodes, least work lost.", .bars = sampleBars()};
  const char* names[] = {"detect", "decide", "API", "checkpoint", "stop", "bind", "ready"};
  const int lengths[] = {20, 0, 40, 3850, 2500, 40, 6050};
  for (int i = 0; i < 7; ++i) {
    run.phases.push_back({.name = names[i], .what = "step", .length = milliseconds(lengths[i])});
  }
  run.jobs = {sampleJob("research/lora-32b", 8), sampleJob("research/eval-suite", 10)};
  for (int i = 8; i < 16; ++i) run.nodes.push_back(sampleNode(i, i < 15));
  run.snapshots = {sampleSnapshot("Before the burst", Duration{}, Tenant::Victim, Tenant::Idle),
                   sampleSnapshot("During the peak", seconds(40), Tenant::Burst, Tenant::Burst),
                   sampleSnapshot("After the peak", seconds(400), Tenant::Victim, Tenant::Idle)};
  run.queues = {{.name = "promo-online-queue",
                 .guarantee = 128,
                 .capability = 192,
                 .online = true,
                 .used = {{seconds(-300), 64}, {seconds(7), 128}, {seconds(310), 64}}},
                {.name = "offline-research-queue",
                 .guarantee = 0,
                 .capability = 128,
                 .online = false,
                 .used = {{seconds(-300), 0},
                          {seconds(-290), 128},
                          {seconds(6), 72},
                          {seconds(371), 128},
                          {seconds(2400), 96}}}};
  run.totals = {.gpusWanted = 64,
                .gpusIdleBefore = 8,
                .gpusStopped = 56,
                .jobsStopped = 2,
                .nodesWanted = 8,
                .nodesUsed = 8,
                .lostGpuSeconds = 320,
                .firstEviction = milliseconds(60),
                .lastVictimGone = milliseconds(6410),
                .lastBound = milliseconds(6450),
                .lastReady = milliseconds(12500),
                .planCost = 320.0,
                .lowerBound = 320.0};
  run.notes = {"The plan is proven to be the cheapest there is."};
  return run;
}

inline Report sampleReport() {
  Report out{.title = "Promo drill",
             .scenario =
                 "64 GPUs asked for at once as 8x8, on 25 nodes of 8 GPUs, 128 of them lent to offline work.",
             .command = "tidegate drill --shape 8x8 --seed 1",
             .inputs = {{"Nodes", "25 of 8 GPUs"}, {"Seed", "1"}},
             .recallLimit = seconds(15),
             .readyLimit = seconds(30),
             .gpusPerNode = 8,
             .gpusTotal = 200,
             .runs = {sampleRun(), sampleRun()}};
  out.runs.back().policy = "pod-by-pod";
  out.runs.back().totals.gangsBroken = 5;
  return out;
}

}  // namespace tidegate::report
