#include "world/kube/curl_request.hpp"

#include <fmt/format.h>

#include <cctype>
#include <utility>

namespace tidegate::kube {
namespace {

constexpr long kConnectTimeoutSeconds = 10;

void append(CurlList& list, const std::string& line) {
  curl_slist* longer = curl_slist_append(list.get(), line.c_str());
  TIDEGATE_CHECK(longer != nullptr, "libcurl: out of memory");
  static_cast<void>(list.release());
  list.reset(longer);
}

// As the names of extra fields stand in headers: what is no token character of RFC 9110 becomes %XX.
std::string escapeHeaderKey(std::string_view key) {
  std::string out;
  for (const char c : key) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                       std::string_view("!#$&'*+-.^_`|~").find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

// Authentication, "User impersonation".
void appendImpersonation(CurlList& list, const Impersonation& as) {
  if (as.user.empty()) return;
  append(list, "Impersonate-User: " + as.user);
  if (!as.uid.empty()) append(list, "Impersonate-Uid: " + as.uid);
  for (const std::string& group : as.groups) append(list, "Impersonate-Group: " + group);
  for (const auto& [key, values] : as.extra) {
    for (const std::string& value : values)
      append(list, fmt::format("Impersonate-Extra-{}: {}", escapeHeaderKey(key), value));
  }
}

CurlList copyOf(const curl_slist* list) {
  CurlList out;
  for (; list != nullptr; list = list->next) append(out, list->data);
  return out;
}

void setBlob(CURL* transfer, CURLoption option, const std::string& data) {
  curl_blob blob{.data = const_cast<char*>(data.data()), .len = data.size(), .flags = CURL_BLOB_COPY};
  curl_easy_setopt(transfer, option, data.empty() ? nullptr : &blob);
}

void setBody(CURL* transfer, const HttpRequest& request) {
  const bool withBody = !request.body.empty() || request.method == "POST" || request.method == "PUT" ||
                        request.method == "PATCH";
  if (withBody) {
    curl_easy_setopt(transfer, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    curl_easy_setopt(transfer, CURLOPT_POSTFIELDS, request.body.c_str());
  } else {
    curl_easy_setopt(transfer, CURLOPT_POSTFIELDS, nullptr);
    curl_easy_setopt(transfer, CURLOPT_HTTPGET, 1L);
  }
  curl_easy_setopt(transfer, CURLOPT_CUSTOMREQUEST, request.method.c_str());
}

}  // namespace

CurlRequests::CurlRequests(ClusterConfig config) : config_(std::move(config)), url_(urlOf(config_)) {
  if (!config_.tlsServerName.empty()) append(connectTo_, "::" + url_.address);
  append(headers_, "Accept: application/json");
  append(headers_, "Expect:");
  if (!url_.host.empty()) append(headers_, "Host: " + url_.host);
  appendImpersonation(headers_, config_.impersonate);
}

CurlRequests::Url CurlRequests::urlOf(const ClusterConfig& config) {
  const auto parsed = parseServerUrl(config.server);
  TIDEGATE_CHECK(parsed.has_value(), parsed.error().message);
  Url url;
  url.address = parsed->address();
  url.loopback = parsed->host == "localhost" || parsed->host == "[::1]" || parsed->host.starts_with("127.");
  std::string authority = url.address;
  if (!config.tlsServerName.empty()) {
    url.host = url.address;
    authority = config.tlsServerName + ":" + parsed->port;
  }
  url.base = fmt::format("{}://{}{}", parsed->scheme, authority, parsed->path);
  return url;
}

CurlHandle CurlRequests::make(CurlSockets& sockets) const {
  CurlHandle handle(curl_easy_init());
  CURL* transfer = handle.get();
  TIDEGATE_CHECK(transfer != nullptr, "libcurl: out of memory");
  sockets.serve(transfer);
  curl_easy_setopt(transfer, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(transfer, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
  // Without TLS it is not known before the first answer that there will be no sharing.
  curl_easy_setopt(transfer, CURLOPT_PIPEWAIT, url_.base.starts_with("https:") ? 1L : 0L);
  curl_easy_setopt(transfer, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(transfer, CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(transfer, CURLOPT_CONNECTTIMEOUT, kConnectTimeoutSeconds);
  curl_easy_setopt(transfer, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  curl_easy_setopt(transfer, CURLOPT_USERAGENT, "tidegate");
  curl_easy_setopt(transfer, CURLOPT_CONNECT_TO, connectTo_.get());
  // Without a proxy-url, that of the environment holds, as for client-go, but never to this machine.
  if (!config_.proxyUrl.empty() || url_.loopback)
    curl_easy_setopt(transfer, CURLOPT_PROXY, config_.proxyUrl.c_str());
  if (!config_.proxyUrl.empty()) curl_easy_setopt(transfer, CURLOPT_NOPROXY, "");
  setTls(transfer);
  return handle;
}

void CurlRequests::setTls(CURL* transfer) const {
  const bool verify = !config_.insecureSkipTlsVerify;
  curl_easy_setopt(transfer, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  curl_easy_setopt(transfer, CURLOPT_SSL_VERIFYPEER, verify ? 1L : 0L);
  curl_easy_setopt(transfer, CURLOPT_SSL_VERIFYHOST, verify ? 2L : 0L);
  curl_easy_setopt(transfer, CURLOPT_CA_CACHE_TIMEOUT, 0L);  // the file may change
  const PemSource& authority = config_.certificateAuthority;
  if (!verify || authority.empty()) return;
  curl_easy_setopt(transfer, CURLOPT_CAPATH, nullptr);  // no other authority counts
  if (!authority.data.empty()) {
    setBlob(transfer, CURLOPT_CAINFO_BLOB, authority.data);
  } else {
    curl_easy_setopt(transfer, CURLOPT_CAINFO, authority.file.c_str());
  }
}

void CurlRequests::setClientCertificate(CURL* transfer, const Authorization& authorization) const {
  const bool own = authorization.clientCertificate.empty();
  const std::string& certificate = own ? config_.clientCertificate.data : authorization.clientCertificate;
  const std::string& key = own ? config_.clientKey.data : authorization.clientKey;
  const auto file = [own](const PemSource& source) {
    return own && source.data.empty() && !source.file.empty() ? source.file.c_str() : nullptr;
  };
  curl_easy_setopt(transfer, CURLOPT_SSLCERT, file(config_.clientCertificate));
  curl_easy_setopt(transfer, CURLOPT_SSLKEY, file(config_.clientKey));
  setBlob(transfer, CURLOPT_SSLCERT_BLOB, certificate);
  setBlob(transfer, CURLOPT_SSLKEY_BLOB, key);
}

CurlList CurlRequests::prepare(CURL* transfer, const CurlRequestParts& parts) const {
  const HttpRequest& request = parts.request;
  CurlList headers = copyOf(headers_.get());
  if (!request.body.empty()) append(headers, "Content-Type: " + request.contentType);
  if (!parts.authorization.header.empty()) append(headers, "Authorization: " + parts.authorization.header);
  curl_easy_setopt(transfer, CURLOPT_URL, (url_.base + request.path).c_str());
  curl_easy_setopt(transfer, CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(transfer, CURLOPT_ACCEPT_ENCODING, parts.compressed ? "gzip" : nullptr);
  setBody(transfer, request);
  setClientCertificate(transfer, parts.authorization);
  return headers;
}

}  // namespace tidegate::kube
