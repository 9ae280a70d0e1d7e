// Errors a caller can act on, and invariants that must hold.
//
// Environment and user input fail with Result<T>; a broken invariant of our own aborts with TIDEGATE_CHECK.
#pragma once

#include <expected>
#include <string>
#include <utility>
#include <vector>

namespace tidegate {

// Where in an input an error was found. Lines and columns count from 1; 0 means unknown.
struct SourceLocation {
  std::string file;
  int line = 0;
  int column = 0;

  bool operator==(const SourceLocation&) const = default;
};

// One thing that is wrong, told so that a user can mend it: where, which field, what.
struct Error {
  std::string message;
  SourceLocation where = {};
  std::string field = {};  // path inside the object, e.g. "spec.capability.nvidia.com/gpu"; may be empty

  // "queues.yaml:12:7: spec.weight: want an integer, got \"many\""
  std::string text() const;

  bool operator==(const Error&) const = default;
};

template <class T>
using Result = std::expected<T, Error>;

// An empty success value for Result.
struct Ok {
  bool operator==(const Ok&) const = default;
};

inline std::unexpected<Error> fail(std::string message) {
  return std::unexpected(Error{.message = std::move(message)});
}
inline std::unexpected<Error> fail(Error error) {
  return std::unexpected(std::move(error));
}

// Prints the message with its place and aborts.
[[noreturn]] void checkFailed(const char* file, int line, const char* expression, const std::string& message);

}  // namespace tidegate

// An invariant of ours: always checked, also in release builds. `message` is evaluated only on failure.
#define TIDEGATE_CHECK(condition, message)                                \
  do {                                                                    \
    if (!(condition)) [[unlikely]]                                        \
      ::tidegate::checkFailed(__FILE__, __LINE__, #condition, (message)); \
  } while (false)

#define TIDEGATE_CONCAT_INNER(a, b) a##b
#define TIDEGATE_CONCAT(a, b) TIDEGATE_CONCAT_INNER(a, b)

// TRY(auto x, expression-of-Result): declares x, or returns the error to our caller.
#define TIDEGATE_TRY(declaration, expression) \
  TIDEGATE_TRY_INNER(TIDEGATE_CONCAT(tryResult, __LINE__), declaration, expression)
#define TIDEGATE_TRY_INNER(temporary, declaration, expression)          \
  auto temporary = (expression);                                        \
  if (!temporary) return std::unexpected(std::move(temporary).error()); \
  declaration = std::move(*temporary)
