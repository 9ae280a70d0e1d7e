#include "recall_instances.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "core/rng.hpp"

namespace tidegate::bench {
namespace {

constexpr std::int64_t kNodeGpus = 8;
constexpr Amount kMilli = 1000;
constexpr std::array<std::int64_t, 7> kSizes = {1, 2, 4, 8, 16, 32, 64};
constexpr std::array<double, 7> kPhillyShare = {18, 8, 12, 48, 9, 4, 1};
constexpr std::array<double, 7> kLlmShare = {12, 8, 15, 30, 15, 12, 8};

class Filler {
 public:
  explicit Filler(const InstanceSpec& spec) : spec_(spec), rng_(spec.seed), free_(spec.nodes, kNodeGpus) {}

  recall::Problem run() {
    problem_.mode = spec_.mode;
    problem_.podRequest = {spec_.podGpus * kMilli};
    problem_.podsWanted = spec_.pods;
    problem_.budgets.push_back(
        {.slack = spec_.slackGpus == kUnlimited ? kUnlimited : spec_.slackGpus * kMilli});
    for (std::uint32_t n = 0; n < spec_.nodes; ++n) {
      const bool online = rng_.chance(spec_.online);
      if (online) free_[n] = 0;
      problem_.nodes.push_back({.idle = {0}, .blocked = online, .maxPods = 110, .gpus = kNodeGpus * kMilli});
      room_ += free_[n];
    }
    fill();
    for (std::uint32_t n = 0; n < spec_.nodes; ++n) problem_.nodes[n].idle[0] = free_[n] * kMilli;
    return std::move(problem_);
  }

 private:
  void fill() {
    const auto target = static_cast<std::int64_t>(spec_.full * static_cast<double>(room_));
    std::int64_t placed = 0;
    for (int failures = 0; placed < target && failures < 2000;) {
      const std::int64_t size = drawSize();
      if (placeJob(size))
        placed += size;
      else
        ++failures;
    }
  }

  std::int64_t drawSize() {
    const auto& share = spec_.mix == Mix::Philly ? kPhillyShare : kLlmShare;
    double total = 0;
    for (std::size_t i = 0; i < kSizes.size(); ++i) total += share[i] / static_cast<double>(kSizes[i]);
    double at = rng_.unit() * total;
    for (std::size_t i = 0; i < kSizes.size(); ++i)
      if ((at -= share[i] / static_cast<double>(kSizes[i])) < 0) return kSizes[i];
    return kSizes.back();
  }

  bool placeJob(std::int64_t size) {
    std::int64_t podGpus = std::min(size, kNodeGpus);
    if (spec_.placement == Placement::Fragmented) podGpus = std::min(size, std::int64_t{1} << rng_.below(4));
    std::map<std::uint32_t, std::int64_t> used;
    for (std::int64_t left = size; left > 0; left -= podGpus) {
      const auto node = spec_.placement == Placement::Packed ? bestFit(podGpus) : randomFit(podGpus);
      if (node == spec_.nodes) {
        for (const auto& [n, gpus] : used) free_[n] += gpus;
        return false;
      }
      free_[node] -= podGpus;
      used[node] += podGpus;
    }
    addUnit(size, used);
    return true;
  }

  std::uint32_t bestFit(std::int64_t gpus) const {
    std::uint32_t best = spec_.nodes;
    for (std::uint32_t n = 0; n < spec_.nodes; ++n)
      if (free_[n] >= gpus && (best == spec_.nodes || free_[n] < free_[best])) best = n;
    return best;
  }

  std::uint32_t randomFit(std::int64_t gpus) {
    const auto start = static_cast<std::uint32_t>(rng_.below(spec_.nodes));
    for (std::uint32_t i = 0; i < spec_.nodes; ++i) {
      const std::uint32_t n = (start + i * 7919) % spec_.nodes;
      if (free_[n] >= gpus) return n;
    }
    return spec_.nodes;
  }

  void addUnit(std::int64_t size, const std::map<std::uint32_t, std::int64_t>& used) {
    recall::Unit unit;
    const std::int64_t lostWork = size * rng_.between(300, 3899);
    unit.cost = (static_cast<Int128>(lostWork) << 24) + static_cast<Int128>(rng_.below(1u << 24));
    for (const auto& [node, gpus] : used) unit.shares.push_back({.node = node, .freed = {gpus * kMilli}});
    unit.draws.push_back({.budget = 0, .amount = size * kMilli});
    unit.gpus = size * kMilli;
    problem_.units.push_back(std::move(unit));
  }

  InstanceSpec spec_;
  Rng rng_;
  std::vector<std::int64_t> free_;
  std::int64_t room_ = 0;
  recall::Problem problem_;
};

}  // namespace

recall::Problem makeInstance(const InstanceSpec& spec) {
  return Filler(spec).run();
}

}  // namespace tidegate::bench
