"""A small client of the Kubernetes API for tests: JSON over HTTPS, one kept connection for each thread.

Resources are named as kubectl names them: "pods", "queues", or with the group where two share a name
("jobs.batch.volcano.sh"; a bare name means the API server's own group). Objects are plain dicts.
"""

import http.client
import json
import select
import ssl
import threading
import urllib.parse
from pathlib import Path

import yaml

from tests.e2e.processes import poll

DISCOVERY = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
MERGE, STRATEGIC, JSON_PATCH, APPLY = (
    f"application/{kind}+{form}"
    for kind, form in (("merge-patch", "json"), ("strategic-merge-patch", "json"), ("json-patch", "json"),
                       ("apply-patch", "yaml"))
)  # fmt: skip


class ApiError(Exception):
    """An answer of 400 or more. `reason` is the API's word: NotFound, AlreadyExists, Conflict…"""

    def __init__(self, status, text):
        try:
            body = json.loads(text)
        except ValueError:
            body = {}
        body = body if isinstance(body, dict) else {}
        self.status, self.reason = status, body.get("reason", "")
        super().__init__(f"{status} {self.reason}: {body.get('message', text[:500])}")


def key_of(obj):
    """"namespace/name", or "name" for what has no namespace."""
    meta = obj["metadata"]
    return f"{meta['namespace']}/{meta['name']}" if meta.get("namespace") else meta["name"]


def load_manifests(source):
    """Objects of a dict, a list, YAML text, a file or a folder of *.yaml files; kind List is unpacked."""
    if isinstance(source, dict):
        return source["items"] if source.get("kind", "").endswith("List") and "items" in source else [source]
    if isinstance(source, (list, tuple)):
        return [obj for part in source for obj in load_manifests(part)]
    if isinstance(source, Path):
        files = sorted(source.glob("*.yaml")) if source.is_dir() else [source]
        return [obj for file in files for obj in load_manifests(file.read_text())]
    return [obj for doc in yaml.safe_load_all(source) if doc for obj in load_manifests(doc)]


