#include "world/kube/credentials_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <memory>

#include "core/files.hpp"
#include "core/text.hpp"

namespace tidegate::kube {
namespace {

// Changes when the file, or the link to it, is replaced; empty if it is not there.
std::string changeMark(const std::string& path) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0) return "";
  return fmt::format("{}:{}:{}", status.st_ino, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

}  // namespace

TokenFile::TokenFile(CurlLoop& loop, std::string path, const std::string& token)
    : loop_(loop), path_(std::move(path)) {
  if (!token.empty()) authorization_ = std::make_shared<Authorization>(Authorization{"Bearer " + token});
}

Credentials::Shared TokenFile::current() {
  const Time now = loop_.now();
  if (lookedAt_ && now - *lookedAt_ < kLookEvery) return authorization_;
  lookedAt_ = now;
  // An unreadable file leaves what there is: the kubelet may be replacing it.
  if (changeMark(path_) != changed_ || authorization_ == nullptr) static_cast<void>(read());
  return authorization_;
}

void TokenFile::refresh(Shared refused, Done done) {
  Result<Shared> result = Shared{};
  const bool known = authorization_ != nullptr && refused != nullptr && authorization_ != refused;
  if (!known) {
    if (const auto ok = read(); !ok && authorization_ == nullptr) result = std::unexpected(ok.error());
  }
  if (result) result = authorization_;
  loop_.at(loop_.now(), [alive = std::weak_ptr(alive_), result = std::move(result), done = std::move(done)] {
    if (!alive.expired()) done(result);
  });
}

Result<Ok> TokenFile::read() {
  const std::string mark = changeMark(path_);
  TIDEGATE_TRY(const std::string text, readFile(path_));
  const std::string token(trimText(text));
  if (token.empty() || token.find_first_of("\r\n") != std::string::npos)
    return fail(path_ + " holds no token of one line");
  changed_ = mark;
  Authorization read{"Bearer " + token};
  if (authorization_ == nullptr || *authorization_ != read)
    authorization_ = std::make_shared<Authorization>(std::move(read));
  return Ok{};
}

}  // namespace tidegate::kube
