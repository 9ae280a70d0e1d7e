#include "scheduler/conf_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "scheduler/conf_names.hpp"
#include "scheduler/conf_values.hpp"

namespace tidegate::scheduler {
namespace {

using api::Member;
using api::Value;

struct DurationSetting {
  std::string_view name;
  Duration Policy::* setting;
};
constexpr std::array kDurations = {
    DurationSetting{"tidegate.recallDeadline", &Policy::recallDeadline},
    DurationSetting{"tidegate.minRuntime", &Policy::minRuntime},
    DurationSetting{"tidegate.checkpointInterval", &Policy::checkpointInterval},
    DurationSetting{"tidegate.restartCost", &Policy::restartCost},
    DurationSetting{"tidegate.jobPenalty", &Policy::jobPenalty},
};
constexpr std::string_view kStraddleRatio = "tidegate.straddleRatio";
constexpr std::string_view kOverrideBudgets = "tidegate.overrideBudgets";

std::vector<std::string_view> ownSettings() {
  std::vector<std::string_view> names = namesOf(std::span<const DurationSetting>(kDurations));
  names.insert(names.end(), {kStraddleRatio, kOverrideBudgets});
  return names;
}

class SettingsReader {
 public:
  SettingsReader(Policy& policy, api::Findings& findings) : policy_(policy), findings_(findings) {}

  void read(const Value& section) {
    if (section.isNull()) return;
    if (section.items() == nullptr) {
      findings_.error(section.at, "configurations", fmt::format("want a list, got {}", section.describe()));
      return;
    }
    for (std::size_t i = 0; i < section.items()->size(); ++i) {
      readAction((*section.items())[i], fmt::format("configurations[{}]", i));
    }
  }

 private:
  void readAction(const Value& value, const std::string& path) {
    const std::string_view name = value.textOf("name");
    if (findNamed(knownActions(), name) == nullptr) {
      const Value* at = value.find("name");
      findings_.error(
          at == nullptr ? value.at : at->at, path + ".name",
          name.empty() ? "missing: the name of an action"
                       : fmt::format("unknown action {}{}", name, didYouMean(name, namesOf(knownActions()))));
      return;
    }
    const Value* arguments = value.find("arguments");
    if (arguments == nullptr || arguments->isNull()) return;
    if (arguments->members() == nullptr) {
      findings_.error(arguments->at, path + ".arguments",
                      fmt::format("want a map, got {}", arguments->describe()));
      return;
    }
    for (const Member& member : *arguments->members()) {
      readArgument(name, member, fmt::format("{}.arguments.{}", path, member.key));
    }
  }

  void readArgument(std::string_view action, const Member& member, const std::string& field) {
    const auto known = knownActionArguments();
    const auto own = ownSettings();
    if (std::find(own.begin(), own.end(), member.key) != own.end()) {
      if (action == "reclaim" || action == "gangreclaim") {
        readSetting(member, field);
      } else {
        findings_.error(member.at, field, "this setting belongs to the action reclaim");
      }
    } else if (std::find(known.begin(), known.end(), member.key) != known.end()) {
      findings_.warn(member.at, field, "no effect: candidates are neither sampled nor cached here");
    } else {
      std::vector<std::string_view> all(known.begin(), known.end());
      all.insert(all.end(), own.begin(), own.end());
      findings_.warn(member.at, field, "unknown argument, ignored" + didYouMean(member.key, all));
    }
  }

  void readSetting(const Member& member, const std::string& field) {
    if (const auto* duration = findNamed(std::span<const DurationSetting>(kDurations), member.key)) {
      keep(toDuration(member.value), policy_.*(duration->setting), "a duration such as 15s or 10m", member,
           field);
    } else if (member.key == kOverrideBudgets) {
      keep(toBool(member.value), policy_.overrideBudgets, "true or false", member, field);
    } else {
      const auto ratio = toNumber(member.value);
      keep(ratio.value_or(0) >= 1 ? ratio : std::nullopt, policy_.straddleRatio, "a number, one or more",
           member, field);
    }
  }

  template <class T>
  void keep(const std::optional<T>& value, T& setting, std::string_view wanted, const Member& member,
            const std::string& field) {
    if (value) {
      setting = *value;
    } else {
      findings_.error(member.value.at, field,
                      fmt::format("want {}, got {}", wanted, member.value.describe()));
    }
  }

  Policy& policy_;
  api::Findings& findings_;
};

}  // namespace

void readConfigurations(const api::Value& section, Policy& policy, api::Findings& findings) {
  SettingsReader(policy, findings).read(section);
}

}  // namespace tidegate::scheduler
