// The watches of the simulated API server: what each is told of a change, bookmarks, and how they end.
//
// Rules: "Efficient detection of changes", "Watch bookmarks" and "Streaming lists" of the Kubernetes API
// Concepts page. With a field selector an object that comes to match is ADDED, one that ceases to is DELETED.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "world/rest/archive.hpp"
#include "world/rest/rest_server.hpp"
#include "world/rest/statuses.hpp"

namespace tidegate::rest {

// Which objects a list or a watch is about: namespace and fieldSelector.
class Filter {
 public:
  // The Failure says what is not served.
  static std::variant<Filter, Failure> of(const Target& target);
  bool matches(const Revision& revision) const;

 private:
  struct Term {
    std::string field;
    std::string value;
    bool equal = true;
  };
  std::string namespace_;
  std::vector<Term> terms_;
};

class Watches {
 public:
  Watches(sim::EventQueue& clock, Archive& archive, const RestOptions& options)
      : clock_(clock), archive_(archive), options_(options) {}

  RestServer::Watching open(const Target& target, WatchSink sink);
  void close(WatchId watch) { watches_.erase(watch); }
  // A change that the archive has recorded last.
  void changed(std::size_t resource);
  // Ends every stream.
  void endAll();
  std::size_t count() const { return watches_.size(); }

 private:
  struct Watch {
    std::size_t resource = 0;
    Filter filter;
    bool bookmarks = false;
    WatchSink sink;
  };

  void begin(Watch& watch, const Target& target);
  void tell(Watch& watch, const Past& past);
  std::string bookmark(const Watch& watch, bool initialEventsEnd) const;
  void planBookmark(WatchId id);
  void planEnd(WatchId id, Duration after);

  sim::EventQueue& clock_;
  Archive& archive_;
  const RestOptions& options_;
  std::map<WatchId, std::shared_ptr<Watch>> watches_;
  WatchId last_ = 0;
  // Timers in the queue may outlive this object.
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

// "410 Gone" as an event of a watch.
std::string errorEvent(const Failure& failure);

// nullopt: no number.
std::optional<std::uint64_t> parseVersion(std::string_view text);

}  // namespace tidegate::rest
