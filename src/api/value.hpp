// A document as it stands in a file, before it is given meaning: each node knows its line and column.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/error.hpp"

namespace tidegate::api {

// Counted from 1; 0 means unknown.
struct Position {
  int line = 0;
  int column = 0;
  bool operator==(const Position&) const = default;
};

struct Value;
struct Member;

// Text as written. A plain `true` or `8` is a bool or a number where one is wanted; a quoted one is only
// text.
struct Scalar {
  std::string text;
  bool quoted = false;
  bool operator==(const Scalar&) const = default;
};

using Items = std::vector<Value>;
using Members = std::vector<Member>;  // in the order of the file; keys are unique

struct Value {
  Position at;
  std::variant<std::monostate, Scalar, Items, Members> content;  // monostate: null

  bool isNull() const { return std::holds_alternative<std::monostate>(content); }
  const Scalar* scalar() const { return std::get_if<Scalar>(&content); }
  const Items* items() const { return std::get_if<Items>(&content); }
  const Members* members() const { return std::get_if<Members>(&content); }

  // The member of that name, or nullptr; also nullptr if this is no map.
  const Value* find(std::string_view key) const;
  // The text of the member of that name if it is a scalar, else "".
  std::string_view textOf(std::string_view key) const;
  // What stands here, in words for a message: "\"many\"", "a list", "a map", "nothing".
  std::string describe() const;
};

struct Member {
  std::string key;
  Position at;
  Value value;
};

struct DocumentLimits {
  std::size_t bytes = 32U << 20;
  int depth = 100;
  std::size_t nodes = 5'000'000;          // of all documents of a file together
  std::size_t yamlValueBytes = 1U << 20;  // of one flow collection or text in YAML
  std::size_t aliasNodes = 100'000;       // of these, copied by YAML aliases and merge keys
};

// The documents of a file, YAML or JSON (which is recognised by its first character). Empty documents are
// left out. Fails at the first error of syntax, a key given twice, text that is not UTF-8, or a limit that is
// passed.
Result<std::vector<Value>> readDocuments(std::string_view text, const std::string& file,
                                         const DocumentLimits& limits = {});

// The value as compact JSON. Plain scalars that are JSON numbers, true, false or null stay such; all others
// are texts.
std::string jsonOf(const Value& value);

}  // namespace tidegate::api
