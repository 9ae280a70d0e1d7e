// What a reader finds wrong in files, collected so that a user sees all of it at once, in the order of the
// files.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "api/value.hpp"

namespace tidegate::api {

class Findings {
 public:
  // Findings that follow are about this file; a file may be entered again.
  void enterFile(const std::string& name);

  void error(Position at, std::string field, std::string message);
  // The same warning about the same field of further objects is counted, not repeated.
  void warn(Position at, std::string field, std::string message);

  bool hasErrors() const { return errorCount_ > 0; }
  // The first hundred and the number of the others.
  std::vector<Error> takeErrors();
  std::vector<Error> takeWarnings();

 private:
  struct Finding {
    Error error;
    std::size_t file = 0;  // index of files_
    std::size_t repeats = 0;
  };
  Finding make(Position at, std::string field, std::string message) const;
  static std::vector<Error> inOrder(std::vector<Finding> findings);

  std::vector<std::string> files_ = {""};
  std::size_t file_ = 0;
  std::vector<Finding> errors_;
  std::size_t errorCount_ = 0;
  std::vector<Finding> warnings_;
  std::map<std::string, std::size_t> warningIndex_;  // by field without list indices, and message
};

}  // namespace tidegate::api
