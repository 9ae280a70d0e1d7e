// SIGTERM and SIGINT as something a loop can watch.
#pragma once

namespace tidegate::run {

// Blocks both in this thread and in those it starts afterwards, until destroyed.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  int descriptor() const { return descriptor_; }
  // The name of the signal that made the descriptor readable; "" if there is none.
  const char* take() const;

 private:
  int descriptor_ = -1;
};

}  // namespace tidegate::run
