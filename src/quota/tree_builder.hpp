// Test help: queues and amounts in a few words. GPUs are whole numbers here, as a reader counts them.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>

#include "quota/queue_tree.hpp"

namespace tidegate::quota::testing {

inline constexpr ResourceId kCpu = ResourceTable::kCpu;
inline constexpr ResourceId kGpu = ResourceTable::kGpu;
inline constexpr Amount kOne = 1000;  // one GPU or CPU

inline ResourceVec amounts(std::initializer_list<std::pair<ResourceId, Amount>> whole) {
  ResourceVec vec;
  for (const auto& [resource, count] : whole) vec.set(resource, count * kOne);
  return vec;
}
inline ResourceVec gpus(Amount count) {
  return amounts({{kGpu, count}});
}
inline ResourceVec cpus(Amount count) {
  return amounts({{kCpu, count}});
}

// queue("a").under("p").guarantee(4): numbers are of GPUs unless told otherwise.
class QueueSpec {
 public:
  explicit QueueSpec(std::string name) { config_.name = std::move(name); }
  QueueSpec& under(std::string parent) { return config_.parent = std::move(parent), *this; }
  QueueSpec& weight(std::int32_t weight) { return config_.weight = weight, *this; }
  QueueSpec& guarantee(Amount n, ResourceId r = kGpu) { return config_.guarantee.set(r, n * kOne), *this; }
  QueueSpec& deserved(Amount n, ResourceId r = kGpu) { return config_.deserved.set(r, n * kOne), *this; }
  QueueSpec& capability(Amount n, ResourceId r = kGpu) { return config_.capability.set(r, n * kOne), *this; }
  QueueSpec& notReclaimable() { return config_.reclaimable = false, *this; }
  QueueSpec& closed() { return config_.open = false, *this; }
  QueueSpec& locksGuarantee() { return config_.lendsGuarantee = false, *this; }
  const QueueConfig& config() const { return config_; }

 private:
  QueueConfig config_;
};
inline QueueSpec queue(std::string name) {
  return QueueSpec(std::move(name));
}

// A tree that is spoken to by names and whole GPUs.
struct Tree : QueueTree {
  Tree(Amount gpuTotal, std::initializer_list<QueueSpec> queues) {
    setTotal(amounts({{kGpu, gpuTotal}, {kCpu, gpuTotal * 10}}));
    for (const QueueSpec& q : queues) upsert(q.config());
  }
  void use(std::string_view name, Amount count) { addUsed(findOrAdd(name), gpus(count)); }
  void useClosed(std::string_view name, Amount count) {
    use(name, count);
    addClosed(findOrAdd(name), gpus(count));
  }
  void release(std::string_view name, Amount count) { subtractUsed(findOrAdd(name), gpus(count)); }
  void ask(std::string_view name, Amount count) { addPending(findOrAdd(name), gpus(count)); }
  // Of GPUs, in thousandths where it is a fraction.
  double entitled(std::string_view name) const { return whole(entitlement(find(name))[kGpu]); }
  double guaranteed(std::string_view name) const { return whole(guarantee(find(name))[kGpu]); }
  double owed(std::string_view name) const { return whole(deserved(find(name), kGpu)); }
  double borrows(std::string_view name) const { return whole(borrowed(find(name))[kGpu]); }
  double lends(std::string_view name) const { return whole(lent(find(name))[kGpu]); }
  static double whole(Amount amount) { return static_cast<double>(amount) / kOne; }
};

}  // namespace tidegate::quota::testing
