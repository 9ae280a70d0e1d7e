#include "api/objects.hpp"

#include <type_traits>
#include <utility>

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

const OperatorJob* operatorJobIn(const Object& object) {
  return std::visit(
      [](const auto& each) -> const OperatorJob* {
        if constexpr (AnOperatorJob<std::decay_t<decltype(each)>>) return &each;
        return nullptr;
      },
      object);
}

OperatorJob* operatorJobIn(Object& object) {
  return const_cast<OperatorJob*>(operatorJobIn(std::as_const(object)));
}

std::optional<std::size_t> operatorRowOf(const Object& object) {
  return std::visit(
      [](const auto& each) -> std::optional<std::size_t> {
        using T = std::decay_t<decltype(each)>;
        if constexpr (AnOperatorJob<T>) return T::kRow;
        return std::nullopt;
      },
      object);
}

namespace {

template <std::size_t... Row>
Object makeRow(std::size_t wanted, OperatorJob& job, std::index_sequence<Row...>) {
  Object object;
  ((wanted == Row ? void(object = OperatorJobOf<Row>{std::move(job)}) : void()), ...);
  return object;
}

}  // namespace

Object makeOperatorJob(std::size_t row, OperatorJob job) {
  return makeRow(row, job, std::make_index_sequence<kOperatorRows>{});
}

}  // namespace tidegate::api
