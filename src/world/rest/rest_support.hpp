// For tests of the simulated API server: a world without latency, and answers taken apart.
#pragma once

#include <boost/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "world/rest/rest_server.hpp"
#include "world/sim/test_support.hpp"

namespace tidegate::rest::test {

inline boost::json::value parsed(std::string_view text) {
  return boost::json::parse(boost::json::string_view(text.data(), text.size()));
}

// The text at a path like "metadata.name"; "" if there is none.
inline std::string at(const boost::json::value& value, std::string_view path) {
  std::string pointer = "/" + std::string(path);
  for (char& c : pointer) c = c == '.' ? '/' : c;
  boost::system::error_code failure;
  const boost::json::value* found = value.find_pointer(pointer, failure);
  if (found == nullptr) return "";
  return found->is_string() ? std::string(found->as_string()) : boost::json::serialize(*found);
}
inline std::string at(const kube::HttpResponse& response, std::string_view path) {
  return response.body.empty() ? "" : at(parsed(response.body), path);
}

struct Bench {
  sim::EventQueue clock{Time{} + std::chrono::hours(24 * 20000)};
  sim::SimApiServer api{clock, 7};
  RestServer server{clock, api, {.history = 20}};

  kube::HttpResponse call(std::string method, std::string path, std::string body = "",
                          std::string type = "application/json") {
    return server.answer({.method = std::move(method),
                          .path = std::move(path),
                          .body = std::move(body),
                          .contentType = std::move(type)});
  }
  kube::HttpResponse get(std::string path) { return call("GET", std::move(path)); }

  // The lines of a watch, as they come.
  struct Stream {
    std::vector<std::string> lines;
    bool ended = false;
    kube::HttpResponse response;
    std::vector<std::string> types() const {
      std::vector<std::string> out;
      for (const std::string& line : lines) out.push_back(at(parsed(line), "type"));
      return out;
    }
  };
  std::shared_ptr<Stream> watch(std::string path) {
    auto stream = std::make_shared<Stream>();
    stream->response =
        server
            .watch({.method = "GET", .path = std::move(path), .body = {}},
                   {.event = [stream](std::string_view line) { stream->lines.emplace_back(line); },
                    .end = [stream] { stream->ended = true; }})
            .response;
    return stream;
  }
  void run(Duration span) {
    const Time end = clock.now() + span;
    while (!clock.empty() && clock.nextTime() <= end) clock.step();
    clock.advanceTo(end);
  }
  void addPods(int count) {
    for (int i = 0; i < count; ++i) api.create(sim::test::pod("p" + std::to_string(100 + i)));
  }
  std::string version() const { return std::to_string(api.store().version()); }
};

inline const std::string kPods = "/api/v1/namespaces/default/pods";
inline const std::string kMergePatch = "application/merge-patch+json";
inline const std::string kStrategicPatch = "application/strategic-merge-patch+json";
inline const std::string kApplyPatch = "application/apply-patch+yaml";

}  // namespace tidegate::rest::test
