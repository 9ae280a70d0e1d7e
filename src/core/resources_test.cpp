#include "core/resources.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tidegate {
namespace {

constexpr auto kGpu = ResourceTable::kGpu;
constexpr auto kMemory = ResourceTable::kMemory;

ResourceList list(std::initializer_list<std::pair<const char*, const char*>> entries) {
  ResourceList out;
  for (const auto& [name, text] : entries) out[name] = Quantity::parse(text).value();
  return out;
}

TEST(ResourceTable, CountsBytesWholeAndTheRestInThousandths) {
  ResourceTable table;
  const auto vec =
      ResourceVec::fromList(list({{"cpu", "1500m"}, {"memory", "2Gi"}, {"nvidia.com/gpu", "8"}}), table);
  EXPECT_EQ(vec[ResourceTable::kCpu], 1500);
  EXPECT_EQ(vec[kMemory], 2LL << 30);
  EXPECT_EQ(vec[kGpu], 8000);
  EXPECT_EQ(table.unit(table.intern("hugepages-2Mi")), 1);
  EXPECT_EQ(table.format(kMemory, 64LL << 30), "64Gi");
  EXPECT_EQ(table.format(kGpu, 1500), "1.5");
  EXPECT_EQ(table.format(kGpu, 114286), "114.286");
  EXPECT_EQ(table.format(kGpu, 8000), "8");
  EXPECT_EQ(table.format(kGpu, kUnlimited), "unlimited");
}

TEST(ResourceTable, KnowsDevicesByTheirNames) {
  ResourceTable table;
  for (const char* name :
       {"nvidia.com/gpu", "amd.com/gpu", "huawei.com/Ascend910", "nvidia.com/mig-1g.5gb", "google.com/tpu",
        "habana.ai/gaudi", "aws.amazon.com/neuroncore", "nvidia.com/gpu.shared"}) {
    EXPECT_TRUE(table.isAccelerator(table.intern(name))) << name;
  }
  for (const char* name : {"cpu", "memory", "pods", "rdma/hca", "volcano.sh/vgpu-memory",
                           "nvidia.com/gpucores", "example.com/licence", "gpu"}) {
    EXPECT_FALSE(table.isAccelerator(table.intern(name))) << name;
  }
}

TEST(ResourceTable, GivesEachNameOneId) {
  ResourceTable table;
  const ResourceId hca = table.intern("rdma/hca");
  EXPECT_EQ(table.intern("rdma/hca"), hca);
  EXPECT_EQ(table.name(hca), "rdma/hca");
  EXPECT_EQ(table.intern("nvidia.com/gpu"), kGpu);
}

TEST(Amount, SumsSaturate) {
  EXPECT_EQ(saturatingAdd(kUnlimited - 1, 5), kUnlimited);
  EXPECT_EQ(saturatingAdd(kUnlimited, -5), kUnlimited);
  EXPECT_EQ(saturatingAdd(std::numeric_limits<Amount>::min(), -1), std::numeric_limits<Amount>::min());
  EXPECT_EQ(saturatingAdd(2, 3), 5);
}

TEST(ResourceVec, AnEntryOfZeroAlwaysFits) {
  ResourceVec need;
  ResourceVec idle;
  need.set(ResourceTable::kCpu, 1000);
  need.set(kGpu, 0);
  idle.set(ResourceTable::kCpu, 1000);
  idle.set(kGpu, -1000);
  EXPECT_TRUE(need.fitsIn(idle));
  need.set(kGpu, 1);
  EXPECT_FALSE(need.fitsIn(idle));
  need.set(kGpu, 0);
  need.set(7, 1);
  EXPECT_FALSE(need.fitsIn(idle)) << "a resource the other does not have";
}

TEST(ResourceVec, MissingEntriesAreZero) {
  ResourceVec a;
  ResourceVec b;
  b.set(9, 0);
  EXPECT_EQ(a, b);
  EXPECT_TRUE(b.isZero());
  b.add(9, 4);
  EXPECT_NE(a, b);
  EXPECT_EQ((a - b)[9], -4);
}

TEST(ResourceLimits, WhatIsNotNamedIsUnlimited) {
  ResourceTable table;
  const auto limits = ResourceLimits::fromList(list({{"nvidia.com/gpu", "0"}}), table);
  EXPECT_EQ(limits[kGpu], 0);
  EXPECT_TRUE(limits.has(kGpu));
  EXPECT_FALSE(limits.has(kMemory));
  ResourceLimits same = limits;
  same.set(9, kUnlimited);
  EXPECT_EQ(same, limits);
}

RC_GTEST_PROP(ResourceVec, AddingAndTakingAwayGivesTheSame,
              (std::vector<std::int32_t> a, std::vector<std::int32_t> b)) {
  ResourceVec x;
  ResourceVec y;
  for (ResourceId id = 0; id < a.size(); ++id) x.set(id, a[id]);
  for (ResourceId id = 0; id < b.size(); ++id) y.set(id, b[id]);
  RC_ASSERT(x + y - y == x);
  RC_ASSERT(x + y == y + x);
}

RC_GTEST_PROP(ResourceVec, ListReadsBack, (std::vector<std::int64_t> amounts)) {
  ResourceTable table;
  for (int i = 0; i < 40; ++i) table.intern("example.com/r" + std::to_string(i));
  ResourceVec vec;
  for (ResourceId id = 0; id < std::min<std::size_t>(amounts.size(), table.size()); ++id)
    vec.set(id, amounts[id]);
  RC_ASSERT(ResourceVec::fromList(vec.toList(table), table) == vec);
}

}  // namespace
}  // namespace tidegate
