// Kubernetes Status bodies: what went wrong, as a client reads it.
//
// Codes and reasons: k8s.io/apimachinery/pkg/api/errors and "Response Status Kind" of the API conventions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "world/kube/transport.hpp"
#include "world/rest/resources.hpp"

namespace tidegate::rest {

struct Cause {
  std::string reason;
  std::string message;
  std::string field = {};
};

struct Failure {
  int code = 500;
  std::string reason;  // "NotFound"
  std::string message;
  const Resource* resource = nullptr;  // for the details
  std::string name = {};
  int retryAfterSeconds = 0;  // 0: none
  std::vector<Cause> causes = {};
};

// The Status as JSON.
std::string statusBody(const Failure& failure);
kube::HttpResponse failed(const Failure& failure);
kube::HttpResponse succeeded(int code, std::string body);
// Status "Success", as deletes and bindings answer.
kube::HttpResponse done(int code, const Resource& resource, std::string_view name, std::string_view uid);

Failure notFound(const Target& target);
Failure badRequest(std::string message);
Failure invalid(const Target& target, std::string message, std::string field = {});
Failure conflict(const Target& target, std::string message);
Failure expired(std::string message);
Failure methodNotAllowed(const std::string& method);

}  // namespace tidegate::rest
