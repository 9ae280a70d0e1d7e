// A value of a kubeconfig file with its place and path, for reading it with errors a user can act on.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/value.hpp"
#include "core/error.hpp"

namespace tidegate::kube {

class KubeconfigNode {
 public:
  // The value must outlive the node.
  KubeconfigNode(const api::Value& value, std::string file, std::string field = {})
      : value_(&value), at_(value.at), file_(std::move(file)), field_(std::move(field)) {}

  bool isNull() const { return value_->isNull(); }
  const std::string& file() const { return file_; }
  const api::Value& value() const { return *value_; }
  // The member of that name; a null with the place of this if there is none.
  KubeconfigNode member(std::string_view key) const;

  // Null is the same as "", false or an empty list; any scalar is text, only plain true and false are flags.
  Result<std::string> text() const;
  Result<bool> flag() const;
  Result<std::vector<KubeconfigNode>> items() const;
  Result<std::vector<std::string>> texts() const;
  // Fails if this is neither a map nor null.
  Result<Ok> wantMap() const;

  Result<std::string> text(std::string_view key) const { return member(key).text(); }

  Error error(std::string message) const;

 private:
  const api::Value* value_;
  api::Position at_;
  std::string file_;
  std::string field_;
};

}  // namespace tidegate::kube
