// Lists in chunks: every chunk of one list shows the same moment.
//
// Rules: "Retrieving large results sets in chunks" and "Resource versions" of the Kubernetes API Concepts
// page.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "world/rest/archive.hpp"
#include "world/rest/rest_server.hpp"
#include "world/rest/statuses.hpp"

namespace tidegate::rest {

class Lists {
 public:
  Lists(sim::EventQueue& clock, Archive& archive, const RestOptions& options)
      : clock_(clock), archive_(archive), options_(options) {}

  kube::HttpResponse answer(const Target& target);
  // Continue tokens given out so far are no good any more.
  void forget() { snapshots_.clear(); }

 private:
  struct Snapshot {
    std::size_t resource = 0;
    std::uint64_t version = 0;
    Time expires;
    std::vector<Revision> objects;
  };
  struct Page {
    const Snapshot& snapshot;
    std::size_t from = 0;
    std::size_t to = 0;
    std::string continueToken;
  };

  kube::HttpResponse next(const Target& target, std::size_t limit);
  kube::HttpResponse page(const Resource& resource, const Page& page);
  void dropExpired();

  sim::EventQueue& clock_;
  Archive& archive_;
  const RestOptions& options_;
  std::map<std::uint64_t, Snapshot> snapshots_;  // of lists that have not been read to their end
  std::uint64_t last_ = 0;
};

}  // namespace tidegate::rest