class Api:
    def __init__(self, host, port, ca_file, token):
        self.host, self.port, self.token = host, port, token
        self._tls = ssl.create_default_context(cafile=str(ca_file))
        self._local = threading.local()
        self._resources = {}

    # --- resources -------------------------------------------------------------------------------------------

    def get(self, resource, name, ns=None, subresource=None):
        return self.request("GET", self.path(resource, ns, name, subresource))

    def list(self, resource, ns=None, selector=None):
        return self.request("GET", self.path(resource, ns), query={"labelSelector": selector})["items"]

    def create(self, obj, ns=None):
        return self.request("POST", self._path_of(obj, ns, named=False), obj)

    def create_all(self, objects):
        return [self.create(obj) for obj in objects]

    def apply(self, source, ns=None):
        """Server-side apply of whatever load_manifests() reads. Waits until each CRD is established."""
        applied = []
        for obj in load_manifests(source):
            query = {"fieldManager": "e2e", "force": "true"}
            applied.append(self.request("PATCH", self._path_of(obj, ns), obj, content=APPLY, query=query))
            if obj["kind"] == "CustomResourceDefinition":
                self.wait_established(obj["metadata"]["name"])
        return applied

    def patch(self, resource, name, patch, ns=None, subresource=None, content=MERGE):
        return self.request("PATCH", self.path(resource, ns, name, subresource), patch, content=content)

    def replace(self, obj, ns=None):
        return self.request("PUT", self._path_of(obj, ns), obj)

    def delete(self, resource, name, ns=None, grace=None, propagation=None):
        """Deletes; returns at once, the object may stay while it ends. Absent is fine."""
        options = {"gracePeriodSeconds": grace, "propagationPolicy": propagation}
        body = {"kind": "DeleteOptions", "apiVersion": "v1", **{k: v for k, v in options.items() if v is not None}}
        try:
            return self.request("DELETE", self.path(resource, ns, name), body)
        except ApiError as error:
            if error.status != 404:
                raise
            return None

    def bind(self, pod, node, ns="default"):
        """Binds a pod by hand, as a scheduler does."""
        target = {"apiVersion": "v1", "kind": "Node", "name": node}
        body = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": pod}, "target": target}
        return self.request("POST", self.path("pods", ns, pod, "binding"), body)

    # --- paths -----------------------------------------------------------------------------------------------

    def path(self, resource, ns=None, name=None, subresource=None):
        prefix, plural, _ = self._find(resource)
        return self._join(prefix, ns, plural, name, subresource)

    def _path_of(self, obj, ns=None, named=True):
        prefix, plural, namespaced = self._find((obj["apiVersion"], obj["kind"]))
        ns = obj["metadata"].get("namespace") or ns or "default"
        return self._join(prefix, ns if namespaced else None, plural, obj["metadata"]["name"] if named else None)

    @staticmethod
    def _join(prefix, ns, plural, name=None, subresource=None):
        parts = [prefix, *(("namespaces", ns) if ns else ()), plural, name, subresource]
        return "/".join(part for part in parts if part)

    def _find(self, key):
        if key not in self._resources:
            self._discover()
        if key not in self._resources:
            raise KeyError(f"the API server has no {key}")
        return self._resources[key]

    def _discover(self):
        found = {}
        for root in ("/api", "/apis"):
            for group in self.request("GET", root, accept=DISCOVERY)["items"]:
                for version in group["versions"]:
                    self._add_version(found, root, group["metadata"].get("name", ""), version)
        self._resources = found

    @staticmethod
    def _add_version(found, root, group, version):
        group_version = f"{group}/{version['version']}" if group else version["version"]
        for resource in version.get("resources", []):
            entry = (f"{root}/{group_version}", resource["resource"], resource["scope"] == "Namespaced")
            found.setdefault(resource["resource"], entry)  # the preferred version comes first
            found.setdefault(f"{resource['resource']}.{group}", entry)
            found.setdefault((group_version, resource["responseKind"]["kind"]), entry)

    def wait_established(self, name):
        """Until a definition's kind is served."""
        from tests.e2e.watch import Watch  # watch.py needs this file

        def established(watch):
            conditions = watch.items.get(name, {}).get("status", {}).get("conditions") or []
            return any(c["type"] == "Established" and c["status"] == "True" for c in conditions)

        with Watch(self, "customresourcedefinitions", field=f"metadata.name={name}") as watch:
            watch.until(established, 60, f"CRD {name} to be established")
        poll(lambda: self._serves(name), 60, f"the API server to name {name} among its resources")

    def _serves(self, name):
        self._discover()
        return name in self._resources

    # --- HTTP ------------------------------------------------------------------------------------------------

    def request(self, method, path, body=None, content="application/json", query=None, accept="application/json"):
        answer = self._send(method, path, body, content, query, accept)
        text = answer.read().decode()
        if answer.status >= 400:
            raise ApiError(answer.status, text)
        return json.loads(text) if text[:1] in ("{", "[") else text

    def open_stream(self, path, query, timeout):
        """A connection of its own and its answer, for a watch."""
        connection = http.client.HTTPSConnection(self.host, self.port, context=self._tls, timeout=timeout)
        try:
            connection.request("GET", _with_query(path, query), headers=self._headers("application/json"))
            answer = connection.getresponse()
            if answer.status >= 400:
                raise ApiError(answer.status, answer.read().decode())
        except BaseException:
            connection.close()
            raise
        return connection, answer

    def _send(self, method, path, body, content, query, accept):
        connection = self._connection()
        headers = self._headers(accept)
        if body is not None:
            headers["Content-Type"] = content
        try:
            connection.request(method, _with_query(path, query), json.dumps(body) if body is not None else None, headers)
            return connection.getresponse()
        except BaseException:
            connection.close()
            raise

    def _headers(self, accept):
        return {"Accept": accept, "Authorization": f"Bearer {self.token}"}

    def _connection(self):
        connection = getattr(self._local, "connection", None)
        if connection is None:
            connection = http.client.HTTPSConnection(self.host, self.port, context=self._tls, timeout=30)
            self._local.connection = connection
        elif connection.sock and select.select([connection.sock], [], [], 0)[0]:
            connection.close()  # the server has hung up; the next request connects again
        return connection


def _with_query(path, query):
    query = {key: value for key, value in (query or {}).items() if value is not None}
    return f"{path}?{urllib.parse.urlencode(query)}" if query else path
