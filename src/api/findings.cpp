#include "api/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
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

void Findings::enterFile(const std::string& name) {
  const auto found = std::find(files_.begin(), files_.end(), name);
  file_ = static_cast<std::size_t>(found - files_.begin());
  if (found == files_.end()) files_.push_back(name);
}

Findings::Finding Findings::make(Position at, std::string field, std::string message) const {
  return {.error = {.message = std::move(message),
                    .where = {files_[file_], at.line, at.column},
                    .field = std::move(field)},
          .file = file_};
}

void Findings::error(Position at, std::string field, std::string message) {
  if (++errorCount_ <= kMostErrors) errors_.push_back(make(at, std::move(field), std::move(message)));
}

void Findings::warn(Position at, std::string field, std::string message) {
  const auto [entry, isNew] =
      warningIndex_.try_emplace(withoutIndices(field) + '\n' + message, warnings_.size());
  if (isNew) {
    warnings_.push_back(make(at, std::move(field), std::move(message)));
  } else {
    ++warnings_[entry->second].repeats;
  }
}

std::vector<Error> Findings::inOrder(std::vector<Finding> findings) {
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    return std::pair(a.file, a.error.where.line) < std::pair(b.file, b.error.where.line);
  });
  std::vector<Error> out;
  for (Finding& finding : findings) {
    if (finding.repeats > 0)
      finding.error.message += fmt::format(" (and {} more like this)", finding.repeats);
    out.push_back(std::move(finding.error));
  }
  return out;
}

std::vector<Error> Findings::takeErrors() {
  std::vector<Error> out = inOrder(std::move(errors_));
  if (errorCount_ > kMostErrors) {
    const auto message = fmt::format("{} more errors", errorCount_ - kMostErrors);
    out.push_back(Error{.message = message, .where = {files_[file_], 0, 0}});
  }
  return out;
}

std::vector<Error> Findings::takeWarnings() {
  return inOrder(std::move(warnings_));
}

}  // namespace tidegate::api
