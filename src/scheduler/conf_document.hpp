// Finds the text of volcano-scheduler.conf in a file: the file itself, or an entry of a ConfigMap in it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/value.hpp"
#include "core/error.hpp"

namespace tidegate::scheduler {

// A conf as a tree. Its positions are those of the file, also inside a ConfigMap's block text ("|"); of an
// entry written in another style only the place of the entry is known.
struct ConfDocument {
  std::optional<api::Value> tree;        // nullopt: the conf is empty
  std::optional<api::Position> placeOf;  // set: all of the conf is told as standing here
  bool severalFound = false;             // the file holds more documents than the one that is read
};

Result<ConfDocument> findConf(std::string_view text, const std::string& fileName);

}  // namespace tidegate::scheduler
