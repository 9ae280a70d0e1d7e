// Volcano's job plugins: what they add to a job's pods, and the objects they need besides.
//
//   env         VC_TASK_INDEX, VK_TASK_INDEX
//   svc         hostname and subdomain, headless Service, NetworkPolicy (--disable-network-policy), hosts as
//               files in /etc/volcano and as VC_<TASK>_HOSTS and VC_<TASK>_NUM; --publish-not-ready-addresses
//   ssh         a key pair for all pods in /root/.ssh (--ssh-key-file-path, --no-root)
//   pytorch     MASTER_ADDR, MASTER_PORT, WORLD_SIZE, RANK; --master, --worker, --port,
//               --wait-master-enabled, --wait-master-timeout, --wait-master-image
//   tensorflow  TF_CONFIG; --ps, --worker, --chief, --evaluator, --port
//   mpi         MPI_HOST in the master's pods; --master, --worker, --port
//
// Source: Volcano's docs/user-guide/how_to_use_*_plugin.md and pkg/controllers/job/plugins.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "api/objects.hpp"
#include "controllers/vcjob_json.hpp"
#include "protocol/events.hpp"

namespace tidegate::vcjob {

// A key pair in OpenSSH's formats.
struct SshKeys {
  std::string privateKey;  // a PEM text
  std::string publicKey;   // "ssh-ed25519 AAAA..." with its line end
};
using KeyMaker = std::function<SshKeys()>;  // randomness comes from outside

// Arguments as Go's flag package reads them: --name, --name=value, --name value, one dash or two.
class PluginArguments {
 public:
  explicit PluginArguments(const std::vector<std::string>& arguments);
  std::string text(const std::string& name, const std::string& otherwise) const;
  int number(const std::string& name, int otherwise) const;
  bool flag(const std::string& name) const;

 private:
  std::map<std::string, std::string> values_;
};

// Which pod of the job.
struct PodPlace {
  const api::VcJob& job;
  std::size_t task = 0;
  std::int32_t index = 0;
};
void applyPlugins(json::object& pod, const PodPlace& place);

// The ConfigMap "<job>-svc": "<task>.host" (one name a line), VC_<TASK>_HOSTS, VC_<TASK>_NUM.
std::string hostsName(const api::VcJob& job);
json::object hostsData(const api::VcJob& job);
// What the plugins want to exist: Service, ConfigMap, NetworkPolicy. (The Secret: sshSecret.)
std::vector<Create> pluginObjects(const api::VcJob& job);
Create sshSecret(const api::VcJob& job, const SshKeys& keys);
api::ObjectRef sshSecretRef(const api::VcJob& job);

// ---- for the plugins themselves
json::array& containersOf(json::object& pod, const char* list);  // "containers" | "initContainers"
void addEnv(json::object& container, const std::string& name, const std::string& value);
void addEnvToAll(json::object& pod, const std::string& name, const std::string& value);
void addVolume(json::object& pod, json::object volume);
void openPort(json::object& container, const char* name, int port);
Create createOwned(const api::VcJob& job, const Owned& owned, const json::object& rest);

void applySvc(json::object& pod, const PodPlace& place);
void applySsh(json::object& pod, const PodPlace& place);
void applyPytorch(json::object& pod, const PodPlace& place);
void applyTensorflow(json::object& pod, const PodPlace& place);
void applyMpi(json::object& pod, const PodPlace& place);

}  // namespace tidegate::vcjob
