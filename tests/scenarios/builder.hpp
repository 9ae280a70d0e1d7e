// Turns the lines of a scenario into Kubernetes objects.
#pragma once

#include "lines.hpp"
#include "scenario.hpp"

namespace tidegate::scenario {

// Adds what one line describes to the scenario. Lines: nodes, domain, priority, queue, run, pend.
class Builder {
 public:
  explicit Builder(Scenario& scenario);

  Result<Ok> nodes(const Line& line);
  Result<Ok> domain(const Line& line);
  Result<Ok> priorities(const Line& line);
  Result<Ok> queue(const Line& line);
  Result<Ok> jobs(const Line& line);  // run and pend
  void finish();                      // after the last line

 private:
  // One job of the line; a node name per pod, empty if it waits.
  Result<Ok> job(const Line& line, const std::string& name, const ResourceList& amounts,
                 const std::vector<std::string>& nodes);
  Result<api::Pod> podOf(const Line& line, const std::string& job);
  Result<api::PodGroup> groupOf(const Line& line, const std::string& name, std::int32_t minMember);
  void budget(const std::string& job, std::int32_t minAvailable);

  Scenario& scenario_;
  std::map<std::string, std::int32_t> priorities_;
  Duration arrival_{};  // of the next pending job after the first
};

}  // namespace tidegate::scenario
