#include "run/conf_file.hpp"

#include "core/files.hpp"
#include "run/conf.hpp"
#include "run/log.hpp"

namespace tidegate::run {
namespace {

constexpr Duration kLookEvery = seconds(2);
// A file that is being replaced may be missing for a moment.
constexpr int kMissedLooks = 2;

}  // namespace

ConfFile::ConfFile(kube::Loop& loop, Start start, std::function<void(const scheduler::Policy&)> use)
    : loop_(loop), path_(std::move(start.path)), use_(std::move(use)), text_(std::move(start.text)) {
  lookAgain();
}

void ConfFile::lookAgain() {
  timer_ = loop_.after(kLookEvery, [this] { look(); });
}

void ConfFile::look() {
  lookAgain();
  const Result<std::string> text = readFile(path_);
  if (!text) return missed(text.error());
  if (std::exchange(missed_, 0) >= kMissedLooks) logInfo("the conf file is back", {{"file", path_}});
  if (*text != text_) take(*text);
}

void ConfFile::missed(const Error& error) {
  if (++missed_ != kMissedLooks) return;
  logWarning("the conf file cannot be read any more; the conf in use stays", {{"error", error.text()}});
}

void ConfFile::take(const std::string& text) {
  text_ = text;
  const Result<scheduler::Policy> policy = policyOf(text_, path_);
  if (!policy) {
    logError("conf refused; the one in use stays", {{"error", policy.error().text()}});
    return;
  }
  use_(*policy);
  logInfo("the new conf is in use", {{"file", path_}});
}

}  // namespace tidegate::run
