#include "world/kube/reflector.hpp"

#include <fmt/format.h>

#include "world/kube/known_objects.hpp"

namespace tidegate::kube {
namespace {

constexpr int kGone = 410;
// A kind with objects that is not found so often in a row has been removed. (A server that is starting may
// not serve it yet.)
constexpr int kGoneKindTries = 3;
// Two lists for want of history, or two broken watches, closer than this are a sign of trouble: back off.
constexpr Duration kPause = seconds(10);
// In what way it was asked for is no reason of its own.
constexpr std::string_view kWatch = "watch: ";

std::string explain(const HttpResponse& response, Decoder& decoder) {
  if (!response.error.empty()) return response.error;
  if (response.status == 0) return "no answer";
  const Status status = decoder.status(response.body);
  return fmt::format("HTTP {}{}{}", response.status, status.message.empty() ? "" : ": ", status.message);
}

// A success that came to its end. (An answer that breaks off has a status and an error.)
bool whole(const HttpResponse& response) {
  return response.ok() && response.error.empty();
}

}  // namespace

class Reflector::Impl {
 public:
  Impl(Services services, const Resource& resource, ReflectorOptions options, ReflectorSink sink, Rng rng)
      : loop_(services.loop),
        transport_(services.transport),
        resource_(resource),
        options_(std::move(options)),
        sink_(std::move(sink)),
        rng_(rng),
        retries_(services, resource_.title(), options_.backoff, rng_.split(1)),
        decoder_(options_.decode),
        watchList_(options_.watchList) {}
  ~Impl() { stop(); }

  void start() {
    if (running_) return;
    running_ = true;
    retries_.resetBackoff();
    notFound_ = 0;
    watchList_ = options_.watchList;
    state_ = ReflectorState::Listing;
    list();
  }

  void stop() {
    if (!running_) return;
    running_ = false;
    if (request_) transport_.cancel(*std::exchange(request_, std::nullopt));
    retries_.cancel();
    known_.clear();
    version_.clear();
  }

  const Resource& resource() const { return resource_; }
  ReflectorState state() const { return state_; }
  const ReflectorStats& stats() const { return stats_; }
  const KnownObjects& known() const { return known_; }

 private:
  // ---- requests

  std::string path(const std::string& query) const {
    std::string path = resource_.listPath(options_.onlyNamespace) + "?" + query;
    if (!options_.fieldSelector.empty()) path += "&fieldSelector=" + percentEncode(options_.fieldSelector);
    return path;
  }

  void list() {
    pages_ = options_.pageSize > 0;
    version_.clear();
    if (watchList_) return watch();
    known_.beginList();
    page("");
  }

  void listAgain() {
    retries_.again([this] { list(); });
  }

  void page(const std::string& continueToken) {
    std::string query = pages_ ? fmt::format("limit={}", options_.pageSize) : "limit=0";
    if (!continueToken.empty()) query += "&continue=" + percentEncode(continueToken);
    HttpRequest request;
    request.path = path(query);
    request.timeout = options_.listTimeout;
    request_ =
        transport_.send(std::move(request), [this, continued = !continueToken.empty()](HttpResponse answer) {
          request_.reset();
          if (!whole(answer)) return listFailed(answer, continued);
          tookPage(std::move(answer.body));
        });
  }

  // Lists as events (WatchList) if there is no version to go on from.
  void watch() {
    const auto stretch = std::chrono::duration_cast<seconds>(options_.watchFor).count();
    std::string query = fmt::format("watch=true&allowWatchBookmarks=true&timeoutSeconds={}",
                                    stretch + rng_.between(0, stretch));
    initial_ = version_.empty();
    unordered_ = version_ == "0";  // what exists comes first, in no order of versions
    if (initial_) {
      query += "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan";
      known_.beginList();
    } else {
      query += "&resourceVersion=" + percentEncode(version_);
    }
    ++stats_.watches;
    lines_ = {};
    watchGone_ = watchBroken_ = false;
    watchSince_ = loop_.now();
    HttpRequest request;
    request.path = path(query);
    request.timeout = options_.watchSilence;
    request.begun = [this] { retries_.served(); };
    request_ = transport_.stream(
        std::move(request), [this](std::string_view chunk) { return tookChunk(chunk); },
        [this](const HttpResponse& answer) {
          request_.reset();
          watchEnded(answer);
        });
  }

  // ---- answers

