#include "plan/json.hpp"

#include <boost/json.hpp>

#include <cmath>

namespace tidegate::plan {
namespace {

namespace json = boost::json;

// GPUs, cores, bytes: whole numbers where they are whole.
json::value number(const Quantity& quantity) {
  const std::int64_t milli = quantity.milliValue();
  if (milli % 1000 == 0) return quantity.value();
  return static_cast<double>(milli) / 1000.0;
}

json::object amounts(const ResourceList& list) {
  json::object result;
  for (const auto& [name, quantity] : list) result[name] = number(quantity);
  return result;
}

// Doubles that are whole print as whole numbers: "cost": 3600, not 3.6E3.
json::value number(double value) {
  if (std::nearbyint(value) == value && std::fabs(value) < 9e15) return static_cast<std::int64_t>(value);
  return value;
}

json::value toValue(const Bind& bind) {
  return json::object{{"pod", bind.pod}, {"node", bind.node}};
}

json::value toValue(const Eviction& eviction) {
  return json::object{{"pod", eviction.pod}, {"job", eviction.job}, {"reason", eviction.reason}};
}

json::value toValue(const Pending& pending) {
  return json::object{{"pod", pending.pod}, {"reason", pending.reason}};
}

json::value toValue(const std::string& text) {
  return json::string(text);
}

json::object costOf(const scheduler::RecallCost& cost) {
  json::object byPriority;
  for (const auto& [priority, amount] : cost.gpusByPriority) byPriority[std::to_string(priority)] = amount;
  return {{"gpusByPriority", byPriority},
          {"lostGpuSeconds", cost.lostGpuSeconds},
          {"gpusStopped", cost.gpusStopped},
          {"gpusBeyondDemand", cost.gpusBeyondDemand},
          {"jobs", cost.jobs},
          {"evictedBefore", cost.evictedBefore},
          {"scalar", number(cost.scalar)}};
}

json::value victim(const RecalledJob& job) {
  return json::object{{"job", job.job},
                      {"queue", job.queue},
                      {"priority", job.priority},
                      {"whole", job.whole},
                      {"pods", job.pods},
                      {"gpus", job.gpus},
                      {"lostGpuSeconds", job.lostGpuSeconds},
                      {"reason", job.reason}};
}

json::value toValue(const Recall& recall) {
  json::array nodes(recall.nodes.begin(), recall.nodes.end());
  json::array jobs;
  json::array victims;
  json::array placements;
  for (const RecalledJob& job : recall.jobs) {
    jobs.emplace_back(job.job);
    victims.push_back(victim(job));
  }
  for (const Bind& bind : recall.placements) placements.push_back(toValue(bind));
  return json::object{{"queue", recall.queue},
                      {"kind", recall.kind},
                      {"guaranteeBacked", recall.guaranteeBacked},
                      {"cycle", recall.cycle},
                      {"nodes", std::move(nodes)},
                      {"jobs", std::move(jobs)},
                      {"victims", std::move(victims)},
                      {"placements", std::move(placements)},
                      {"cost", costOf(recall.cost)},
                      {"lowerBound", number(recall.lowerBound)},
                      {"gap", number(recall.gap)},
                      {"forcedBy", recall.forcedBy}};
}

json::value toValue(const Suspended& job) {
  return json::object{{"job", job.job},     {"queue", job.queue}, {"priority", job.priority},
                      {"whole", job.whole}, {"pods", job.pods},   {"fit", job.fit}};
}

json::value toValue(const QueueFigures& queue) {
  return json::object{{"name", queue.name},
                      {"parent", queue.parent},
                      {"guarantee", amounts(queue.guarantee)},
                      {"deserved", amounts(queue.deserved)},
                      {"capability", amounts(queue.capability)},
                      {"entitlement", amounts(queue.entitlement)},
                      {"used", amounts(queue.used)},
                      {"borrowed", amounts(queue.borrowed)},
                      {"lent", amounts(queue.lent)}};
}

template <class T>
void writeList(std::string& out, const char* name, const std::vector<T>& entries) {
  out += std::string("  \"") + name + "\": [";
  const char* separator = "\n    ";
  for (const T& entry : entries) {
    out += separator + json::serialize(toValue(entry));
    separator = ",\n    ";
  }
  out += entries.empty() ? "]" : "\n  ]";
}

}  // namespace

std::string toJson(const PlanResult& result) {
  std::string out = "{\n";
  out += "  \"now\": " + json::serialize(json::string(formatTime(result.now))) + ",\n";
  out += "  \"cycles\": " + std::to_string(result.cycles) + ",\n";
  out += std::string("  \"settled\": ") + (result.settled ? "true" : "false") + ",\n";
  writeList(out, "binds", result.binds);
  writeList(out += ",\n", "evictions", result.evictions);
  writeList(out += ",\n", "pipelined", result.pipelined);
  writeList(out += ",\n", "pending", result.pending);
  writeList(out += ",\n", "recalls", result.recalls);
  writeList(out += ",\n", "suspended", result.suspended);
  writeList(out += ",\n", "queues", result.queues);
  writeList(out += ",\n", "warnings", result.warnings);
  return out + "\n}\n";
}

}  // namespace tidegate::plan
