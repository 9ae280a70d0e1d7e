// Lets a straight script wait for what happens on a loop: for a condition, at most so long, unless somebody
// interrupts.
#pragma once

#include <functional>
#include <string>

#include "core/time.hpp"
#include "world/kube/loop.hpp"

namespace tidegate::drill::live {

// A loop that a script can let run. The real one is CurlLoop's; tests have one in virtual time.
class Driver {
 public:
  virtual ~Driver() = default;
  virtual kube::Loop& loop() = 0;
  // Runs until stop(), which any callback may call; a stop() that comes first ends the next run() at once.
  virtual void run() = 0;
  virtual void stop() = 0;
};

class Waiter {
 public:
  explicit Waiter(Driver& driver) : driver_(driver) {}
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  Time now() { return driver_.loop().now(); }
  kube::Loop& loop() { return driver_.loop(); }
  // Runs the loop until the condition holds; it is asked whenever something was poked. False: the time is
  // over, or somebody has interrupted.
  bool until(const std::function<bool()>& condition, Duration limit);
  // As long as nobody interrupts.
  void pause(Duration length) {
    until([] { return false; }, length);
  }
  // Something has changed.
  void poke();
  void interrupt(std::string why);
  // Why somebody has; empty if nobody has since the last call of goOn().
  const std::string& interrupted() const { return interrupted_; }
  // From now on waits are waited out again: what is left to do is to clean up.
  void goOn() {
    interrupted_.clear();
    cleaning_ = true;
  }
  bool cleaning() const { return cleaning_; }

 private:
  Driver& driver_;
  std::string interrupted_;
  bool cleaning_ = false;  // goOn() was called
};

}  // namespace tidegate::drill::live
