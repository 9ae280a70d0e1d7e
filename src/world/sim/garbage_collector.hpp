// Deletes what a deleted owner leaves behind ("Garbage Collection", background cascading deletion).
#pragma once

#include <string>

#include "world/sim/controller.hpp"

namespace tidegate::sim {

class GarbageCollector {
 public:
  explicit GarbageCollector(ControllerServices services);

 private:
  void collect(const std::string& ownerUid);

  ControllerServices services_;
};

}  // namespace tidegate::sim
