#include "run/run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <optional>
#include <random>

#include "core/files.hpp"
#include "run/components.hpp"
#include "run/conf.hpp"
#include "run/conf_file.hpp"
#include "run/http_server.hpp"
#include "run/lease.hpp"
#include "run/log.hpp"
#include "run/metrics.hpp"
#include "run/readiness.hpp"
#include "run/signals.hpp"
#include "run/stop_signals.hpp"
#include "world/kube/curl_loop.hpp"
#include "world/kube/curl_transport.hpp"
#include "world/kube/kube_host.hpp"

namespace tidegate::run {
namespace {

constexpr int kLost = 1;
constexpr int kBadInput = 2;
constexpr Duration kDrainAtMost = seconds(3);
constexpr Duration kConfRetry = seconds(2);

std::string identityOf(const RunOptions& options) {
  if (!options.identity.empty()) return options.identity;
  char host[256] = "tidegate";
  gethostname(host, sizeof host - 1);
  return fmt::format("{}_{:08x}", host, std::random_device{}());
}

struct ObjectName {
  std::string namespace_;
  std::string name;
};
ObjectName splitName(const std::string& text) {
  const std::size_t slash = text.find('/');
  return {text.substr(0, slash), text.substr(slash + 1)};
}

struct FirstConf {
  scheduler::Policy policy;
  std::string text;  // that the policy was read from
};

// Of a ConfigMap, if that is asked for, it is read later.
Result<FirstConf> firstConf(const RunOptions& options) {
  FirstConf conf;
  if (options.confFile.empty()) return conf;
  TIDEGATE_TRY(conf.text, readFile(options.confFile));
  TIDEGATE_TRY(conf.policy, policyOf(conf.text, options.confFile));
  return conf;
}

class Runner {
 public:
  Runner(const RunOptions& options, const kube::ClusterConfig& cluster, FirstConf conf)
      : options_(options),
        identity_(identityOf(options)),
        transport_(loop_, cluster),
        podSignals_(loop_),
        policy_(std::move(conf.policy)),
        confText_(std::move(conf.text)) {}

  int run() {
    if (const auto error = serve()) {
      logError("cannot serve health and metrics", {{"error", *error}});
      return kBadInput;
    }
    loop_.watch(stopSignals_.descriptor(), [this] { stop(stopSignals_.take()); });
    loop_.post([this] { options_.confMap.empty() ? elect() : fetchConf(); });
    loop_.run();
    loop_.unwatch(stopSignals_.descriptor());
    server_.reset();
    return exit_;
  }

 private:
  // ---- health and metrics ----

  std::optional<std::string> serve() {
    if (options_.listen.empty()) return std::nullopt;
    auto server =
        HttpServer::start(options_.listen, [this](const std::string& path, HttpServer::Answer answer) {
          loop_.post([this, path, answer = std::move(answer)] { answer(page(path)); });
        });
    if (!server) return server.error().message;
    server_ = *std::move(server);
    logInfo("serving /healthz, /readyz, /metrics, /debug/cycles",
            {{"port", std::to_string(server_->port())}});
    return std::nullopt;
  }

  Page page(const std::string& path) const {
    if (path == "/healthz" || path == "/livez") return {.body = "ok\n"};
    if (path == "/readyz") return ready();
    if (path == "/metrics") {
      return {
          .contentType = "text/plain; version=0.0.4; charset=utf-8",
          .body = metricsText({.leads = host_ != nullptr, .host = host_.get(), .brain = components_.brain})};
    }
    if (path == "/debug/cycles" && components_.brain != nullptr) {
      return {.contentType = "application/json", .body = cyclesJson(*components_.brain)};
    }
    return {.status = 404,
            .body = "there is /healthz, /readyz, /metrics and, on the leader, /debug/cycles\n"};
  }

  // A replica that waits for the lease is ready to take over.
  Page ready() const {
    if (host_ == nullptr && elector_ && !stopping_) return {.body = "ok: another replica leads\n"};
    if (host_ == nullptr || stopping_) return {.status = 503, .body = "starting or stopping\n"};
    return readiness(host_->reflectors());
  }

  // ---- conf ----

  void fetchConf() {
    const auto [ns, name] = splitName(options_.confMap);
    transport_.send({.path = *kube::pathOf({"ConfigMap", "v1", ns, name}), .body = {}},
                    [this](kube::HttpResponse response) { takeConf(std::move(response)); });
  }

  void takeConf(kube::HttpResponse response) {
    if (stopping_) return;
    if (response.ok() || response.status == 404) confTrouble_.served(options_.confMap);
    if (response.status == 404) {
      logWarning("no such ConfigMap: the default conf is used until there is one",
                 {{"configmap", options_.confMap}});
      return elect();
    }
    if (!response.ok()) {
      confTrouble_.failed(options_.confMap, response.status == 0 ? response.error
                                                                 : fmt::format("HTTP {}: {}", response.status,
                                                                               response.body.substr(0, 200)));
      loop_.after(kConfRetry, [this] { fetchConf(); });
      return;
    }
    const Result<Ok> used = useFirstConf(std::move(response.body));
    if (used) return elect();
    logError("the conf is wrong", {{"error", used.error().text()}});
    finish(kBadInput);
  }

