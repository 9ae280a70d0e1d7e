// Watches every recall of a lab: no lender is left with less than it is entitled to.
//
// Judged by the brain's own books at the event in which a recall appears in them, as the decision was: what a
// queue borrows, by the queue tree and within it the ledger, is what recalls may take of it. All pods that
// recalls under way take count, also those that are still on their way out. Once a recall is over, the pods
// that it really stopped are held against what the lender borrowed when it began: what ended by itself counts
// for nobody. A gang that straddles the lender's line may go whole, if a guarantee backs the recall or it
// stops at most four GPUs for one that it delivers.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "lab.hpp"

namespace tidegate::lab {

class LenderWatch {
 public:
  explicit LenderWatch(Lab& lab);

  const std::vector<std::string>& wronged() const { return wronged_; }
  std::size_t judged() const { return judged_; }  // takings looked at, so that silence means something

 private:
  // What recalls take of one lender, gang by gang, in GPU milli-units.
  struct Takings {
    std::map<std::string, Amount> byGang;
    std::map<std::string, Amount> wholeGangs;
    Amount sum() const;
    Amount largestWhole() const;
  };
  struct Seen {
    std::map<std::string, Amount> borrowed;  // by lender, when it began
    std::map<std::string, Takings> others;   // by lender: of recalls that were under way
    bool over = false;
  };
  using ByLender = std::map<std::string, Takings>;

  void look();
  void learn(const api::Recall& recall);
  void begin(const api::Recall& recall);
  void finish(const api::Recall& recall);
  void judge(const api::Recall& recall, const std::string& when, const ByLender& takings,
             const std::map<std::string, Amount>& borrowed);
  void add(const api::Recall& recall, bool stoppedOnly, ByLender& takings);
  Amount gpusOf(const api::RecallPod& pod) const;
  bool mayStraddle(const api::Recall& recall, Amount taken) const;

  Lab& lab_;
  std::map<std::string, Seen> seen_;             // by name and start
  std::map<std::string, Amount> podGpus_;        // by uid: GPUs of every pod that a record names
  std::map<std::string, std::string> lenderOf_;  // by gang
  std::vector<std::string> wronged_;
  std::size_t judged_ = 0;
};

}  // namespace tidegate::lab
