#include "world/sim/fault_draws.hpp"

namespace tidegate::sim {

Rng FaultDraws::stream(Draw purpose, std::string_view name) const {
  std::uint64_t hash = 0xcbf29ce484222325ULL;  // FNV-1a
  for (const char c : name) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  }
  return Rng{seed_}.split(static_cast<std::uint64_t>(purpose) + 1).split(hash);
}

}  // namespace tidegate::sim
