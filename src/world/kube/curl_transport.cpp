#include "world/kube/curl_transport.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "world/kube/credentials.hpp"
#include "world/kube/curl_exchange.hpp"
#include "world/kube/curl_request.hpp"

namespace tidegate::kube {
namespace {

constexpr Duration kLongestTimeout = std::chrono::hours(24 * 365);

}  // namespace

class CurlTransport::Impl {
 public:
  Impl(CurlLoop& loop, ClusterConfig config)
      : loop_(loop), credentials_(makeCredentials(loop, config)), requests_(std::move(config)) {}
  ~Impl() {
    while (!exchanges_.empty()) cancel(exchanges_.begin()->first);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  RequestId begin(HttpRequest request, Chunk chunk, Done done);
  void cancel(RequestId id);
  std::size_t inFlight() const { return exchanges_.size(); }

 private:
  using Shared = std::shared_ptr<CurlExchange>;

  void start(const Shared& exchange);
  void add(const Shared& exchange);
  void noteOldProtocol();
  void launch(const Shared& exchange, Credentials::Shared authorization);
  void renew(const Shared& exchange);
  void renewed(const Shared& exchange, Result<Credentials::Shared> authorization);
  void deliver(const Shared& exchange);
  void finished(const Shared& exchange, CURLcode result);
  void checkDeadline(const Shared& exchange);
  void release(CurlExchange& exchange);
  void end(const Shared& exchange);

  CurlLoop& loop_;
  std::unique_ptr<Credentials> credentials_;
  CurlRequests requests_;
  std::map<RequestId, Shared> exchanges_;
  RequestId next_ = 1;
  std::vector<CurlHandle> idle_;
  bool widened_ = false;
  std::shared_ptr<Ok> alive_ = std::make_shared<Ok>();
};

RequestId CurlTransport::Impl::begin(HttpRequest request, Chunk chunk, Done done) {
  auto exchange = std::make_shared<CurlExchange>(std::move(request), std::move(chunk), std::move(done));
  exchange->id = next_++;
  exchange->request.timeout = std::min(exchange->request.timeout, kLongestTimeout);
  exchange->waitsSince = loop_.now();
  exchange->clock = [this] { return loop_.now(); };
  exchange->heard = [this](long port) { loop_.sockets().heard(port, loop_.now()); };
  exchange->oldProtocol = [this] { noteOldProtocol(); };
  exchange->began = [this, weak = std::weak_ptr(exchange)] {
    loop_.at(loop_.now(), [weak] {
      const Shared alive = weak.lock();
      if (alive == nullptr || alive->ended || !alive->request.begun) return;
      std::exchange(alive->request.begun, {})();
    });
  };
  exchange->arrived = [this, weak = std::weak_ptr(exchange)] {
    loop_.at(loop_.now(), [this, weak] {
      if (const Shared alive = weak.lock()) deliver(alive);
    });
  };
  exchanges_.emplace(exchange->id, exchange);
  checkDeadline(exchange);
  start(exchange);
  return exchange->id;
}

void CurlTransport::Impl::start(const Shared& exchange) {
  if (auto authorization = credentials_->current()) {
    launch(exchange, std::move(authorization));
  } else {
    renew(exchange);
  }
}

void CurlTransport::Impl::launch(const Shared& exchange, Credentials::Shared authorization) {
  if (idle_.empty()) idle_.push_back(requests_.make(loop_.sockets()));
  exchange->handle = std::move(idle_.back());
  idle_.pop_back();
  exchange->authorization = std::move(authorization);
  exchange->headerList = requests_.prepare(exchange->handle.get(), {.request = exchange->request,
                                                                    .authorization = *exchange->authorization,
                                                                    .compressed = !exchange->isStream()});
  exchange->attach();
  add(exchange);
}

void CurlTransport::Impl::add(const Shared& exchange) {
  loop_.add(exchange->handle.get(), [this, weak = std::weak_ptr(exchange)](CURLcode result) {
    if (const Shared alive = weak.lock()) finished(alive, result);
  });
}

// Nothing can be shared: gives those that wait for a connection one of their own.
void CurlTransport::Impl::noteOldProtocol() {
  if (widened_) return;
  widened_ = true;
  loop_.at(loop_.now(), [this, alive = std::weak_ptr(alive_)] {
    if (alive.expired()) return;
    loop_.widen();
    for (const auto& [id, exchange] : exchanges_) {
      if (exchange->handle == nullptr || exchange->localPort() != 0) continue;
      loop_.remove(exchange->handle.get());
      add(exchange);
    }
  });
}

void CurlTransport::Impl::renew(const Shared& exchange) {
  credentials_->refresh(exchange->authorization,
                        [this, weak = std::weak_ptr(exchange)](Result<Credentials::Shared> authorization) {
                          const Shared alive = weak.lock();
                          if (alive != nullptr && !alive->ended) renewed(alive, std::move(authorization));
                        });
}

void CurlTransport::Impl::renewed(const Shared& exchange, Result<Credentials::Shared> authorization) {
  const bool usable = authorization && *authorization != nullptr;
  if (usable && *authorization != exchange->authorization) {
    exchange->response = {};
    launch(exchange, std::move(*authorization));
    return;
  }
  if (!authorization) exchange->response.error = requests_.address() + ": " + authorization.error().text();
  end(exchange);
}

void CurlTransport::Impl::deliver(const Shared& exchange) {
  if (exchange->ended) return;
  const std::string chunk = std::exchange(exchange->pending, {});
  if (chunk.empty()) return;
  if (!exchange->chunk(chunk) && !exchange->ended) end(exchange);
}

void CurlTransport::Impl::finished(const Shared& exchange, CURLcode result) {
  if (exchange->ended) return;
  deliver(exchange);
  if (exchange->ended) return;
  exchange->conclude(result, requests_.address());
  release(*exchange);
  if (exchange->response.status == 401 && !exchange->renewing) {
    exchange->renewing = true;
    renew(exchange);
    return;
  }
  end(exchange);
}

// Looks whether the deadline has passed, and when to look again: chunks put it off.
void CurlTransport::Impl::checkDeadline(const Shared& exchange) {
  const Time deadline = exchange->waitsSince + exchange->request.timeout;
  if (loop_.now() < deadline) {
    exchange->deadline = loop_.at(deadline, [this, weak = std::weak_ptr(exchange)] {
      if (const Shared alive = weak.lock()) checkDeadline(alive);
    });
    return;
  }
  const long port = exchange->localPort();
  exchange->fail(fmt::format("{}: {} for {}", requests_.address(),
                             exchange->isStream() ? "nothing heard" : "no answer",
                             formatDuration(exchange->request.timeout)));
  release(*exchange);
  loop_.sockets().cutIfSilent(port, exchange->waitsSince);
  end(exchange);
}

// Takes the handle back; what goes on with it is broken off.
void CurlTransport::Impl::release(CurlExchange& exchange) {
  constexpr std::size_t kIdleHandles = 64;
  if (exchange.handle == nullptr) return;
  loop_.remove(exchange.handle.get());
  exchange.detach();
  exchange.headerList.reset();
  if (idle_.size() < kIdleHandles) idle_.push_back(std::move(exchange.handle));
  exchange.handle.reset();
}

void CurlTransport::Impl::end(const Shared& exchange) {
  const auto done = std::move(exchange->done);
  HttpResponse response = std::move(exchange->response);
  cancel(exchange->id);
  done(std::move(response));
}

void CurlTransport::Impl::cancel(RequestId id) {
  const auto found = exchanges_.find(id);
  if (found == exchanges_.end()) return;
  const Shared exchange = std::move(found->second);
  exchanges_.erase(found);
  exchange->ended = true;
  loop_.cancel(exchange->deadline);
  release(*exchange);
}

CurlTransport::CurlTransport(CurlLoop& loop, ClusterConfig config)
    : impl_(std::make_unique<Impl>(loop, std::move(config))) {}

CurlTransport::~CurlTransport() = default;

RequestId CurlTransport::send(HttpRequest request, Done done) {
  return impl_->begin(std::move(request), nullptr, std::move(done));
}

RequestId CurlTransport::stream(HttpRequest request, Chunk chunk, Done done) {
  return impl_->begin(std::move(request), std::move(chunk), std::move(done));
}

void CurlTransport::cancel(RequestId request) {
  impl_->cancel(request);
}

std::size_t CurlTransport::inFlight() const {
  return impl_->inFlight();
}

}  // namespace tidegate::kube