  Result<Ok> useFirstConf(std::string body) {
    kube::Decoder decoder;
    TIDEGATE_TRY(const api::Object object,
                 decoder.object(kube::resourceOf<api::ConfigMap>(), std::move(body)));
    TIDEGATE_TRY(confText_, confTextOf(std::get<api::ConfigMap>(object)));
    TIDEGATE_TRY(policy_, policyOf(confText_, "ConfigMap " + options_.confMap));
    return Ok{};
  }

  void followConfFile() {
    confFile_.emplace(loop_, ConfFile::Start{.path = options_.confFile, .text = confText_},
                      [this](const scheduler::Policy& policy) { use(policy); });
  }

  void use(const scheduler::Policy& policy) {
    policy_ = policy;
    if (components_.brain != nullptr) components_.brain->use(policy, loop_.now());
  }

  // ---- leading ----

  void elect() {
    if (!options_.confFile.empty()) followConfFile();
    if (!options_.leaderElect) return lead();
    const auto [ns, name] = splitName(options_.lease);
    elector_.emplace(
        loop_, transport_, LeaseOptions{.namespace_ = ns, .name = name, .identity = identity_},
        LeaderElector::Watchers{
            .elected = [this] { lead(); },
            .deposed = [this](const std::string& why) { lose(why); },
            .follows =
                [](const std::string& holder) { logInfo("another replica leads", {{"leader", holder}}); },
            .troubled =
                [this](const std::string& why) {
                  logWarning("cannot use the lease; trying again",
                             {{"lease", options_.lease}, {"error", why}});
                },
            .mended = [this] { logInfo("the lease can be used again", {{"lease", options_.lease}}); }});
    elector_->start();
  }

  void lead() {
    logInfo("leading", {{"identity", identity_}});
    components_ = makeComponents(options_, policy_);
    kube::HostOptions hostOptions;
    hostOptions.commands.instance = identity_;
    hostOptions.seed = std::random_device{}();
    lookForRequired(hostOptions);
    if (!options_.confMap.empty()) {
      const auto [ns, name] = splitName(options_.confMap);
      confMap_.emplace(options_.confMap, confText_, [this](const scheduler::Policy& policy) { use(policy); });
      hostOptions.reflectorOf["configmaps"] = {.onlyNamespace = ns, .fieldSelector = "metadata.name=" + name};
    }
    host_ = std::make_unique<kube::KubeHost>(
        kube::HostServices{.loop = loop_,
                           .transport = transport_,
                           .signals = &podSignals_,
                           .mayWrite = [this] { return !stopping_ && (!elector_ || elector_->mayWrite()); },
                           .warning = [](const std::string& message) { logWarning(message); },
                           .notice = [](const std::string& message) { logInfo(message); },
                           .absent =
                               [](const kube::Resource& resource) {
                                 isRequired(resource) ? logError(absentText(resource))
                                                      : logInfo(absentText(resource));
                               }},
        hostOptions);
    for (Hosted& hosted : components_.hosted) host_->add(hosted.name, *hosted.controller, hosted.kinds);
    if (confMap_) host_->add("conf", *confMap_, kube::kindsOf<api::ConfigMap>());
    host_->start();
  }

  void lose(const std::string& why) {
    logError("not the leader any more", {{"why", why}});
    finish(kLost);
  }

  // ---- stopping ----

  // Nothing new is begun; what is on its way is given a moment; then the lease is given back.
  void stop(const char* signal) {
    if (std::exchange(stopping_, true)) return;
    logInfo("stopping", {{"signal", signal}});
    drainUntil_ = loop_.now() + kDrainAtMost;
    drain();
  }

  void drain() {
    if (host_ && !host_->idle() && loop_.now() < drainUntil_) {
      loop_.after(milliseconds(20), [this] { drain(); });
      return;
    }
    if (host_) host_->stop();
    if (!elector_) return finish(0);
    elector_->release([this] { finish(0); });
  }

  void finish(int status) {
    stopping_ = true;
    exit_ = status;
    if (host_) host_->stop();
    loop_.stop();
  }

  const RunOptions options_;
  const std::string identity_;
  StopSignals stopSignals_;  // before any thread is started
  kube::CurlLoop loop_;
  kube::CurlTransport transport_;
  kube::TroubleLog confTrouble_{loop_,
                                "the conf's ConfigMap",
                                {.warning = [](const std::string& message) { logWarning(message); },
                                 .notice = [](const std::string& message) { logInfo(message); }}};
  PodSignals podSignals_;
  scheduler::Policy policy_;
  std::string confText_;
  std::optional<ConfFile> confFile_;
  std::optional<ConfMapController> confMap_;
  std::optional<LeaderElector> elector_;
  Components components_;
  std::unique_ptr<kube::KubeHost> host_;
  std::unique_ptr<HttpServer> server_;
  Time drainUntil_{};
  bool stopping_ = false;
  int exit_ = 0;
};

}  // namespace

int run(const RunOptions& options, const kube::Environment& environment) {
  startLog(options.logFormat);
  const Result<kube::ClusterConfig> cluster = kube::findCluster(
      {.kubeconfig = options.kubeconfig, .context = options.context, .environment = environment});
  if (!cluster) {
    logError(cluster.error().text());
    return kBadInput;
  }
  Result<FirstConf> conf = firstConf(options);
  if (!conf) {
    logError(conf.error().text());
    return kBadInput;
  }
  logInfo("tidegate run", {{"server", cluster->server}, {"config", cluster->source}});
  return Runner(options, *cluster, *std::move(conf)).run();
}

}  // namespace tidegate::run
