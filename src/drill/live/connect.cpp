// The drill's connection to a real cluster.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <ostream>

#include "drill/live/live_drill.hpp"
#include "world/kube/curl_loop.hpp"
#include "world/kube/curl_transport.hpp"

namespace tidegate::drill::live {
namespace {

class CurlDriver : public Driver {
 public:
  kube::CurlLoop& loop() override { return loop_; }
  void run() override { loop_.run(); }
  void stop() override { loop_.stop(); }

 private:
  kube::CurlLoop loop_;
};

}  // namespace

int runLiveDrill(const LiveOptions& options, const Terminal& terminal, const Interrupts& interrupts,
                 const kube::Environment& environment) {
  const Result<kube::ClusterConfig> cluster = kube::findCluster(
      {.kubeconfig = options.kubeconfig, .context = options.context, .environment = environment});
  if (!cluster) {
    fmt::print(terminal.err, "error: {}\n", cluster.error().text());
    return kBadInput;
  }
  CurlDriver driver;
  Waiter waiter(driver);
  kube::CurlTransport transport(driver.loop(), *cluster);
  if (interrupts.descriptor >= 0) {
    driver.loop().watch(interrupts.descriptor, [&] {
      const char* signal = interrupts.take();
      fmt::print(terminal.err, "{}: {}\n", signal,
                 waiter.cleaning() ? "leaving at once" : "cleaning up; once more to leave at once");
      waiter.interrupt(signal);
    });
  }
  const int code = runLiveDrill(options, terminal, {waiter, transport});
  if (interrupts.descriptor >= 0) driver.loop().unwatch(interrupts.descriptor);
  return code;
}

}  // namespace tidegate::drill::live
