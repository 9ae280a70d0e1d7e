// What a reader finds wrong in a file, collected so that a user sees all of it at once.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "api/value.hpp"

namespace tidegate::api {

class Findings {
 public:
  // Findings that follow are about this file.
  void enterFile(const std::string& name) { file_ = name; }

  void error(Position at, std::string field, std::string message);
  // The same warning about the same field of further objects is counted, not repeated.
  void warn(Position at, std::string field, std::string message);

  bool hasErrors() const { return errorCount_ > 0; }
  // The first hundred and the number of the others.
  std::vector<Error> takeErrors();
  std::vector<Error> takeWarnings();

 private:
  Error make(Position at, std::string field, std::string message) const;

  std::string file_;
  std::vector<Error> errors_;
  std::size_t errorCount_ = 0;
  std::vector<Error> warnings_;
  std::vector<std::size_t> repeats_;                 // per warning: how often it came again
  std::map<std::string, std::size_t> warningIndex_;  // by field without list indices, and message
};

}  // namespace tidegate::api
