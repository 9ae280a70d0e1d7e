#include "world/kube/kubeconfig_index.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace tidegate::kube {
namespace {

template <class Entries>
std::vector<std::string> namesOf(const Entries& entries) {
  std::vector<std::string> names;
  for (const auto& [name, node] : entries) names.push_back(name);
  return names;
}

template <class Entries>
std::string notFound(const char* kind, const std::string& name, const Entries& entries) {
  if (entries.empty()) return fmt::format("no {} \"{}\": there are none", kind, name);
  return fmt::format("no {} \"{}\"; there are: {}", kind, name, fmt::join(namesOf(entries), ", "));
}

}  // namespace

Result<Ok> KubeconfigIndex::add(const KubeconfigFile& file) {
  TIDEGATE_TRY(std::vector<api::Value> documents, api::readDocuments(file.text, file.path));
  if (documents.size() > 1)
    return fail(Error{.message = "want one document", .where = {file.path, documents[1].at.line, 0}});
  if (documents.empty()) return Ok{};
  documents_.push_back(std::move(documents));
  return addDocument(KubeconfigNode(documents_.back().front(), file.path));
}

Result<Ok> KubeconfigIndex::addDocument(const KubeconfigNode& root) {
  TIDEGATE_TRY([[maybe_unused]] const Ok map, root.wantMap());
  TIDEGATE_TRY(const std::string kind, root.text("kind"));
  if (!kind.empty() && kind != "Config")
    return fail(root.member("kind").error(fmt::format("want Config, got \"{}\"", kind)));
  TIDEGATE_TRY(const std::string current, root.text("current-context"));
  if (currentContext_.empty()) currentContext_ = current;
  const auto lists = {std::tuple{"contexts", "context", &contexts_},
                      std::tuple{"clusters", "cluster", &clusters_}, std::tuple{"users", "user", &users_}};
  for (const auto& [list, body, entries] : lists) {
    TIDEGATE_TRY([[maybe_unused]] const Ok added, addEntries(root.member(list), body, *entries));
  }
  return Ok{};
}

Result<Ok> KubeconfigIndex::addEntries(const KubeconfigNode& list, std::string_view body, Entries& out) {
  TIDEGATE_TRY(const auto items, list.items());
  Entries found;
  for (const KubeconfigNode& item : items) {
    TIDEGATE_TRY([[maybe_unused]] const Ok map, item.wantMap());
    TIDEGATE_TRY(const std::string name, item.text("name"));
    if (name.empty()) return fail(item.error("has no name"));
    if (!found.emplace(name, item.member(body)).second)
      return fail(item.member("name").error(fmt::format("\"{}\" is there twice", name)));
    TIDEGATE_TRY([[maybe_unused]] const Ok bodyMap, item.member(body).wantMap());
  }
  out.merge(found);
  return Ok{};
}

Result<KubeconfigNode> KubeconfigIndex::context(const std::string& name) const {
  const auto found = contexts_.find(name);
  if (found == contexts_.end()) return fail(notFound("context", name, contexts_));
  return found->second;
}

Result<KubeconfigNode> KubeconfigIndex::cluster(const KubeconfigNode& asked, const std::string& name) const {
  const auto found = clusters_.find(name);
  if (found == clusters_.end()) return fail(asked.error(notFound("cluster", name, clusters_)));
  return found->second;
}

Result<KubeconfigNode> KubeconfigIndex::user(const KubeconfigNode& asked, const std::string& name) const {
  const auto found = users_.find(name);
  if (found == users_.end()) return fail(asked.error(notFound("user", name, users_)));
  return found->second;
}

std::vector<std::string> KubeconfigIndex::contextNames() const {
  return namesOf(contexts_);
}

}  // namespace tidegate::kube
