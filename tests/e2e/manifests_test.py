"""The definitions of deploy/crds on a real API server: what users have applies and is stored as they wrote it; what is
wrong is refused in words that say what is wrong."""

import re

import pytest
import yaml

from tests.e2e.manifests import DEPLOY, ROOT, apply, control_plane, make_namespace, parse, render
from tests.e2e.processes import poll
from tests.e2e.rest import ApiError, load_manifests

EXAMPLES = sorted(file.relative_to(ROOT).as_posix() for file in (ROOT / "examples").rglob("*.yaml"))
VOLCANO = re.compile(r"\.volcano\.sh/")


@pytest.fixture(scope="module")
def plane():
    with control_plane() as cluster:
        classes = [obj for file in EXAMPLES for obj in load_manifests(ROOT / file) if obj["kind"] == "PriorityClass"]
        cluster.api.apply(classes)  # some files name those of others
        yield cluster


def lost(given, stored, path=""):
    """Where `stored` lacks, or has otherwise, what was given."""
    if isinstance(given, dict) and isinstance(stored, dict):
        return [line for key in given for line in lost(given[key], stored.get(key), f"{path}.{key}")]
    if isinstance(given, list) and isinstance(stored, list) and len(given) == len(stored):
        pairs = enumerate(zip(given, stored, strict=True))
        return [line for i, (one, other) in pairs for line in lost(one, other, f"{path}[{i}]")]
    return [] if given == stored else [f"{path}: {given!r} became {stored!r}"]


def refused(plane, obj):
    """The message with which the API server refuses an object."""
    if isinstance(obj, str):
        obj = parse(obj)
    with pytest.raises(ApiError) as caught:
        plane.api.create(obj)
    assert caught.value.status in (400, 403, 422), caught.value
    return str(caught.value)


# --- definitions ---------------------------------------------------------------------------------------------


def test_definitions_are_structural_and_served(plane):
    names = {obj["metadata"]["name"] for obj in load_manifests(DEPLOY / "crds")}
    assert names == {crd["metadata"]["name"] for crd in plane.api.list("customresourcedefinitions")}
    for name in names:
        conditions = plane.api.get("customresourcedefinitions", name)["status"]["conditions"]
        status = {condition["type"]: condition["status"] for condition in conditions}
        assert (status["Established"], status["NamesAccepted"]) == ("True", "True")
        assert "NonStructuralSchema" not in status


def test_short_names_are_volcanos(plane):
    for name in ("q", "queue-v1beta1", "pg", "podgroup-v1beta1", "vcjob", "vj", "hn", "pw", "recalls"):
        plane.kubectl("get", name, "-A")


def test_queues_jobs_and_hypernodes_have_a_status_of_their_own(plane):
    plane.api.create({**QUEUE, "metadata": {"name": "with-status"}, "status": {"state": "Open"}})
    assert "status" not in plane.api.get("queues", "with-status")
    plane.api.patch("queues", "with-status", {"status": {"state": "Open", "running": 2}}, subresource="status")
    plane.api.patch("queues", "with-status", {"spec": {"weight": 7}, "status": {"state": "Closed"}})
    stored = plane.api.get("queues", "with-status")
    assert (stored["spec"]["weight"], stored["status"]) == (7, {"state": "Open", "running": 2})
    for name in ("jobs.batch.volcano.sh", "hypernodes.topology.volcano.sh"):
        assert "status" in plane.api.get("customresourcedefinitions", name)["spec"]["versions"][0]["subresources"]


def test_podgroups_have_not(plane):
    """Programs that know Volcano's PodGroups write their status with the object."""
    group = other("PodGroup", "scheduling.volcano.sh/v1beta1", {"minMember": 1})
    group["metadata"]["name"] = "whole"
    stored = plane.api.create({**group, "status": {"phase": "Pending"}})
    assert stored["status"] == {"phase": "Pending"}
    plane.api.patch("podgroups", "whole", {"status": {"phase": "Inqueue"}}, "default")
    assert plane.api.get("podgroups", "whole", "default")["status"] == {"phase": "Inqueue"}
    with pytest.raises(ApiError) as caught:
        plane.api.patch("podgroups", "whole", {"status": {"phase": "Running"}}, "default", subresource="status")
    assert caught.value.status == 404


def test_defaults_are_those_of_volcanos_webhooks(plane):
    plane.api.create({**QUEUE, "metadata": {"name": "bare"}, "spec": {}})
    assert plane.api.get("queues", "bare")["spec"] == {
        "weight": 1, "reclaimable": True, "dequeueStrategy": "traverse",
    }  # fmt: skip
    job = plane.api.create(parse(JOB.format(name="bare", spec="tasks: [{name: a, template: {}}]")))
    assert (job["spec"]["queue"], job["spec"]["schedulerName"], job["spec"]["maxRetry"]) == ("default", "volcano", 3)
    assert job["spec"]["tasks"][0]["maxRetry"] == 3


