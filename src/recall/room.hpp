// What a set of stopped units gives, on the problem itself, kept up to date as single units stop and return.
#pragma once

#include <vector>

#include "recall/problem.hpp"

namespace tidegate::recall::solver {

class Room {
 public:
  Room(const Problem& problem, const std::vector<bool>& stopped);

  void stop(std::uint32_t unit) { change(unit, 1); }
  void restore(std::uint32_t unit) { change(unit, -1); }
  // True if pods and reliefs suffice.
  bool enough() const;

 private:
  void shift(const Unit::Share& share, Amount sign);
  void give(std::uint32_t unit, Amount sign);
  void change(std::uint32_t unit, int sign);
  std::int64_t gainOn(std::uint32_t node) const;

  const Problem& p_;
  std::vector<std::vector<Amount>> free_;
  std::vector<int> running_;  // per node: units that are not stopped
  std::vector<std::int64_t> gain_;
  std::vector<Amount> given_;  // per relief
  std::int64_t pods_ = 0;
};

}  // namespace tidegate::recall::solver
