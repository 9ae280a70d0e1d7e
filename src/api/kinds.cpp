#include "api/kinds.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace tidegate::api {

namespace {

struct GroupKind {
  std::string_view group;
  std::string_view kind;
  bool operator==(const GroupKind&) const = default;
};

constexpr std::array kWithoutStatus = {
    GroupKind{"", "Binding"},
    GroupKind{"", "ConfigMap"},
    GroupKind{"", "Endpoints"},
    GroupKind{"", "Event"},
    GroupKind{"", "Secret"},
    GroupKind{"", "ServiceAccount"},
    GroupKind{"bus.volcano.sh", "Command"},
    GroupKind{"coordination.k8s.io", "Lease"},
    GroupKind{"events.k8s.io", "Event"},
    GroupKind{"networking.k8s.io", "NetworkPolicy"},
    GroupKind{"rbac.authorization.k8s.io", "ClusterRole"},
    GroupKind{"rbac.authorization.k8s.io", "ClusterRoleBinding"},
    GroupKind{"rbac.authorization.k8s.io", "Role"},
    GroupKind{"rbac.authorization.k8s.io", "RoleBinding"},
    GroupKind{"scheduling.k8s.io", "PriorityClass"},
    GroupKind{"scheduling.volcano.sh", "PodGroup"},
    GroupKind{"tidegate.dev", "PeakWindow"},
    GroupKind{"tidegate.dev", "Recall"},
    GroupKind{"tidegate.dev", "SuspendedPod"},
};

}  // namespace

std::string_view groupOfVersion(std::string_view apiVersion) {
  const std::size_t slash = apiVersion.find('/');
  return slash == std::string_view::npos ? std::string_view{} : apiVersion.substr(0, slash);
}

bool hasStatusSubresource(const ObjectRef& ref) {
  const GroupKind kind{.group = groupOfVersion(ref.apiVersion), .kind = ref.kind};
  return std::ranges::find(kWithoutStatus, kind) == kWithoutStatus.end();
}

std::optional<std::uint64_t> versionNumber(std::string_view resourceVersion) {
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(resourceVersion.data(), resourceVersion.data() + resourceVersion.size(), value);
  if (error != std::errc{} || end != resourceVersion.data() + resourceVersion.size()) return std::nullopt;
  return value;
}

}  // namespace tidegate::api
