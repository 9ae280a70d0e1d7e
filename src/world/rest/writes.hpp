// Requests that change something: create, replace, patch, delete, and the subresources.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/rng.hpp"
#include "world/kube/transport.hpp"
#include "world/rest/archive.hpp"
#include "world/rest/statuses.hpp"

namespace tidegate::rest {

class Writes {
 public:
  Writes(sim::SimApiServer& api, Archive& archive) : api_(api), archive_(archive) {}

  // POST, PUT, PATCH and DELETE.
  kube::HttpResponse answer(const kube::HttpRequest& request, const Target& target);
  // GET of the scale subresource.
  kube::HttpResponse readScale(const Target& target);

 private:
  kube::HttpResponse create(const kube::HttpRequest& request, Target target);
  kube::HttpResponse createNamed(const std::string& body, const Target& target);
  kube::HttpResponse replace(const kube::HttpRequest& request, const Target& target);
  kube::HttpResponse patch(const kube::HttpRequest& request, const Target& target);
  kube::HttpResponse apply(const kube::HttpRequest& request, const Target& target);
  kube::HttpResponse write(const std::string& object, const Target& target);
  kube::HttpResponse writeScale(const kube::HttpRequest& request, const Target& target);
  kube::HttpResponse remove(const kube::HttpRequest& request, const Target& target);
  kube::HttpResponse bind(const kube::HttpRequest& request, const Target& target);
  kube::HttpResponse evict(const kube::HttpRequest& request, const Target& target);
  kube::HttpResponse show(const Target& target, int code);
  std::string generated(const std::string& base);

  sim::SimApiServer& api_;
  Archive& archive_;
  Rng names_{0x9e0e5a};
};

}  // namespace tidegate::rest
