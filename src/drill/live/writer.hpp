// Writes to the cluster, waited for: a batch goes out at once, and each call returns when all of it is
// answered. What may help is tried again a few times. Errors name the object and what the server said.
#pragma once

#include <string>
#include <vector>

#include "api/objects.hpp"
#include "core/error.hpp"
#include "drill/live/waiter.hpp"
#include "world/kube/transport.hpp"

namespace tidegate::drill::live {

class Writer {
 public:
  Writer(Waiter& waiter, kube::Transport& transport) : waiter_(waiter), transport_(transport) {}

  // What is there already is an error.
  Result<Ok> create(const std::vector<api::Object>& objects);
  Result<Ok> createNamespace(const std::string& name, const api::StringMap& labels);
  Result<Ok> scale(const api::ObjectRef& target, int replicas);
  // What is gone already is no error. Returns when the server has agreed; the objects may still be there.
  Result<Ok> remove(const std::vector<api::ObjectRef>& targets);
  Result<Ok> removeNamespace(const std::string& name);
  Result<bool> namespaceExists(const std::string& name);
  // What the server answers, whatever its status; an error if it does not.
  Result<kube::HttpResponse> ask(const std::string& path);
  // One POST for each body; any status but success is an error.
  Result<std::vector<kube::HttpResponse>> post(const std::string& path, std::vector<std::string> bodies);

 private:
  struct Item {
    std::string what;  // "creating Queue a"
    kube::HttpRequest request;
    int accepted = -1;  // a status that is no success, and yet fine
    bool any = false;   // so is every status
  };
  // The answers, in the order of the items.
  Result<std::vector<kube::HttpResponse>> send(std::vector<Item> items);

  Waiter& waiter_;
  kube::Transport& transport_;
};

// An answer that is no success, in a few words: what the server says, else its status.
std::string saidBy(const kube::HttpResponse& answer);

}  // namespace tidegate::drill::live
