#include "recall/exact_trim.hpp"

#include <algorithm>

#include "recall/room.hpp"

namespace tidegate::recall::solver {
namespace {

// Per unit: stopped units that require it directly.
std::vector<std::vector<std::uint32_t>> requirersOf(const Problem& problem,
                                                    const std::vector<std::uint32_t>& units) {
  std::vector<std::vector<std::uint32_t>> requirers(problem.units.size());
  for (std::uint32_t u : units)
    for (std::uint32_t needed : problem.units[u].requires_) requirers[needed].push_back(u);
  return requirers;
}

}  // namespace

void trimExactly(const Problem& problem, std::vector<bool>& stopped) {
  std::vector<std::uint32_t> units;
  for (std::uint32_t u = 0; u < stopped.size(); ++u)
    if (stopped[u]) units.push_back(u);
  const auto requirers = requirersOf(problem, units);
  std::ranges::stable_sort(
      units, [&](std::uint32_t a, std::uint32_t b) { return problem.units[a].cost > problem.units[b].cost; });
  Room room(problem, stopped);
  for (std::uint32_t unit : units) {
    if (!stopped[unit]) continue;
    std::vector<std::uint32_t> back = {unit};
    stopped[unit] = false;
    for (std::size_t i = 0; i < back.size(); ++i) {
      room.restore(back[i]);
      for (std::uint32_t u : requirers[back[i]]) {
        if (stopped[u]) back.push_back(u);
        stopped[u] = false;
      }
    }
    if (room.enough()) continue;
    for (std::uint32_t u : back) {
      room.stop(u);
      stopped[u] = true;
    }
  }
}

}  // namespace tidegate::recall::solver
