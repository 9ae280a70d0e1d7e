// One recall of one job, stepped by hand against the small API server of lifecycle_fixture.hpp.
#pragma once

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "lifecycle/lifecycle_fixture.hpp"

namespace tidegate::lifecycle::test {

class RecallMachineTest : public testing::Test {
 protected:
  void given(const JobShape& shape) {
    api_.put(nodeOf("n1"));
    api_.putJob(demandShape());
    api_.putJob(shape);
    api_.show(state_);
    record_ = recallOf({shape});
  }

  // One step; the acts are carried out and shown.
  std::vector<std::string> stepAt(double t) {
    auto next = asked(t);
    for (const auto& act : next.acts.list) api_.carryOut(act.action, at(t));
    api_.show(state_);
    record_ = next.record;
    wakeAt_ = next.acts.wakeAt;
    std::vector<std::string> keys;
    for (const auto& act : next.acts.list) {
      const auto* emitted = std::get_if<Emit>(&act.action);
      if (emitted == nullptr) keys.push_back(act.key);
      if (emitted != nullptr && emitted->warning) warnings_.insert(emitted->reason);
    }
    return keys;
  }

  // One step of which nothing is carried out.
  std::vector<std::string> loseStepAt(double t) {
    auto next = asked(t);
    record_ = next.record;
    std::vector<std::string> keys;
    for (const auto& act : next.acts.list) keys.push_back(act.key);
    return keys;
  }

  void controllersActAt(double t) {
    api_.controllersAct(at(t));
    api_.show(state_);
  }

  bool warned(std::string_view reason) const { return warnings_.contains(std::string(reason)); }

  RecallStep asked(double t) {
    return step(record_, {.state = state_, .answered = answered_}, options_, at(t));
  }

  template <class T>
  std::vector<T> actsAt(double t) {
    std::vector<T> found;
    for (const auto& act : asked(t).acts.list) {
      if (const auto* typed = std::get_if<T>(&act.action)) found.push_back(*typed);
    }
    return found;
  }

  void podsGo(const JobShape& shape) {
    for (std::int32_t i = 0; i < shape.pods; ++i) api_.drop(api::refOf(podOf(shape, i)));
    api_.show(state_);
  }

  std::string phase() const { return record_.spec.victims[0].phase; }
  std::string overall() const { return record_.status.phase; }

  TinyApi api_;
  ClusterState state_;
  api::Recall record_;
  std::set<std::string> answered_;
  RecallOptions options_;
  std::optional<Time> wakeAt_;
  std::set<std::string> warnings_;
};

}  // namespace tidegate::lifecycle::test
