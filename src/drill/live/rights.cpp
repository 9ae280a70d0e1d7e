#include "drill/live/rights.hpp"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <initializer_list>

#include "api/json_access.hpp"

namespace tidegate::drill::live {
namespace {

namespace json = boost::json;

constexpr const char* kReviews = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
constexpr const char* kQueues = "queues.scheduling.volcano.sh";
constexpr const char* kPodGroups = "podgroups.scheduling.volcano.sh";
constexpr const char* kVcJobs = "jobs.batch.volcano.sh";
constexpr const char* kPriorityClasses = "priorityclasses.scheduling.k8s.io";

void add(std::vector<Right>& out, std::initializer_list<const char*> verbs,
         std::initializer_list<const char*> resources, bool namespaced = false) {
  for (const char* resource : resources) {
    for (const char* verb : verbs)
      out.push_back({.verb = verb, .resource = resource, .namespaced = namespaced});
  }
}

std::string reviewOf(const Right& right, const std::string& nameSpace) {
  const std::size_t dot = right.resource.find('.');
  json::object what{{"verb", right.verb}, {"resource", right.resource.substr(0, dot)}};
  if (dot != std::string::npos) what["group"] = right.resource.substr(dot + 1);
  if (right.namespaced) what["namespace"] = nameSpace;
  return json::serialize(json::object{{"apiVersion", "authorization.k8s.io/v1"},
                                      {"kind", "SelfSubjectAccessReview"},
                                      {"spec", json::object{{"resourceAttributes", std::move(what)}}}});
}

// Only a plain no is a no.
bool isRefusal(const kube::HttpResponse& answer) {
  boost::system::error_code error;
  const json::value body = json::parse(answer.body, error);
  const json::object* review = error ? nullptr : body.if_object();
  const json::object* status = review == nullptr ? nullptr : api::objectAt(*review, {"status"});
  const json::value* allowed = status == nullptr ? nullptr : status->if_contains("allowed");
  return allowed != nullptr && allowed->is_bool() && !allowed->as_bool();
}

}  // namespace

std::vector<Right> rightsNeeded(const LiveOptions& options) {
  std::vector<Right> out;
  add(out, {"list", "watch"},
      {"nodes", "pods", kQueues, kPodGroups, kVcJobs, "jobs.batch", "deployments.apps",
       "recalls.tidegate.dev"});
  add(out, {"get", "create", "delete"}, {"namespaces"});
  add(out, {"create", "delete"}, {kPriorityClasses});
  if (!options.liveVictims) add(out, {"create", "delete"}, {kQueues});
  add(out, {"create", "delete"}, {"pods", "jobs.batch", kPodGroups}, true);
  add(out, {"create"}, {"deployments.apps", kVcJobs}, true);
  add(out, {"patch"}, {"deployments.apps"}, true);
  return out;
}

Result<std::vector<Right>> missingRights(Writer& writer, const std::vector<Right>& rights,
                                         const std::string& nameSpace) {
  std::vector<std::string> reviews;
  reviews.reserve(rights.size());
  for (const Right& right : rights) reviews.push_back(reviewOf(right, nameSpace));
  TIDEGATE_TRY(const auto answers, writer.post(kReviews, std::move(reviews)));
  std::vector<Right> out;
  for (std::size_t i = 0; i < rights.size(); ++i) {
    if (isRefusal(answers[i])) out.push_back(rights[i]);
  }
  return out;
}

std::vector<std::string> explainMissing(const std::vector<Right>& missing) {
  std::vector<std::string> out;
  if (missing.empty()) return out;
  out.emplace_back("rights are missing (403 Forbidden); deploy/rbac/drill.yaml has a role with all of them:");
  out.emplace_back("  kubectl create clusterrolebinding my-drill --clusterrole=tidegate-drill --user=USER");
  for (const Right& right : missing) {
    out.push_back(fmt::format("  may not {}{}", right.text(), right.namespaced ? " in its namespace" : ""));
  }
  return out;
}

}  // namespace tidegate::drill::live
