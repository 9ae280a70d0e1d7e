// When owners of pods were suspended and let go again, as their objects show it: a vcjob by
// tidegate.dev/suspend or Volcano's Aborting and Aborted, a batch Job by spec.suspend, a Deployment by the
// replicas it is owed.
#pragma once

#include <map>
#include <string>

#include "drill/played.hpp"

namespace tidegate::drill::live {

class Suspensions {
 public:
  // Of any object, at the time the change was seen.
  void see(const sim::Change& change, Time now);
  // The first that began at `since` or later.
  Suspension of(const std::string& owner, Time since) const;

 private:
  std::map<std::string, std::vector<Suspension>> byOwner_;
};

}  // namespace tidegate::drill::live
