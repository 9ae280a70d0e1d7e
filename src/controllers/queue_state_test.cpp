#include "controllers/queue_state.hpp"

#include <gtest/gtest.h>

#include "controllers/queue_status.hpp"

namespace tidegate::controllers {
namespace {

constexpr auto kOpenIt = QueueOrder::Open;
constexpr auto kCloseIt = QueueOrder::Close;

struct Case {
  const char* what;
  QueueSituation is;
  const char* state;
  std::optional<bool> mark = {};
  OrderFate order = OrderFate::None;
};

// Volcano's states, case by case.
const Case kCases[] = {
    {"new", {.state = ""}, "Open"},
    {"open stays", {.state = "Open", .hasGroups = true}, "Open"},
    {"closing, work left", {.state = "Closing", .hasGroups = true}, "Closing"},
    {"closing, empty", {.state = "Closing"}, "Closed"},
    {"closed stays", {.state = "Closed"}, "Closed"},
    {"closed with late work", {.state = "Closed", .hasGroups = true}, "Closed"},
    {"unknown stays", {.state = "Unknown"}, "Unknown"},
    {"no such state", {.state = "Opn"}, "Unknown"},
    {"close, work left",
     {.state = "Open", .hasGroups = true, .order = kCloseIt},
     "Closing",
     {},
     OrderFate::Waiting},
    {"close, empty", {.state = "Open", .order = kCloseIt}, "Closed", {}, OrderFate::Waiting},
    {"close unknown", {.state = "Unknown", .order = kCloseIt}, "Closed", {}, OrderFate::Waiting},
    {"close, is closed", {.state = "Closed", .order = kCloseIt}, "Closed", {}, OrderFate::Done},
    {"close, is closing",
     {.state = "Closing", .hasGroups = true, .order = kCloseIt},
     "Closing",
     {},
     OrderFate::Done},
    {"close root", {.state = "Open", .root = true, .order = kCloseIt}, "Open", {}, OrderFate::Refused},
    {"open", {.state = "Closed", .order = kOpenIt}, "Open", {}, OrderFate::Waiting},
    {"open while closing",
     {.state = "Closing", .hasGroups = true, .order = kOpenIt},
     "Open",
     {},
     OrderFate::Waiting},
    {"open unknown", {.state = "Unknown", .order = kOpenIt}, "Open", {}, OrderFate::Waiting},
    {"open, is open", {.state = "Open", .order = kOpenIt}, "Open", {}, OrderFate::Done},
    {"open below a closed one",
     {.state = "Closed", .parentClosed = true, .order = kOpenIt},
     "Closed",
     {},
     OrderFate::Refused},
    {"parent closes: marked first",
     {.state = "Open", .parentClosed = true, .hasGroups = true},
     "Closing",
     true},
    {"parent closes: marked", {.state = "Open", .marked = true, .parentClosed = true}, "Closed"},
    {"parent still closed", {.state = "Closed", .marked = true, .parentClosed = true}, "Closed"},
    {"parent opens", {.state = "Closed", .marked = true}, "Open"},
    {"parent opens, work left", {.state = "Closing", .marked = true, .hasGroups = true}, "Open"},
    {"open again: mark taken off", {.state = "Open", .marked = true}, "Open", false},
    {"closed by its user stays", {.state = "Closed"}, "Closed"},
    {"user closes what the parent closed",
     {.state = "Closed", .marked = true, .parentClosed = true, .order = kCloseIt},
     "Closed",
     false,
     OrderFate::Waiting},
};

TEST(QueueState, FollowsTheRulesCaseByCase) {
  for (const Case& one : kCases) {
    SCOPED_TRACE(one.what);
    const QueueStep step = nextStep(one.is);
    EXPECT_EQ(step.state, one.state);
    EXPECT_EQ(step.mark, one.mark);
    EXPECT_EQ(step.order, one.order);
  }
}

TEST(QueueStatus, PatchHoldsWhatDiffersAndNothingElse) {
  api::QueueStatus from{.state = "Open", .allocated = {}, .deserved = {}, .reservation = {}};
  from.allocated["cpu"] = Quantity::ofInteger(4);
  from.allocated["memory"] = Quantity::ofBytes(1 << 20);
  from.reservation.nodes = {"n1"};
  EXPECT_EQ(statusPatch(from, from), "");
  api::QueueStatus to = from;
  to.allocated.erase("cpu");
  to.allocated["nvidia.com/gpu"] = Quantity::ofInteger(8);
  to.reservation = {};
  to.running = 2;
  EXPECT_EQ(statusPatch(from, to),
            R"({"allocated":{"nvidia.com/gpu":"8","cpu":null},"reservation":null,"running":2})");
}

TEST(QueueStatus, DeservedStaysBetweenGuaranteeAndCapability) {
  api::QueueSpec spec;
  spec.deserved = {{"a", Quantity::ofInteger(10)}, {"b", Quantity::ofInteger(2)}};
  spec.capability = {{"a", Quantity::ofInteger(8)}, {"z", Quantity::ofInteger(1)}};
  spec.guarantee.resource = {{"b", Quantity::ofInteger(3)}, {"c", Quantity::ofInteger(1)}};
  const ResourceList expected = {
      {"a", Quantity::ofInteger(8)}, {"b", Quantity::ofInteger(3)}, {"c", Quantity::ofInteger(1)}};
  EXPECT_EQ(deservedOf(spec), expected);
}

}  // namespace
}  // namespace tidegate::controllers
