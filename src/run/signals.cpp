#include "run/signals.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <map>
#include <string>

namespace tidegate::run {
namespace {

struct EasyCleanup {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
struct ListCleanup {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

// One signal on its way. curl keeps pointers into it.
struct Post {
  kube::SignalRequest request;
  kube::Transport::Done done;
  std::unique_ptr<curl_slist, ListCleanup> headers;
  std::unique_ptr<CURL, EasyCleanup> easy;
};

// What pods answer is not read: their status says all.
std::size_t discard(char*, std::size_t size, std::size_t count, void*) {
  return size * count;
}

std::unique_ptr<Post> prepare(kube::SignalRequest request, kube::Transport::Done done) {
  auto post = std::make_unique<Post>();
  post->request = std::move(request);
  post->done = std::move(done);
  post->headers.reset(curl_slist_append(nullptr, "Content-Type: application/json"));
  post->easy.reset(curl_easy_init());
  CURL* easy = post->easy.get();
  curl_easy_setopt(easy, CURLOPT_URL, post->request.url.c_str());
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http");
  curl_easy_setopt(easy, CURLOPT_PROXY, "");
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, post->headers.get());
  curl_easy_setopt(easy, CURLOPT_POSTFIELDS, post->request.body.c_str());
  curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, static_cast<long>(post->request.body.size()));
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, discard);
  const auto timeout = std::chrono::duration_cast<milliseconds>(post->request.timeout).count();
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, std::max(1L, static_cast<long>(timeout)));
  return post;
}

kube::HttpResponse responseOf(CURL* easy, CURLcode code) {
  kube::HttpResponse response;
  if (code != CURLE_OK) {
    response.error = curl_easy_strerror(code);
    return response;
  }
  long status = 0;
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
  response.status = static_cast<int>(status);
  return response;
}

}  // namespace

class PodSignals::Impl {
 public:
  explicit Impl(kube::CurlLoop& loop) : loop_(loop) {}
  ~Impl() {
    for (const auto& [easy, post] : posts_) loop_.remove(easy);
  }

  void post(std::unique_ptr<Post> post) {
    CURL* easy = post->easy.get();
    posts_[easy] = std::move(post);
    loop_.add(easy, [this, easy](CURLcode code) { finish(easy, code); });
  }

 private:
  void finish(CURL* easy, CURLcode code) {
    auto post = std::move(posts_.extract(easy).mapped());
    post->done(responseOf(easy, code));
  }

  kube::CurlLoop& loop_;
  std::map<CURL*, std::unique_ptr<Post>> posts_;
};

PodSignals::PodSignals(kube::CurlLoop& loop) : impl_(std::make_unique<Impl>(loop)) {}
PodSignals::~PodSignals() = default;
void PodSignals::post(kube::SignalRequest request, kube::Transport::Done done) {
  impl_->post(prepare(std::move(request), std::move(done)));
}

}  // namespace tidegate::run
