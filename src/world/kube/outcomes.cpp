#include "world/kube/outcomes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace tidegate::kube {
namespace {

bool aboutUid(const Status& status) {
  return std::ranges::any_of(status.causes, [](const auto& cause) { return cause.field == "metadata.uid"; });
}

bool hasCause(const Status& status, std::string_view reason) {
  return std::ranges::any_of(status.causes, [&](const auto& cause) { return cause.reason == reason; });
}
bool wantsBudget(const Status& status) {
  return hasCause(status, "DisruptionBudget");
}

Outcome outcomeOf(int code, const Status& status) {
  if (code >= 200 && code < 300) return Outcome::Succeeded;
  switch (code) {
    case 409:
    case 412:
      return Outcome::Conflict;
    case 404:
    case 410:
      return Outcome::NotFound;
    case 422:
      return aboutUid(status) ? Outcome::Conflict : Outcome::Rejected;
    case 429:
      return wantsBudget(status) ? Outcome::Rejected : Outcome::Unknown;
    case 401:
    case 408:
      return Outcome::Unknown;
    default:
      return code >= 400 && code < 500 ? Outcome::Rejected : Outcome::Unknown;
  }
}

}  // namespace

Verdict verdictOf(const HttpResponse& response, Decoder& decoder) {
  if (response.ok()) return {};
  if (response.status == 0) {
    return {.outcome = Outcome::Unknown, .message = response.error.empty() ? "no answer" : response.error};
  }
  const Status status = decoder.status(response.body);
  return {.outcome = outcomeOf(response.status, status),
          .message = status.message.empty() ? fmt::format("HTTP {}", response.status) : status.message,
          .routine = wantsBudget(status) || hasCause(status, "NamespaceTerminating")};
}

bool connectionRefused(const HttpResponse& response) {
  if (response.status != 0) return false;
  std::string text = response.error;
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  static constexpr std::array kSigns = {"connection refused", "couldn't connect", "could not connect",
                                        "failed to connect"};
  return std::ranges::any_of(kSigns, [&](const char* sign) { return text.find(sign) != std::string::npos; });
}

bool notCarriedOut(const HttpResponse& response, const Verdict& verdict) {
  if (connectionRefused(response)) return true;
  if (response.status == 429) return verdict.outcome == Outcome::Unknown;
  return response.status == 503 && response.headers.contains("retry-after");
}

}  // namespace tidegate::kube
