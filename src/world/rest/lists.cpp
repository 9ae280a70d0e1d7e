#include "world/rest/lists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "world/rest/watches.hpp"

namespace tidegate::rest {

namespace {

// "<list>.<offset>"
struct Token {
  std::uint64_t list = 0;
  std::size_t offset = 0;
};
std::optional<Token> parseToken(std::string_view text) {
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto list = parseVersion(text.substr(0, dot));
  const auto offset = parseVersion(text.substr(dot + 1));
  if (!list || !offset) return std::nullopt;
  return Token{.list = *list, .offset = static_cast<std::size_t>(*offset)};
}

// The server has not seen that version yet.
Failure tooLarge(std::uint64_t asked, std::uint64_t current) {
  return {.code = 504,
          .reason = "Timeout",
          .message = fmt::format("Too large resource version: {}, current: {}", asked, current),
          .retryAfterSeconds = 1,
          .causes = {{.reason = "ResourceVersionTooLarge", .message = "Too large resource version"}}};
}

// In lists of built-in kinds the items do not repeat what the list says they are.
std::string_view itemText(const Resource& resource, const std::string& text) {
  static constexpr std::string_view kKind = "\"kind\":\"";
  if (resource.custom || !resource.typed) return text;
  const std::size_t kind = text.find(kKind);
  const std::size_t end = text.find("\",", kind + kKind.size());
  return std::string_view(text).substr(end + 2);
}

}  // namespace

void Lists::dropExpired() {
  std::erase_if(snapshots_, [&](const auto& entry) { return entry.second.expires <= clock_.now(); });
}

kube::HttpResponse Lists::answer(const Target& target) {
  dropExpired();
  std::size_t limit = static_cast<std::size_t>(parseVersion(target.param("limit")).value_or(0));
  if (!target.param("continue").empty()) return next(target, limit);
  const auto filter = Filter::of(target);
  if (const auto* failure = std::get_if<Failure>(&filter)) return failed(*failure);
  const std::uint64_t asked = parseVersion(target.param("resourceVersion")).value_or(0);
  if (asked > archive_.version()) return failed(tooLarge(asked, archive_.version()));
  if (target.param("resourceVersionMatch") == "Exact" && asked != archive_.version())
    return failed(expired(fmt::format("The resourceVersion {} for the provided list is too old.", asked)));
  // Version 0 is answered from the watch cache, which knows no chunks.
  if (target.param("resourceVersion") == "0") limit = 0;
  Snapshot snapshot{.resource = indexOf(*target.resource),
                    .version = archive_.version(),
                    .expires = clock_.now() + options_.continueFor,
                    .objects = archive_.list(*target.resource, target.namespace_)};
  std::erase_if(snapshot.objects,
                [&](const Revision& each) { return !std::get<Filter>(filter).matches(each); });
  const std::size_t total = snapshot.objects.size();
  if (limit == 0 || total <= limit)
    return page(*target.resource, {.snapshot = snapshot, .to = total, .continueToken = {}});
  const std::uint64_t list = ++last_;
  const Snapshot& kept = snapshots_.emplace(list, std::move(snapshot)).first->second;
  return page(*target.resource,
              {.snapshot = kept, .to = limit, .continueToken = fmt::format("{}.{}", list, limit)});
}

kube::HttpResponse Lists::next(const Target& target, std::size_t limit) {
  const auto token = parseToken(target.param("continue"));
  if (!token) return failed(badRequest("continue key is not valid"));
  if (const auto version = target.param("resourceVersion"); !version.empty() && version != "0")
    return failed(badRequest("specifying resource version is not allowed when using continue"));
  const auto found = snapshots_.find(token->list);
  if (found == snapshots_.end() || found->second.resource != indexOf(*target.resource)) {
    return failed(expired(
        "The provided continue parameter is too old to display a consistent list result. You can start a new "
        "list without the continue parameter."));
  }
  const Snapshot& snapshot = found->second;
  const std::size_t total = snapshot.objects.size();
  const std::size_t from = std::min(token->offset, total);
  const std::size_t to = limit == 0 ? total : std::min(total, from + limit);
  return page(*target.resource, {.snapshot = snapshot,
                                 .from = from,
                                 .to = to,
                                 .continueToken = to == total ? "" : fmt::format("{}.{}", token->list, to)});
}

kube::HttpResponse Lists::page(const Resource& resource, const Page& page) {
  std::string body = fmt::format(R"({{"kind":"{}List","apiVersion":"{}","metadata":{{"resourceVersion":"{}")",
                                 resource.kind, resource.apiVersion(), page.snapshot.version);
  if (!page.continueToken.empty()) {
    body += fmt::format(R"(,"continue":"{}","remainingItemCount":{})", page.continueToken,
                        page.snapshot.objects.size() - page.to);
  }
  body += R"(},"items":[)";
  for (std::size_t i = page.from; i < page.to; ++i) {
    const TextPtr text = archive_.text(page.snapshot.objects[i]);
    const std::string_view item = itemText(resource, *text);
    if (i > page.from) body += ',';
    if (item.size() != text->size()) body += '{';
    body += item;
  }
  body += "]}";
  return succeeded(200, std::move(body));
}

}  // namespace tidegate::rest
