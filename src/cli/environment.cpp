#include "cli/environment.hpp"

#include <unistd.h>

#include <string_view>

namespace tidegate::cli {

kube::Environment environmentOfProcess() {
  kube::Environment out;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos) out.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return out;
}

}  // namespace tidegate::cli
