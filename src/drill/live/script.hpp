// Plays one drill on a live cluster: checks, own namespace and queues, load, burst, peak, the way back. And
// cleans up, from wherever the script was left.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "drill/inputs.hpp"
#include "drill/live/live_record.hpp"
#include "drill/live/options.hpp"
#include "drill/live/outfit.hpp"
#include "drill/live/writer.hpp"

namespace tidegate::drill::live {

class Script {
 public:
  using Progress = std::function<void(const std::string&)>;
  struct Stage {
    Waiter& waiter;
    Writer& writer;
    Mirror& mirror;
    LiveRecord& record;
  };

  // `options.drill` gets the pool's size.
  Script(Stage stage, LiveOptions& options, const Inputs& inputs);

  // Errors: the drill may not or cannot be played; nothing is judged. One line each.
  std::expected<Ok, std::vector<std::string>> prepare();
  Result<Ok> play(const Progress& progress);
  // Removes what was made, as far as it goes. If something is left: the command that removes it, then what it
  // is and why, one per line.
  std::vector<std::string> cleanUp(const Progress& progress);

  const std::string& nameSpace() const { return outfit_.namespace_; }

 private:
  std::vector<std::string> checkAccess();
  Result<Ok> setUp(const Progress& progress);
  Result<Ok> fill(const Progress& progress);
  Result<Ok> burst(const Progress& progress);
  Result<Ok> endPeak(const Progress& progress);
  Result<Ok> waitForTheWayBack(const Progress& progress);
  Result<Ok> create(std::vector<api::Object> objects);
  std::vector<api::Object> load() const;
  std::vector<const PodLife*> ownPods() const;
  bool quietFor(Duration length) const;
  Result<Ok> wait(const std::function<bool()>& condition, Duration limit, const std::string& otherwise);
  std::string missing(const std::vector<std::string>& owners) const;
  std::string byHand() const;
  void goneOrTold(std::vector<std::string>& left, const Progress& progress);

  Stage at_;
  LiveOptions& options_;
  const Inputs& inputs_;
  Outfit outfit_;
  bool made_ = false;                        // anything
  std::vector<api::ObjectRef> clusterWide_;  // queues and priority classes it was about to make
  Time lastChange_{};
};

}  // namespace tidegate::drill::live
