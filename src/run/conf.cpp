#include "run/conf.hpp"

#include <fmt/format.h>

#include "run/log.hpp"
#include "scheduler/conf.hpp"

namespace tidegate::run {

Result<scheduler::Policy> policyOf(const std::string& text, const std::string& source) {
  TIDEGATE_TRY(const scheduler::ConfLoaded loaded, scheduler::readConf(text, source));
  for (const Error& notice : loaded.notices) logWarning("conf", {{"notice", notice.text()}});
  return loaded.policy;
}

Result<std::string> confTextOf(const api::ConfigMap& map) {
  const auto named = map.data.find("volcano-scheduler.conf");
  if (named != map.data.end()) return named->second;
  if (map.data.size() == 1) return map.data.begin()->second;
  return fail(Error{
      .message =
          fmt::format("want an entry volcano-scheduler.conf, or only one; there are {}", map.data.size()),
      .where = {.file = fmt::format("ConfigMap {}/{}", map.metadata.namespace_, map.metadata.name)},
      .field = "data"});
}

ConfMapController::ConfMapController(std::string map, std::string text, Use use)
    : map_(std::move(map)), text_(std::move(text)), use_(std::move(use)) {}

std::vector<Command> ConfMapController::handle(const Event& event, Time) {
  if (const auto* gone = std::get_if<ObjectGone>(&event);
      gone != nullptr && gone->ref.namespace_ + "/" + gone->ref.name == map_) {
    return lost(gone->ref);
  }
  const auto* object = std::get_if<ObjectSeen>(&event);
  const auto* map = object == nullptr ? nullptr : std::get_if<api::ConfigMap>(&object->object);
  if (map == nullptr || map->metadata.namespace_ + "/" + map->metadata.name != map_) return {};
  return seen(*map);
}

std::vector<Command> ConfMapController::lost(const api::ObjectRef& map) {
  gone_ = true;
  const std::string message = "the ConfigMap of the conf is gone; the conf in use stays";
  logWarning(message, {{"configmap", map_}});
  return {{.id = ++lastId_,
           .action = Emit{.about = map, .warning = true, .reason = "ConfGone", .message = message}}};
}

std::vector<Command> ConfMapController::seen(const api::ConfigMap& map) {
  if (std::exchange(gone_, false)) logInfo("the ConfigMap of the conf is back", {{"configmap", map_}});
  const Result<std::string> text = confTextOf(map);
  if (text && *text == text_) return {};
  Result<scheduler::Policy> policy =
      text ? policyOf(*text, "ConfigMap " + map_) : Result<scheduler::Policy>(std::unexpected(text.error()));
  if (text) text_ = *text;
  const bool good = policy.has_value();
  Emit news{.about = api::refOf(map),
            .warning = !good,
            .reason = good ? "ConfTaken" : "ConfRefused",
            .message = {}};
  if (good) {
    use_(*policy);
    news.message = "the new conf is in use";
    logInfo(news.message, {{"configmap", map_}});
  } else {
    news.message = policy.error().text() + "; the conf in use stays";
    logError("conf refused", {{"error", news.message}});
  }
  return {{.id = ++lastId_, .action = std::move(news)}};
}

}  // namespace tidegate::run
