#include "controllers/vcjob_plugins.hpp"

#include <charconv>

namespace tidegate::vcjob {

namespace {

void applyEnv(json::object& pod, const PodPlace& place) {
  for (const char* name : {"VK_TASK_INDEX", "VC_TASK_INDEX"}) {
    addEnvToAll(pod, name, std::to_string(place.index));
  }
}

bool isSwitch(const std::string& name) {
  return name == "publish-not-ready-addresses" || name == "disable-network-policy" || name == "no-root" ||
         name == "wait-master-enabled";
}

}  // namespace

PluginArguments::PluginArguments(const std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::string name = arguments[i];
    if (!name.starts_with('-')) return;  // Go's flags end at the first word that is none
    name.erase(0, name.starts_with("--") ? 2 : 1);
    const std::size_t equals = name.find('=');
    if (equals != std::string::npos) {
      values_[name.substr(0, equals)] = name.substr(equals + 1);
    } else if (isSwitch(name) || i + 1 == arguments.size()) {
      values_[name] = "true";
    } else {
      values_[name] = arguments[++i];
    }
  }
}

std::string PluginArguments::text(const std::string& name, const std::string& otherwise) const {
  const auto found = values_.find(name);
  return found == values_.end() ? otherwise : found->second;
}

int PluginArguments::number(const std::string& name, int otherwise) const {
  const auto found = values_.find(name);
  if (found == values_.end()) return otherwise;
  int number = 0;
  const std::string& text = found->second;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc{} && read.ptr == text.data() + text.size() ? number : otherwise;
}

bool PluginArguments::flag(const std::string& name) const {
  const std::string value = text(name, "false");
  return value == "true" || value == "1" || value == "t" || value == "T" || value == "TRUE" ||
         value == "True";
}

json::array& containersOf(json::object& pod, const char* list) {
  json::array& containers = arrayAt(objectAt(pod, "spec"), list);
  for (json::value& container : containers) {
    if (!container.is_object()) container.emplace_object();
  }
  return containers;
}

void addEnv(json::object& container, const std::string& name, const std::string& value) {
  arrayAt(container, "env").push_back(json::object{{"name", name}, {"value", value}});
}

void addEnvToAll(json::object& pod, const std::string& name, const std::string& value) {
  const json::object& spec = objectAt(pod, "spec");
  for (const char* list : {"containers", "initContainers"}) {
    if (!spec.contains(list)) continue;
    for (json::value& container : containersOf(pod, list)) addEnv(container.get_object(), name, value);
  }
}

void addVolume(json::object& pod, json::object volume) {
  arrayAt(objectAt(pod, "spec"), "volumes").push_back(std::move(volume));
}

void openPort(json::object& container, const char* name, int port) {
  json::array& ports = arrayAt(container, "ports");
  for (const json::value& open : ports) {
    const json::value* number = open.is_object() ? open.get_object().if_contains("containerPort") : nullptr;
    if (number != nullptr && number->is_int64() && number->get_int64() == port) return;
  }
  ports.push_back(json::object{{"name", name}, {"containerPort", port}});
}

Create createOwned(const api::VcJob& job, const Owned& owned, const json::object& rest) {
  json::object object = ownedObject(job, owned);
  for (const auto& [key, value] : rest) object[key] = value;
  return {.target = {.kind = owned.kind,
                     .apiVersion = owned.apiVersion,
                     .namespace_ = job.metadata.namespace_,
                     .name = owned.name},
          .json = text(object)};
}

void applyPlugins(json::object& pod, const PodPlace& place) {
  const auto& plugins = place.job.spec.plugins;
  if (plugins.contains("env")) applyEnv(pod, place);
  if (plugins.contains("svc")) applySvc(pod, place);
  if (plugins.contains("ssh")) applySsh(pod, place);
  if (plugins.contains("pytorch")) applyPytorch(pod, place);
  if (plugins.contains("tensorflow")) applyTensorflow(pod, place);
  if (plugins.contains("mpi")) applyMpi(pod, place);
}

}  // namespace tidegate::vcjob
