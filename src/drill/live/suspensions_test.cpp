#include "drill/live/suspensions.hpp"

#include <gtest/gtest.h>

#include "api/names.hpp"

namespace tidegate::drill::live {
namespace {

const Time kStart{std::chrono::hours(1)};

template <class T>
sim::Change seen(T object) {
  return {.before = nullptr, .after = std::make_shared<const api::Object>(std::move(object))};
}
template <class T>
T named(const char* name) {
  T out;
  out.metadata.namespace_ = "research";
  out.metadata.name = name;
  return out;
}

TEST(Suspensions, AVcjobIsSuspendedWhileItsAnnotationStands) {
  Suspensions suspensions;
  auto job = named<api::VcJob>("a");
  suspensions.see(seen(job), kStart);
  EXPECT_FALSE(suspensions.of("research/a", kStart).from.has_value());
  job.metadata.annotations[api::names::kSuspend] = "recall-1";
  suspensions.see(seen(job), kStart + seconds(1));
  suspensions.see(seen(job), kStart + seconds(2));
  job.metadata.annotations.clear();
  suspensions.see(seen(job), kStart + seconds(9));
  const Suspension found = suspensions.of("research/a", kStart);
  EXPECT_EQ(found.from, kStart + seconds(1));
  EXPECT_EQ(found.to, kStart + seconds(9));
}

TEST(Suspensions, SinceLeavesOutWhatWasBefore) {
  Suspensions suspensions;
  auto job = named<api::BatchJob>("a");
  for (int i = 0; i < 4; ++i) {
    job.spec.suspend = i % 2 == 0;
    suspensions.see(seen(job), kStart + seconds(i));
  }
  EXPECT_EQ(suspensions.of("research/a", kStart + seconds(1)).from, kStart + seconds(2));
  EXPECT_EQ(suspensions.of("research/a", kStart + seconds(1)).to, kStart + seconds(3));
}

TEST(Suspensions, VolcanosOwnAbortAndScaledDownDeploymentsCount) {
  Suspensions suspensions;
  auto job = named<api::VcJob>("a");
  job.status.state.phase = "Aborting";
  suspensions.see(seen(job), kStart);
  auto notebooks = named<api::Deployment>("b");
  notebooks.metadata.annotations[api::names::kSuspendedReplicas] = "4";
  suspensions.see(seen(notebooks), kStart);
  EXPECT_EQ(suspensions.of("research/a", kStart).from, kStart);
  EXPECT_EQ(suspensions.of("research/b", kStart).from, kStart);
}

TEST(Suspensions, WhatIsGoneIsNotSuspendedAnyMore) {
  Suspensions suspensions;
  auto job = named<api::VcJob>("a");
  job.metadata.annotations[api::names::kSuspend] = "recall-1";
  sim::Change change = seen(job);
  suspensions.see(change, kStart);
  suspensions.see({.before = change.after, .after = nullptr}, kStart + seconds(5));
  EXPECT_EQ(suspensions.of("research/a", kStart).to, kStart + seconds(5));
}

}  // namespace
}  // namespace tidegate::drill::live
