"""JobSet, Kubeflow's and Ray's jobs under their real controllers: a burst suspends them by their own flag, and they come back.

Which versions: tools/cluster-go/operators/go.mod. Each peak takes every node of the jobs; what must hold is judged from
everything the watches have seen.
"""

from dataclasses import dataclass

import pytest

from tests.e2e import operators
from tests.e2e.cluster import Cluster
from tests.e2e.operator_peak import OperatorPool

JOBS = [
    operators.jobset("jobset", 2),
    operators.pytorch_job("pytorch", 2),
    operators.tf_job("tensorflow", 2),
    operators.mpi_job("mpi", 2),
    operators.ray_cluster("raycluster", 2),
    operators.ray_job("rayjob", 2),
]


@dataclass(frozen=True)
class Scenario:
    jobs: list
    gangs: bool = False  # the operators make PodGroups, else tidegate does
    killed: bool = False  # tidegate, in mid-recall
    burst: int = 0  # pods of 8 GPUs; 0: as many as take all
    slow: bool = False  # the pods would end long after the deadline

    @property
    def pods(self):
        return self.burst or 2 * len(self.jobs)


SCENARIOS = {
    "podgroups of tidegate": Scenario(JOBS),
    "podgroups of the operators, tidegate killed": Scenario(JOBS[1:], gangs=True, killed=True),
    "slow to stop": Scenario([operators.slow_to_stop(job) for job in JOBS], slow=True),
    "a child job's node is wanted": Scenario(JOBS[:1], burst=1),
}


# One goes with every `make test`.
def chosen(number, plan):
    return pytest.param(plan, marks=[pytest.mark.extra] if number else [])


@pytest.fixture(scope="module", params=[chosen(*each) for each in enumerate(SCENARIOS.values())], ids=SCENARIOS)
def peak(request, keeping_logs):
    """A pool after its peak."""
    plan = request.param
    with keeping_logs(Cluster(nodes=8 + 2 * len(plan.jobs))) as cluster:  # eight for the online work
        with OperatorPool(cluster, plan.jobs, plan.gangs) as pool:
            pool.plan = plan
            first = pool.tidegate()
            pool.fill(timeout=120)
            pool.burst(plan.pods)
            if plan.killed:
                pool.recalls.until(pool.phase("Stopping"), 30, "a recall that stops jobs")
                first.kill()
                pool.tidegate(name="second")
            pool.wait_burst_ready(timeout=60)
            pool.end_peak()
            pool.wait_all_back(timeout=180)
            yield pool


def test_each_job_is_suspended_in_the_peak_and_none_of_its_pods_made(peak):
    for name in peak.by_name:
        peak.check_suspended_in_the_peak(name)
        peak.check_none_made_in_the_peak(name)


def test_pods_are_gone_by_the_deadline_and_had_time_to_stop(peak):
    for name in peak.by_name:
        peak.check_pods_were_gone_by_the_deadline(name)
        if not peak.plan.slow:
            peak.check_pods_had_time_to_stop(name)


def test_each_job_runs_again_by_itself_and_has_never_failed(peak):
    for name in peak.by_name:
        peak.check_runs_again(name)
        peak.check_never_failed(name)


def test_one_that_its_user_has_suspended_stays_so(peak):
    for name in peak.by_name:
        peak.check_kept(name)


def test_no_gang_was_torn_and_no_node_overfull(peak):
    peak.check()
