// What the server can show: objects as JSON (turned into text once per version), and the latest changes of
// each resource, from which a watch can go on.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "world/rest/resources.hpp"
#include "world/sim/api_server.hpp"

namespace tidegate::rest {

using TextPtr = std::shared_ptr<const std::string>;

// One state of one object. With `removed`, its last one, under the version of its removal.
struct Revision {
  std::uint64_t version = 0;
  sim::ObjectPtr object;  // this one or the other
  sim::DocumentPtr document;
  bool removed = false;

  std::string_view namespace_() const;
  std::string_view name() const;
  std::string_view uid() const;
  std::string_view nodeName() const;  // of pods
};

// Created (no `before`), changed, or removed (no `after`).
struct Past {
  std::uint64_t version = 0;
  std::optional<Revision> before;
  std::optional<Revision> after;
};

class Archive {
 public:
  // Keeps `history` changes per resource.
  Archive(sim::SimApiServer& api, std::size_t history);

  std::uint64_t version() const { return api_.store().version(); }
  std::optional<Revision> find(const Resource& resource, const api::ObjectRef& ref) const;
  // In the order of namespace and name; of all namespaces if it is empty.
  std::vector<Revision> list(const Resource& resource, std::string_view namespace_) const;
  // The whole object; apiVersion and kind come first.
  TextPtr text(const Revision& revision);

  // The change the listener of the stores has been told; with the resource's index, unless it is none of
  // ours.
  std::optional<std::size_t> record(const sim::Change& change);
  std::optional<std::size_t> record(const sim::DocumentChange& change);
  // The latest first dropped.
  const std::deque<Past>& history(std::size_t resource) const { return histories_[resource]; }
  // Changes up to this version are not known any more.
  std::uint64_t floor(std::size_t resource) const { return floors_[resource]; }
  void forget();

  std::uint64_t serialised() const { return serialised_; }

 private:
  void keep(std::size_t resource, Past past);
  std::string print(const Revision& revision);

  sim::SimApiServer& api_;
  std::size_t limit_;
  std::vector<std::deque<Past>> histories_;
  std::vector<std::uint64_t> floors_;
  std::map<std::uint64_t, TextPtr> texts_;  // of what exists now, by version
  std::uint64_t serialised_ = 0;
};

}  // namespace tidegate::rest
