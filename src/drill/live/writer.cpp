#include "drill/live/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>

#include "api/json_writer.hpp"
#include "api/write.hpp"
#include "world/kube/decode.hpp"
#include "world/kube/resources.hpp"

namespace tidegate::drill::live {
namespace {

constexpr int kTries = 4;
constexpr int kConflict = 409;
constexpr int kNotFound = 404;
constexpr Duration kRetryAfter = milliseconds(500);
constexpr Duration kAnswerWithin = seconds(40);
constexpr const char* kNamespaces = "/api/v1/namespaces";
constexpr const char* kBackground = R"({"propagationPolicy":"Background"})";

std::string titleOf(const api::ObjectRef& ref) {
  const std::string name = ref.namespace_.empty() ? ref.name : ref.namespace_ + "/" + ref.name;
  return ref.kind + " " + name;
}

bool worthAnotherTry(const kube::HttpResponse& answer) {
  return answer.status == 0 || answer.status == 429 || answer.status >= 500;
}

std::string complaint(const kube::HttpResponse& answer) {
  if (answer.status == 0) return answer.error.empty() ? "no answer" : answer.error;
  return saidBy(answer);
}

// What the answers of one batch go to; outlives a script that stops waiting for them.
struct Batch {
  std::vector<std::optional<kube::HttpResponse>> answers;
  std::set<std::size_t> repeated;
  bool complete() const {
    return std::ranges::all_of(answers, [](const auto& it) { return it.has_value(); });
  }
};

std::string namespaceJson(const std::string& name, const api::StringMap& labels) {
  api::JsonWriter json;
  json.beginObject();
  json.member("apiVersion", "v1");
  json.member("kind", "Namespace");
  json.key("metadata");
  json.beginObject();
  json.member("name", name);
  json.key("labels");
  json.beginObject();
  for (const auto& [key, value] : labels) json.member(key, value);
  json.endObject();
  json.endObject();
  json.endObject();
  return json.take();
}

}  // namespace

std::string saidBy(const kube::HttpResponse& answer) {
  const std::string said = kube::Decoder().status(answer.body).message;
  if (answer.status == 401)
    return said.empty() || said == "Unauthorized" ? "401 Unauthorized" : "401: " + said;
  return said.empty() ? fmt::format("HTTP {}", answer.status) : said;
}

Result<std::vector<kube::HttpResponse>> Writer::send(std::vector<Item> items) {
  const auto batch = std::make_shared<Batch>();
  batch->answers.resize(items.size());
  for (int tries = 1; tries <= kTries; ++tries) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (batch->answers[i] && !worthAnotherTry(*batch->answers[i])) continue;
      if (tries > 1) batch->repeated.insert(i);
      batch->answers[i].reset();
      transport_.send(items[i].request, [batch, i, waiter = &waiter_](kube::HttpResponse answer) {
        batch->answers[i] = std::move(answer);
        if (batch->complete()) waiter->poke();
      });
    }
    if (!waiter_.until([&] { return batch->complete(); }, kAnswerWithin)) {
      return fail(waiter_.interrupted().empty() ? "the server does not answer" : "interrupted");
    }
    if (std::ranges::none_of(batch->answers, [](const auto& it) { return worthAnotherTry(*it); })) break;
    if (tries < kTries) waiter_.pause(kRetryAfter * tries);
  }
  std::vector<kube::HttpResponse> out;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const kube::HttpResponse& answer = *batch->answers[i];
    // Made by an earlier try of which the answer was lost.
    const bool made =
        answer.status == kConflict && items[i].request.method == "POST" && batch->repeated.contains(i);
    const bool taken = answer.ok() || answer.status == items[i].accepted || made;
    if (!taken && !(items[i].any && answer.status != 0))
      return fail(fmt::format("{}: {}", items[i].what, complaint(answer)));
    out.push_back(answer);
  }
  return out;
}

Result<Ok> Writer::create(const std::vector<api::Object>& objects) {
  std::vector<Item> items;
  for (const api::Object& object : objects) {
    const kube::Resource& resource = kube::objectResources()[object.index()];
    items.push_back({.what = "creating " + titleOf(api::refOf(object)),
                     .request = {.method = "POST",
                                 .path = resource.listPath(api::metadataOf(object).namespace_),
                                 .body = api::toJson(object)}});
  }
  TIDEGATE_TRY([[maybe_unused]] const auto answers, send(std::move(items)));
  return Ok{};
}

Result<Ok> Writer::createNamespace(const std::string& name, const api::StringMap& labels) {
  TIDEGATE_TRY(
      [[maybe_unused]] const auto answers,
      send({{.what = "creating Namespace " + name,
             .request = {.method = "POST", .path = kNamespaces, .body = namespaceJson(name, labels)}}}));
  return Ok{};
}

Result<Ok> Writer::scale(const api::ObjectRef& target, int replicas) {
  TIDEGATE_TRY(std::string path, kube::pathOf(target));
  TIDEGATE_TRY([[maybe_unused]] const auto answers,
               send({{.what = "scaling " + titleOf(target),
                      .request = {.method = "PATCH",
                                  .path = std::move(path),
                                  .body = fmt::format(R"({{"spec":{{"replicas":{}}}}})", replicas),
                                  .contentType = "application/merge-patch+json"}}}));
  return Ok{};
}

Result<Ok> Writer::remove(const std::vector<api::ObjectRef>& targets) {
  std::vector<Item> items;
  for (const api::ObjectRef& target : targets) {
    TIDEGATE_TRY(std::string path, kube::pathOf(target));
    items.push_back({.what = "deleting " + titleOf(target),
                     .request = {.method = "DELETE", .path = std::move(path), .body = kBackground},
                     .accepted = kNotFound});
  }
  TIDEGATE_TRY([[maybe_unused]] const auto answers, send(std::move(items)));
  return Ok{};
}

Result<Ok> Writer::removeNamespace(const std::string& name) {
  TIDEGATE_TRY(
      [[maybe_unused]] const auto answers,
      send({{.what = "deleting Namespace " + name,
             .request = {.method = "DELETE", .path = fmt::format("{}/{}", kNamespaces, name), .body = {}},
             .accepted = kNotFound}}));
  return Ok{};
}

Result<bool> Writer::namespaceExists(const std::string& name) {
  TIDEGATE_TRY(const auto answers,
               send({{.what = "reading Namespace " + name,
                      .request = {.path = fmt::format("{}/{}", kNamespaces, name), .body = {}},
                      .accepted = kNotFound}}));
  return answers.front().ok();
}

Result<kube::HttpResponse> Writer::ask(const std::string& path) {
  TIDEGATE_TRY(auto answers,
               send({{.what = "asking for " + path, .request = {.path = path, .body = {}}, .any = true}}));
  return std::move(answers.front());
}

Result<std::vector<kube::HttpResponse>> Writer::post(const std::string& path,
                                                     std::vector<std::string> bodies) {
  std::vector<Item> items;
  for (std::string& body : bodies) {
    items.push_back(
        {.what = "asking " + path, .request = {.method = "POST", .path = path, .body = std::move(body)}});
  }
  return send(std::move(items));
}

}  // namespace tidegate::drill::live
