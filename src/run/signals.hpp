// Asks pods over HTTP to save a checkpoint: plain requests to the pods' own addresses, on the loop's thread.
#pragma once

#include <memory>

#include "world/kube/commands.hpp"
#include "world/kube/curl_loop.hpp"

namespace tidegate::run {

class PodSignals : public kube::SignalSender {
 public:
  explicit PodSignals(kube::CurlLoop& loop);
  ~PodSignals() override;
  void post(kube::SignalRequest request, kube::Transport::Done done) override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tidegate::run
