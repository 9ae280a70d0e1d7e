// What an answer of the API server means for a command.
//
// clang-format off
//   2xx                                                     Succeeded
//   409, 412, 422 about the uid                             Conflict    (a patch that names another uid is 422:
//                                                                        the field is immutable)
//   404, 410                                                NotFound
//   429 of an eviction for want of budget, other 4xx        Rejected
//   no answer, 401, 408, 429, 5xx                           Unknown
// clang-format on
#pragma once

#include <string>

#include "protocol/events.hpp"
#include "world/kube/decode.hpp"
#include "world/kube/transport.hpp"

namespace tidegate::kube {

struct Verdict {
  Outcome outcome = Outcome::Succeeded;
  std::string message = {};
  // Rejected in the normal course of things (no budget, a namespace that goes): nobody need be told.
  bool routine = false;
  bool ok() const { return outcome == Outcome::Succeeded; }
};

Verdict verdictOf(const HttpResponse& response, Decoder& decoder);

// The server has not acted, and asks to be asked again: 429 or 503 with Retry-After (but not an eviction
// refused for want of budget), or nobody took the connection.
bool notCarriedOut(const HttpResponse& response, const Verdict& verdict);
// No program listened at the address.
bool connectionRefused(const HttpResponse& response);

}  // namespace tidegate::kube
