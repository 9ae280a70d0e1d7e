#include "plan/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tidegate::plan {
namespace {

// "3 pods", "1 pod"
std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// Pads every column to its widest cell; two spaces between, none at the end of a line.
std::string table(const std::vector<std::vector<std::string>>& rows, std::string_view indent) {
  std::vector<std::size_t> widths;
  for (const std::vector<std::string>& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const std::vector<std::string>& row : rows) {
    std::string line(indent);
    for (std::size_t i = 0; i < row.size(); ++i) line += fmt::format("{:<{}}  ", row[i], widths[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string binds(std::string_view title, const std::vector<Bind>& entries) {
  std::string out = fmt::format("{}: {}\n", title, counted(entries.size(), "pod"));
  std::vector<std::vector<std::string>> rows;
  for (const Bind& bind : entries) rows.push_back({bind.pod, "-> " + bind.node});
  return out + table(rows, "  ");
}

std::string recallText(const Recall& recall) {
  std::string out =
      fmt::format("  {} for queue {}{}: {}, {} GPUs", recall.kind == "preempt" ? "Preemption" : "Recall",
                  recall.queue, recall.guaranteeBacked ? " (backed by its guarantee)" : "",
                  counted(recall.jobs.size(), "job"), recall.cost.gpusStopped);
  if (recall.cost.gpusBeyondDemand > 0)
    out += fmt::format(", {} beyond the demand", recall.cost.gpusBeyondDemand);
  if (!recall.forcedBy.empty()) out += fmt::format(" (forced by gang {})", recall.forcedBy);
  out += fmt::format("\n    nodes: {}\n",
                     recall.nodes.empty() ? "none" : fmt::format("{}", fmt::join(recall.nodes, ", ")));
  for (const RecalledJob& job : recall.jobs)
    out +=
        fmt::format("    {} (queue {}, priority {}): {} of {} GPUs, {} GPU-seconds of work lost\n      {}\n",
                    job.job, job.queue, job.priority, counted(static_cast<std::size_t>(job.pods), "pod"),
                    job.gpus, job.lostGpuSeconds, job.reason);
  out += fmt::format("    cost {:.6g}, lower bound {:.6g}, gap {:.2f}%; {} GPU-seconds of work lost in all\n",
                     recall.cost.scalar, recall.lowerBound, 100 * recall.gap, recall.cost.lostGpuSeconds);
  return out;
}

std::string recalls(const PlanResult& result) {
  std::string out = fmt::format("Stopped: {}, {}\n", counted(result.recalls.size(), "recall"),
                                counted(result.evictions.size(), "pod"));
  for (const Recall& recall : result.recalls) out += recallText(recall);
  return out;
}

// Pods that wait for the same thing stand in one line.
std::string pending(const std::vector<Pending>& entries) {
  std::string out = fmt::format("Waiting: {}\n", counted(entries.size(), "pod"));
  for (std::size_t i = 0; i < entries.size();) {
    std::size_t end = i + 1;
    while (end < entries.size() && entries[end].reason == entries[i].reason) ++end;
    out += "  " + entries[i].pod;
    if (end - i > 1) out += fmt::format(" and {} more", end - i - 1);
    out += ": " + entries[i].reason + "\n";
    i = end;
  }
  return out;
}

std::string suspended(const std::vector<Suspended>& jobs) {
  std::string out = fmt::format("Suspended before, to come back: {}\n", counted(jobs.size(), "job"));
  for (const Suspended& job : jobs) {
    out += fmt::format("  {} (queue {}, priority {}): {}, room for {} at the end of this plan\n", job.job,
                       job.queue, job.priority, counted(static_cast<std::size_t>(job.pods), "pod"),
                       job.fit == job.pods ? "all"
                       : job.fit == 0      ? "none"
                                           : fmt::format("{}", job.fit));
  }
  return out;
}

std::string amount(const ResourceList& list, const std::string& resource) {
  const auto found = list.find(resource);
  return found == list.end() ? "-" : found->second.numberText();
}

// Nothing promised, nothing used: a row that tells nothing.
bool isIdle(const QueueFigures& queue, const std::string& resource) {
  const Quantity zero;
  return queue.used.at(resource) == zero && queue.entitlement.at(resource) == zero &&
         !queue.guarantee.contains(resource) && !queue.deserved.contains(resource) &&
         !queue.capability.contains(resource);
}

std::string queues(const std::vector<QueueFigures>& entries) {
  std::vector<std::vector<std::string>> rows = {
      {"QUEUE", "RESOURCE", "USED", "GUARANTEE", "DESERVED", "CAPABILITY", "ENTITLED", "BORROWED", "LENT"}};
  for (const QueueFigures& queue : entries) {
    std::string name = queue.parent.empty() ? queue.name : queue.parent + "/" + queue.name;
    for (const auto& [resource, used] : queue.used) {
      if (isIdle(queue, resource)) continue;
      rows.push_back({name, resource, used.numberText(), amount(queue.guarantee, resource),
                      amount(queue.deserved, resource), amount(queue.capability, resource),
                      amount(queue.entitlement, resource), amount(queue.borrowed, resource),
                      amount(queue.lent, resource)});
      name.clear();
    }
  }
  return "Queues\n" + table(rows, "  ");
}

}  // namespace

std::string toText(const PlanResult& result) {
  std::string out = fmt::format("Plan as of {}: {} {}\n\n", formatTime(result.now),
                                counted(static_cast<std::size_t>(result.cycles), "cycle"),
                                result.settled ? "until nothing changed" : "and not settled");
  out += binds("Bound", result.binds) + "\n";
  out += recalls(result) + "\n";
  if (!result.pipelined.empty()) out += binds("Bound once leaving pods are gone", result.pipelined) + "\n";
  out += pending(result.pending) + "\n";
  if (!result.suspended.empty()) out += suspended(result.suspended) + "\n";
  out += queues(result.queues);
  for (const std::string& warning : result.warnings) out += "\nwarning: " + warning;
  return result.warnings.empty() ? out : out + "\n";
}

}  // namespace tidegate::plan
