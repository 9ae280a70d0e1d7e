#include "recall/search.hpp"

#include <algorithm>
#include <utility>

namespace tidegate::recall::solver {
namespace {

constexpr std::int64_t kLooksPerNode = 100;

}  // namespace

Search::Search(const Model& model, std::vector<Watch> watches, std::int64_t nodes)
    : model_(model), watches_(std::move(watches)), selection_(model), looksLeft_(nodes * kLooksPerNode) {}

void Search::run() {
  explore();
}

bool Search::hopeless() const {
  return std::ranges::any_of(watches_,
                             [](const Watch& watch) { return watch.lens.bound() >= watch.tooMuch; });
}

void Search::record() {
  if (selection_.cost() >= watches_[0].tooMuch) return;
  found_ = true;
  best_ = selection_.stopped();
  watches_[0].tooMuch = selection_.cost();
}

// The undecided group whose best option is cheapest beyond its price: deciding it moves the bound most.
Search::Branch Search::pick() {
  looksLeft_ -= static_cast<std::int64_t>(model_.optionCount());
  const Lens& lens = watches_[0].lens;
  Branch branch;
  Int128 least = kInfinite;
  for (Index g = 0; g < model_.groupCount(); ++g) {
    if (lens.isDecided(g) || selection_.missing(model_.groupDim[g]) <= 0) continue;
    for (Index o = model_.optionBegin[g]; o < model_.optionBegin[g + 1]; ++o) {
      if (lens.reduced(o) >= least || selection_.usefulGain(o) <= 0) continue;
      least = lens.reduced(o);
      branch.group = g;
    }
  }
  if (branch.group == kNoIndex) return branch;
  for (Index o = model_.optionBegin[branch.group]; o < model_.optionBegin[branch.group + 1]; ++o)
    if (selection_.usefulGain(o) > 0) branch.options.push_back(o);
  std::ranges::stable_sort(branch.options,
                           [&](Index a, Index b) { return lens.reduced(a) < lens.reduced(b); });
  return branch;
}

// False if neither this option nor any dearer one can lead to a better plan.
bool Search::tryOption(Index option) {
  if (watches_[0].lens.boundWith(option) >= watches_[0].tooMuch) return false;
  if (!selection_.fits(option)) return true;
  std::vector<Index> paid;
  for (Index edge : model_.optionEdges[option]) {
    const Index unit = model_.groupUnits.value(edge);
    if (selection_.isStopped(unit)) continue;
    paid.push_back(unit);
    selection_.stop(unit);
    for (Watch& watch : watches_) watch.lens.pay(unit);
  }
  const Index group = model_.optionGroup[option];
  for (Watch& watch : watches_) watch.lens.decide(group, model_.optionGain[option]);
  explore();
  for (Watch& watch : watches_) watch.lens.reopen(group);
  for (auto unit = paid.rbegin(); unit != paid.rend(); ++unit) {
    selection_.restore(*unit);
    for (Watch& watch : watches_) watch.lens.refund(*unit);
  }
  return true;
}

void Search::tryOptions(const Branch& branch) {
  for (Index option : branch.options)
    if (stoppedEarly_ || !tryOption(option)) return;
}

void Search::leaveOut(Index group) {
  const std::int64_t gain = selection_.gainOf(group);  // by units that others needed too
  for (Watch& watch : watches_) watch.lens.decide(group, gain);
}

void Search::explore() {
  if (hopeless()) return;
  if (selection_.covered()) return record();
  if (looksLeft_ <= 0) {
    stoppedEarly_ = true;
    frontier_ = std::min(frontier_, watches_[0].lens.bound());
    return;
  }
  std::vector<Index> left;
  while (!hopeless()) {
    const Branch branch = pick();
    if (branch.group == kNoIndex) break;
    tryOptions(branch);
    const Int128 before = watches_[0].lens.bound();
    leaveOut(branch.group);
    left.push_back(branch.group);
    if (!stoppedEarly_) continue;
    // What was not looked at here: without this group, or with another of its options.
    frontier_ = std::min(frontier_, branch.options.size() == 1 ? watches_[0].lens.bound() : before);
    break;
  }
  for (auto group = left.rbegin(); group != left.rend(); ++group)
    for (Watch& watch : watches_) watch.lens.reopen(*group);
}

}  // namespace tidegate::recall::solver
