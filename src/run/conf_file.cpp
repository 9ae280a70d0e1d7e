#include "run/conf_file.hpp"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "run/conf.hpp"
#include "run/log.hpp"

namespace tidegate::run {
namespace {

constexpr Duration kLookEvery = seconds(2);

Result<std::string> readText(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  if (!file) return fail(Error{.message = "cannot read the file", .where = {.file = path}});
  return std::move(text).str();
}

}  // namespace

Result<scheduler::Policy> readConfFile(const std::string& path) {
  TIDEGATE_TRY(const std::string text, readText(path));
  return policyOf(text, path);
}

ConfFile::ConfFile(kube::Loop& loop, std::string path, std::function<void(const scheduler::Policy&)> use)
    : loop_(loop), path_(std::move(path)), use_(std::move(use)), text_(readText(path_).value_or("")) {
  lookAgain();
}

void ConfFile::lookAgain() {
  timer_ = loop_.after(kLookEvery, [this] { look(); });
}

void ConfFile::look() {
  lookAgain();
  // A file that is being replaced may be missing for a moment.
  const Result<std::string> text = readText(path_);
  if (!text || *text == text_) return;
  text_ = *text;
  const Result<scheduler::Policy> policy = policyOf(text_, path_);
  if (!policy) {
    logError("conf refused; the one in use stays", {{"error", policy.error().text()}});
    return;
  }
  use_(*policy);
  logInfo("the new conf is in use", {{"file", path_}});
}

}  // namespace tidegate::run
