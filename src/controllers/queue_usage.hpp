// What each queue's gangs hold, and in what phase they are: kept up to date with every event.
//
// Held: the requests of pods that are bound and not terminal, as the scheduler counts them. A gang belongs to
// the queue of its PodGroup; pods without one to the queue they ask for; either, where that is the default
// queue, to their namespace's.
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>

#include "api/objects.hpp"
#include "controllers/membership.hpp"
#include "controllers/mirror.hpp"
#include "core/resources.hpp"

namespace tidegate::controllers {

enum class GroupPhase : std::uint8_t { Pending, Inqueue, Running, Unknown, Completed };
inline constexpr std::size_t kGroupPhases = 5;

struct QueueUse {
  ResourceVec held;
  std::array<std::int32_t, kGroupPhases> phases{};  // PodGroups, by phase
  std::int32_t groups = 0;
};

class QueueUsage {
 public:
  explicit QueueUsage(SchedulerNames schedulers) : schedulers_(std::move(schedulers)) {}

  void seen(const api::Pod& pod);
  void seen(const api::PodGroup& group);
  void seen(const api::Namespace& space);
  void podGone(const std::string& key, const std::string& uid);
  void groupGone(const std::string& key, const std::string& uid);

  const QueueUse& of(const std::string& queue) const;
  // What a pod asks for; zero if it is not known, is another object, or is bound already.
  ResourceVec waiting(const std::string& podKey, const std::string& uid) const;
  ResourceTable& resources() { return resources_; }
  // Queues whose figures may have changed since the last call.
  std::set<std::string> takeChanged() { return std::exchange(changed_, {}); }

 private:
  struct Member {
    std::string gang;
    std::string queue;  // should there be no PodGroup
    ResourceVec request;
    bool bound = false;
  };
  struct Declared {
    std::string queue;
    GroupPhase phase = GroupPhase::Pending;
  };
  struct Gang {
    ResourceVec held;
    std::int32_t pods = 0;
    std::string podQueue;
  };

  void count(const Member& member, bool add);
  void place(const std::string& gang, bool add);
  std::string queueOf(const std::string& gang) const;

  SchedulerNames schedulers_;
  ResourceTable resources_;
  NamespaceQueues namespaces_;
  Mirror<Member> pods_;
  Mirror<Declared> groups_;
  std::map<std::string, Gang> gangs_;
  std::map<std::string, QueueUse> uses_;
  std::set<std::string> changed_;
};

}  // namespace tidegate::controllers
