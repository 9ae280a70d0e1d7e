#include "world/kube/curl_exchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/text.hpp"

namespace tidegate::kube {
namespace {

std::string lowerCase(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

bool isSuccess(int status) {
  return status >= 200 && status < 300;
}

}  // namespace

void CurlExchange::attach() {
  errorText_.front() = '\0';
  curl_easy_setopt(handle.get(), CURLOPT_ERRORBUFFER, errorText_.data());
  curl_easy_setopt(handle.get(), CURLOPT_HEADERFUNCTION, &CurlExchange::onHeader);
  curl_easy_setopt(handle.get(), CURLOPT_HEADERDATA, this);
  curl_easy_setopt(handle.get(), CURLOPT_WRITEFUNCTION, &CurlExchange::onBody);
  curl_easy_setopt(handle.get(), CURLOPT_WRITEDATA, this);
}

void CurlExchange::detach() {
  curl_easy_setopt(handle.get(), CURLOPT_ERRORBUFFER, nullptr);
  curl_easy_setopt(handle.get(), CURLOPT_HTTPHEADER, nullptr);
  curl_easy_setopt(handle.get(), CURLOPT_POSTFIELDS, nullptr);
}

void CurlExchange::conclude(CURLcode result, const std::string& address) {
  response.status = statusNow();
  if (result == CURLE_OK) return;
  const char* text = errorText_.c_str();
  fail(fmt::format("{}: {}", address, *text != '\0' ? text : curl_easy_strerror(result)));
}

void CurlExchange::fail(std::string error) {
  response.status = handle == nullptr ? response.status : statusNow();
  response.error = std::move(error);
  if (isStream() && isSuccess(response.status)) return;
  response.status = 0;
  response.body.clear();
}

long CurlExchange::localPort() const {
  long port = 0;
  if (handle != nullptr) curl_easy_getinfo(handle.get(), CURLINFO_LOCAL_PORT, &port);
  return port;
}

int CurlExchange::statusNow() const {
  long status = 0;
  curl_easy_getinfo(handle.get(), CURLINFO_RESPONSE_CODE, &status);
  return static_cast<int>(status);
}

std::size_t CurlExchange::onHeader(char* data, std::size_t one, std::size_t size, void* self) {
  auto& exchange = *static_cast<CurlExchange*>(self);
  exchange.noteHeard();
  exchange.takeHeader({data, one * size});
  return one * size;
}

std::size_t CurlExchange::onBody(char* data, std::size_t one, std::size_t size, void* self) {
  auto& exchange = *static_cast<CurlExchange*>(self);
  exchange.noteHeard();
  exchange.takeBody({data, one * size});
  return one * size;
}

// A status line starts a new answer: what was before it was an informational one.
void CurlExchange::takeHeader(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (line.starts_with("HTTP/")) {
    response.headers.clear();
    if (line.starts_with("HTTP/1")) oldProtocol();
  } else if (colon != std::string_view::npos) {
    response.headers[lowerCase(line.substr(0, colon))] = trimText(line.substr(colon + 1));
  } else if (isStream() && isSuccess(statusNow())) {
    began();
  }
}

void CurlExchange::takeBody(std::string_view data) {
  if (!isStream() || !isSuccess(statusNow())) {
    response.body += data;
    return;
  }
  const bool first = pending.empty();
  pending += data;
  if (first && !data.empty()) arrived();
}

void CurlExchange::noteHeard() {
  if (isStream()) waitsSince = clock();
  heard(localPort());
}

}  // namespace tidegate::kube
