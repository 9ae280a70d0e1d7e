// Scheduler configurations: any bytes give a policy or one error; a policy always has actions that are told
// apart.
#include <algorithm>
#include <cstdint>
#include <string_view>

#include "core/error.hpp"
#include "scheduler/conf.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tidegate;
  const auto conf = scheduler::readConf({reinterpret_cast<const char*>(data), size}, "input");
  if (!conf) {
    TIDEGATE_CHECK(!conf.error().message.empty(), "an error without a message");
    return 0;
  }
  auto actions = conf->policy.actions;
  std::sort(actions.begin(), actions.end());
  TIDEGATE_CHECK(std::adjacent_find(actions.begin(), actions.end()) == actions.end(), "an action twice");
  return 0;
}
