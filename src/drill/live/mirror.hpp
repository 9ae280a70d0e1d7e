// What the cluster looks like from here: the kinds a drill is about, followed by reflectors into one store.
//
// Whatever the objects say of times, a listener should take the loop's time at which it is told of a change:
// clocks of a cluster differ, and most stamps are whole seconds.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "world/kube/reflector.hpp"
#include "world/sim/object_store.hpp"

namespace tidegate::drill::live {

class Mirror {
 public:
  struct Watchers {
    std::function<void()> changed;  // after each change, and when a kind is synced
    std::function<void(const std::string&)> warning;
  };

  Mirror(kube::Reflector::Services services, Watchers watchers);
  Mirror(const Mirror&) = delete;
  Mirror& operator=(const Mirror&) = delete;

  // Subscribe first: listeners are told of everything that is there already, too.
  void subscribe(sim::ObjectStore::Listener listener) { store_.subscribe(std::move(listener)); }
  void start();
  // Every kind is known, or known to be missing.
  bool synced() const;
  // Titles of the kinds the server has not, may not show, or has not answered about.
  std::vector<std::string> absent() const;
  std::vector<std::string> refused() const;
  std::vector<std::string> unanswered() const;
  const sim::ObjectStore& store() const { return store_; }
  // What the reflectors tell. (Tests tell it themselves.)
  void take(const Event& event);

 private:
  std::vector<std::string> titles(kube::ReflectorState state) const;

  Watchers watchers_;
  sim::ObjectStore store_;
  std::vector<std::unique_ptr<kube::Reflector>> reflectors_;
};

}  // namespace tidegate::drill::live
