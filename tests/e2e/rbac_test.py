"""The roles of deploy/rbac on a real API server: each component may do what it needs, and nothing else that matters.

A right is written as the API server sees it: "verb resource.group/subresource", with "@namespace" and "=name" where they
count.
"""

import re

import pytest

from tests.e2e.manifests import DEPLOY, control_plane, render
from tests.e2e.rest import load_manifests

SYSTEM = "tidegate-system"
ACCOUNT = f"system:serviceaccount:{SYSTEM}:tidegate"
COMPONENTS = ["scheduler", "queue-controller", "podgroup-controller", "vcjob-controller", "drill"]
RIGHT = re.compile(r"(\w+) ([a-z]+)(?:\.([a-z0-9.-]+))?(?:/([a-z]+))?(?:@([a-z-]+))?(?:=([a-z-]+))?")
READ = ("get", "list", "watch")


def each(verbs, *resources):
    return [f"{verb} {resource}" for verb in verbs for resource in resources]


QUEUES, PODGROUPS, VCJOBS = "queues.scheduling.volcano.sh", "podgroups.scheduling.volcano.sh", "jobs.batch.volcano.sh"
COMMANDS, RECALLS = "commands.bus.volcano.sh", "recalls.tidegate.dev"
SUSPENDED_PODS = "suspendedpods.tidegate.dev"
SUSPENDED = (
    "jobs.batch deployments.apps statefulsets.apps jobsets.jobset.x-k8s.io pytorchjobs.kubeflow.org tfjobs.kubeflow.org "
    "mpijobs.kubeflow.org rayjobs.ray.io rayclusters.ray.io"
).split()

NEEDS = {
    "scheduler": [
        *each(READ, "nodes", "namespaces", "pods", QUEUES, PODGROUPS, VCJOBS, RECALLS, "hypernodes.topology.volcano.sh"),
        *each(READ, "priorityclasses.scheduling.k8s.io", "poddisruptionbudgets.policy", "replicasets.apps", *SUSPENDED),
        *each(["patch"], "pods", "pods/status", PODGROUPS, f"{QUEUES}/status", VCJOBS, *SUSPENDED),
        *each(["create"], "pods/binding", "pods/eviction", COMMANDS, "events"),
        *each(["create", "update", "patch", "delete"], RECALLS),
        "delete pods", "patch events",
    ],
    "queue-controller": [
        *each(READ, QUEUES, PODGROUPS, "pods", "namespaces", COMMANDS, RECALLS),
        *each(["create", "patch"], QUEUES, "events"),
        f"patch {QUEUES}/status", f"delete {COMMANDS}",
    ],
    "podgroup-controller": [
        *each(READ, PODGROUPS, QUEUES, "pods", "namespaces", "replicasets.apps", "statefulsets.apps", "jobs.batch"),
        *each(["create", "patch", "delete"], PODGROUPS),
        "patch pods", "create events",
    ],
    "vcjob-controller": [
        *each(READ, VCJOBS, COMMANDS, PODGROUPS, QUEUES, "pods", "namespaces"),
        *each(["create", "patch", "delete"], "pods", PODGROUPS, "configmaps"),
        *each(["create", "delete"], "services", "secrets", "networkpolicies.networking.k8s.io"),
        f"patch {VCJOBS}/status", f"delete {VCJOBS}", f"delete {COMMANDS}", "create persistentvolumeclaims",
        "create events",
    ],
    "drill": [
        *each(["list", "watch"], "nodes", "pods", QUEUES, PODGROUPS, VCJOBS, "jobs.batch", "deployments.apps", RECALLS),
        *each(["create", "delete"], "namespaces", QUEUES, "pods", "jobs.batch", PODGROUPS),
        *each(["create", "delete"], "priorityclasses.scheduling.k8s.io"), *each(["create"], "deployments.apps", VCJOBS),
        "get namespaces", "patch deployments.apps",
    ],
}  # fmt: skip

