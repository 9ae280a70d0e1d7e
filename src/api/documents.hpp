// The two readers behind readDocuments, and what they share.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/value.hpp"

namespace tidegate::api {

// What is wrong with a document and where; the file's name is added by readDocuments.
struct SyntaxError {
  std::string message;
  Position at;
};

using Documents = std::expected<std::vector<Value>, SyntaxError>;

Documents readYamlDocuments(std::string_view text, const DocumentLimits& limits);
// One JSON value, or several one after the other.
Documents readJsonDocuments(std::string_view text, const DocumentLimits& limits);

// The second of two members with the same key.
const Member* findDuplicate(const Members& members);

}  // namespace tidegate::api
