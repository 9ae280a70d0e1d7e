#include "run/metrics.hpp"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>
#include <unistd.h>

#include <fstream>
#include <set>

#include "api/json_writer.hpp"

namespace tidegate::run {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using Labels = std::vector<ClientMetric::Label>;

class Page {
 public:
  void gauge(const char* name, const char* help, double value, Labels labels = {}) {
    ClientMetric metric;
    metric.label = std::move(labels);
    metric.gauge.value = value;
    add(name, help, MetricType::Gauge, std::move(metric));
  }
  void counter(const char* name, const char* help, double value, Labels labels = {}) {
    ClientMetric metric;
    metric.label = std::move(labels);
    metric.counter.value = value;
    add(name, help, MetricType::Counter, std::move(metric));
  }
  // `counts`: of each bucket, and of all above the last bound.
  template <class Bounds, class Counts>
  void histogram(const char* name, const char* help, const Bounds& bounds, const Counts& counts, double sum,
                 Labels labels = {}) {
    ClientMetric metric;
    metric.label = std::move(labels);
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < bounds.size(); ++i) {
      total += counts[i];
      metric.histogram.bucket.push_back({.cumulative_count = total, .upper_bound = bounds[i]});
    }
    metric.histogram.sample_count = total + counts[bounds.size()];
    metric.histogram.sample_sum = sum;
    metric.histogram.bucket.push_back({.cumulative_count = metric.histogram.sample_count,
                                       .upper_bound = std::numeric_limits<double>::infinity()});
    add(name, help, MetricType::Histogram, std::move(metric));
  }
  std::string text() const { return prometheus::TextSerializer{}.Serialize(families_); }

 private:
  void add(const char* name, const char* help, MetricType type, ClientMetric metric) {
    if (families_.empty() || families_.back().name != name) {
      families_.push_back({.name = name, .help = help, .type = type, .metric = {}});
    }
    families_.back().metric.push_back(std::move(metric));
  }
  std::vector<MetricFamily> families_;
};

const char* text(Outcome outcome) {
  switch (outcome) {
    case Outcome::Succeeded:
      return "succeeded";
    case Outcome::Conflict:
      return "conflict";
    case Outcome::NotFound:
      return "not_found";
    case Outcome::Rejected:
      return "rejected";
    case Outcome::Unknown:
      return "unknown";
  }
  return "unknown";
}

void addProcess(Page& page) {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t pages = 0;
  std::uint64_t resident = 0;
  statm >> pages >> resident;
  page.gauge("process_resident_memory_bytes", "Resident memory size in bytes.",
             static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)));
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  page.counter("process_cpu_seconds_total", "Total user and system CPU time spent in seconds.",
               static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) / 1e9);
}

void addCommands(Page& page, const kube::CommandMetrics& metrics) {
  for (const auto& [kind, of] : metrics.kinds) {
    for (const auto& [outcome, count] : of.outcomes) {
      page.counter("tidegate_commands_total", "Commands carried out, by kind and outcome.",
                   static_cast<double>(count), {{"kind", kind}, {"outcome", text(outcome)}});
    }
  }
  for (const auto& [kind, of] : metrics.kinds) {
    page.histogram("tidegate_command_duration_seconds", "From a command's decision to its answer.",
                   kube::kLatencyBounds, of.latency, of.latencySum, {{"kind", kind}});
  }
  page.counter("tidegate_api_requests_total", "Requests sent to the API server for commands.",
               static_cast<double>(metrics.requests));
  page.counter("tidegate_api_retries_total", "Of these, repeats.", static_cast<double>(metrics.retries));
  page.counter("tidegate_commands_fenced_total",
               "Commands dropped because this replica did not lead any more.",
               static_cast<double>(metrics.fenced));
  page.gauge("tidegate_commands_queued", "Commands that wait for their turn.",
             static_cast<double>(metrics.queued));
  page.gauge("tidegate_commands_in_flight", "Requests without an answer.",
             static_cast<double>(metrics.inFlight));
}

void addControllers(Page& page, const kube::KubeHost& host) {
  for (const auto& [name, of] : host.controllerMetrics()) {
    page.counter("tidegate_controller_events_total", "Events handled.", static_cast<double>(of.events),
                 {{"controller", name}});
  }
  for (const auto& [name, of] : host.controllerMetrics()) {
    page.counter("tidegate_controller_commands_total", "Commands asked for.",
                 static_cast<double>(of.commands), {{"controller", name}});
  }
}

