#!/usr/bin/env python3
"""Compares the definitions of deploy/crds with the fields that the program reads and writes (src/api/fields_custom.hpp).

A field that the program knows and a definition does not would be dropped by the API server; one that a definition
has in a spec and the program does not know would be refused by `tidegate plan`. Prints one line for each, and exits 1
if there is one.
"""

import re
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
FIELDS = ROOT / "src/api/fields_custom.hpp"
FUNCTION = re.compile(r"void fields\(V& v, Of<(\w+)>\) \{(.*?)\n\}", re.DOTALL)
NAME = re.compile(r'v(?:\.\w+)?\(\s*"(\w+)"')
KNOWN = re.compile(r"v\.known\(\s*\{(.*?)\}", re.DOTALL)
# The struct of the program, the definition, and where in its schema.
QUEUES, PODGROUPS = "queues.scheduling.volcano.sh", "podgroups.scheduling.volcano.sh"
JOBS, HYPERNODES, RECALLS = "jobs.batch.volcano.sh", "hypernodes.topology.volcano.sh", "recalls.tidegate.dev"
PLACES = {
    "QueueSpec": (QUEUES, "spec"),
    "QueueGuarantee": (QUEUES, "spec guarantee"),
    "QueueStatus": (QUEUES, "status"),
    "PodGroupSpec": (PODGROUPS, "spec"),
    "NetworkTopology": (PODGROUPS, "spec networkTopology"),
    "PodGroupStatus": (PODGROUPS, "status"),
    "VcJobSpec": (JOBS, "spec"),
    "TaskSpec": (JOBS, "spec tasks"),
    "LifecyclePolicy": (JOBS, "spec policies"),
    "VcJobState": (JOBS, "status state"),
    "VcJobStatus": (JOBS, "status"),
    "HyperNodeSpec": (HYPERNODES, "spec"),
    "HyperNodeMember": (HYPERNODES, "spec members"),
    "MemberSelector": (HYPERNODES, "spec members selector"),
    "BusCommand": ("commands.bus.volcano.sh", ""),
    "RecallSpec": (RECALLS, "spec"),
    "RecallVictim": (RECALLS, "spec victims"),
    "RecallPod": (RECALLS, "spec victims pods"),
    "RecallPlacement": (RECALLS, "spec placements"),
    "RecallStatus": (RECALLS, "status"),
}


def fields_of_program():
    """struct -> (names, strict): strict structs refuse what they do not know."""
    found = {}
    for struct, body in FUNCTION.findall(FIELDS.read_text()):
        known = [name for group in KNOWN.findall(body) for name in re.findall(r'"(\w+)"', group)]
        strict = "v.strict(" in body
        names = NAME.findall(re.sub(r'v\.strict\(.*?\);', "", body, flags=re.DOTALL)) + known
        found[struct] = (set(names), strict)
    return found


def fields_of_definition(name, path):
    definition = yaml.safe_load((ROOT / f"deploy/crds/{name}.yaml").read_text())
    schema = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    for step in path.split():
        schema = schema["properties"][step]
        schema = schema.get("items", schema)
    return set(schema["properties"])


def main():
    program, wrong = fields_of_program(), []
    for struct, (definition, path) in PLACES.items():
        if struct not in program:
            wrong.append(f"{FIELDS.name} has no fields of {struct}")
            continue
        names, strict = program[struct]
        schema = fields_of_definition(definition, path)
        where = f"{definition} {'.'.join(path.split())}".strip()
        wrong += [f"{where}: {field}, a field of {struct}, is missing" for field in sorted(names - schema)]
        if strict:
            wrong += [f"{where}: {field} is not known to {struct}" for field in sorted(schema - names)]
    for line in wrong:
        print(f"check-fields: {line}")
    if not wrong:
        print(f"check-fields: {len(PLACES)} structs and their definitions agree")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
