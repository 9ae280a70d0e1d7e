#include "run/lease.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <utility>

#include "api/json_access.hpp"
#include "world/kube/trouble_log.hpp"

namespace tidegate::run {
namespace {

namespace json = boost::json;

// metav1.MicroTime always has its six digits.
std::string microTime(Time time) {
  std::string text = formatTime(time);
  if (text.find('.') == std::string::npos) text.insert(text.size() - 1, ".000000");
  return text;
}

std::string reasonOf(const kube::HttpResponse& response) {
  if (response.status == 0) return response.error;
  boost::system::error_code error;
  const json::value body = json::parse(response.body, error);
  const json::object* status = error ? nullptr : body.if_object();
  const std::string message = status == nullptr ? "" : api::textAt(*status, {"message"});
  return message.empty() ? fmt::format("HTTP {}", response.status) : message;
}

}  // namespace

LeaderElector::LeaderElector(kube::Loop& loop, kube::Transport& transport, LeaseOptions options,
                             Watchers watchers)
    : loop_(loop), transport_(transport), options_(std::move(options)), watchers_(std::move(watchers)) {}

LeaderElector::~LeaderElector() {
  loop_.cancel(timer_);
  transport_.cancel(request_);
}

bool LeaderElector::mayWrite() const {
  return leading_ && loop_.now() < renewed_ + options_.renewDeadline;
}

void LeaderElector::start() {
  tryOnce();
}

std::string LeaderElector::path() const {
  return fmt::format("/apis/coordination.k8s.io/v1/namespaces/{}/leases", options_.namespace_);
}

void LeaderElector::again() {
  if (!stopped_) timer_ = loop_.after(options_.retryPeriod, [this] { tryOnce(); });
}

// A conflict is no news: another was faster.
void LeaderElector::fail(const kube::HttpResponse& response) {
  lastError_ = response.ok() ? "the answer is no Lease" : reasonOf(response);
  const std::string reason = kube::sameReason(lastError_);
  if (response.status != 409 && std::exchange(told_, reason) != reason) watchers_.troubled(lastError_);
  again();
}

void LeaderElector::answered() {
  if (!std::exchange(told_, {}).empty() && watchers_.mended) watchers_.mended();
}

void LeaderElector::depose(const std::string& why) {
  leading_ = false;
  stopped_ = true;
  watchers_.deposed(why);
}

void LeaderElector::tryOnce() {
  const Time asked = loop_.now();
  if (leading_ && !mayWrite()) {
    return depose(fmt::format("the lease {}/{} could not be renewed in {}: {}", options_.namespace_,
                              options_.name, formatDuration(options_.renewDeadline), lastError_));
  }
  // An answer that comes after the next try is of no use.
  const kube::HttpRequest request{.path = path() + "/" + options_.name,
                                  .body = {},
                                  .timeout = std::max(options_.retryPeriod, Duration(seconds(2)))};
  request_ = transport_.send(request, [this, asked](const kube::HttpResponse& got) { take(got, asked); });
}

void LeaderElector::take(const kube::HttpResponse& response, Time asked) {
  if (response.status == 404) return create(asked);
  if (!response.ok() || !read(response.body)) return fail(response);
  const bool mine = seen_->holder == options_.identity;
  if (leading_ && !mine) return depose("the lease was taken by " + seen_->holder);
  const bool free = seen_->holder.empty() || loop_.now() >= seenAt_ + seen_->duration;
  if (mine || free) return update(asked);
  answered();
  if (followed_ != seen_->holder) {
    followed_ = seen_->holder;
    watchers_.follows(followed_);
  }
  again();
}

// Remembers what the lease says, and when it last said something new.
bool LeaderElector::read(const std::string& text) {
  boost::system::error_code error;
  const json::value parsed = json::parse(text, error);
  const json::object* lease = error ? nullptr : parsed.if_object();
  const json::object* metadata = lease == nullptr ? nullptr : api::objectAt(*lease, {"metadata"});
  if (metadata == nullptr) return false;
  Seen now;
  now.resourceVersion = api::textAt(*metadata, {"resourceVersion"});
  if (const json::object* spec = api::objectAt(*lease, {"spec"})) {
    now.holder = api::textAt(*spec, {"holderIdentity"});
    now.renewTime = api::textAt(*spec, {"renewTime"});
    now.acquireTime = api::textAt(*spec, {"acquireTime"});
    now.transitions = api::numberAt(*spec, {"leaseTransitions"}).value_or(0);
    now.duration = seconds(api::numberAt(*spec, {"leaseDurationSeconds"}).value_or(0));
  }
  if (!seen_ || seen_->holder != now.holder || seen_->renewTime != now.renewTime) seenAt_ = loop_.now();
  seen_ = std::move(now);
  return true;
}

std::string LeaderElector::body(const Seen* before, bool giveBack) const {
  const bool mine = before != nullptr && before->holder == options_.identity;
  const std::string now = microTime(loop_.now());
  json::object spec;
  spec["holderIdentity"] = giveBack ? "" : options_.identity;
  spec["leaseDurationSeconds"] =
      giveBack ? 1 : std::chrono::duration_cast<seconds>(options_.duration).count();
  spec["acquireTime"] = mine && !before->acquireTime.empty() ? before->acquireTime : now;
  spec["renewTime"] = now;
  spec["leaseTransitions"] = before == nullptr ? 0 : before->transitions + (mine ? 0 : 1);
  json::object metadata{{"name", options_.name}, {"namespace", options_.namespace_}};
  if (before != nullptr) metadata["resourceVersion"] = before->resourceVersion;
  return json::serialize(json::object{{"apiVersion", "coordination.k8s.io/v1"},
                                      {"kind", "Lease"},
                                      {"metadata", std::move(metadata)},
                                      {"spec", std::move(spec)}});
}

void LeaderElector::create(Time asked) {
  request_ = transport_.send({.method = "POST", .path = path(), .body = body(nullptr, false)},
                             [this, asked](const kube::HttpResponse& got) { wrote(got, asked); });
}

// The resourceVersion in the body makes it fail if anybody was faster.
void LeaderElector::update(Time asked) {
  request_ =
      transport_.send({.method = "PUT", .path = path() + "/" + options_.name, .body = body(&*seen_, false)},
                      [this, asked](const kube::HttpResponse& got) { wrote(got, asked); });
}

void LeaderElector::wrote(const kube::HttpResponse& response, Time asked) {
  if (stopped_) return;
  if (!response.ok()) return fail(response);
  answered();
  read(response.body);
  renewed_ = asked;
  again();
  if (std::exchange(leading_, true)) return;
  watchers_.elected();
}

void LeaderElector::release(std::function<void()> done) {
  stopped_ = true;
  loop_.cancel(timer_);
  transport_.cancel(request_);
  if (!std::exchange(leading_, false) || !seen_) {
    loop_.after(Duration{}, std::move(done));
    return;
  }
  request_ = transport_.send({.method = "PUT",
                              .path = path() + "/" + options_.name,
                              .body = body(&*seen_, true),
                              .timeout = seconds(2)},
                             [done = std::move(done)](const kube::HttpResponse&) { done(); });
}

}  // namespace tidegate::run
