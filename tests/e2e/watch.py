"""Waits on what the API server says, never on a guess of how long something takes.

    with cluster.watch("pods", ns="a") as pods:
        ...
        pods.until(lambda w: len(w.items) == 3, timeout=10, what="three pods")

`items` is the newest state by "namespace/name", `events` everything seen with the time it arrived. A dropped watch is
opened again; what changed meanwhile becomes events as well.
"""

import http.client
import json
import socket
import threading
import time
from dataclasses import dataclass

from tests.e2e.processes import Timeout, poll
from tests.e2e.rest import ApiError, key_of

_BROKEN = (OSError, http.client.HTTPException, ValueError, AttributeError)


@dataclass(frozen=True)
class Event:
    at: float  # time.monotonic() of its arrival
    type: str  # ADDED, MODIFIED, DELETED
    object: dict

    @property
    def key(self):
        return key_of(self.object)


class Watch:
    def __init__(self, api, resource, ns=None, selector=None, field=None):
        self.items, self.events = {}, []
        self.what = f"{resource} of {ns}" if ns else resource
        self._api, self._path = api, api.path(resource, ns)
        self._query = {"labelSelector": selector, "fieldSelector": field}
        self._changed, self._closed, self._connection, self._error = threading.Condition(), False, None, None
        self._version = poll(self._first_list, 20, f"the API server to serve {self.what}")
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._closed = True
        self._hang_up()
        self._thread.join(timeout=5)

    def until(self, predicate, timeout, what=""):
        """Calls predicate(watch) after each change until it returns something true, which is returned."""
        deadline = time.monotonic() + timeout
        with self._changed:
            while True:
                answer = predicate(self)
                if answer:
                    return answer
                if self._error:
                    raise RuntimeError(f"the watch of {self.what} was refused") from self._error
                left = deadline - time.monotonic()
                if left <= 0:
                    raise Timeout(f"after {timeout} s still waiting for {what or predicate}; {self._summary()}")
                self._changed.wait(left)

    def get(self, key, *fields):
        """A field of an object, as get("ns/name", "status", "phase"); None when it or the object is not there."""
        value = self.items.get(key)
        for field in fields:
            value = value.get(field) if value else None
        return value

    def history(self, key):
        """The events of one object, oldest first."""
        with self._changed:
            return [event for event in self.events if event.key == key]

    def drop(self):
        """Hangs up once, as a broken network does; the watch comes back by itself."""
        with self._changed:
            self._changed.wait_for(lambda: self._connection, timeout=10)
        self._hang_up()

    def _summary(self):
        states = (
            f"{key}:{obj.get('status', {}).get('phase', '')}{'/deleting' if obj['metadata'].get('deletionTimestamp') else ''}"
            for key, obj in sorted(self.items.items())
        )
        return f"{len(self.items)} {self.what}: {' '.join(states)[:2000]}"

    def _run(self):
        while not self._closed:
            try:
                self._version = self._version or self._list()
                self._stream()
            except ApiError as error:
                self._version = None
                if error.status not in (410, 429, 500, 503):
                    with self._changed:
                        self._error = error
                        self._changed.notify_all()
                    return
                time.sleep(0.1)
            except _BROKEN:
                time.sleep(0.05)  # the server is away; ask again

    def _first_list(self):
        """The list; None while the storage of a kind that was just defined is not ready."""
        try:
            return self._list()
        except ApiError as error:
            if error.status not in (429, 503):
                raise
            return None

    def _list(self):
        answer = self._api.request("GET", self._path, query=self._query)
        kind = {"apiVersion": answer["apiVersion"], "kind": answer["kind"].removesuffix("List")}
        listed = {key_of(obj): {**kind, **obj} for obj in answer["items"]}
        with self._changed:
            for key in [key for key in self.items if key not in listed]:
                self._take("DELETED", self.items[key])
            for key, obj in listed.items():
                old = self.items.get(key)
                if old is None or old["metadata"]["resourceVersion"] != obj["metadata"]["resourceVersion"]:
                    self._take("ADDED" if old is None else "MODIFIED", obj)
        return answer["metadata"]["resourceVersion"]

    def _stream(self):
        query = {**self._query, "watch": "1", "allowWatchBookmarks": "true", "resourceVersion": self._version}
        connection, answer = self._api.open_stream(self._path, query, timeout=None)
        with self._changed:
            self._connection = connection
            self._changed.notify_all()
        try:
            while not self._closed and (line := answer.readline()):
                self._take_line(json.loads(line))
        finally:
            self._hang_up()
            self._connection = None

    def _take_line(self, line):
        obj = line["object"]
        if line["type"] == "ERROR":
            raise ApiError(obj.get("code", 500), json.dumps(obj))
        self._version = obj["metadata"]["resourceVersion"]
        if line["type"] != "BOOKMARK":
            with self._changed:
                self._take(line["type"], obj)

    def _take(self, kind, obj):
        if kind == "DELETED":
            self.items.pop(key_of(obj), None)
        else:
            self.items[key_of(obj)] = obj
        self.events.append(Event(time.monotonic(), kind, obj))
        self._changed.notify_all()

    def _hang_up(self):
        connection = self._connection
        try:
            connection.sock.shutdown(socket.SHUT_RDWR)
            connection.close()
        except _BROKEN:
            pass  # it was closed already
