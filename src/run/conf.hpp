// volcano-scheduler.conf of a running scheduler: where it comes from, and how it is taken over anew without a
// restart. A new one that is wrong changes nothing: the old one stays, and the error is told.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/error.hpp"
#include "protocol/controller.hpp"
#include "scheduler/policy.hpp"

namespace tidegate::run {

// The text of a file as conf, or of a ConfigMap's only entry (or the one called volcano-scheduler.conf).
Result<scheduler::Policy> policyOf(const std::string& text, const std::string& source);
Result<std::string> confTextOf(const api::ConfigMap& map);

// Follows the ConfigMap. Its first sight of it is compared with the text that is in use already.
class ConfMapController : public Controller {
 public:
  using Use = std::function<void(const scheduler::Policy&)>;
  // `map` is "namespace/name"; `text` is in use, or empty.
  ConfMapController(std::string map, std::string text, Use use);

  std::vector<Command> handle(const Event& event, Time now) override;

 private:
  std::vector<Command> seen(const api::ConfigMap& map);
  std::vector<Command> lost(const api::ObjectRef& map);

  std::string map_;
  std::string text_;  // last looked at, good or bad
  Use use_;
  bool gone_ = false;
  CommandId lastId_ = 0;
};

}  // namespace tidegate::run
