#include "report/json.hpp"

#include "api/json_writer.hpp"

namespace tidegate::report {
namespace {

using api::JsonWriter;

// Times are whole milliseconds since the burst was asked for; null: never.
void time(JsonWriter& out, std::string_view name, const std::optional<Duration>& t) {
  out.key(name);
  if (t) {
    out.value(std::chrono::round<milliseconds>(*t).count());
  } else {
    out.null();
  }
}

template <class T>
void optional(JsonWriter& out, std::string_view name, const std::optional<T>& value) {
  out.key(name);
  if (value) {
    out.value(*value);
  } else {
    out.null();
  }
}

void strings(JsonWriter& out, std::string_view name, const std::vector<std::string>& values) {
  out.key(name);
  out.beginArray();
  for (const std::string& value : values) out.value(value);
  out.endArray();
}

template <class T>
void list(JsonWriter& out, std::string_view name, const std::vector<T>& items,
          void (*write)(JsonWriter&, const T&)) {
  out.key(name);
  out.beginArray();
  for (const T& item : items) {
    out.beginObject();
    write(out, item);
    out.endObject();
  }
  out.endArray();
}

void writeCheck(JsonWriter& out, const Check& check) {
  out.member("id", check.id);
  out.member("what", check.what);
  out.member("measured", check.measured);
  out.member("limit", check.limit);
  out.member("holds", check.holds);
  out.member("cause", check.cause);
}

void writeBar(JsonWriter& out, const Bar& bar) {
  out.member("id", bar.id);
  out.member("title", bar.title);
  out.member("holds", bar.holds());
  list(out, "checks", bar.checks, writeCheck);
}

void writePhase(JsonWriter& out, const Phase& phase) {
  out.member("name", phase.name);
  time(out, "ms", phase.length);
}

void writeJob(JsonWriter& out, const JobRow& job) {
  out.member("name", job.name);
  out.member("kind", job.kind);
  out.member("queue", job.queue);
  out.member("podsStopped", job.podsStopped);
  out.member("podsTotal", job.podsTotal);
  out.member("gpusStopped", job.gpusStopped);
  out.member("shrunk", job.shrunk);
  out.member("broken", job.broken);
  strings(out, "nodes", job.nodes);
  time(out, "signalledMs", job.signalledAt);
  time(out, "checkpointedMs", job.checkpointedAt);
  time(out, "stoppingMs", job.stoppingAt);
  time(out, "releasedMs", job.releasedAt);
  time(out, "suspendedMs", job.suspendedAt);
  time(out, "resumedMs", job.resumedAt);
  time(out, "endedMs", job.endedAt);
  out.member("stepAtStop", job.stepAtStop);
  out.member("savedStep", job.savedStep);
  optional(out, "resumedFromStep", job.resumedFromStep);
  out.member("lostGpuSeconds", job.lostGpuSeconds);
  out.member("note", job.note);
}

void writeNode(JsonWriter& out, const NodeRow& node) {
  out.member("name", node.name);
  out.member("recalled", node.recalled);
  out.member("foreignGpus", node.foreignGpus);
  out.member("burstGpus", node.burstGpus);
  out.member("givenGpus", node.givenGpus);
  time(out, "firstStopMs", node.firstStop);
  time(out, "freeMs", node.freeAt);
  time(out, "boundMs", node.boundAt);
  time(out, "readyMs", node.readyAt);
}

void writeTotals(JsonWriter& out, const Totals& totals) {
  out.member("gpusWanted", totals.gpusWanted);
  out.member("gpusIdleBefore", totals.gpusIdleBefore);
  out.member("gpusStopped", totals.gpusStopped);
  out.member("gpusBeyondDemand", totals.gpusBeyondDemand);
  out.member("jobsStopped", totals.jobsStopped);
  out.member("gangsBroken", totals.gangsBroken);
  out.member("nodesWanted", totals.nodesWanted);
  out.member("nodesUsed", totals.nodesUsed);
  out.member("nodesShared", totals.nodesShared);
  out.member("evictedInVain", totals.evictedInVain);
  out.member("createdWhileSuspended", totals.createdWhileSuspended);
  out.member("lostGpuSeconds", totals.lostGpuSeconds);
  time(out, "firstEvictionMs", totals.firstEviction);
  time(out, "lastVictimGoneMs", totals.lastVictimGone);
  time(out, "lastBoundMs", totals.lastBound);
  time(out, "lastReadyMs", totals.lastReady);
  optional(out, "planCost", totals.planCost);
  optional(out, "lowerBound", totals.lowerBound);
}

void writeQueue(JsonWriter& out, const QueueSeries& queue) {
  out.member("name", queue.name);
  optional(out, "guarantee", queue.guarantee);
  optional(out, "capability", queue.capability);
  out.key("used");
  out.beginArray();
  for (const auto& [at, gpus] : queue.used) {
    out.beginObject();
    time(out, "ms", at);
    out.member("gpus", gpus);
    out.endObject();
  }
  out.endArray();
}

void writeRun(JsonWriter& out, const PolicyRun& run) {
  out.member("policy", run.policy);
  out.member("holds", run.holds());
  list(out, "bars", run.bars, writeBar);
  list(out, "phases", run.phases, writePhase);
  out.key("totals");
  out.beginObject();
  writeTotals(out, run.totals);
  out.endObject();
  list(out, "jobs", run.jobs, writeJob);
  list(out, "nodes", run.nodes, writeNode);
  list(out, "queues", run.queues, writeQueue);
  strings(out, "notes", run.notes);
}

}  // namespace

std::string renderJson(const Report& report) {
  JsonWriter out(2);
  out.beginObject();
  out.member("holds", report.holds());
  out.member("scenario", report.scenario);
  out.member("command", report.command);
  out.key("inputs");
  out.beginObject();
  for (const auto& [name, value] : report.inputs) out.member(name, value);
  out.endObject();
  list(out, "runs", report.runs, writeRun);
  out.endObject();
  return out.take() + "\n";
}

}  // namespace tidegate::report