# --- what users have -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", EXAMPLES)
def test_examples_apply_unchanged_and_are_stored_without_loss(plane, file):
    objects = load_manifests(ROOT / file)
    for ns in {obj["metadata"]["namespace"] for obj in objects if "namespace" in obj["metadata"]}:
        make_namespace(plane, ns)
    apply(plane, "-f", file)
    for obj in objects:
        if not VOLCANO.search(obj["apiVersion"]):
            continue
        resource = f"{obj['kind'].lower()}s.{obj['apiVersion'].split('/')[0]}"
        stored = plane.api.get(resource, obj["metadata"]["name"], obj["metadata"].get("namespace"))
        assert lost(obj, stored) == []


@pytest.mark.parametrize("capability", [{"nvidia.com/gpu": 8}, {"resource": {"nvidia.com/gpu": 8}}])
@pytest.mark.parametrize("amount", [8, "8", "8k", "500m", "1.5Gi", 0])
def test_both_spellings_of_capability_are_kept(plane, capability, amount):
    text = yaml.safe_dump(capability).replace("8", "AMOUNT", 1).replace("AMOUNT", yaml.safe_dump(amount).split("\n")[0])
    spelled = yaml.safe_load(text)
    name = f"capability-{'nested' if 'resource' in spelled else 'flat'}-{str(amount).lower()}"
    name += "-text" if isinstance(amount, str) else ""
    apply(plane, "-f", "-", stdin=yaml.safe_dump(queue(name, capability=spelled)))
    assert plane.api.get("queues", name)["spec"]["capability"] == spelled


def test_pod_templates_are_kept_whole(plane):
    template = {
        "metadata": {"annotations": {"a": "b"}},
        "spec": {
            "containers": [{"name": "c", "image": "i", "securityContext": {"capabilities": {"add": ["IPC_LOCK"]}}}],
            "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}],
        },
    }
    spec = {"tasks": [{"name": "t", "template": template}], "volumes": [
        {"mountPath": "/data", "volumeClaim": {"accessModes": ["ReadWriteOnce"]}}]}  # fmt: skip
    job = vcjob("")
    assert lost(spec, plane.api.create({**job, "spec": spec})["spec"]) == []


# --- what is wrong -------------------------------------------------------------------------------------------

