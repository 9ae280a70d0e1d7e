// Where a pod should stand. Best fit on accelerators keeps nodes whole: broken nodes are used up first, a
// whole node is opened only for work that fits nowhere else; work without accelerators keeps off nodes that
// have free ones.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "placement/session.hpp"

namespace tidegate::placement {

enum class Target : std::uint8_t {
  Now,     // bind: the room must be free this moment
  Future,  // pipeline: it may be occupied by pods that leave
};

struct Scoring {
  bool nodeOrder = true;  // least-requested and balanced scores break ties of packing
  double leastRequested = 1;
  double mostRequested = 0;
  double balancedResource = 1;
};

// How a group of alike tasks is being laid out. A node that the group can fill by itself is taken before
// pieces of others: a gang on nodes of its own can be stopped, and those nodes freed, without touching
// anybody else. What is left over goes to pieces, so that no node is opened for it without need.
struct Fill {
  std::int64_t remaining = 0;  // tasks still to be placed, this one included
  std::vector<Slot> opened;    // nodes that only this group is on
};

// True while work that leaves a node still holds devices of it.
bool isBeingFreed(const Session& session, Slot slot);

// The best slot for one task, or none. `within`: only these slots (sorted), if given. Quota is not looked at.
std::optional<Slot> chooseSlot(Session& session, const Task& task, Target target, const Scoring& scoring,
                               const Fill& fill, const std::vector<Slot>* within = nullptr);
// Notes that the task was put there.
void advance(const Session& session, Fill& fill, const Task& task, Slot slot, Target target);

enum class HowMany : std::uint8_t { AllOrNothing, AsManyAsFit };

struct Placement {
  Task task;
  Slot slot = 0;
};

// Places tasks in order, quota included, and leaves them bound or pipelined in the session. AllOrNothing: on
// the first that does not fit the session is rolled back and the result is empty.
std::vector<Placement> placeTasks(Session& session, const std::vector<Task>& tasks, Target target,
                                  HowMany amount, const Scoring& scoring,
                                  const std::vector<Slot>* within = nullptr);

// The HyperNodes a gang must stay inside (networkTopology: hard), as slot lists, closest tier first and
// within a tier the tightest first. Empty optional: the gang is not restricted. Domains without its running
// pods are left out.
std::optional<std::vector<std::vector<Slot>>> domainsOf(Session& session, GangId gang);

// How many nodes refuse the task, by reason, for messages: "0/25 nodes fit: 20 insufficient nvidia.com/gpu, 5
// taint…".
std::string explainNodes(Session& session, const Task& task);

// Empty if some node could host the task were it alone there; else the largest shortfall, for "never fits"
// reasons.
std::optional<std::string> neverFits(Session& session, const Task& task);

}  // namespace tidegate::placement
