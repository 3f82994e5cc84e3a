"""Small real builds for the tests of the build room: shell commands that count how often they ran."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

from tilewright.jit import BuildRequest, Cache


def shell(script: str, name: str = "job", *, key: object = 0, spec_digest: str = "", **more: object) -> BuildRequest:
    """A build that runs `script` in sh and must leave the file `out`."""
    return BuildRequest(
        spec_digest=spec_digest,
        name=name,
        inputs={"script.sh": script},
        commands=(("sh", "-eu", "script.sh"),),
        outputs=("out",),
        key={"version": key},
        **more,  # type: ignore[arg-type]
    )


def counted(folder: Path, name: str, then: str = "", *, key: object = 0, **more: object) -> BuildRequest:
    """A build that leaves one line in `folder/name.runs` each time it runs."""
    return shell(f"echo run >> {folder / name}.runs\necho {name} > out\n{then}", name, key=key, **more)


def runs(folder: Path, name: str) -> int:
    """How often the build `name` ran."""
    path = folder / f"{name}.runs"
    return len(path.read_text().splitlines()) if path.exists() else 0


def leftovers(cache: Cache) -> list[str]:
    """Work folders and locks that are still there."""
    return [
        str(path.name)
        for kind in ("tmp", "locks")
        if cache.folder(kind).exists()
        for path in cache.folder(kind).iterdir()
    ]


def wait_for(condition: object, seconds: float = 60.0) -> None:
    """Waits until `condition()` holds."""
    end = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.01)


def alive(pid: int) -> bool:
    """Whether the process runs (a zombie that nobody reaped counts as dead)."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


def group_members(group: int) -> list[int]:
    """The processes of a process group (Linux)."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if int(path.read_text().rsplit(")", 1)[1].split()[2]) == group:
                found.append(int(path.parent.name))
    return found
