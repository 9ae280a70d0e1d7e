#include "world/kube/event_recorder.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "api/json_writer.hpp"
#include "world/kube/resources.hpp"

namespace tidegate::kube {
namespace {

// So many different events are remembered at most: beyond that, counts begin anew.
constexpr std::size_t kMostRemembered = 16384;
constexpr std::size_t kMaxMessage = 1024;
constexpr std::size_t kMaxName = 200;

const Resource& events() {
  static const Resource kEvents{
      .kind = "Event", .apiVersion = "v1", .plural = "events", .namespaced = true, .object = {}};
  return kEvents;
}

// Events of objects without a namespace are kept in "default".
std::string namespaceOf(const Emit& emit) {
  return emit.about.namespace_.empty() ? "default" : emit.about.namespace_;
}

// At most so many bytes, no character cut in two.
std::string_view shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U) --most;
  return text.substr(0, most);
}

std::string stamp(Time time) {
  return formatTime(std::chrono::floor<seconds>(time));
}

}  // namespace

std::string EventRecorder::keyOf(const Emit& emit) {
  const api::ObjectRef& about = emit.about;
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}", about.kind, about.apiVersion, about.namespace_, about.name,
                     emit.reason, emit.message);
}

bool EventRecorder::admit(const api::ObjectRef& about, Time now) {
  const auto [found, fresh] =
      buckets_.try_emplace(about, Bucket{.tokens = 1.0 * options_.eventBurst, .at = now});
  Bucket& bucket = found->second;
  bucket = {.tokens = tokensOf(bucket, now), .at = now};
  if (bucket.tokens < 1) return false;
  bucket.tokens -= 1;
  return true;
}

double EventRecorder::tokensOf(const Bucket& bucket, Time now) const {
  const double refill = toSeconds(now - bucket.at) / toSeconds(options_.eventRefill);
  return std::min(1.0 * options_.eventBurst, bucket.tokens + refill);
}

// Swept when the tables have doubled, so that each event pays for one look at an entry.
void EventRecorder::forgetOld(Time now) {
  if (told_.size() >= sweepTold_) {
    std::erase_if(told_, [&](const auto& each) { return now - each.second.last > options_.eventWindow; });
    if (told_.size() > kMostRemembered) told_.clear();
    sweepTold_ = std::max(kRemembered, 2 * told_.size());
  }
  if (buckets_.size() >= sweepBuckets_) {
    std::erase_if(buckets_,
                  [&](const auto& each) { return tokensOf(each.second, now) >= options_.eventBurst; });
    sweepBuckets_ = std::max(kRemembered, 2 * buckets_.size());
  }
}

HttpRequest EventRecorder::create(const Emit& emit, const std::string& uid, Told& told, Time now) {
  told = {.name = fmt::format("{}.{:x}{:04x}", shortened(emit.about.name, kMaxName),
                              now.time_since_epoch().count(), ++created_ & 0xFFFFU),
          .count = 1,
          .first = now,
          .last = now};
  api::JsonWriter json;
  json.beginObject();
  json.member("apiVersion", "v1");
  json.member("kind", "Event");
  json.key("metadata");
  json.beginObject();
  json.member("name", told.name);
  json.member("namespace", namespaceOf(emit));
  json.endObject();
  json.key("involvedObject");
  json.beginObject();
  json.member("kind", emit.about.kind);
  json.member("apiVersion", emit.about.apiVersion);
  json.member("name", emit.about.name);
  if (!emit.about.namespace_.empty()) json.member("namespace", emit.about.namespace_);
  if (!uid.empty()) json.member("uid", uid);
  json.endObject();
  json.member("type", emit.warning ? "Warning" : "Normal");
  json.member("reason", shortened(emit.reason, 128));
  json.member("message", shortened(emit.message, kMaxMessage));
  json.member("count", told.count);
  json.member("firstTimestamp", stamp(now));
  json.member("lastTimestamp", stamp(now));
  json.key("source");
  json.beginObject();
  json.member("component", options_.reporter);
  json.endObject();
  json.member("reportingComponent", options_.reporter);
  json.member("reportingInstance", options_.instance);
  json.endObject();
  HttpRequest request;
  request.method = "POST";
  request.path = events().listPath(namespaceOf(emit));
  request.body = json.take();
  return request;
}

std::optional<HttpRequest> EventRecorder::request(const Emit& emit, const std::string& uid, Time now) {
  if (!admit(emit.about, now)) return std::nullopt;
  forgetOld(now);
  Told& told = told_[keyOf(emit)];
  if (told.name.empty() || now - told.last > options_.eventWindow) return create(emit, uid, told, now);
  ++told.count;
  told.last = now;
  api::JsonWriter json;
  json.beginObject();
  json.member("count", told.count);
  json.member("lastTimestamp", stamp(now));
  json.endObject();
  HttpRequest request;
  request.method = "PATCH";
  request.path = events().objectPath(namespaceOf(emit), told.name);
  request.body = json.take();
  request.contentType = "application/merge-patch+json";
  return request;
}

void EventRecorder::failed(const Emit& emit) {
  told_.erase(keyOf(emit));
}

}  // namespace tidegate::kube
