#include "world/kube/curl_loop.hpp"

#include <algorithm>
#include <chrono>

namespace tidegate::kube {
namespace {

// As many as a server might allow; it tells its own limit.
constexpr long kMaxStreams = 1000;
constexpr Duration kLongestPoll = std::chrono::minutes(5);

CURLM* makeMulti() {
  TIDEGATE_CHECK(curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK, "libcurl does not start");
  CURLM* multi = curl_multi_init();
  TIDEGATE_CHECK(multi != nullptr, "libcurl: out of memory");
  curl_multi_setopt(multi, CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX);
  curl_multi_setopt(multi, CURLMOPT_MAX_CONCURRENT_STREAMS, kMaxStreams);
  curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, CurlLoop::kSharedConnections);
  return multi;
}

void checkMulti(CURLMcode code, const char* call) {
  TIDEGATE_CHECK(code == CURLM_OK, std::string(call) + ": " + curl_multi_strerror(code));
}

}  // namespace

CurlLoop::CurlLoop() : multi_(makeMulti()) {}

CurlLoop::~CurlLoop() {
  TIDEGATE_CHECK(transfers_.empty(), "a loop is destroyed before its transports");
}

Time CurlLoop::now() const {
  return clock_.read();
}

TimerId CurlLoop::at(Time when, std::function<void()> action) {
  const TimerId id = nextTimer_++;
  when = std::max(when, Time{});  // so that differences do not overflow
  timers_.emplace(TimerKey{when, id}, std::move(action));
  timerTimes_.emplace(id, when);
  return id;
}

void CurlLoop::cancel(TimerId timer) {
  const auto found = timerTimes_.find(timer);
  if (found == timerTimes_.end()) return;
  timers_.erase({found->second, timer});
  timerTimes_.erase(found);
}

void CurlLoop::run() {
  while (!stopping_) {
    runPosted();
    runTimers();
    runTransfers();
    if (!stopping_) pollOnce();
  }
  stopping_ = false;
}

void CurlLoop::stop() {
  stopping_ = true;
  curl_multi_wakeup(multi_.get());
}

void CurlLoop::post(std::function<void()> action) {
  {
    const std::lock_guard lock(postedMutex_);
    posted_.push_back(std::move(action));
  }
  curl_multi_wakeup(multi_.get());
}

void CurlLoop::add(CURL* transfer, std::function<void(CURLcode)> finished) {
  transfers_.emplace(transfer, std::move(finished));
  checkMulti(curl_multi_add_handle(multi_.get(), transfer), "curl_multi_add_handle");
}

void CurlLoop::remove(CURL* transfer) {
  if (transfers_.erase(transfer) == 0) return;
  checkMulti(curl_multi_remove_handle(multi_.get(), transfer), "curl_multi_remove_handle");
}

void CurlLoop::widen() {
  curl_multi_setopt(multi_.get(), CURLMOPT_MAX_HOST_CONNECTIONS, kMaxConnections);
}

void CurlLoop::watch(int descriptor, std::function<void()> readable) {
  watches_[descriptor] = std::make_shared<std::function<void()>>(std::move(readable));
}

void CurlLoop::unwatch(int descriptor) {
  watches_.erase(descriptor);
}

void CurlLoop::runPosted() {
  std::vector<std::function<void()>> actions;
  {
    const std::lock_guard lock(postedMutex_);
    actions.swap(posted_);
  }
  for (const auto& action : actions) action();
}

// Runs what is due at the start: timers that are set meanwhile have to wait for the transfers' turn.
void CurlLoop::runTimers() {
  const TimerKey end{now(), nextTimer_};
  while (!timers_.empty() && !stopping_ && timers_.begin()->first < end) {
    if (timers_.begin()->first.second >= end.second) break;
    auto due = timers_.extract(timers_.begin());
    timerTimes_.erase(due.key().second);
    due.mapped()();
  }
}

void CurlLoop::runTransfers() {
  int running = 0;
  checkMulti(curl_multi_perform(multi_.get(), &running), "curl_multi_perform");
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    CURL* transfer = message->easy_handle;
    const CURLcode result = message->data.result;  // `message` dies with the removal
    const auto found = transfers_.find(transfer);
    TIDEGATE_CHECK(found != transfers_.end(), "a transfer nobody knows has ended");
    const auto finished = std::move(found->second);
    remove(transfer);
    finished(result);
  }
}

void CurlLoop::pollOnce() {
  std::vector<curl_waitfd> polled;
  polled.reserve(watches_.size());
  for (const auto& [descriptor, readable] : watches_)
    polled.push_back({.fd = descriptor, .events = CURL_WAIT_POLLIN, .revents = 0});
  const auto count = static_cast<unsigned>(polled.size());
  checkMulti(curl_multi_poll(multi_.get(), polled.data(), count, pollTimeoutMs(), nullptr),
             "curl_multi_poll");
  runReadable(polled);
}

int CurlLoop::pollTimeoutMs() const {
  Duration wait = kLongestPoll;
  if (!timers_.empty()) wait = std::clamp(timers_.begin()->first.first - now(), Duration{0}, kLongestPoll);
  return static_cast<int>(std::chrono::ceil<milliseconds>(wait).count());
}

void CurlLoop::runReadable(const std::vector<curl_waitfd>& polled) {
  for (const curl_waitfd& one : polled) {
    if (one.revents == 0) continue;
    const auto found = watches_.find(one.fd);
    if (found == watches_.end()) continue;
    const auto readable = found->second;  // may be unwatched by itself
    (*readable)();
  }
}

}  // namespace tidegate::kube