# What no component may do, whatever else it may.
NEVER = [
    *each(READ, "secrets"), *each(["update", "patch"], "secrets"), *each(["list", "watch"], "configmaps"),
    *each(["create", "delete", "patch", "update"], "nodes"), *each(["create"], "pods/exec", "serviceaccounts/token"),
    *each(["create", "update", "patch", "bind", "escalate"], "clusterroles.rbac.authorization.k8s.io"),
    *each(["create", "patch"], "clusterrolebindings.rbac.authorization.k8s.io"), "impersonate users",
    *each(["create", "patch", "delete"], "customresourcedefinitions.apiextensions.k8s.io"),
    *each(["create", "patch", "delete"], "validatingadmissionpolicies.admissionregistration.k8s.io"),
    *each(["create", "patch", "delete"], "daemonsets.apps", "peakwindows.tidegate.dev", "poddisruptionbudgets.policy"),
    "create leases.coordination.k8s.io@kube-system",
]  # fmt: skip
MUST_NOT = {
    "scheduler": [
        *each(["create"], "pods", PODGROUPS, VCJOBS, "jobs.batch", "deployments.apps", "services", "configmaps", QUEUES),
        *each(["delete"], PODGROUPS, VCJOBS, QUEUES, "deployments.apps", "jobs.batch", COMMANDS, "services"),
        *each(["create", "delete"], "namespaces", "priorityclasses.scheduling.k8s.io"), f"patch {QUEUES}",
        f"patch {VCJOBS}/status",
    ],
    "queue-controller": [
        *each(["create", "patch", "delete"], "pods", PODGROUPS, VCJOBS), f"delete {QUEUES}", "create pods/binding",
        *each(READ, VCJOBS, "deployments.apps"), "create pods/eviction",
    ],
    "podgroup-controller": [
        *each(["create", "delete"], "pods", VCJOBS, QUEUES), *each(["patch"], "deployments.apps", "jobs.batch", QUEUES),
        "create pods/binding", "create pods/eviction", f"create {RECALLS}",
    ],
    "vcjob-controller": [
        *each(["create", "patch", "delete"], QUEUES, "deployments.apps", "jobs.batch", RECALLS), "create pods/binding",
        "create pods/eviction", *each(["get", "delete"], "persistentvolumeclaims"), "create namespaces",
    ],
    "drill": [
        *each(["create", "patch", "delete"], RECALLS, "secrets", "services"), "create pods/binding", "patch pods/status",
        *each(["patch"], "namespaces", "pods", QUEUES), *each(["list"], "events", "namespaces"), "delete deployments.apps",
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def plane():
    """With the roles of the standalone overlay, and one user for each of them: as-scheduler and so on."""
    with control_plane() as cluster:
        cluster.api.apply([obj for obj in render("standalone") if obj["kind"] != "CustomResourceDefinition"])
        cluster.api.apply([bind(component) for component in COMPONENTS])
        yield cluster


def bind(component):
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": f"tidegate-{component}"}
    user = {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": f"as-{component}"}
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
        "metadata": {"name": f"as-{component}"}, "roleRef": role, "subjects": [user],
    }  # fmt: skip


def may(plane, user, right):
    verb, resource, group, subresource, ns, name = RIGHT.fullmatch(right).groups()
    what = {
        "verb": verb, "resource": resource, "group": group, "subresource": subresource,
        "namespace": ns or "default", "name": name,
    }  # fmt: skip
    attributes = {key: value for key, value in what.items() if value}
    review = {
        "apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
        "spec": {"user": user, "resourceAttributes": attributes},
    }  # fmt: skip
    return plane.api.request("POST", plane.api.path("subjectaccessreviews"), review)["status"]["allowed"]


@pytest.mark.parametrize("component", COMPONENTS)
def test_each_component_may_do_what_it_needs(plane, component):
    assert [right for right in NEEDS[component] if not may(plane, f"as-{component}", right)] == []


@pytest.mark.parametrize("component", COMPONENTS)
def test_no_component_may_do_more(plane, component):
    forbidden = [*NEVER, *MUST_NOT[component]]
    assert [right for right in forbidden if may(plane, f"as-{component}", right)] == []


def test_the_account_may_do_what_its_components_may(plane):
    needed = [right for component in COMPONENTS[:-1] for right in NEEDS[component]]
    assert [right for right in needed if not may(plane, ACCOUNT, right)] == []
    assert [right for right in NEVER if may(plane, ACCOUNT, right)] == []
    # The drill's rights are nobody's until somebody binds them.
    assert not may(plane, ACCOUNT, "create namespaces")


def test_lease_and_conf_are_the_only_ones_of_their_kind(plane):
    leases, maps, conf = "leases.coordination.k8s.io", "configmaps", "volcano-scheduler-configmap"
    allowed = [f"create {leases}@{SYSTEM}"]
    allowed += [f"{verb} {leases}@{SYSTEM}=tidegate" for verb in ("get", "update")]
    allowed += [f"{verb} {maps}@{SYSTEM}={conf}" for verb in READ]
    assert [right for right in allowed if not may(plane, ACCOUNT, right)] == []
    forbidden = [f"{verb} {leases}@{SYSTEM}=another" for verb in ("get", "update", "patch")]
    forbidden += [f"{verb} {leases}@default=tidegate" for verb in ("get", "create", "update")]
    forbidden += [f"{verb} {maps}@{SYSTEM}=another" for verb in READ]
    forbidden += [f"get {maps}@default={conf}", f"get secrets@{SYSTEM}"]
    assert [right for right in forbidden if may(plane, ACCOUNT, right)] == []


@pytest.mark.parametrize(
    ("overlay", "bound"),
    [
        ("beside-volcano", {"scheduler"}),
        ("volcano-controllers", {"scheduler", "podgroup-controller"}),
        ("replace-volcano", set(COMPONENTS) - {"drill"}),
    ],
)
def test_overlays_bind_only_what_runs(overlay, bound):
    roles = {obj["roleRef"]["name"] for obj in render(overlay) if obj["kind"] == "ClusterRoleBinding"}
    assert roles == {f"tidegate-{component}" for component in bound}


def test_no_role_has_wildcards():
    rules = [rule for obj in render("standalone") if obj["kind"] in ("ClusterRole", "Role") for rule in obj["rules"]]
    assert [rule for rule in rules if any("*" in values for values in rule.values())] == []


def test_bare_pods_can_be_made_only_with_the_component(plane):
    assert not may(plane, "as-scheduler", "create pods")
    assert not may(plane, "as-scheduler", f"list {SUSPENDED_PODS}")
    made = load_manifests(DEPLOY / "components/recreate-bare-pods")
    roles = [obj for obj in made if obj["kind"] == "ClusterRole"]
    binding = next(obj for obj in made if obj["kind"] == "ClusterRoleBinding")
    assert binding["subjects"][0]["namespace"] == SYSTEM
    plane.api.apply([*roles, {**binding, "subjects": bind("bare-pods")["subjects"]}])
    needed = ["create pods", *each([*READ, "create", "patch", "delete"], SUSPENDED_PODS)]
    assert [right for right in needed if not may(plane, "as-bare-pods", right)] == []
    assert not may(plane, "as-bare-pods", "delete pods")


def test_users_may_drop_a_suspended_pod_and_write_none(plane):
    made = load_manifests(DEPLOY / "components/recreate-bare-pods")
    labels = {role["metadata"]["name"]: set(role["metadata"].get("labels", {})) for role in made if "rules" in role}
    aggregate = "rbac.authorization.k8s.io/aggregate-to-"
    assert labels["tidegate-view-suspended-pods"] == {aggregate + role for role in ("view", "edit", "admin")}
    assert labels["tidegate-drop-suspended-pods"] == {aggregate + role for role in ("edit", "admin")}
    verbs = {role["metadata"]["name"]: role["rules"][0]["verbs"] for role in made if "rules" in role}
    assert verbs["tidegate-drop-suspended-pods"] == ["delete"]
    assert verbs["tidegate-view-suspended-pods"] == list(READ)


def test_the_account_itself_is_refused(plane):
    """The same by way of the door that tidegate uses: a token of the service account."""
    kubeconfig = plane.service_account_kubeconfig(SYSTEM, "tidegate")

    def kubectl(*args):
        return plane.kubectl("--kubeconfig", str(kubeconfig), *args)

    kubectl("get", "pods,queues,recalls,nodes", "-A")
    selector = "--field-selector=metadata.name=volcano-scheduler-configmap"
    kubectl("get", "configmaps", "-n", SYSTEM, selector)
    for refused in (["get", "secrets", "-A"], ["get", "configmaps", "-n", SYSTEM], ["delete", "node", "gpu-01"]):
        with pytest.raises(RuntimeError, match="Forbidden"):
            kubectl(*refused)