QUEUE = {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue"}
JOB = """
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {{name: {name}, namespace: default}}
spec: {{{spec}}}
"""


def queue(name="wrong", **spec):
    return {**QUEUE, "metadata": {"name": name}, "spec": spec}


def gpus(amount):
    return {"nvidia.com/gpu": amount}


def other(kind, api_version, spec):
    namespaced = {"namespace": "default"} if kind == "PodGroup" else {}
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": "wrong", **namespaced}, "spec": spec}


def hypernode(**member):
    return other("HyperNode", "topology.volcano.sh/v1alpha1", {"tier": 1, "members": [member]})


def window(**spec):
    start, end = "2026-11-11T10:00:00Z", "2026-11-11T16:00:00Z"
    return other("PeakWindow", "tidegate.dev/v1alpha1", {"queue": "q", "start": start, "end": end, **spec})


def daily(**recurrence):
    return window(recurrence={"from": "20:00", "to": "22:00", "timeZone": "Asia/Shanghai", **recurrence})


def vcjob(spec):
    return parse(JOB.format(name="wrong", spec=spec))


WRONG = {
    "guarantee over deserved": (
        queue(guarantee={"resource": gpus(16)}, deserved=gpus("8")),
        "spec.guarantee: Invalid value", "guarantee must not be more than deserved",
    ),
    "deserved over nested capability": (
        queue(deserved=gpus("2k"), capability={"resource": gpus(1999)}),
        "spec.deserved: Invalid value", "deserved must not be more than capability",
    ),
    "guarantee over nested capability": (
        queue(guarantee={"resource": {"memory": "2Gi"}}, capability={"resource": {"memory": "2G"}}),
        "spec.guarantee: Invalid value", "guarantee must not be more than capability",
    ),
    "no amount": (queue(deserved=gpus("eight")), "spec.deserved.nvidia.com/gpu: Invalid value"),
    "no nested amount": (queue(capability={"resource": gpus("8 GB")}), "spec.capability.resource.nvidia.com/gpu"),
    "negative amount": (queue(deserved=gpus(-1)), "spec.deserved.nvidia.com/gpu", "greater than or equal to 0"),
    "negative amount as text": (queue(guarantee={"resource": gpus("-1")}), "spec.guarantee.resource.nvidia.com/gpu"),
    "weight 0": (queue(weight=0), "spec.weight", "greater than or equal to 1"),
    "parent": (queue(parent="Not_A_Name"), "spec.parent"),
    "strategy": (queue(dequeueStrategy="lifo"), 'Unsupported value: "lifo"', '"fifo", "traverse"'),
    "two tiers": (
        other("PodGroup", "scheduling.volcano.sh/v1beta1",
              {"networkTopology": {"highestTierAllowed": 1, "highestTierName": "rack"}}),
        "spec.networkTopology", "highestTierAllowed and highestTierName exclude each other",
    ),
    "negative minimum": (other("PodGroup", "scheduling.volcano.sh/v1beta1", {"minMember": -1}), "spec.minMember"),
    "two selectors": (
        hypernode(type="Node", selector={"exactMatch": {"name": "a"}, "regexMatch": {"pattern": "b"}}),
        "spec.members[0].selector", "exactly one of exactMatch, regexMatch and labelMatch",
    ),
    "no selector": (hypernode(type="Node", selector={}), "exactly one of exactMatch, regexMatch and labelMatch"),
    "hypernodes by pattern": (
        hypernode(type="HyperNode", selector={"regexMatch": {"pattern": "b"}}),
        "members that are HyperNodes are named by exactMatch",
    ),
    "job above its tasks": (
        vcjob("minAvailable: 3, tasks: [{name: a, replicas: 2}]"),
        "spec.minAvailable: Invalid value", "minAvailable of the job must not be more than the replicas of all its tasks",
    ),
    "task above its replicas": (
        vcjob("tasks: [{name: a, replicas: 1, minAvailable: 2}]"),
        "spec.tasks[0].minAvailable", "minAvailable of a task must not be more than its replicas",
    ),
    "unknown action": (vcjob("policies: [{event: PodEvicted, action: Restart}]"), 'Unsupported value: "Restart"'),
    "exit code 0": (vcjob("policies: [{exitCode: 0, action: RestartJob}]"), "exitCode must not be 0"),
    "exit code and event": (
        vcjob("policies: [{exitCode: 1, event: PodFailed, action: RestartJob}]"),
        "a policy is for an exitCode or for events, not for both",
    ),
    "window that ends first": (window(end="2026-11-11T09:59:59Z"), "spec.end", "end must be after start"),
    "window of no time": (window(end="2026-11-11T10:00:00Z"), "end must be after start"),
    "window without queue": (window(queue=""), "spec.queue"),
    "gpus twice": (window(gpus=8, resources=gpus(8)), "give one of them"),
    "lead time": (window(leadTime="ten minutes"), "spec.leadTime"),
    "time zone": (daily(timeZone="Asia/Atlantis"), "spec.recurrence.timeZone", "Asia/Atlantis"),
    "time of day": (daily(**{"from": "24:00"}), "spec.recurrence.from"),
    "recurrence of no time": (daily(to="20:00"), "from and to must differ"),
    "weekday": (daily(days=["Monday"]), 'Unsupported value: "Monday"'),
    "recall without queue": (other("Recall", "tidegate.dev/v1alpha1", {"reason": "reclaim"}), "spec.queue: Required"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_wrong_objects_are_refused_with_the_reason(plane, case):
    obj, *words = WRONG[case]
    message = refused(plane, obj)
    assert [word for word in words if word not in message] == [], message


def test_amounts_that_are_equal_or_stand_alone_pass(plane):
    plane.api.create(queue("equal", guarantee={"resource": gpus(8)}, deserved=gpus("8"), capability=gpus("8000m")))
    plane.api.create(queue("alone", guarantee={"resource": gpus(8)}, deserved={"cpu": 1}, capability={"memory": 1}))


def test_a_peak_window_over_midnight(plane):
    obj = daily(**{"from": "23:00", "to": "01:30", "days": ["Fri", "Sat"]})
    obj["metadata"]["name"] = "late"
    obj["spec"] |= {"gpus": 64, "leadTime": "1h30m"}
    assert lost(obj, plane.api.create(obj)) == []


def test_flat_capability_is_checked_by_the_policy(plane):
    bad = queue("flat", deserved=gpus(9), capability=gpus(8))

    def refuses():  # a policy takes effect a moment after it is applied
        try:
            plane.api.request("POST", plane.api.path("queues"), bad, query={"dryRun": "All"})
        except ApiError:
            return True
        return False

    poll(refuses, 30, "the policy to be in force")
    assert "spec.deserved: more than capability: nvidia.com/gpu" in refused(plane, bad)
    over = queue(guarantee={"resource": {"cpu": "2", "memory": "2Gi"}}, capability={"memory": "2G", "cpu": "2"})
    assert "spec.guarantee: more than capability: memory" in refused(plane, over)
    assert "spec.capability: not an amount: cpu" in refused(plane, queue(capability={"cpu": "two", "memory": 1}))
    assert "spec.capability: not an amount: cpu" in refused(plane, queue(capability={"cpu": {"a": 1}}))
    assert "spec.capability: not an amount: cpu" in refused(plane, queue(capability={"cpu": "-1"}))
    both = queue(capability={"cpu": 1, "resource": {"cpu": 1}})
    assert "written flat and nested under resource at once" in refused(plane, both)


# --- the record of a recall ----------------------------------------------------------------------------------

RECALL = """
apiVersion: tidegate.dev/v1alpha1
kind: Recall
metadata: {name: recall-1}
spec:
  queue: promo-online-queue
  reason: reclaim
  guaranteeBacked: true
  startedAt: 2026-11-11T20:00:00Z
  deadline: "2026-11-11T20:00:15.250000Z"
  nodes: [gpu-01, gpu-02]
  victims:
    - gang: research/llm-sft
      ownerKind: Job.batch.volcano.sh
      owner: research/llm-sft
      phase: Planned
      lostGpuSeconds: 1200
      pods: [{name: llm-sft-worker-0, namespace: research, uid: u-1, node: gpu-01}]
  stops: research/llm-sft, research/vit and 2 more
  placements: [{pod: promo/ranker-1, podUid: u-2, node: gpu-01}]
  cost: 1234.5
  lowerBound: 1200
status: {phase: Planned}
"""


def recall(name):
    obj = yaml.load(RECALL, yaml.BaseLoader)  # times stay text
    obj["metadata"]["name"] = name
    obj["spec"] |= {"guaranteeBacked": True, "cost": 1234.5, "lowerBound": 1200}
    obj["spec"]["victims"][0]["lostGpuSeconds"] = 1200
    return obj


def test_a_recall_is_written_in_one_piece(plane):
    stored = plane.api.create(recall("one-piece"))
    assert lost(recall("one-piece"), stored) == []
    stored["spec"]["victims"][0]["phase"] = "Stopping"
    stored["status"] = {"phase": "Stopping", "message": "one"}
    after = plane.api.replace(stored)
    assert (after["spec"]["victims"][0]["phase"], after["status"]["phase"]) == ("Stopping", "Stopping")
    with pytest.raises(ApiError) as caught:
        plane.api.replace(stored)  # of a version that is not the newest any more
    assert caught.value.reason == "Conflict"
    with pytest.raises(ApiError) as caught:
        plane.api.patch("recalls", "one-piece", {"status": {"phase": "Released"}}, subresource="status")
    assert caught.value.status == 404


def test_a_recall_of_a_newer_program_is_kept_whole(plane):
    newer = recall("newer")
    newer["spec"]["wave"] = 2
    newer["spec"]["victims"][0] |= {"phase": "Parked", "flushedAt": "2026-11-11T20:00:03Z"}
    newer["status"]["readiness"] = "0.5"
    assert lost(newer, plane.api.create(newer)) == []


def test_the_queue_of_a_recall_stays(plane):
    plane.api.create(recall("stays"))
    with pytest.raises(ApiError, match="the queue of a recall cannot be changed"):
        plane.api.patch("recalls", "stays", {"spec": {"queue": "another"}})


def test_recalls_are_shown_in_columns(plane):
    plane.api.create(recall("shown"))
    shown = plane.kubectl("get", "recalls", "shown")
    assert re.search(r"NAME +QUEUE +REASON +PHASE +STARTED +DEADLINE +STOPS\n", shown)
    assert re.search(r"shown +promo-online-queue +reclaim +Planned .* research/llm-sft, research/vit and 2 more\n", shown)


# --- overlays ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("overlay", ["standalone", "replace-volcano", "volcano-controllers", "beside-volcano"])
def test_overlays_apply(plane, overlay):
    make_namespace(plane, "volcano-system")
    text = yaml.safe_dump_all(render(overlay))
    apply(plane, "--server-side", "--force-conflicts", "-f", "-", stdin=text)


def test_pods_meet_the_restricted_standard(plane):
    for obj in render("standalone"):
        if obj["kind"] in ("Namespace", "Deployment"):
            plane.api.apply(obj)
    template = plane.api.get("deployments", "tidegate", "tidegate-system")["spec"]["template"]
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "tidegate-0", **template["metadata"]}}
    plane.api.create({**pod, "spec": template["spec"]}, "tidegate-system")
    loose = {**template["spec"], "hostNetwork": True}
    with pytest.raises(ApiError, match='violates PodSecurity "restricted'):
        plane.api.create({**pod, "metadata": {"name": "loose"}, "spec": loose}, "tidegate-system")


def test_kubectl_passes_the_kustomization_by(plane):
    apply(plane, "--server-side", "--force-conflicts", "-f", str(DEPLOY / "crds"))
