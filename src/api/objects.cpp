#include "api/objects.hpp"

#include <type_traits>

namespace tidegate::api {

const ObjectMeta& metadataOf(const Object& object) {
  return std::visit([](const auto& each) -> const ObjectMeta& { return each.metadata; }, object);
}

ObjectMeta& metadataOf(Object& object) {
  return std::visit([](auto& each) -> ObjectMeta& { return each.metadata; }, object);
}

ObjectRef refOf(const Object& object) {
  return std::visit(
      [](const auto& each) {
        using T = std::decay_t<decltype(each)>;
        return ObjectRef{.kind = T::kKind,
                         .apiVersion = T::kApiVersion,
                         .namespace_ = each.metadata.namespace_,
                         .name = each.metadata.name};
      },
      object);
}

}  // namespace tidegate::api
