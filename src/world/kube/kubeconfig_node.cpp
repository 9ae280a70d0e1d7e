#include "world/kube/kubeconfig_node.hpp"

#include <fmt/format.h>

namespace tidegate::kube {

KubeconfigNode KubeconfigNode::member(std::string_view key) const {
  static const api::Value null;
  const api::Value* found = value_->find(key);
  KubeconfigNode out(found == nullptr ? null : *found, file_,
                     field_.empty() ? std::string(key) : fmt::format("{}.{}", field_, key));
  if (found == nullptr) out.at_ = at_;
  return out;
}

Result<std::string> KubeconfigNode::text() const {
  if (isNull()) return "";
  if (const api::Scalar* scalar = value_->scalar()) return scalar->text;
  return fail(error("want text, got " + value_->describe()));
}

Result<bool> KubeconfigNode::flag() const {
  if (isNull()) return false;
  const api::Scalar* scalar = value_->scalar();
  if (scalar != nullptr && !scalar->quoted && (scalar->text == "true" || scalar->text == "false"))
    return scalar->text == "true";
  return fail(error("want true or false, got " + value_->describe()));
}

Result<std::vector<KubeconfigNode>> KubeconfigNode::items() const {
  std::vector<KubeconfigNode> out;
  if (isNull()) return out;
  const api::Items* items = value_->items();
  if (items == nullptr) return fail(error("want a list, got " + value_->describe()));
  for (std::size_t i = 0; i < items->size(); ++i)
    out.emplace_back((*items)[i], file_, fmt::format("{}[{}]", field_, i));
  return out;
}

Result<std::vector<std::string>> KubeconfigNode::texts() const {
  TIDEGATE_TRY(const auto nodes, items());
  std::vector<std::string> out;
  for (const KubeconfigNode& node : nodes) {
    TIDEGATE_TRY(std::string text, node.text());
    out.push_back(std::move(text));
  }
  return out;
}

Result<Ok> KubeconfigNode::wantMap() const {
  if (isNull() || value_->members() != nullptr) return Ok{};
  return fail(error("want a map, got " + value_->describe()));
}

Error KubeconfigNode::error(std::string message) const {
  return {.message = std::move(message), .where = {file_, at_.line, at_.column}, .field = field_};
}

}  // namespace tidegate::kube
