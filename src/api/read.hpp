// Kubernetes objects out of the text of files, as `kubectl get -o yaml` and `-o json` print them and users
// write them: several documents, List kinds, YAML or JSON. Files are read by the caller.
//
// Errors are all those of all files, as far as one does not hide the next; a file that is no YAML or JSON
// ends with its first. Warnings: what is skipped or doubtful. Unknown kinds are skipped with a notice. Unset
// namespaces of namespaced kinds are read as "default"; a vcjob's minAvailable of 0 as not set.
#pragma once

#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/objects.hpp"
#include "api/value.hpp"
#include "core/error.hpp"

namespace tidegate::api {

// A live cluster's odd queues are told of and read safely; a file that is about to be applied is held to the
// rules.
enum class Strictness : std::uint8_t { Lenient, Strict };

struct ReadOptions {
  Strictness strictness = Strictness::Lenient;
  DocumentLimits limits = {};
};

struct Loaded {
  std::vector<Object> objects;  // in the order of the files
  std::vector<Error> warnings;
};
using ReadResult = std::expected<Loaded, std::vector<Error>>;

struct SourceText {
  std::string name;  // as messages should show it
  std::string_view text;
};

// Files that belong together: a queue may name a parent that stands in another file.
ReadResult readFiles(std::span<const SourceText> files, const ReadOptions& options = {});
ReadResult readObjects(std::string_view text, const std::string& fileName, const ReadOptions& options = {});

}  // namespace tidegate::api
