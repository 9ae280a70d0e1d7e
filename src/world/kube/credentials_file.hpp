// A bearer token in a file that is replaced from time to time, as the kubelet does with service account
// tokens. Looked at again at most every 10 s, and read if its time of change differs.
#pragma once

#include <optional>
#include <string>

#include "world/kube/credentials.hpp"

namespace tidegate::kube {

class TokenFile : public Credentials {
 public:
  static constexpr Duration kLookEvery = seconds(10);

  // `token` serves as long as the file cannot be read; may be empty.
  TokenFile(CurlLoop& loop, std::string path, const std::string& token);

  Shared current() override;
  void refresh(Shared refused, Done done) override;

 private:
  Result<Ok> read();

  CurlLoop& loop_;
  std::string path_;
  Shared authorization_;
  std::string changed_;  // the file's time of change when it was last read
  std::optional<Time> lookedAt_;
  std::shared_ptr<Ok> alive_ = std::make_shared<Ok>();
};

}  // namespace tidegate::kube
