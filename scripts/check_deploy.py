#!/usr/bin/env python3
"""Renders the overlays and the chart of deploy/ and compares them; scripts/check-deploy.sh says what for.

Prints one line for each thing that is wrong, and exits 1 if there is one.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
CHART = ROOT / "deploy/helm/tidegate"
# Each overlay, and the values that make the chart do the same.
PAIRS = {
    "standalone": None,
    "replace-volcano": "values-replace-volcano.yaml",
    "volcano-controllers": "values-volcano-controllers.yaml",
    "beside-volcano": "values-beside-volcano.yaml",
}
# Values that have to be refused, and a word of the message that says which.
WRONG_VALUES = [
    ({"replicas": 0}, "replicas"),
    ({"replicas": "two"}, "replicas"),
    ({"replica": 2}, "replica"),
    ({"components": ["schedular"]}, "components"),
    ({"components": []}, "components"),
    ({"schedulerNames": ["default-scheduler"]}, "schedulerNames"),
    ({"vcjobSuspend": "delete"}, "vcjobSuspend"),
    ({"logFormat": "xml"}, "logFormat"),
    ({"listen": {"port": 80}}, "port"),
    ({"conf": {"text": ""}}, "conf"),
    ({"extraArgs": ["kubeconfig"]}, "extraArgs"),
    ({"image": {"repo": "x"}}, "repo"),
]
# Rendered with values that no overlay has, so that each branch of the templates is seen once.
OTHER_VALUES = {
    "recreateBarePods": True,
    "metrics": {"serviceMonitor": {"enabled": True, "labels": {"team": "a"}}},
    "nodeSelector": {"pool": "system"},
    "tolerations": [{"operator": "Exists"}],
    "affinity": {"nodeAffinity": {}},
    "podAnnotations": {"a": "b"},
    "podLabels": {"c": "d"},
    "imagePullSecrets": [{"name": "registry"}],
    "serviceAccount": {"annotations": {"e": "f"}},
    "extraArgs": ["--log-format=text"],
    "podDisruptionBudget": {"enabled": False},
    "drillRole": False,
}


class Checker:
    def __init__(self, kubectl, helm):
        self.kubectl, self.helm, self.wrong = kubectl, helm, []

    def report(self, line):
        self.wrong.append(line)
        print(f"check-deploy: {line}")

    def run(self, *command):
        return subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)

    def kustomize(self, folder):
        done = self.run(self.kubectl, "kustomize", folder)
        if done.returncode:
            self.report(f"{folder.relative_to(ROOT)} does not render: {done.stderr.strip()}")
            return {}
        return self.objects(folder.name, done.stdout)

    def chart(self, *flags, name="tidegate"):
        return self.run(self.helm, "template", name, CHART, "-n", "tidegate-system", *flags)

    def objects(self, where, text):
        """By apiVersion, kind, namespace and name; told if one comes twice."""
        found = {}
        for obj in yaml.safe_load_all(text):
            if not obj:
                continue
            meta = obj["metadata"]
            key = f"{obj['apiVersion']} {obj['kind']} {meta.get('namespace', '')}/{meta['name']}"
            if key in found:
                self.report(f"{where}: {key} is there twice")
            found[key] = obj
        return found

    # --- checks ----------------------------------------------------------------------------------------------

    def check_yaml(self):
        files = [*(ROOT / "deploy").rglob("*.yaml"), *(ROOT / "examples").rglob("*.yaml")]
        for file in sorted(files):
            if "templates" in file.parts:
                continue
            try:
                list(yaml.safe_load_all(file.read_text()))
            except yaml.YAMLError as error:
                self.report(f"{file.relative_to(ROOT)}: {error}")

    def check_pair(self, overlay, values):
        expected = self.kustomize(ROOT / "deploy/overlays" / overlay)
        done = self.chart(*(("-f", CHART.parent / values) if values else ()))
        if done.returncode:
            self.report(f"the chart does not render as {overlay}: {done.stderr.strip()}")
            return
        rendered = self.objects("chart", done.stdout)
        expected = {key: obj for key, obj in expected.items() if obj["kind"] != "Namespace"}  # helm makes it
        for key in sorted(expected.keys() ^ rendered.keys()):
            self.report(f"{overlay}: {key} only in {'the overlay' if key in expected else 'the chart'}")
        for key in sorted(expected.keys() & rendered.keys()):
            for line in differences(plain(expected[key]), plain(rendered[key])):
                self.report(f"{overlay}: {key}: overlay and chart differ: {line}")

    def check_values(self):
        for values, word in WRONG_VALUES:
            done = self.with_values(values)
            if done.returncode == 0:
                self.report(f"the chart takes {values}")
            elif word not in done.stderr:
                self.report(f"the chart refuses {values} without naming {word}: {done.stderr.strip()}")
        done = self.with_values(OTHER_VALUES)
        if done.returncode:
            self.report(f"the chart does not render with other values: {done.stderr.strip()}")
        else:
            self.objects("chart with other values", done.stdout)

    def with_values(self, values):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            yaml.safe_dump(values, file)
            file.flush()
            return self.chart("-f", file.name)

    def check_two_releases(self):
        """Two releases in one cluster must not want the same objects, but for definitions and conf."""
        names = []
        for name in ("tidegate", "other"):
            done = self.chart("--set", "crds.volcano=false,crds.tidegate=false,conf.create=false", name=name)
            names.append(set(self.objects(name, done.stdout)))
        for key in sorted(names[0] & names[1]):
            self.report(f"two releases both want {key}")


def plain(obj):
    """Without the marks that only one of the two ways puts on."""
    obj = dict(obj, metadata=dict(obj["metadata"]))
    for marks in ("labels", "annotations"):
        kept = {
            key: value
            for key, value in (obj["metadata"].pop(marks, None) or {}).items()
            if not key.startswith(("app.kubernetes.io/", "helm.sh/"))
        }
        if kept:
            obj["metadata"][marks] = kept
    return obj


def differences(left, right, path=""):
    if isinstance(left, dict) and isinstance(right, dict):
        for key in sorted(left.keys() | right.keys(), key=str):
            yield from differences(left.get(key), right.get(key), f"{path}.{key}")
    elif isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        for index, (one, other) in enumerate(zip(left, right, strict=True)):
            yield from differences(one, other, f"{path}[{index}]")
    elif left != right:
        yield f"{path.lstrip('.')}: {left!r} and {right!r}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kubectl", type=Path, required=True)
    parser.add_argument("--helm", type=Path, required=True)
    args = parser.parse_args()
    checker = Checker(args.kubectl, args.helm)
    checker.check_yaml()
    for overlay, values in PAIRS.items():
        checker.check_pair(overlay, values)
    checker.check_values()
    checker.check_two_releases()
    if not checker.wrong:
        print(f"check-deploy: {len(PAIRS)} overlays and the chart agree")
    return 1 if checker.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