void addReflectors(Page& page, const kube::KubeHost& host) {
  const auto each = [&](const char* name, const char* help, auto value, bool gauge = false) {
    for (const kube::Reflector* reflector : host.reflectors()) {
      const Labels labels = {{"resource", reflector->resource().title()}};
      const auto number = static_cast<double>(value(*reflector));
      gauge ? page.gauge(name, help, number, labels) : page.counter(name, help, number, labels);
    }
  };
  using R = kube::Reflector;
  each("tidegate_watch_objects", "Objects known.", [](const R& r) { return r.size(); }, true);
  each(
      "tidegate_watch_synced", "1: all objects of this kind are known.",
      [](const R& r) { return r.synced(); }, true);
  each("tidegate_watch_events_total", "Changes told by watches.",
       [](const R& r) { return r.stats().events; });
  each("tidegate_watch_lists_total", "Full lists, the first included.",
       [](const R& r) { return r.stats().lists; });
  each("tidegate_watch_failures_total", "Lists and watches that ended with an error.",
       [](const R& r) { return r.stats().failures; });
  each("tidegate_watch_unreadable_total", "Objects left out because they could not be read.",
       [](const R& r) { return r.stats().unreadable; });
}

struct QueueGauge {
  const char* name;
  const char* help;
  ResourceVec (*of)(const quota::QueueTree&, quota::QueueId);
};

constexpr QueueGauge kQueueGauges[] = {
    {"tidegate_queue_guarantee", "What the queue is guaranteed.",
     [](const quota::QueueTree& tree, quota::QueueId queue) { return tree.guarantee(queue); }},
    {"tidegate_queue_entitlement", "What the queue can claim back at any time.",
     [](const quota::QueueTree& tree, quota::QueueId queue) { return tree.entitlement(queue); }},
    {"tidegate_queue_used", "Requests of the bound pods of the queue and the queues below it.",
     [](const quota::QueueTree& tree, quota::QueueId queue) { return tree.used(queue); }},
    {"tidegate_queue_borrowed", "Use above the entitlement.",
     [](const quota::QueueTree& tree, quota::QueueId queue) { return tree.borrowed(queue); }},
    {"tidegate_queue_lent", "Entitlement that other queues use.",
     [](const quota::QueueTree& tree, quota::QueueId queue) { return tree.lent(queue); }},
};

void addQueues(Page& page, const ClusterState& state) {
  const quota::QueueTree& tree = state.queues();
  for (const QueueGauge& gauge : kQueueGauges) {
    for (const quota::QueueId queue : tree.sortedByName()) {
      const ResourceVec amounts = gauge.of(tree, queue);
      for (ResourceId r = 0; r < amounts.size(); ++r) {
        if (tree.total()[r] == 0) continue;
        page.gauge(gauge.name, gauge.help,
                   static_cast<double>(amounts[r]) / static_cast<double>(state.resources().unit(r)),
                   {{"queue", tree.config(queue).name}, {"resource", state.resources().name(r)}});
      }
    }
  }
}

void addScheduler(Page& page, const BrainController& brain) {
  const Brain& inner = brain.brain();
  page.histogram("tidegate_cycle_duration_seconds", "What the brain takes for a scheduling step.",
                 kCycleBounds, brain.cycleCounts(), brain.cycleSeconds());
  page.gauge("tidegate_pending_pods", "Pods that the last cycle left waiting.",
             static_cast<double>(inner.lastDecisions().pending.size()));
  double active = 0;
  for (const auto& [name, recall] : inner.state().recalls()) active += recall.active ? 1 : 0;
  page.gauge("tidegate_recalls_active", "Recalls under way.", active);
  addQueues(page, inner.state());
}

}  // namespace

std::string metricsText(const MetricsView& view) {
  Page page;
  page.gauge("tidegate_leader", "1: this replica leads.", view.leads ? 1 : 0);
  addProcess(page);
  if (view.host != nullptr) {
    addCommands(page, view.host->commandMetrics());
    addControllers(page, *view.host);
    addReflectors(page, *view.host);
  }
  if (view.brain != nullptr) addScheduler(page, *view.brain);
  return page.text();
}

std::string cyclesJson(const BrainController& brain) {
  api::JsonWriter json(2);
  json.beginObject();
  json.key("cycles");
  json.beginArray();
  for (const Profile& profile : brain.profiles()) {
    json.beginObject();
    json.member("at", formatTime(profile.at));
    json.member("milliseconds", toSeconds(profile.took) * 1e3);
    json.key("commands");
    json.beginObject();
    for (const auto& [name, count] : profile.commands) json.member(name, count);
    json.endObject();
    json.endObject();
  }
  json.endArray();
  json.endObject();
  return json.take() + "\n";
}

}  // namespace tidegate::run
