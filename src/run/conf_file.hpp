// A conf file that is looked at again and again: a mounted ConfigMap changes under its path.
#pragma once

#include <functional>
#include <string>

#include "core/error.hpp"
#include "scheduler/policy.hpp"
#include "world/kube/loop.hpp"

namespace tidegate::run {

class ConfFile {
 public:
  struct Start {
    std::string path;
    std::string text;  // in use already
  };
  // Reads the file every two seconds; `use` is called with each new policy that is right. A file that is gone
  // is told of once, and again when it is back.
  ConfFile(kube::Loop& loop, Start start, std::function<void(const scheduler::Policy&)> use);
  ~ConfFile() { loop_.cancel(timer_); }
  ConfFile(const ConfFile&) = delete;
  ConfFile& operator=(const ConfFile&) = delete;

 private:
  void look();
  void missed(const Error& error);
  void take(const std::string& text);
  void lookAgain();

  kube::Loop& loop_;
  std::string path_;
  std::function<void(const scheduler::Policy&)> use_;
  std::string text_;  // last looked at, good or bad
  int missed_ = 0;    // looks in a row that found no file
  kube::TimerId timer_ = 0;
};

}  // namespace tidegate::run
