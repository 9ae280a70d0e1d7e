"""Container images made here, without a registry: busybox (Debian's static one) plus files of the caller."""

import hashlib
import io
import json
import subprocess
import tarfile
from pathlib import Path

BUSYBOX = Path("/bin/busybox")


def write_image(archive, tag, command=("sleep", "2147483647"), files=None):
    """Writes a docker-archive with one layer. `files`: path in the image -> text or bytes, made executable."""
    layer = _layer({path.lstrip("/"): text for path, text in (files or {}).items()})
    config = {
        "architecture": "amd64",
        "os": "linux",
        "config": {"Env": ["PATH=/bin"], "Cmd": list(command), "WorkingDir": "/"},
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(layer).hexdigest()}"]},
        "history": [{"created_by": "tests/e2e/images.py"}],
    }
    manifest = [{"Config": "config.json", "RepoTags": [tag], "Layers": ["layer.tar"]}]
    with tarfile.open(archive, "w") as out:
        for name, data in (
            ("config.json", json.dumps(config).encode()),
            ("layer.tar", layer),
            ("manifest.json", json.dumps(manifest).encode()),
        ):
            _add(out, name, data)
    return archive


def _layer(files):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as out:
        for folder in ("bin", "etc", "tmp", "proc", "sys", "dev"):
            entry = tarfile.TarInfo(folder)
            entry.type, entry.mode = tarfile.DIRTYPE, 0o1777 if folder == "tmp" else 0o755
            out.addfile(entry)
        _add(out, "bin/busybox", BUSYBOX.read_bytes())
        for applet in subprocess.run([BUSYBOX, "--list"], check=True, capture_output=True, text=True).stdout.split():
            if applet != "busybox":
                entry = tarfile.TarInfo(f"bin/{applet}")
                entry.type, entry.linkname = tarfile.SYMTYPE, "busybox"
                out.addfile(entry)
        _add(out, "etc/passwd", b"root:x:0:0:root:/:/bin/sh\n")
        for path, text in files.items():
            _add(out, path, text.encode() if isinstance(text, str) else text)
    return buffer.getvalue()


def _add(out, name, data):
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = len(data), 0o755
    out.addfile(entry, io.BytesIO(data))
