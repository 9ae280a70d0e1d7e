// Carries commands out: each becomes one or more requests, and ends as one CommandDone.
//
// Order: commands on the same object go one after another as they came, each as urgent as the most urgent
// behind it; beyond that what recalls (deletes, records, patches of owners and pods) goes before binds and
// creations, these before status, these before events, each in the order it came, with at most `inFlight`
// requests out at a time. Repeats: what the server has refused to look at (429, 503 with Retry-After) is sent
// again; what may have been done is sent again only where doing it twice is the same as once. Everything
// carries the uid it means. Outcomes: as protocol/events.hpp tells them; outcomes.cpp has the table.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "core/rng.hpp"
#include "protocol/events.hpp"
#include "world/kube/backoff.hpp"
#include "world/kube/loop.hpp"
#include "world/kube/transport.hpp"

namespace tidegate::kube {

// Sends a request to a pod itself; pods are not behind the API server's connection.
struct SignalRequest {
  std::string url;   // "http://10.0.0.7:8080/save"
  std::string body;  // JSON: recall, deadline, namespace, pod
  Duration timeout;
};
class SignalSender {
 public:
  virtual ~SignalSender() = default;
  // Calls `done` once, never inside this call. Status 0: no answer.
  virtual void post(SignalRequest request, Transport::Done done) = 0;
};

struct CommandOptions {
  std::size_t inFlight = 64;
  std::size_t ordinaryInFlight = 16;  // of these, what is no part of a recall
  std::size_t besideRecalls = 4;      // of these, while something of a recall waits or is out
  std::size_t eventsInFlight = 8;     // of these, events: there is always room for what matters
  Duration timeout = seconds(10);     // of one request
  int tries = 5;                      // of one request, the first included
  BackoffOptions backoff = {.first = milliseconds(200), .most = seconds(5)};
  std::string reporter = "tidegate";    // of events: reportingComponent
  std::string instance = "tidegate";    // of events: reportingInstance, the pod's name
  Duration eventWindow = seconds(600);  // the same event again within it is counted, not created
  int eventBurst = 25;                  // events of one object ...
  Duration eventRefill = seconds(300);  // ... and one more each
};

// Latencies from the call of run() to the answer, in seconds: count of those <= each bound, then of all.
inline constexpr std::array kLatencyBounds = {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0};
struct CommandMetrics {
  struct Kind {
    std::map<Outcome, std::uint64_t> outcomes;
    std::array<std::uint64_t, kLatencyBounds.size() + 1> latency{};
    double latencySum = 0;
  };
  std::map<std::string, Kind, std::less<>> kinds;  // by the name of the action: "Bind"
  std::uint64_t requests = 0;                      // HTTP requests sent, signals apart
  std::uint64_t retries = 0;                       // of these, repeats
  std::uint64_t fenced = 0;                        // commands dropped by the fence
  std::size_t queued = 0;                          // waiting now
  std::size_t inFlight = 0;
};

// "Bind", "Patch", ...
std::string_view nameOf(const Action& action);

class CommandRunner {
 public:
  struct Services {
    Loop& loop;
    Transport& transport;
    SignalSender* signals = nullptr;  // nullptr: signals are Rejected
    // Asked before each request leaves. False: the command ends as Unknown, nothing is sent. Unset: true.
    std::function<bool()> mayWrite = {};
    // The uid of an object, "" if unknown: events name it. May be unset.
    std::function<std::string(const api::ObjectRef&)> uidOf = {};
    // For the log: what the server refuses for good (refusal_log.hpp). May be unset.
    std::function<void(const std::string& message)> warning = {};
  };
  using Done = std::function<void(const CommandDone&)>;

  CommandRunner(Services services, CommandOptions options, Rng rng);
  ~CommandRunner();
  CommandRunner(const CommandRunner&) = delete;
  CommandRunner& operator=(const CommandRunner&) = delete;

  // Calls `done` once, never inside this call. WakeAt is the host's and not taken here.
  void run(Command command, Done done);
  // Forgets all commands; requests already out may still be carried out by the server. No `done` is called
  // any more.
  void stop();
  // Nothing is queued or out.
  bool idle() const;
  const CommandMetrics& metrics() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tidegate::kube
