"""A compiler ends with the process that asked for it, however that process ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from build_tools import alive, group_members, leftovers, shell, wait_for

from tilewright.jit import Cache, build_many
from tilewright.jit.supervisor import SUPERVISOR, can_supervise

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes in /proc")

TREE = "echo $$ > {pids}; sh -c 'sleep 600; :' & (sleep 600; :) & touch {pids}.ready; wait"
PROGRAM = """
import sys; sys.path.insert(0, {tests!r})
from build_tools import shell
from tilewright.jit import Cache, build_many
{before}
build_many([shell({script!r}, key=i) for i in range(2)], Cache({root!r}), max_workers=2)
"""


def _start(tmp_path: Path, script: str, before: str = "") -> subprocess.Popen[bytes]:
    text = PROGRAM.format(tests=str(Path(__file__).parent), script=script, root=str(tmp_path / "cache"), before=before)
    return subprocess.Popen([sys.executable, "-c", text])


def _members(tmp_path: Path) -> list[int]:
    return [pid for pid in group_members(int((tmp_path / "pids").read_text())) if alive(pid)]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV], ids=lambda n: n.name)
def test_the_whole_tree_of_a_compiler_ends_with_its_process(tmp_path: Path, number: signal.Signals) -> None:
    assert can_supervise()
    process = _start(tmp_path, TREE.format(pids=tmp_path / "pids"))
    wait_for((tmp_path / "pids.ready").exists)
    wait_for(lambda: len(_members(tmp_path)) >= 3)
    process.send_signal(number)
    process.wait()
    wait_for(lambda: not _members(tmp_path))
    cache = Cache(tmp_path / "cache")

    def swept() -> bool:  # the watcher may hold the folder for a moment longer than its compilers live
        cache.sweep()
        return not [name for name in leftovers(cache) if not name.endswith(".lock")]

    wait_for(swept)


def test_a_fork_of_the_dead_process_does_not_keep_compilers_alive(tmp_path: Path) -> None:
    """The fork holds copies of every pipe, so the end of a pipe cannot be the only sign of death."""
    before = f"""
import os, threading, time
def fork():
    while not os.path.exists({str(tmp_path / "pids.ready")!r}): time.sleep(0.01)
    if os.fork() == 0:
        open({str(tmp_path / "fork")!r}, "w").write(str(os.getpid())); time.sleep(600)
threading.Thread(target=fork, daemon=True).start()
"""
    process = _start(tmp_path, TREE.format(pids=tmp_path / "pids"), before)
    try:
        wait_for(lambda: (tmp_path / "fork").exists() and (tmp_path / "fork").read_text())
        process.kill()
        process.wait()
        wait_for(lambda: not _members(tmp_path))
    finally:
        os.kill(int((tmp_path / "fork").read_text()), signal.SIGKILL)


def test_no_moment_of_a_kill_leaves_a_compiler(tmp_path: Path) -> None:
    """Killed at many moments around the start of a compiler; whatever runs in the cache afterwards ends."""
    script = f"echo $$ >> {tmp_path}/started; sleep 600"
    for number in range(12):
        process = _start(tmp_path, script)
        wait_for(lambda: (tmp_path / "cache" / "v1" / "locks").exists() or process.poll() is not None)  # noqa: B023
        time.sleep(0.01 * number)
        process.kill()
        process.wait()
    inside = str(tmp_path / "cache")

    def left() -> list[str]:
        found = []
        for link in Path("/proc").glob("[0-9]*/cwd"):
            try:
                found += [str(link)] if os.readlink(link).startswith(inside) else []
            except OSError:
                continue
        return found

    wait_for(lambda: not left())


def test_the_reaper_is_replaced_when_it_dies_and_ends_with_the_build(tmp_path: Path) -> None:
    wait_for(lambda: SUPERVISOR._reaper is None)  # of builds that another test left in the background
    cache = Cache(tmp_path / "cache")
    seen: list[int] = []

    class Killer:
        """Kills the reaper when the second kernel begins."""

        def start(self, total: int) -> None: ...
        def finish(self) -> None: ...
        def done(self, name: str, seconds: float, status: str) -> None: ...

        def begin(self, name: str) -> None:
            reaper = SUPERVISOR._reaper
            if reaper is not None:
                seen.append(reaper.pid)
                reaper.kill()
                reaper.wait()

    results = build_many([shell("echo 1 > out", key=i) for i in range(3)], cache, max_workers=1, progress=Killer())
    assert [type(result).__name__ for result in results] == ["Artifact"] * 3
    assert len(set(seen)) == 2
    assert SUPERVISOR._reaper is None
