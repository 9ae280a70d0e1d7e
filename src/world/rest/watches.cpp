#include "world/rest/watches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/text.hpp"

namespace tidegate::rest {

namespace {

std::string eventLine(std::string_view type, std::string_view object) {
  return fmt::format("{{\"type\":\"{}\",\"object\":{}}}\n", type, object);
}

Failure tooOld(std::string_view version, std::uint64_t floor) {
  return expired(fmt::format("too old resource version: {} ({})", version, floor + 1));
}

// What the parameters of a watch ask for that cannot be.
std::optional<Failure> refusal(const Target& target) {
  if (!target.isTrue("sendInitialEvents")) return std::nullopt;
  if (target.param("resourceVersionMatch") == "NotOlderThan") return std::nullopt;
  Failure failure = badRequest("sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
  failure.code = 422;
  failure.reason = "Invalid";
  return failure;
}

}  // namespace

std::string errorEvent(const Failure& failure) {
  return eventLine("ERROR", statusBody(failure));
}

std::optional<std::uint64_t> parseVersion(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::variant<Filter, Failure> Filter::of(const Target& target) {
  Filter filter;
  filter.namespace_ = target.namespace_;
  if (!target.param("labelSelector").empty())
    return badRequest("labelSelector is not served by the simulated API server");
  for (const std::string_view part : splitText(target.param("fieldSelector"), ',')) {
    if (part.empty()) continue;
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) return badRequest("invalid field selector: " + std::string(part));
    const bool negated = equals > 0 && part[equals - 1] == '!';
    std::string_view value = part.substr(equals + 1);
    if (value.starts_with('=')) value.remove_prefix(1);
    Term term{.field = std::string(part.substr(0, equals - (negated ? 1 : 0))),
              .value = std::string(value),
              .equal = !negated};
    const bool ofPods = target.resource->kind == "Pod" && term.field == "spec.nodeName";
    if (term.field != "metadata.name" && term.field != "metadata.namespace" && !ofPods)
      return badRequest("field label not supported: " + term.field);
    filter.terms_.push_back(std::move(term));
  }
  return filter;
}

bool Filter::matches(const Revision& revision) const {
  if (!namespace_.empty() && revision.namespace_() != namespace_) return false;
  return std::ranges::all_of(terms_, [&](const Term& term) {
    const std::string_view actual = term.field == "metadata.name"        ? revision.name()
                                    : term.field == "metadata.namespace" ? revision.namespace_()
                                                                         : revision.nodeName();
    return (actual == term.value) == term.equal;
  });
}

RestServer::Watching Watches::open(const Target& target, WatchSink sink) {
  if (const auto refused = refusal(target)) return {.response = failed(*refused)};
  auto filter = Filter::of(target);
  if (const auto* failure = std::get_if<Failure>(&filter)) return {.response = failed(*failure)};
  const std::string_view from = target.param("resourceVersion");
  if (!from.empty() && !parseVersion(from))
    return {.response = failed(badRequest("invalid resourceVersion: " + std::string(from)))};
  const WatchId id = ++last_;
  auto watch = std::make_shared<Watch>(Watch{.resource = indexOf(*target.resource),
                                             .filter = std::get<Filter>(std::move(filter)),
                                             .bookmarks = target.isTrue("allowWatchBookmarks"),
                                             .sink = std::move(sink)});
  const std::uint64_t version = parseVersion(from).value_or(0);
  if (version > 0 && !target.isTrue("sendInitialEvents") && version < archive_.floor(watch->resource)) {
    watch->sink.event(errorEvent(tooOld(from, archive_.floor(watch->resource))));
    watch->sink.end();
    return {.response = succeeded(200, ""), .id = id};
  }
  watches_[id] = watch;
  begin(*watch, target);
  planBookmark(id);
  const auto timeout = parseVersion(target.param("timeoutSeconds"));
  planEnd(id, timeout ? Duration(seconds(static_cast<std::int64_t>(*timeout))) : options_.watchTimeout);
  return {.response = succeeded(200, ""), .id = id};
}

// What existed, or what has happened since the version named.
void Watches::begin(Watch& watch, const Target& target) {
  const bool streamed = target.isTrue("sendInitialEvents");
  const std::uint64_t from = parseVersion(target.param("resourceVersion")).value_or(0);
  if (streamed || (from == 0 && target.param("sendInitialEvents").empty())) {
    for (const Revision& revision : archive_.list(*target.resource, target.namespace_)) {
      if (watch.filter.matches(revision)) watch.sink.event(eventLine("ADDED", *archive_.text(revision)));
    }
    if (streamed && watch.bookmarks) watch.sink.event(bookmark(watch, true));
    return;
  }
  if (from == 0) return;  // sendInitialEvents=false: from now on
  for (const Past& past : archive_.history(watch.resource)) {
    if (past.version > from) tell(watch, past);
  }
}

void Watches::tell(Watch& watch, const Past& past) {
  const bool before = past.before && watch.filter.matches(*past.before);
  const bool after = past.after && watch.filter.matches(*past.after);
  if (after) {
    watch.sink.event(eventLine(before ? "MODIFIED" : "ADDED", *archive_.text(*past.after)));
  } else if (before) {
    // The last matching state under the version of the change.
    Revision last = *past.before;
    last.version = past.version;
    last.removed = true;
    watch.sink.event(eventLine("DELETED", *archive_.text(last)));
  }
}

void Watches::changed(std::size_t resource) {
  const Past past = archive_.history(resource).empty() ? Past{} : archive_.history(resource).back();
  std::vector<std::shared_ptr<Watch>> concerned;
  for (const auto& [id, watch] : watches_) {
    if (watch->resource == resource) concerned.push_back(watch);
  }
  for (const auto& watch : concerned) tell(*watch, past);
}

std::string Watches::bookmark(const Watch& watch, bool initialEventsEnd) const {
  const Resource& resource = resources()[watch.resource];
  return eventLine(
      "BOOKMARK",
      fmt::format(R"({{"apiVersion":"{}","kind":"{}","metadata":{{"resourceVersion":"{}"{}}}}})",
                  resource.apiVersion(), resource.kind, archive_.version(),
                  initialEventsEnd ? R"(,"annotations":{"k8s.io/initial-events-end":"true"})" : ""));
}

void Watches::planBookmark(WatchId id) {
  const auto found = watches_.find(id);
  if (found == watches_.end() || !found->second->bookmarks) return;
  clock_.after(options_.bookmarkEvery, [this, id, alive = std::weak_ptr<bool>(alive_)] {
    if (alive.expired()) return;
    const auto watch = watches_.find(id);
    if (watch == watches_.end()) return;
    watch->second->sink.event(bookmark(*watch->second, false));
    planBookmark(id);
  });
}

void Watches::planEnd(WatchId id, Duration after) {
  clock_.after(after, [this, id, alive = std::weak_ptr<bool>(alive_)] {
    if (alive.expired()) return;
    const auto watch = watches_.find(id);
    if (watch == watches_.end()) return;
    const std::shared_ptr<Watch> ending = watch->second;
    watches_.erase(watch);
    ending->sink.end();
  });
}

void Watches::endAll() {
  const auto ending = std::exchange(watches_, {});
  for (const auto& [id, watch] : ending) watch->sink.end();
}

}  // namespace tidegate::rest
