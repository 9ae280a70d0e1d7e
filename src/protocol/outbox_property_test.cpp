// Whatever is asked for, answered and seen, in whatever order: one command per intention is out, each answer
// finds the command it belongs to, and nothing is sent more often than the waits allow.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <string>

#include "protocol/outbox.hpp"

namespace tidegate {
namespace {

constexpr int kKeys = 3;
constexpr Duration kShortestWait = milliseconds(200);
constexpr Duration kLongestWait = seconds(40);

struct Out {
  Command command;
  std::string key;
};

// What an outbox may do, written down beside it.
class Model {
 public:
  void ask(const std::string& key, int which) {
    const DeleteRecall action{.name = key + std::to_string(which)};
    const bool sent = outbox_.send(key, action, now_);
    const auto commands = outbox_.take();
    RC_ASSERT(commands.size() == (sent ? 1U : 0U));
    if (isOut(key)) RC_ASSERT(!sent);
    if (!isOut(key) && now_ >= mustBy_[key]) RC_ASSERT(sent);
    if (!sent) return;
    RC_ASSERT(now_ >= notBefore_[key]);
    ++sends_[key];
    seen_[key] = false;
    out_.push_back({commands[0], key});
  }

  void answer(std::size_t index, Outcome outcome) {
    if (out_.empty()) return;
    const auto at = out_.begin() + static_cast<std::ptrdiff_t>(index % out_.size());
    const Out it = *at;
    out_.erase(at);
    const CommandDone done{.id = it.command.id, .outcome = outcome, .message = {}};
    const auto sent = outbox_.finished(done, now_);
    RC_ASSERT(sent.has_value());
    RC_ASSERT(sent->key == it.key);
    RC_ASSERT(sent->action == it.command.action);
    RC_ASSERT(!outbox_.finished(done, now_).has_value());
    const bool free = outcome == Outcome::Succeeded && seen_[it.key];
    RC_ASSERT(sent->retryAt.has_value() == !free);
    notBefore_[it.key] = free ? now_ : now_ + (outcome == Outcome::Succeeded ? seconds(5) : kShortestWait);
    mustBy_[it.key] = free ? now_ : now_ + kLongestWait;
    failed_[it.key] = outcome != Outcome::Succeeded;
    if (!failed_[it.key]) seen_[it.key] = false;
  }

  void see(const std::string& key) {
    outbox_.effectSeen(key);
    if (isOut(key) || failed_[key])
      seen_[key] = true;
    else
      notBefore_[key] = mustBy_[key] = now_;
  }

  void pass(Duration time) { now_ += time; }
  std::size_t unanswered() const { return out_.size(); }
  int sends(const std::string& key) { return sends_[key]; }

 private:
  bool isOut(const std::string& key) const {
    return std::ranges::any_of(out_, [&](const Out& each) { return each.key == key; });
  }

  Outbox outbox_;
  Time now_{};
  std::deque<Out> out_;
  std::map<std::string, Time> notBefore_;
  std::map<std::string, Time> mustBy_;
  std::map<std::string, bool> seen_;
  std::map<std::string, bool> failed_;
  std::map<std::string, int> sends_;
};

RC_GTEST_PROP(OutboxProperty, OneCommandPerIntentionAndNoAnswerIsLost, ()) {
  Model model;
  const auto steps = *rc::gen::inRange(1, 300);
  for (int i = 0; i < steps; ++i) {
    const std::string key = "k" + std::to_string(*rc::gen::inRange(0, kKeys));
    switch (*rc::gen::inRange(0, 7)) {
      case 0:
      case 1:
      case 2:
        model.ask(key, *rc::gen::inRange(0, 2));
        break;
      case 3:
        model.answer(*rc::gen::inRange<std::size_t>(0, 8), Outcome::Succeeded);
        break;
      case 4:
        model.answer(*rc::gen::inRange<std::size_t>(0, 8),
                     *rc::gen::element(Outcome::Conflict, Outcome::Rejected, Outcome::Unknown));
        break;
      case 5:
        model.see(key);
        break;
      default:
        model.pass(milliseconds(*rc::gen::inRange(0, 12'000)));
    }
  }
  RC_ASSERT(model.unanswered() <= static_cast<std::size_t>(kKeys));
}

// Asked for all the time, with answers after any time: 5 + 10 + 20 + 40 s and the answers' own time lie
// between the sends.
RC_GTEST_PROP(OutboxProperty, WhatHasNoEffectIsSentAFewTimesInAMinute, ()) {
  Model model;
  const auto late = *rc::gen::inRange(0, 30);  // seconds until an answer comes
  int waiting = 0;
  for (int second = 0; second < 60; ++second) {
    model.ask("k", 0);
    if (model.unanswered() > 0 && waiting++ >= late) {
      model.answer(0, Outcome::Succeeded);
      waiting = 0;
    }
    model.pass(seconds(1));
  }
  RC_ASSERT(model.sends("k") <= 4);
}

}  // namespace
}  // namespace tidegate