  void tookPage(std::string body) {
    auto list = decoder_.list(resource_, std::move(body));
    if (!list) {
      failed(list.error().message);
      return listAgain();
    }
    retries_.served();
    for (const std::string& warning : list->warnings) warn(warning);
    stats_.unreadable += list->unreadable.size();
    for (const api::ObjectMeta& odd : list->unreadable) {
      if (auto* entry = known_.find(odd)) known_.met(*entry);
    }
    for (api::Object& object : list->objects) {
      seen(std::move(object));
      if (!running_) return;
    }
    if (!list->continueToken.empty()) return page(list->continueToken);
    version_ = std::move(list->resourceVersion);
    listComplete();
    if (running_) version_.empty() ? listAgain() : watch();
  }

  void listComplete() {
    ++stats_.lists;
    listedAt_ = loop_.now();
    notFound_ = 0;
    for (auto& [key, entry] : known_.takeMissing()) {
      gone(key.first, key.second, entry.uid);
      if (!running_) return;
    }
    enter(ReflectorState::Synced);
  }

  void listFailed(const HttpResponse& answer, bool continued) {
    if (answer.status == kGone && continued) {
      // The snapshot that the pages were cut from is gone: once more, in one piece.
      pages_ = false;
      known_.beginList();
      return page("");
    }
    if (answer.status == 404) return kindNotFound();
    notFound_ = 0;
    failed(explain(answer, decoder_));
    tellRefusal(answer);
    if (running_) retries_.after(answer, [this] { list(); });
  }

  void tellRefusal(const HttpResponse& answer) {
    const bool refused = answer.status == 401 || answer.status == 403;
    if (refused && state_ != ReflectorState::Synced) enter(ReflectorState::Refused);
  }

  void kindNotFound() {
    if (known_.size() > 0 && ++notFound_ < kGoneKindTries) {
      failed("the server does not know this kind any more");
      return listAgain();
    }
    retries_.served();
    known_.beginList();
    for (auto& [key, entry] : known_.takeMissing()) {
      gone(key.first, key.second, entry.uid);
      if (!running_) return;
    }
    enter(ReflectorState::Absent);
    if (running_) retries_.later(options_.absentRetry, [this] { list(); });
  }

  bool tookChunk(std::string_view chunk) {
    const bool fits = lines_.feed(chunk, [this](std::string line) {
      tookLine(std::move(line));
      return running_ && !watchGone_ && !watchBroken_;
    });
    if (!fits) watchBroken_ = true;
    return running_ && !watchGone_ && !watchBroken_;
  }

  void tookLine(std::string line) {
    auto event = decoder_.watchEvent(resource_, std::move(line));
    if (!event) {
      failed(event.error().message);
      watchBroken_ = true;
      return;
    }
    if (event->type == WatchEventType::Error) {
      const bool expired = event->status.code == kGone || event->status.reason == "Expired";
      expired ? watchGone_ = true : watchBroken_ = true;
      if (!expired) failed(fmt::format("watch: {}", event->status.message));
      return;
    }
    apply(std::move(*event));
  }

  void apply(WatchEvent event) {
    const std::string version =
        event.object ? api::metadataOf(*event.object).resourceVersion : event.metadata.resourceVersion;
    if (event.type != WatchEventType::Bookmark) ++stats_.events;
    if (event.type == WatchEventType::Deleted) {
      deleted(event.metadata);
    } else if (event.object) {
      seen(std::move(*event.object));
    } else if (event.type != WatchEventType::Bookmark) {
      unreadable(event);
    }
    if (!running_) return;
    if (initial_) {
      if (!event.initialEventsEnd) return;  // versions are in no order before that
      initial_ = false;
      version_ = version;
      return listComplete();
    }
    if (!version.empty()) version_ = version;
    retries_.resetBackoff();
  }

  void unreadable(const WatchEvent& event) {
    ++stats_.unreadable;
    warn(event.warning);
    if (auto* entry = known_.find(event.metadata)) known_.met(*entry);
  }

  void watchEnded(const HttpResponse& answer) {
    const bool gone = watchGone_ || answer.status == kGone;
    if (!whole(answer) && !gone && running_) failed("watch: " + explain(answer, decoder_));
    if (!running_) return;
    if (initial_ && !gone && (answer.status == 400 || answer.status == 422)) {
      watchList_ = false;  // an older server
      return list();
    }
    if (gone || unordered_) version_.clear();
    if (answer.status == 404) return kindNotFound();
    tellRefusal(answer);
    if (!running_) return;
    const auto next = [this] { version_.empty() ? list() : watch(); };
    if (gone ? loop_.now() - listedAt_ > kPause : wentWell(answer)) {
      retries_.resetBackoff();
      return retries_.later({}, next);
    }
    retries_.after(answer, next);
  }

