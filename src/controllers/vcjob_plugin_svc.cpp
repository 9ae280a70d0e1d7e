// The svc and ssh plugins: how the pods of a job find and reach each other.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>

#include "api/json_access.hpp"
#include "controllers/vcjob_plugins.hpp"
#include "controllers/vcjob_spec.hpp"

namespace tidegate::vcjob {

namespace {

constexpr const char* kHostsPath = "/etc/volcano";
constexpr const char* kSshPath = "/root/.ssh";
constexpr const char* kSshFolder = ".ssh";

const std::vector<std::string>& argumentsOf(const api::VcJob& job, const char* plugin) {
  static const std::vector<std::string> kNone;
  const auto found = job.spec.plugins.find(plugin);
  return found == job.spec.plugins.end() ? kNone : found->second;
}

std::string underscored(std::string name) {
  std::ranges::replace(name, '-', '_');
  return name;
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return text;
}

std::string envName(const api::TaskSpec& task, const char* what) {
  return fmt::format("VC_{}_{}", upper(underscored(task.name)), what);
}

json::object fromHosts(const std::string& configMap, const std::string& key) {
  const json::object keyRef{{"name", configMap}, {"key", key}};
  return {{"name", key}, {"valueFrom", json::object{{"configMapKeyRef", keyRef}}}};
}

void addHosts(json::object& container, const PodPlace& place) {
  const std::string name = hostsName(place.job);
  for (const api::TaskSpec& task : place.job.spec.tasks) {
    for (const char* what : {"HOSTS", "NUM"}) {
      arrayAt(container, "env").push_back(fromHosts(name, envName(task, what)));
    }
  }
  arrayAt(container, "volumeMounts").push_back(json::object{{"name", name}, {"mountPath", kHostsPath}});
}

json::object jobLabels(const api::VcJob& job) {
  return {{"volcano.sh/job-name", job.metadata.name}, {"volcano.sh/job-namespace", job.metadata.namespace_}};
}

Create headlessService(const api::VcJob& job, const PluginArguments& arguments) {
  json::object spec{{"clusterIP", "None"}, {"selector", jobLabels(job)}};
  spec["publishNotReadyAddresses"] = arguments.flag("publish-not-ready-addresses");
  return createOwned(job, {.apiVersion = "v1", .kind = "Service", .name = job.metadata.name},
                     {{"spec", std::move(spec)}});
}

// The job's pods are reached from the job's pods only.
Create networkPolicy(const api::VcJob& job) {
  const json::object selector{{"matchLabels", jobLabels(job)}};
  const json::object peer{{"podSelector", selector}};
  const json::object rule{{"from", json::array{peer}}};
  json::object spec{{"podSelector", selector}};
  spec["ingress"] = json::array{rule};
  spec["policyTypes"] = json::array{"Ingress"};
  return createOwned(
      job, {.apiVersion = "networking.k8s.io/v1", .kind = "NetworkPolicy", .name = job.metadata.name},
      {{"spec", std::move(spec)}});
}

std::string sshConfig(const api::VcJob& job) {
  std::string config = "StrictHostKeyChecking no\nUserKnownHostsFile /dev/null\n";
  for (const api::TaskSpec& task : job.spec.tasks) {
    for (const std::string& host : hostNames(job, task)) {
      config += fmt::format("Host {}\n  HostName {}\n", host.substr(0, host.find('.')), host);
    }
  }
  return config;
}

json::object secretItem(const char* key, const std::string& file) {
  return {{"key", key}, {"path", fmt::format("{}/{}", kSshFolder, file)}};
}

}  // namespace

std::string hostsName(const api::VcJob& job) {
  return job.metadata.name + "-svc";
}

json::object hostsData(const api::VcJob& job) {
  json::object data;
  for (const api::TaskSpec& task : job.spec.tasks) {
    const std::vector<std::string> hosts = hostNames(job, task);
    data[underscored(task.name) + ".host"] = fmt::format("{}", fmt::join(hosts, "\n"));
    data[envName(task, "HOSTS")] = fmt::format("{}", fmt::join(hosts, ","));
    data[envName(task, "NUM")] = std::to_string(hosts.size());
  }
  return data;
}

std::vector<Create> pluginObjects(const api::VcJob& job) {
  if (!job.spec.plugins.contains("svc")) return {};
  const PluginArguments arguments(argumentsOf(job, "svc"));
  std::vector<Create> objects;
  objects.push_back(createOwned(job, {.apiVersion = "v1", .kind = "ConfigMap", .name = hostsName(job)},
                                {{"data", hostsData(job)}}));
  objects.push_back(headlessService(job, arguments));
  if (!arguments.flag("disable-network-policy")) objects.push_back(networkPolicy(job));
  return objects;
}

void applySvc(json::object& pod, const PodPlace& place) {
  json::object& spec = objectAt(pod, "spec");
  const std::string name = podName(place.job, place.job.spec.tasks[place.task], place.index);
  if (api::textAt(pod, {"spec", "hostname"}).empty()) spec["hostname"] = name;
  if (api::textAt(pod, {"spec", "subdomain"}).empty()) spec["subdomain"] = place.job.metadata.name;
  for (const char* list : {"containers", "initContainers"}) {
    if (!spec.contains(list)) continue;
    for (json::value& container : containersOf(pod, list)) addHosts(container.get_object(), place);
  }
  const std::string hosts = hostsName(place.job);
  addVolume(pod, {{"name", hosts}, {"configMap", json::object{{"name", hosts}}}});
}

api::ObjectRef sshSecretRef(const api::VcJob& job) {
  return {.kind = "Secret",
          .apiVersion = "v1",
          .namespace_ = job.metadata.namespace_,
          .name = job.metadata.name + "-ssh"};
}

Create sshSecret(const api::VcJob& job, const SshKeys& keys) {
  const json::object data{
      {"id_rsa", keys.privateKey}, {"id_rsa.pub", keys.publicKey}, {"config", sshConfig(job)}};
  return createOwned(job, {.apiVersion = "v1", .kind = "Secret", .name = sshSecretRef(job).name},
                     {{"stringData", data}});
}

void applySsh(json::object& pod, const PodPlace& place) {
  const PluginArguments arguments(argumentsOf(place.job, "ssh"));
  std::string path = arguments.text("ssh-key-file-path", kSshPath);
  if (arguments.flag("no-root") && path == kSshPath) path = fmt::format("{}/{}", kHostsPath, kSshFolder);
  const std::string secret = sshSecretRef(place.job).name;
  json::object source{{"secretName", secret}};
  source["items"] = json::array{secretItem("id_rsa", "id_rsa"), secretItem("id_rsa.pub", "id_rsa.pub"),
                                secretItem("id_rsa.pub", "authorized_keys"), secretItem("config", "config")};
  source["defaultMode"] = path == kSshPath ? 0600 : 0755;
  addVolume(pod, {{"name", secret}, {"secret", std::move(source)}});
  for (json::value& container : containersOf(pod, "containers")) {
    arrayAt(container.get_object(), "volumeMounts")
        .push_back(json::object{{"name", secret}, {"mountPath", path}, {"subPath", kSshFolder}});
  }
}

}  // namespace tidegate::vcjob
