// Files of objects: any bytes give objects or errors, and an object that was read is written so that it reads
// the same.
#include <cstdint>
#include <string_view>

#include "api/read.hpp"
#include "api/write.hpp"
#include "core/error.hpp"

namespace {

using namespace tidegate;

void expectSame(const api::Object& object, const std::string& text) {
  const auto again = api::readObjects(text, "again");
  TIDEGATE_CHECK(again.has_value(), again.error().front().text() + "\n" + text);
  TIDEGATE_CHECK(again->objects.size() == 1 && again->objects.front() == object, text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto loaded = api::readObjects(text, "input");
  if (!loaded) {
    TIDEGATE_CHECK(!loaded.error().empty(), "a failure without an error");
    return 0;
  }
  for (const api::Object& object : loaded->objects) {
    expectSame(object, api::toJson(object));
    expectSame(object, api::toYaml(object));
  }
  return 0;
}