  // The watch ended as watches end, or broke after a good while: go on at once.
  bool wentWell(const HttpResponse& answer) const {
    if (watchBroken_ || initial_) return false;
    const Duration lasted = loop_.now() - watchSince_;
    if (whole(answer)) return lasted > seconds(1);
    return (answer.ok() || answer.status == 0) && lasted > kPause;
  }

  // ---- what the sink is told

  void seen(api::Object object) {
    const api::ObjectMeta& metadata = api::metadataOf(object);
    if (auto* entry = known_.find(metadata)) {
      known_.met(*entry);
      if (entry->uid == metadata.uid && entry->resourceVersion == metadata.resourceVersion) return;
      if (entry->uid != metadata.uid) gone(metadata.namespace_, metadata.name, std::exchange(entry->uid, {}));
      if (!running_) return;
    }
    known_.put(metadata);
    sink_.event(ObjectSeen{std::move(object)});
  }

  void deleted(const api::ObjectMeta& metadata) {
    const auto* entry = known_.find(metadata);
    if (entry == nullptr || (!metadata.uid.empty() && entry->uid != metadata.uid)) return;
    const std::string uid = entry->uid;
    known_.erase(metadata);
    gone(metadata.namespace_, metadata.name, uid);
  }

  void gone(const std::string& inNamespace, const std::string& name, const std::string& uid) {
    sink_.event(ObjectGone{.ref = {.kind = resource_.kind,
                                   .apiVersion = resource_.apiVersion,
                                   .namespace_ = inNamespace,
                                   .name = name},
                           .uid = uid});
  }

  void enter(ReflectorState state) {
    if (state_ == state) return;
    state_ = state;
    if (sink_.state) sink_.state(state);
  }
  void warn(const std::string& message) const {
    if (sink_.warning) sink_.warning(message);
  }
  void failed(const std::string& message) {
    ++stats_.failures;
    const std::string_view plain =
        std::string_view(message).substr(message.starts_with(kWatch) ? kWatch.size() : 0);
    if (!retries_.failed(std::string(plain))) warn(fmt::format("{}: {}", resource_.title(), message));
  }

  Loop& loop_;
  Transport& transport_;
  const Resource& resource_;
  const ReflectorOptions options_;
  const ReflectorSink sink_;
  Rng rng_;
  Retries retries_;
  Decoder decoder_;
  KnownObjects known_;
  LineSplitter lines_;
  ReflectorStats stats_;
  ReflectorState state_ = ReflectorState::Listing;
  bool running_ = false;
  bool watchList_;            // list by a watch
  bool pages_ = true;         // list in pages
  bool initial_ = false;      // the watch is still listing
  bool unordered_ = false;    // the watch's versions say nothing of what has been told
  bool watchGone_ = false;    // the server has no history from version_ on
  bool watchBroken_ = false;  // the watch cannot be read on
  int notFound_ = 0;          // in a row
  std::string version_;       // to watch from; empty: list first
  Time watchSince_{};
  Time listedAt_{};
  std::optional<RequestId> request_;
};

Reflector::Reflector(Services services, const Resource& resource, ReflectorOptions options,
                     ReflectorSink sink, Rng rng)
    : impl_(std::make_unique<Impl>(services, resource, std::move(options), std::move(sink), rng)) {}
Reflector::~Reflector() = default;

void Reflector::start() {
  impl_->start();
}
void Reflector::stop() {
  impl_->stop();
}
const Resource& Reflector::resource() const {
  return impl_->resource();
}
ReflectorState Reflector::state() const {
  return impl_->state();
}
bool Reflector::synced() const {
  return state() == ReflectorState::Synced || state() == ReflectorState::Absent;
}
const ReflectorStats& Reflector::stats() const {
  return impl_->stats();
}
std::size_t Reflector::size() const {
  return impl_->known().size();
}
std::string_view Reflector::uidOf(std::string_view inNamespace, std::string_view name) const {
  return impl_->known().uidOf(inNamespace, name);
}

}  // namespace tidegate::kube
