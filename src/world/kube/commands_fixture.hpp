// What tests of the command runner share.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "world/kube/commands.hpp"
#include "world/kube/fake_transport.hpp"

namespace tidegate::kube {

inline constexpr const char* kConflict =
    R"({"kind":"Status","code":409,"reason":"Conflict","message":"changed"})";

struct FakeSignals : SignalSender {
  std::vector<std::pair<SignalRequest, Transport::Done>> sent;
  void post(SignalRequest request, Transport::Done done) override {
    sent.emplace_back(std::move(request), std::move(done));
  }
};

class CommandsTest : public testing::Test {
 protected:
  CommandsTest() { make({}); }
  void make(CommandOptions options) {
    runner.emplace(
        CommandRunner::Services{.loop = loop,
                                .transport = transport,
                                .signals = &signals,
                                .mayWrite = [this] { return leader; },
                                .uidOf = [](const api::ObjectRef& ref) { return "uid-of-" + ref.name; }},
        options, Rng{3});
  }
  CommandId run(Action action) {
    runner->run({.id = ++lastId, .action = std::move(action)},
                [this](const CommandDone& answer) { done.push_back(answer); });
    return lastId;
  }
  // The outcome of the command that ended last.
  std::optional<Outcome> outcome() {
    loop.settle();
    if (done.empty()) return std::nullopt;
    const Outcome last = done.back().outcome;
    message = done.back().message;
    done.clear();
    return last;
  }

  static Bind bind(const std::string& name) { return {"a", name, "u1", "n1"}; }
  static api::ObjectRef ref(const char* kind, const char* apiVersion, const char* name = "x") {
    return {.kind = kind, .apiVersion = apiVersion, .namespace_ = "a", .name = name};
  }

  ManualLoop loop;
  FakeTransport transport;
  FakeSignals signals;
  bool leader = true;
  CommandId lastId = 0;
  std::vector<CommandDone> done;
  std::string message;
  std::optional<CommandRunner> runner;
};

}  // namespace tidegate::kube
