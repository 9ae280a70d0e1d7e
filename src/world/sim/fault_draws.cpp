#include "world/sim/fault_draws.hpp"

#include "core/fnv.hpp"

namespace tidegate::sim {

Rng FaultDraws::stream(Draw purpose, std::string_view name) const {
  return Rng{seed_}.split(static_cast<std::uint64_t>(purpose) + 1).split(fnv1a(name));
}

}  // namespace tidegate::sim
