#include "api/findings.hpp"

#include <fmt/format.h>

#include <utility>

namespace tidegate::api {
namespace {

constexpr std::size_t kMostErrors = 100;

// "spec.containers[3].imag" -> "spec.containers[].imag"
std::string withoutIndices(const std::string& field) {
  std::string out;
  bool inside = false;
  for (char c : field) {
    if (c == ']') inside = false;
    if (!inside) out.push_back(c);
    if (c == '[') inside = true;
  }
  return out;
}

}  // namespace

Error Findings::make(Position at, std::string field, std::string message) const {
  return {.message = std::move(message), .where = {file_, at.line, at.column}, .field = std::move(field)};
}

void Findings::error(Position at, std::string field, std::string message) {
  if (++errorCount_ <= kMostErrors) errors_.push_back(make(at, std::move(field), std::move(message)));
}

void Findings::warn(Position at, std::string field, std::string message) {
  const auto [entry, isNew] =
      warningIndex_.try_emplace(withoutIndices(field) + '\n' + message, warnings_.size());
  if (!isNew) {
    ++repeats_[entry->second];
    return;
  }
  warnings_.push_back(make(at, std::move(field), std::move(message)));
  repeats_.push_back(0);
}

std::vector<Error> Findings::takeErrors() {
  if (errorCount_ > kMostErrors) {
    errors_.push_back(
        Error{.message = fmt::format("{} more errors", errorCount_ - kMostErrors), .where = {file_, 0, 0}});
  }
  return std::move(errors_);
}

std::vector<Error> Findings::takeWarnings() {
  for (std::size_t i = 0; i < warnings_.size(); ++i) {
    if (repeats_[i] > 0) warnings_[i].message += fmt::format(" (and {} more like this)", repeats_[i]);
  }
  return std::move(warnings_);
}

}  // namespace tidegate::api
