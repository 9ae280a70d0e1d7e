"""A TCP proxy before the API server, to break the connections of one client and of nobody else.

    with Proxy(cluster.port) as proxy:
        cluster.tidegate("run", kubeconfig=cluster.kubeconfig_by(proxy))
        proxy.drop()         # every open connection is reset; new ones work: a dropped watch
        proxy.cut(); ...     # and new ones are refused until mend(): a partition
        proxy.stall(); ...   # connections stay open, no byte passes until mend(): a dead peer
"""

import socket
import struct
import threading


class Proxy:
    def __init__(self, target_port):
        self._target = ("127.0.0.1", target_port)
        self._flowing, self._cut = threading.Event(), False
        self._flowing.set()
        self._lock, self._open = threading.Lock(), set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._listener.close()
        self.cut()
        self._flowing.set()

    @property
    def connections(self):
        with self._lock:
            return len(self._open) // 2

    def drop(self):
        with self._lock:
            for end in self._open:
                _reset(end)
            self._open.clear()

    def cut(self):
        self._cut = True
        self.drop()

    def stall(self):
        self._flowing.clear()

    def mend(self):
        self._cut = False
        self._flowing.set()

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return  # closed
            if not self._connect(client):
                _reset(client)

    def _connect(self, client):
        try:
            server = socket.create_connection(self._target, timeout=5)
        except OSError:
            return False
        server.settimeout(None)
        with self._lock:
            if self._cut:
                server.close()
                return False
            self._open |= {client, server}
        for source, sink in ((client, server), (server, client)):
            threading.Thread(target=self._pump, args=(source, sink), daemon=True).start()
        return True

    def _pump(self, source, sink):
        try:
            while data := source.recv(1 << 16):
                self._flowing.wait()
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            with self._lock:
                ends = {source, sink} & self._open
                self._open -= ends
            for end in ends:
                _reset(end)


def _reset(end):
    """Closes with RST and wakes whoever reads from it."""
    try:
        end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        end.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass  # the peer was faster
    end.close()
