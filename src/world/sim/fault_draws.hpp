// Draws the faults. Every draw depends on the seed, a purpose and a name only: what happens to one pod does
// not change with what was drawn for another.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/rng.hpp"
#include "world/sim/options.hpp"

namespace tidegate::sim {

enum class Draw : std::uint64_t { Uid, Sigterm, Finalizer, SlowKubelet, Crash, Watch, Client, Timing, Name };

class FaultDraws {
 public:
  FaultDraws(std::uint64_t seed, const FaultOptions& options) : seed_(seed), options_(options) {}

  const FaultOptions& options() const { return options_; }
  // A stream for one purpose and one name.
  Rng stream(Draw purpose, std::string_view name = {}) const;

  bool ignoresSigterm(std::string_view podUid) const {
    return stream(Draw::Sigterm, podUid).chance(options_.ignoreSigterm);
  }
  bool heldByFinalizer(std::string_view podUid) const {
    return stream(Draw::Finalizer, podUid).chance(options_.holdByFinalizer);
  }
  double kubeletFactor(std::string_view node) const {
    return stream(Draw::SlowKubelet, node).chance(options_.slowKubelet) ? options_.slowFactor : 1.0;
  }

 private:
  std::uint64_t seed_;
  FaultOptions options_;
};

}  // namespace tidegate::sim
