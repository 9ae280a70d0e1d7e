// The pieces a scenario line is made of.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/resources.hpp"

namespace tidegate::scenario {

// "run j[1-2] 4x2 @n1*4 queue=q pinned" -> word "run", args {"j[1-2]", "4x2", "@n1*4"}, options {queue: q,
// pinned: ""}.
struct Line {
  int number = 0;
  std::string word;
  std::vector<std::string> args = {};
  std::map<std::string, std::string> options = {};

  // The option's value, or "" if it is not there.
  const std::string& option(const std::string& name) const;
  bool has(const std::string& name) const { return options.contains(name); }
};

Line splitLine(std::string_view text, int number);

// "n[1-3],x" -> n1 n2 n3 x; "n1*2" -> n1 n1.
Result<std::vector<std::string>> expandNames(std::string_view text);

// "8", "2,cpu:16,mem:64Gi", "0,amd.com/gpu:4": the first amount may stand alone and is nvidia.com/gpu.
Result<ResourceList> parseAmounts(std::string_view text);

Result<std::int32_t> parseCount(std::string_view text);

}  // namespace tidegate::scenario
