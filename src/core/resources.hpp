// Amounts of resources as vectors over an interned name table. Exact integers; sums saturate.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/quantity.hpp"

namespace tidegate {

using ResourceList = std::map<std::string, Quantity>;  // as Kubernetes objects carry it

using ResourceId = std::uint32_t;

// Amounts are int64: bytes for memory-like resources, thousandths (milli) for all others (1 GPU = 1000).
using Amount = std::int64_t;
inline constexpr Amount kUnlimited = std::numeric_limits<Amount>::max();

// Adds two amounts, staying within the range of Amount; kUnlimited absorbs.
Amount saturatingAdd(Amount a, Amount b);

// Maps resource names to dense ids. Ids are given in the order of first use; the well-known ones are fixed.
// Nothing may depend on the order of other ids: sort by name where order shows.
class ResourceTable {
 public:
  static constexpr ResourceId kCpu = 0;
  static constexpr ResourceId kMemory = 1;
  static constexpr ResourceId kEphemeralStorage = 2;
  static constexpr ResourceId kPods = 3;
  static constexpr ResourceId kGpu = 4;  // nvidia.com/gpu

  ResourceTable();
  ResourceId intern(std::string_view name);
  const std::string& name(ResourceId id) const { return names_[id]; }
  std::size_t size() const { return names_.size(); }
  // True for whole devices that work is placed by: nvidia.com/gpu, amd.com/gpu, huawei.com/Ascend910, ...
  bool isAccelerator(ResourceId id) const { return accelerator_[id]; }
  // 1 for resources counted in bytes, 1000 for the others.
  Amount unit(ResourceId id) const { return unit_[id]; }
  Amount toAmount(ResourceId id, const Quantity& q) const;
  // "8", "1500m", "64Gi": an amount as a quantity a reader knows.
  std::string format(ResourceId id, Amount amount) const;

 private:
  std::vector<std::string> names_;
  std::vector<bool> accelerator_;
  std::vector<Amount> unit_;
  std::map<std::string, ResourceId, std::less<>> ids_;
};

// A vector of amounts indexed by ResourceId; entries past the end are `fallback()` (0 for usage).
class ResourceVec {
 public:
  ResourceVec() = default;
  Amount operator[](ResourceId id) const { return id < values_.size() ? values_[id] : 0; }
  void set(ResourceId id, Amount amount);
  void add(ResourceId id, Amount amount);
  std::size_t size() const { return values_.size(); }

  ResourceVec& operator+=(const ResourceVec& other);
  ResourceVec& operator-=(const ResourceVec& other);  // may go below zero: callers check
  friend ResourceVec operator+(ResourceVec a, const ResourceVec& b) { return a += b; }
  friend ResourceVec operator-(ResourceVec a, const ResourceVec& b) { return a -= b; }

  // True if every entry is <= the other's. An entry of zero asks for nothing and always fits, also where the
  // other is below zero (a node that lost a device under its pods).
  bool fitsIn(const ResourceVec& capacity) const;
  bool isZero() const;
  bool operator==(const ResourceVec& other) const;  // missing entries equal zero

  static ResourceVec fromList(const ResourceList& list, ResourceTable& table);
  ResourceList toList(const ResourceTable& table) const;  // non-zero entries

 private:
  boost::container::small_vector<Amount, 6> values_;
};

// Upper limits: a resource that is not named is unlimited.
class ResourceLimits {
 public:
  Amount operator[](ResourceId id) const { return id < values_.size() ? values_[id] : kUnlimited; }
  void set(ResourceId id, Amount amount);
  bool has(ResourceId id) const { return (*this)[id] != kUnlimited; }
  std::size_t size() const { return values_.size(); }
  static ResourceLimits fromList(const ResourceList& list, ResourceTable& table);
  bool operator==(const ResourceLimits& other) const;  // missing entries equal unlimited

 private:
  boost::container::small_vector<Amount, 6> values_;
};

}  // namespace tidegate
