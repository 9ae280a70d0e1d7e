#include "core/resources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace tidegate {
namespace {

// Kubernetes counts these in bytes: cpu-like rounding to thousandths would be meaningless, and 2^63
// milli-bytes is only 8 PiB.
bool isBytes(std::string_view name) {
  return name == "memory" || name == "ephemeral-storage" || name == "storage" ||
         name.starts_with("hugepages-");
}

// Device plugins name their resource vendor/kind. What is sliced by memory or cores (vgpu-memory, gpucores)
// goes along with a device and is not one itself.
bool namesAccelerator(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  if (slash == std::string_view::npos) return false;
  std::string kind(name.substr(slash + 1));
  std::transform(kind.begin(), kind.end(), kind.begin(), [](unsigned char c) { return std::tolower(c); });
  const auto contains = [&](std::string_view part) { return kind.find(part) != std::string::npos; };
  static constexpr std::array<std::string_view, 4> kParts = {"mem", "cores", "percentage", "driver"};
  static constexpr std::array<std::string_view, 13> kKinds = {"gpu",  "npu",  "tpu",        "xpu",    "hpu",
                                                              "dcu",  "mlu",  "ascend",     "neuron", "gaudi",
                                                              "mig-", "i915", "accelerator"};
  return std::any_of(kKinds.begin(), kKinds.end(), contains) &&
         std::none_of(kParts.begin(), kParts.end(), contains);
}

Amount saturatingSubtract(Amount a, Amount b) {
  if (a == kUnlimited) return kUnlimited;
  Amount difference = 0;
  if (!__builtin_sub_overflow(a, b, &difference)) return difference;
  return b < 0 ? kUnlimited : std::numeric_limits<Amount>::min();
}

}  // namespace

Amount saturatingAdd(Amount a, Amount b) {
  if (a == kUnlimited || b == kUnlimited) return kUnlimited;
  Amount sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? kUnlimited : std::numeric_limits<Amount>::min();
}

ResourceTable::ResourceTable() {
  for (std::string_view name : {"cpu", "memory", "ephemeral-storage", "pods", "nvidia.com/gpu"}) intern(name);
}

ResourceId ResourceTable::intern(std::string_view name) {
  if (const auto found = ids_.find(name); found != ids_.end()) return found->second;
  const auto id = static_cast<ResourceId>(names_.size());
  names_.emplace_back(name);
  accelerator_.push_back(namesAccelerator(name));
  unit_.push_back(isBytes(name) ? 1 : 1000);
  ids_.emplace(name, id);
  return id;
}

Amount ResourceTable::toAmount(ResourceId id, const Quantity& q) const {
  return unit_[id] == 1 ? q.value() : q.milliValue();
}

std::string ResourceTable::format(ResourceId id, Amount amount) const {
  if (amount == kUnlimited) return "unlimited";
  return (unit_[id] == 1 ? Quantity::ofBytes(amount) : Quantity::ofMilli(amount)).numberText();
}

void ResourceVec::set(ResourceId id, Amount amount) {
  if (id >= values_.size()) values_.resize(id + 1, 0);
  values_[id] = amount;
}

void ResourceVec::add(ResourceId id, Amount amount) {
  set(id, saturatingAdd((*this)[id], amount));
}

ResourceVec& ResourceVec::operator+=(const ResourceVec& other) {
  if (other.size() > values_.size()) values_.resize(other.size(), 0);
  for (std::size_t i = 0; i < other.values_.size(); ++i)
    values_[i] = saturatingAdd(values_[i], other.values_[i]);
  return *this;
}

ResourceVec& ResourceVec::operator-=(const ResourceVec& other) {
  if (other.size() > values_.size()) values_.resize(other.size(), 0);
  for (std::size_t i = 0; i < other.values_.size(); ++i) {
    values_[i] = saturatingSubtract(values_[i], other.values_[i]);
  }
  return *this;
}

bool ResourceVec::fitsIn(const ResourceVec& capacity) const {
  for (ResourceId id = 0; id < values_.size(); ++id) {
    if (values_[id] != 0 && values_[id] > capacity[id]) return false;
  }
  return true;
}

bool ResourceVec::isZero() const {
  return std::all_of(values_.begin(), values_.end(), [](Amount amount) { return amount == 0; });
}

bool ResourceVec::operator==(const ResourceVec& other) const {
  for (ResourceId id = 0; id < std::max(size(), other.size()); ++id) {
    if ((*this)[id] != other[id]) return false;
  }
  return true;
}

ResourceVec ResourceVec::fromList(const ResourceList& list, ResourceTable& table) {
  ResourceVec out;
  for (const auto& [name, quantity] : list) {
    const ResourceId id = table.intern(name);
    out.set(id, table.toAmount(id, quantity));
  }
  return out;
}

ResourceList ResourceVec::toList(const ResourceTable& table) const {
  ResourceList list;
  for (ResourceId id = 0; id < values_.size(); ++id) {
    if (values_[id] == 0) continue;
    const bool bytes = table.unit(id) == 1;
    list[table.name(id)] = bytes ? Quantity::ofBytes(values_[id]) : Quantity::ofMilli(values_[id]);
  }
  return list;
}

void ResourceLimits::set(ResourceId id, Amount amount) {
  if (id >= values_.size()) values_.resize(id + 1, kUnlimited);
  values_[id] = amount;
}

bool ResourceLimits::operator==(const ResourceLimits& other) const {
  for (ResourceId id = 0; id < std::max(size(), other.size()); ++id) {
    if ((*this)[id] != other[id]) return false;
  }
  return true;
}

ResourceLimits ResourceLimits::fromList(const ResourceList& list, ResourceTable& table) {
  ResourceLimits out;
  for (const auto& [name, quantity] : list) {
    const ResourceId id = table.intern(name);
    out.set(id, table.toAmount(id, quantity));
  }
  return out;
}

}  // namespace tidegate
