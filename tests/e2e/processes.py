"""Child processes of the harness: each logs to a file, none outlives the test run.

A child is stopped by its pid: when its owner closes, at interpreter exit, and by the kernel (parent death signal)
if the test run itself is killed. Children get a session of their own, so Ctrl-C reaches the harness only, which then
stops them in order. Start them from the main thread: the death signal follows the thread that started them.
"""

import atexit
import os
import re
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path

_living = []


class Timeout(AssertionError):
    """What was waited for did not come in time."""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def poll(probe, timeout, what, interval=0.05):
    """Asks `probe` until it answers something true. Only for what cannot be watched: a port that opens, a file."""
    deadline = time.monotonic() + timeout
    while True:
        answer = probe()
        if answer:
            return answer
        if time.monotonic() > deadline:
            raise Timeout(f"after {timeout} s still waiting for {what}")
        time.sleep(interval)


class Process:
    """A running program. With `follow`, its output can be waited for line by line (`wait_line`)."""

    def __init__(self, name, argv, log, env=None, follow=False):
        self.name, self.argv, self.log = name, [str(arg) for arg in argv], Path(log)
        self.log.parent.mkdir(parents=True, exist_ok=True)
        self._lines, self._changed, self._ended = [], threading.Condition(), False
        with self.log.open("ab") as output:
            self._child = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", "--", *self.argv],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE if follow else output,
                stderr=subprocess.STDOUT,
                env={**os.environ, **(env or {})},
                start_new_session=True,
            )
        _living.append(self)
        if follow:
            threading.Thread(target=self._follow, daemon=True).start()

    @property
    def pid(self):
        return self._child.pid

    @property
    def returncode(self):
        return self._child.poll()

    @property
    def running(self):
        return self.returncode is None

    def lines(self):
        with self._changed:
            return list(self._lines)

    def wait_line(self, pattern, timeout, after=0):
        """The first line from number `after` on that matches; fails at the bound or when the program has ended."""
        wanted, deadline = re.compile(pattern), time.monotonic() + timeout
        with self._changed:
            seen = after
            while True:
                for seen in range(seen, len(self._lines)):
                    if wanted.search(self._lines[seen]):
                        return self._lines[seen]
                seen = len(self._lines)
                left = deadline - time.monotonic()
                if self._ended or left <= 0:
                    raise Timeout(f"{self.name} wrote no line like {pattern!r} in {timeout} s\n{self.tail()}")
                self._changed.wait(left)

    def wait(self, timeout):
        """Waits for the program to end by itself; its exit code (negative: the signal that ended it)."""
        try:
            code = self._child.wait(timeout)
        except subprocess.TimeoutExpired:
            raise Timeout(f"{self.name} still runs after {timeout} s\n{self.tail()}") from None
        self._forget()
        return code

    def stop(self, timeout=15):
        """SIGTERM, and SIGKILL when that does not end it in time. Returns the exit code."""
        if self.running:
            self._child.terminate()
            try:
                self._child.wait(timeout)
            except subprocess.TimeoutExpired:
                self._child.kill()
        return self.kill()

    def kill(self):
        """kill -9, and waits until it is gone."""
        if self.running:
            self._child.kill()
        code = self._child.wait()
        self._forget()
        return code

    def signal(self, number):
        """Sends a signal, such as signal.SIGSTOP to freeze the program."""
        self._child.send_signal(number)

    def freeze(self):
        self.signal(signal.SIGSTOP)

    def thaw(self):
        self.signal(signal.SIGCONT)

    def tail(self, count=30):
        text = self.log.read_text(errors="replace") if self.log.exists() else ""
        return f"--- end of {self.log}\n" + "\n".join(text.splitlines()[-count:])

    def _follow(self):
        with self.log.open("ab", buffering=0) as output:
            for raw in self._child.stdout:
                output.write(raw)
                with self._changed:
                    self._lines.append(raw.decode(errors="replace").rstrip("\n"))
                    self._changed.notify_all()
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def _forget(self):
        if self in _living:
            _living.remove(self)


@atexit.register
def stop_everything():
    for process in reversed(list(_living)):
        process.stop(timeout=5)
