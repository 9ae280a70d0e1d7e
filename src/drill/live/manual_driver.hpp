// A driver in virtual time, for tests.
#pragma once

#include "drill/live/waiter.hpp"
#include "world/kube/fake_transport.hpp"

namespace tidegate::drill::live {

class ManualDriver : public Driver {
 public:
  kube::ManualLoop& loop() override { return loop_; }
  void run() override {
    while (!std::exchange(stopped_, false)) loop_.step();
  }
  void stop() override { stopped_ = true; }

 private:
  kube::ManualLoop loop_;
  bool stopped_ = false;
};

}  // namespace tidegate::drill::live
