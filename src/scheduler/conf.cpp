#include "scheduler/conf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "api/findings.hpp"
#include "api/value.hpp"
#include "core/text.hpp"
#include "scheduler/conf_document.hpp"
#include "scheduler/conf_names.hpp"
#include "scheduler/conf_settings.hpp"
#include "scheduler/conf_values.hpp"

namespace tidegate::scheduler {
namespace {

using api::Member;
using api::Members;
using api::Value;

class ConfReader {
 public:
  explicit ConfReader(const std::string& fileName) { findings_.enterFile(fileName); }

  void read(const ConfDocument& document) {
    if (document.severalFound)
      notice({}, "", "the file holds several documents; only the first conf is read");
    if (!document.tree) {
      notice({}, "", "the conf is empty: " + describeDefaults());
      return;
    }
    const Value& root = *document.tree;
    if (root.members() == nullptr) {
      error(root, "", fmt::format("want a map with actions and tiers, got {}", root.describe()));
      return;
    }
    for (const Member& member : *root.members()) readSection(member);
    if (!actionsRead_) notice(root.at, "actions", "not set: " + describeDefaults());
    if (!tiersRead_) notice(root.at, "tiers", "not set: " + describeDefaults());
    if (tiersRead_) applyPlugins(root);
    noteMissingActions(root);
  }

  api::Findings& findings() { return findings_; }
  const Policy& policy() const { return policy_; }

 private:
  void error(const Value& at, std::string field, std::string message) {
    findings_.error(at.at, std::move(field), std::move(message));
  }
  void notice(api::Position at, std::string field, std::string message) {
    findings_.warn(at, std::move(field), std::move(message));
  }

  static std::string describeDefaults() {
    return "the default is used: actions \"allocate, backfill, preempt, reclaim\"; plugins priority, gang, "
           "drf, "
           "predicates, nodeorder";
  }

  void readSection(const Member& section) {
    static constexpr std::array<std::string_view, 4> kSections = {"actions", "tiers", "configurations",
                                                                  "metrics"};
    if (section.key == "actions") {
      readActions(section.value);
    } else if (section.key == "tiers") {
      readTiers(section.value);
    } else if (section.key == "configurations") {
      readConfigurations(section.value, policy_, findings_);
    } else if (section.key != "metrics") {
      const std::string hint = didYouMean(section.key, kSections);
      // A misspelt section is a section lost; a strange one is only not for us.
      if (!hint.empty()) {
        findings_.error(section.at, section.key, "unknown section" + hint);
      } else {
        notice(section.at, section.key, "unknown section, ignored");
      }
    }
  }

  void readActions(const Value& value) {
    if (value.isNull()) return;
    if (value.scalar() == nullptr) {
      error(value, "actions",
            fmt::format("want text such as \"allocate, reclaim\", got {}", value.describe()));
      return;
    }
    if (trimText(value.scalar()->text).empty()) return;
    actionsRead_ = true;
    policy_.actions.clear();
    for (std::string_view part : splitText(value.scalar()->text, ',')) readAction(value, trimText(part));
  }

  void readAction(const Value& at, std::string_view name) {
    if (name.empty()) return;
    const KnownAction* action = findNamed(knownActions(), name);
    if (action == nullptr) {
      error(at, "actions",
            fmt::format("unknown action {}{}", name, didYouMean(name, namesOf(knownActions()))));
      return;
    }
    if (!action->notice.empty()) notice(at.at, "actions", fmt::format("{}: {}", name, action->notice));
    if (!action->kind) return;
    auto& actions = policy_.actions;
    if (std::find(actions.begin(), actions.end(), *action->kind) != actions.end()) {
      notice(at.at, "actions",
             fmt::format("{}: already there; it runs once, where it was named first", name));
      return;
    }
    actions.push_back(*action->kind);
  }

  void noteMissingActions(const Value& root) {
    const auto has = [&](ActionKind kind) {
      return std::find(policy_.actions.begin(), policy_.actions.end(), kind) != policy_.actions.end();
    };
    const Value* actions = root.find("actions");
    const api::Position at = actions == nullptr ? root.at : actions->at;
    if (!has(ActionKind::Allocate)) notice(at, "actions", "allocate is not named: no pod will be started");
    if (!has(ActionKind::Reclaim)) {
      notice(at, "actions", "reclaim is not named: borrowed capacity will not be recalled across queues");
    }
  }

  void readTiers(const Value& value) {
    if (value.isNull()) return;
    const api::Items* tiers = value.items();
    if (tiers == nullptr) {
      error(value, "tiers", fmt::format("want a list, got {}", value.describe()));
      return;
    }
    tiersRead_ = true;
    for (std::size_t i = 0; i < tiers->size(); ++i) readTier((*tiers)[i], fmt::format("tiers[{}]", i));
  }

  void readTier(const Value& tier, const std::string& path) {
    if (tier.members() == nullptr) {
      error(tier, path, fmt::format("want a map with plugins, got {}", tier.describe()));
      return;
    }
    for (const Member& member : *tier.members()) {
      static constexpr std::array<std::string_view, 1> kKeys = {"plugins"};
      if (member.key != "plugins") {
        findings_.error(member.at, path + "." + member.key, "unknown field" + didYouMean(member.key, kKeys));
      } else if (const api::Items* plugins = member.value.items()) {
        for (std::size_t i = 0; i < plugins->size(); ++i) {
          readPlugin((*plugins)[i], fmt::format("{}.plugins[{}]", path, i));
        }
      } else if (!member.value.isNull()) {
        error(member.value, path + ".plugins", fmt::format("want a list, got {}", member.value.describe()));
      }
    }
  }

