// The PodGroup controller: makes a PodGroup for the pods of each owner, and for each bare pod, that names
// none, and puts its name on the pods.
//
// In: Pod, PodGroup, ReplicaSet, StatefulSet, batch Job, Namespace. Out: Create, Merge and Delete of
// PodGroups, the annotation scheduling.k8s.io/group-name of pods.
//
// Rules: Volcano's pkg/controllers/podgroup (what a group says: podgroup_build.hpp). Unlike there: pods of a
// DaemonSet get none; a group that is missing while pods of it live is made again; the group of a ReplicaSet
// or StatefulSet that was scaled to 0 is deleted only when its pods are gone and no recall holds it. The name
// follows from the owner's uid, so that a gang that is stopped and comes back is the same gang.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "controllers/membership.hpp"
#include "controllers/mirror.hpp"
#include "controllers/podgroup_build.hpp"
#include "controllers/reconciler.hpp"

namespace tidegate::controllers {

struct PodGroupControllerOptions {
  SchedulerNames schedulers = defaultSchedulers();
  Duration ownerDue = seconds(5);  // so long a pod's group waits for its owner to be seen
  Duration again = seconds(5);     // a group that is taken away at once is not made again sooner
};

class PodGroupController : public Reconciler {
 public:
  explicit PodGroupController(PodGroupControllerOptions options = {}) : options_(std::move(options)) {}

 private:
  struct Member {
    std::string gang;      // "namespace/podgroup-uid"; empty: none of ours
    bool live = false;     // will run, or runs
    bool lacking = false;  // does not name its group yet
  };
  struct Group {
    std::int32_t minMember = 0;
    bool recalled = false;
    bool leaving = false;
  };
  struct Gang {
    std::map<std::string, bool> pods;  // by name: live?
    std::set<std::string> nameless;    // of these, the live ones that do not name their group yet
    std::string namedLast;             // up to which their turn has come
    std::string draftedBy;
    GroupDraft draft;  // as its first pod by name says
    bool ownerWatched = false;
    Time since;
    std::optional<Time> made;  // when its group was last made
  };

  void seen(const api::Object& object, Time now) override;
  void gone(const api::ObjectRef& ref, const std::string& uid) override;
  void reconcile(const std::string& key, Time now) override;
  void answered(const Outbox::Sent& sent, const CommandDone& done) override;

  void seenPod(const api::Pod& pod, Time now);
  void seenGroup(const api::PodGroup& group);
  void seenOwner(const api::ObjectMeta& metadata, const api::ObjectRef& ref,
                 std::optional<std::int32_t> replicas);
  void ownerGone(const api::ObjectRef& ref, const std::string& uid);
  void leave(const std::string& pod, const std::string& gang);
  Member memberFrom(const api::Pod& pod) const;
  const GroupOwner* ownerOf(const std::string& gang) const;

  void make(const std::string& key, Gang& gang, Time now);
  std::optional<Time> notBefore(const std::string& key, const Gang& gang) const;
  void nameMembers(const std::string& key, Gang& gang, Time now);
  void keepMinimum(const std::string& key, const Gang& gang, Time now);
  void removeIfUnused(const std::string& key, Time now);

  PodGroupControllerOptions options_;
  ResourceTable resources_;
  Mirror<Member> pods_;
  Mirror<Group> groups_;
  Mirror<GroupOwner> owners_;  // by uid
  NamespaceQueues queues_;
  std::map<api::ObjectRef, std::string> ownerUids_;
  std::map<std::string, Gang> gangs_;
};

}  // namespace tidegate::controllers
