#include "world/kube/cluster_config.hpp"

#include <curl/curl.h>
#include <fmt/format.h>

#include <memory>

namespace tidegate::kube {
namespace {

struct UrlCleanup {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};

std::string part(CURLU* url, CURLUPart which) {
  char* text = nullptr;
  if (curl_url_get(url, which, &text, CURLU_DEFAULT_PORT) != CURLUE_OK) return "";
  std::string out(text);
  curl_free(text);
  return out;
}

}  // namespace

Result<ServerUrl> parseServerUrl(const std::string& url) {
  const std::unique_ptr<CURLU, UrlCleanup> parsed(curl_url());
  const CURLUcode code = curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), CURLU_NON_SUPPORT_SCHEME);
  if (code != CURLUE_OK) return fail(fmt::format("\"{}\" is no URL: {}", url, curl_url_strerror(code)));
  ServerUrl out{.scheme = part(parsed.get(), CURLUPART_SCHEME),
                .host = part(parsed.get(), CURLUPART_HOST),
                .port = part(parsed.get(), CURLUPART_PORT),
                .path = part(parsed.get(), CURLUPART_PATH)};
  if (out.scheme != "https" && out.scheme != "http")
    return fail(fmt::format("want a URL with https or http, got \"{}\"", url));
  if (!part(parsed.get(), CURLUPART_USER).empty() || !part(parsed.get(), CURLUPART_QUERY).empty())
    return fail(fmt::format("want a URL of scheme, host, port and path only, got \"{}\"", url));
  while (out.path.ends_with('/')) out.path.pop_back();
  return out;
}

}  // namespace tidegate::kube