  void readPlugin(const Value& value, const std::string& path) {
    const Value* name = value.find("name");
    if (name == nullptr || name->scalar() == nullptr) {
      error(value, path, fmt::format("want a map with name, got {}", value.describe()));
      return;
    }
    const std::string& text = name->scalar()->text;
    const KnownPlugin* plugin = findNamed(knownPlugins(), text);
    if (plugin == nullptr) {
      error(*name, path + ".name",
            fmt::format("unknown plugin {}{}", text, didYouMean(text, namesOf(knownPlugins()))));
      return;
    }
    if (!plugins_.insert(plugin->name).second) {
      notice(name->at, path + ".name",
             fmt::format("{}: named twice; flags and arguments of both count", text));
    }
    if (!plugin->notice.empty())
      notice(name->at, path + ".name", fmt::format("{}: {}", text, plugin->notice));
    for (const Member& member : *value.members()) {
      if (member.key == "arguments") {
        readArguments(*plugin, member.value, path + ".arguments");
      } else if (member.key != "name") {
        readFlag(*plugin, member, path + "." + member.key);
      }
    }
  }

  void readFlag(const KnownPlugin& plugin, const Member& member, const std::string& path) {
    const auto flags = knownFlags();
    if (std::find(flags.begin(), flags.end(), member.key) == flags.end()) {
      notice(member.at, path, "unknown flag, ignored" + didYouMean(member.key, flags));
      return;
    }
    if (member.value.isNull()) return;
    const auto on = toBool(member.value);
    if (!on) {
      error(member.value, path, fmt::format("want true or false, got {}", member.value.describe()));
    } else if (member.key == plugin.flag) {
      if (!*on) switchedOff_.insert(plugin.name);
    } else if (!*on && plugin.notice.empty()) {
      notice(member.at, path,
             fmt::format("no effect: {} has no such part here that could be off", plugin.name));
    }
  }

  void readArguments(const KnownPlugin& plugin, const Value& value, const std::string& path) {
    if (value.isNull()) return;
    if (value.members() == nullptr) {
      error(value, path, fmt::format("want a map, got {}", value.describe()));
      return;
    }
    for (const Member& member : *value.members()) {
      const std::string field = path + "." + member.key;
      if (member.key.ends_with(".weight") && !readWeight(plugin, member, field)) continue;
      if (plugin.name != "nodeorder" && plugin.notice.empty()) {
        notice(member.at, field, fmt::format("no effect: {} takes no arguments here", plugin.name));
      }
    }
  }

  // False if it is no weight: told.
  bool readWeight(const KnownPlugin& plugin, const Member& member, const std::string& field) {
    const auto number = toNumber(member.value);
    if (!number || *number < 0 || *number != std::floor(*number)) {
      error(member.value, field,
            fmt::format("want a whole number, zero or more, got {}", member.value.describe()));
      return false;
    }
    if (plugin.name != "nodeorder") return true;
    const KnownWeight* weight = findNamed(knownNodeOrderWeights(), member.key);
    if (weight == nullptr) {
      notice(member.at, field,
             "unknown weight, ignored" + didYouMean(member.key, namesOf(knownNodeOrderWeights())));
    } else if (weight->weight == nullptr) {
      notice(member.at, field, "no effect: this is not scored here");
    } else {
      policy_.nodeOrderWeights.*(weight->weight) = *number;
    }
    return true;
  }

  void applyPlugins(const Value& root) {
    const Value* tiers = root.find("tiers");
    for (const KnownPlugin& plugin : knownPlugins()) {
      if (plugin.rule == nullptr) continue;
      policy_.*(plugin.rule) = plugins_.contains(plugin.name) && !switchedOff_.contains(plugin.name);
    }
    if (!policy_.predicates) {
      notice(tiers->at, "tiers", "predicates is off: node selectors, affinity and taints are not looked at");
    }
    if (!policy_.gangOrder)
      notice(tiers->at, "tiers",
             "gang is off: it orders jobs no more; gangs start whole or not at all as ever");
    if (!plugins_.contains("capacity") && !plugins_.contains("proportion")) {
      notice(tiers->at, "tiers",
             "no quota plugin (capacity, proportion) is named; quota is on all the same. Volcano would "
             "enforce none");
    }
  }

  api::Findings findings_;
  Policy policy_;
  std::set<std::string_view> plugins_;
  std::set<std::string_view> switchedOff_;
  bool actionsRead_ = false;
  bool tiersRead_ = false;
};

// Text that stands in one line of the file cannot tell its own lines as the file's.
Error placed(Error error, const std::optional<api::Position>& place) {
  if (!place || error.where.line == 0) return error;
  error.message += fmt::format(" (line {} of the conf)", error.where.line);
  error.where.line = place->line;
  error.where.column = place->column;
  return error;
}

}  // namespace

Result<ConfLoaded> readConf(std::string_view text, const std::string& fileName) {
  TIDEGATE_TRY(const ConfDocument document, findConf(text, fileName));
  ConfReader reader(fileName);
  reader.read(document);
  if (std::vector<Error> errors = reader.findings().takeErrors(); !errors.empty()) {
    Error first = placed(std::move(errors.front()), document.placeOf);
    if (errors.size() > 1) first.message += fmt::format(" (and {} more errors)", errors.size() - 1);
    return fail(std::move(first));
  }
  ConfLoaded loaded{.policy = reader.policy(), .notices = {}};
  for (Error& notice : reader.findings().takeWarnings()) {
    loaded.notices.push_back(placed(std::move(notice), document.placeOf));
  }
  return loaded;
}

}  // namespace tidegate::scheduler
