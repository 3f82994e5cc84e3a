"""Building many kernels: order, failures, time limits, cancellation, inspection, progress."""

from __future__ import annotations

import errno
import io
import os
import signal
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from build_tools import alive, counted, leftovers, runs, shell, wait_for

from tilewright.errors import BuildCancelledError, BuildError, CacheError, TilewrightError
from tilewright.jit import (
    Artifact,
    BuildFailure,
    BuildRequest,
    Cache,
    LineProgress,
    LiveProgress,
    build_many,
    build_one,
    progress_for,
)
from tilewright.jit import progress as progress_module
from tilewright.jit.progress import NoProgress, NotebookProgress, WaitNotice, waiting_progress


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


class Recorder:
    """A progress that keeps what it was told."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []

    def start(self, total: int) -> None:
        self.calls.append(("start", total))

    def begin(self, name: str) -> None:
        self.calls.append(("begin", name))

    def done(self, name: str, seconds: float, status: str) -> None:
        self.calls.append(("done", name, status))

    def finish(self) -> None:
        self.calls.append(("finish",))


def test_order_is_kept_and_duplicates_are_built_once(cache: Cache, tmp_path: Path) -> None:
    slow, fast = counted(tmp_path, "slow", "sleep 0.2"), counted(tmp_path, "fast")
    results = build_many([slow, fast, slow], cache, max_workers=2)
    assert [result.name for result in results] == ["slow", "fast", "slow"]
    assert results[0] is results[2]
    assert (runs(tmp_path, "slow"), runs(tmp_path, "fast")) == (1, 1)
    build_many([slow, fast], Cache(cache.root))
    assert (runs(tmp_path, "slow"), runs(tmp_path, "fast")) == (1, 1)


def test_workers_run_at_once_and_no_more_than_asked(cache: Cache, tmp_path: Path) -> None:
    look = f"ls {tmp_path} | grep -c in. >> {tmp_path}/seen"
    script = f"touch {tmp_path}/in.$$; {look}; sleep 0.15; rm {tmp_path}/in.$$; > out"
    build_many([shell(script, key=i) for i in range(6)], cache, max_workers=2)
    assert max(map(int, (tmp_path / "seen").read_text().split())) == 2


def test_progress_hears_each_kernel(cache: Cache) -> None:
    good, bad = shell("echo > out", "good"), shell("echo 'script.sh:1:1: error: no'; exit 1", "bad")
    first, second = Recorder(), Recorder()
    build_many([good, bad], cache, max_workers=1, progress=first)
    build_many([good, bad], cache, progress=second)
    assert first.calls == [
        *[("start", 2), ("begin", "good"), ("done", "good", "built"), ("begin", "bad"), ("done", "bad", "failed")],
        ("finish",),
    ]
    assert second.calls == [("start", 2), ("done", "good", "cached"), ("done", "bad", "failed"), ("finish",)]


@pytest.mark.parametrize("workers", [0, -1])
def test_workers_must_be_positive(cache: Cache, workers: int) -> None:
    with pytest.raises(TilewrightError, match="at least 1"):
        build_many([shell("echo > out")], cache, max_workers=workers)


# Failures.


def test_failure_is_remembered_with_its_whole_log(cache: Cache, tmp_path: Path) -> None:
    bad = counted(tmp_path, "bad", "seq 1 5000; echo 'script.sh:1: error: no such thing' >&2; exit 3")
    good = counted(tmp_path, "good")
    failure, artifact = build_many([bad, good], cache, max_workers=1)
    assert isinstance(artifact, Artifact)  # one failing kernel never ends the others
    assert isinstance(failure, BuildFailure)
    assert failure.reason == "sh exited with status 3: script.sh:1: error: no such thing"
    assert (failure.command, failure.kind, failure.cached) == ("sh -eu script.sh", "error", False)
    assert failure.log.splitlines()[1:5001] == [str(i) for i in range(1, 5001)]

    [again] = build_many([bad], Cache(cache.root))
    assert isinstance(again, BuildFailure)
    assert (again.cached, again.log, again.reason) == (True, failure.log, failure.reason)
    assert runs(tmp_path, "bad") == 1
    with pytest.raises(BuildError, match="cached failure; retry with --retry-failed") as caught:
        build_one(bad, cache)
    assert caught.value.log == failure.log

    build_many([bad], cache, retry_failed=True)
    assert runs(tmp_path, "bad") == 2
    build_many([counted(tmp_path, "bad", "exit 3", key="changed")], cache)
    assert runs(tmp_path, "bad") == 3


def test_success_forgets_the_failure(cache: Cache, tmp_path: Path) -> None:
    flaky = counted(tmp_path, "flaky", f"test -e {tmp_path}/now")
    build_many([flaky], cache)
    assert cache.failure(flaky.build_key) is not None
    (tmp_path / "now").touch()
    build_one(flaky, cache, retry_failed=True)
    assert cache.failure(flaky.build_key) is None


@pytest.mark.parametrize(
    ("then", "kind", "permanent"),
    [
        ("echo 'script.sh:1:2: error: no'; exit 1", "error", True),
        ("exit 1", "tool", False),
        ("rm out", "tool", False),
        ("kill -SEGV $$", "crash", False),
        ("kill -9 $$", "killed", False),
        ("kill -TERM $$", "killed", False),
        ("echo 'g++: fatal error: Killed signal terminated program cc1plus'; exit 1", "killed", False),
        ("echo 'cc1plus: out of memory allocating 65536 bytes'; exit 1", "killed", False),
        ("kill -XFSZ $$", "killed", False),
        ("kill -BUS $$", "killed", False),
        ("kill -ABRT $$", "crash", False),
        ("exit 137", "killed", False),  # a shell passes SIGKILL on
        ("exit 153", "killed", False),  # and SIGXFSZ
        ("exit 139", "tool", False),  # and SIGSEGV
        ("exit 127", "toolchain", False),
        ("ulimit -f 1; head -c 100000 /dev/zero > big", "killed", False),
        (
            "echo 'g++: fatal error: File size limit exceeded signal terminated program cc1plus'; exit 1",
            "killed",
            False,
        ),
        ("echo 'g++: fatal error: Segmentation fault signal terminated program cc1plus'; exit 1", "tool", False),
        ("echo 'g++: internal compiler error: Bus error signal terminated program cc1plus'; exit 4", "killed", False),
        ("echo 'clang++: error: unable to execute command: Killed'; exit 1", "killed", False),
        ("echo 'clang++: error: unable to execute command: Segmentation fault'; exit 1", "tool", False),
        ("echo 'as: out.s: Too many open files'; exit 1", "killed", False),
        ("echo 'ld: final close failed: Input/output error'; exit 1", "killed", False),
        ("echo 'cc1plus: fatal error: error writing to out.s: File too large'; exit 1", "killed", False),
    ],
)
def test_only_what_depends_on_the_inputs_is_permanent(
    cache: Cache, tmp_path: Path, then: str, kind: str, permanent: bool
) -> None:
    request = counted(tmp_path, "k", then)
    [failure] = build_many([request], cache)
    assert isinstance(failure, BuildFailure)
    assert (failure.kind, failure.permanent) == (kind, permanent)
    assert cache.failure(request.build_key).kind == kind  # type: ignore[union-attr]
    build_many([request], cache)
    assert runs(tmp_path, "k") == (1 if permanent else 2)


def test_a_tool_that_is_absent_is_told_and_tried_again(cache: Cache, tmp_path: Path) -> None:
    tool = tmp_path / "tool"
    request = shell("")
    request = type(request)("", "t", {}, ((str(tool),),), ("out",))
    [failure] = build_many([request], cache)
    assert isinstance(failure, BuildFailure)
    assert (failure.kind, failure.permanent) == ("toolchain", False)
    tool.write_text("#!/bin/sh\necho 1 > out\n")
    tool.chmod(0o755)
    assert build_one(request, cache).file().read_text() == "1\n"


PYTHON = (
    (("-I", "-S", "-m", "tilewright.backends.triton.compile_job", "job.json"), "", "toolchain"),
    (("job.py",), "import nothing_of_that_name", "toolchain"),
    (("job.py",), "from os import nothing_of_that_name", "toolchain"),
    (("job.py",), "raise MemoryError", "killed"),
    (("job.py",), "raise ValueError('ImportError is no cause')", "tool"),
    (("job.py",), "import sys; print('/x/kernel.py:3:5: error: no such op'); sys.exit(1)", "error"),
    (("job.py",), "import sys; sys.exit('triton.compiler.errors.CompilationError: at 3:5: x')", "error"),
    (("job.py",), "import sys; sys.exit('ptxas fatal: cannot open the file')", "tool"),
)


@pytest.mark.parametrize(("words", "program", "kind"), PYTHON)
def test_a_builder_that_cannot_import_does_not_fail_the_kernel(
    cache: Cache, words: tuple[str, ...], program: str, kind: str
) -> None:
    """A wrong PYTHONPATH is a failure of the environment: the kernel is tried again."""
    inputs = {"job.json": "{}", "job.py": program}
    request = BuildRequest("", "job", inputs, ((sys.executable, *words),), ("out",))
    (failure,) = build_many([request], cache)
    assert isinstance(failure, BuildFailure)
    assert (failure.kind, failure.permanent) == (kind, kind == "error")
    (failure,) = build_many([request], cache)
    assert isinstance(failure, BuildFailure)
    assert failure.cached == (kind == "error")


def test_commands_run_in_order_and_stop_at_the_first_failure(cache: Cache) -> None:
    base = shell("")
    commands = (("sh", "-c", "echo 1 > a"), ("sh", "-c", "cat a a > out"))
    both = type(base)("", "both", {}, commands, ("out",))
    assert build_one(both, cache).file().read_text() == "1\n1\n"
    broken = type(base)("", "broken", {}, (("false",), *commands), ("out",))
    with pytest.raises(BuildError) as caught:
        build_one(broken, cache)
    assert caught.value.log == "$ false\n"


def test_hidden_compiler_inputs_do_not_reach_the_commands(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CPATH", "/somewhere")
    monkeypatch.setenv("KEPT", "yes")
    artifact = build_one(shell('echo "${CPATH-none} $KEPT $LC_ALL"; test "$TMPDIR" = "$PWD"; echo > out'), cache)
    assert artifact.log().splitlines()[-1] == "none yes C"


def test_relative_parts_of_pythonpath_reach_the_command(
    cache: Cache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Commands start in a folder of their own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", f"src{os.pathsep}{os.pathsep}/else")
    artifact = build_one(shell('echo "$PYTHONPATH"; echo > out'), cache)
    assert f"{tmp_path / 'src'}{os.pathsep}/else\n" in artifact.log()


# Time limits and cancellation.

TREE = (
    "echo $$ > {pids}; sleep 600 & echo $! >> {pids}; sh -c 'sleep 600; :' & echo $! >> {pids}; "
    "touch {pids}.ready; wait"
)


def _pids(path: Path) -> list[int]:
    return [int(line) for line in path.read_text().split()]


def test_time_limit_kills_the_whole_tree(cache: Cache, tmp_path: Path) -> None:
    request = shell(TREE.format(pids=tmp_path / "pids"), timeout=2.0)
    started = time.monotonic()
    [failure] = build_many([request], cache)
    assert time.monotonic() - started < 60  # the shell would sleep longer
    assert isinstance(failure, BuildFailure)
    assert failure.kind == "timeout"
    assert "time limit of 2 s" in failure.reason
    assert "time limit" in failure.log
    assert len(_pids(tmp_path / "pids")) == 3
    wait_for(lambda: not any(alive(pid) for pid in _pids(tmp_path / "pids")))
    assert cache.failure(request.build_key) is not None  # can be read, but the next build tries again
    assert leftovers(cache) == []


def test_cancel_kills_the_tree_and_leaves_a_clean_cache(cache: Cache, tmp_path: Path) -> None:
    cancel = threading.Event()
    done, hanging, never = (
        counted(tmp_path, "done"),
        shell(TREE.format(pids=tmp_path / "pids")),
        counted(tmp_path, "never"),
    )

    def press() -> None:
        wait_for((tmp_path / "pids.ready").exists)
        cancel.set()

    presser = threading.Thread(target=press)
    presser.start()
    told = Recorder()
    results = build_many([done, hanging, never], cache, max_workers=1, cancel=cancel, progress=told)
    presser.join()
    assert [call[2] for call in told.calls if call[0] == "done"] == ["built", "stopped"]
    assert isinstance(results[0], Artifact)
    assert [getattr(result, "kind", "") for result in results[1:]] == ["cancelled", "cancelled"]
    wait_for(lambda: not any(alive(pid) for pid in _pids(tmp_path / "pids")))
    assert (runs(tmp_path, "never"), leftovers(cache)) == (0, [])
    assert cache.failure(hanging.build_key) is None
    with pytest.raises(BuildCancelledError):
        build_one(never, cache, cancel=cancel)
    assert build_one(never, cache).name == "never"


def test_ctrl_c_kills_the_tree_and_leaves_a_clean_cache(cache: Cache, tmp_path: Path) -> None:
    program = f"""
import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})
from build_tools import shell
from tilewright.jit import Cache, build_many
script = {TREE.format(pids=tmp_path / "pids")!r}
build_many([shell(script, key=i) for i in range(3)], Cache({str(cache.root)!r}), max_workers=1)
"""
    # A shell starts background jobs with SIGINT ignored, and children inherit that: give this one the usual answer.
    restore = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    process = subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.PIPE, text=True, preexec_fn=restore)
    wait_for((tmp_path / "pids.ready").exists)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in errors
    assert process.returncode != 0
    wait_for(lambda: not any(alive(pid) for pid in _pids(tmp_path / "pids")))
    assert leftovers(cache) == []


# Inspection.


def good_inspector(folder: Path) -> dict[str, Any]:
    """Metadata of a finished build."""
    return {"bytes": len((folder / "out").read_bytes()), "scratch": os.path.exists(folder / "scratch")}


def bad_inspector(folder: Path) -> dict[str, Any]:
    """Refuses whatever it gets."""
    raise BuildError("no wmma instruction found")


def confused_inspector(folder: Path) -> dict[str, Any]:
    """Cannot read what the compiler wrote."""
    raise ValueError("no such section")


def test_inspection_gives_metadata_or_fails_the_build(cache: Cache) -> None:
    artifact = build_one(shell("echo 12345 > out; touch scratch", inspect="test_pool:good_inspector"), cache)
    assert artifact.metadata == {"bytes": 6, "scratch": True}
    assert Cache(cache.root).find(artifact.build_key).metadata == artifact.metadata  # type: ignore[union-attr]
    assert not (artifact.path / "scratch").exists()
    [failure] = build_many([shell("echo > out", inspect="test_pool:bad_inspector")], cache)
    assert isinstance(failure, BuildFailure)
    assert (failure.kind, failure.permanent) == ("inspect", True)
    assert "no wmma instruction found" in failure.reason
    assert "no wmma instruction found" in failure.log
    [failure] = build_many([shell("echo > out", inspect="test_pool:confused_inspector")], cache)
    assert isinstance(failure, BuildFailure)
    assert (failure.kind, failure.permanent) == ("tool", False)


def exhausted_inspector(folder: Path) -> dict[str, Any]:
    """Runs out of open files."""
    raise OSError(errno.EMFILE, "Too many open files")


def test_an_inspection_that_runs_out_of_something_is_tried_again(cache: Cache) -> None:
    [failure] = build_many([shell("echo > out", inspect="test_pool:exhausted_inspector")], cache)
    assert isinstance(failure, BuildFailure)
    assert (failure.kind, failure.permanent) == ("killed", False)


def test_a_full_disk_in_the_compiler_is_not_remembered(cache: Cache, tmp_path: Path) -> None:
    request = counted(tmp_path, "k", "echo 'out.s: No space left on device'; exit 1")
    with pytest.raises(CacheError, match="is full"):
        build_many([request], cache)
    assert cache.failure(request.build_key) is None


def test_too_few_descriptors_are_of_the_moment(tmp_path: Path) -> None:
    """In a process of its own with hardly any: an error that says so, nothing remembered, and the next build works."""
    program = f"""
import os, resource, sys; sys.path.insert(0, {str(Path(__file__).parent)!r})
from build_tools import shell
from tilewright.errors import TilewrightError
from tilewright.jit import BuildFailure, Cache, build_many
import tilewright.jit.runner
request, cache = shell("echo 1 > out"), Cache({str(tmp_path)!r})
seen = set()
for spare in range(0, 14):
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (len(os.listdir("/proc/self/fd")) - 1 + spare, most))
    try:
        [result] = build_many([request], cache)
        kind = result.kind if isinstance(result, BuildFailure) else "built"
        assert kind in ("built", "toolchain", "killed"), result
    except TilewrightError as error:
        kind = type(error).__name__
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    seen.add(kind)
    kept = cache.failure(request.build_key)
    assert kept is None or not kept.permanent
    if kind == "built":
        cache.clear()
assert "built" in seen and len(seen) > 1, seen
print(build_many([request], cache)[0].file().read_text())
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout.strip()) == (0, "1"), done.stderr


# Shown progress.


def test_plain_lines_where_there_is_no_terminal(cache: Cache) -> None:
    stream = io.StringIO()
    progress = progress_for(stream)
    assert isinstance(progress, LineProgress)
    build_many([shell("echo > out", "good"), shell("exit 1", "bad")], cache, max_workers=1, progress=progress)
    lines = stream.getvalue().splitlines()
    assert lines[0].startswith("[1/2] built")
    assert lines[1].startswith("[2/2] failed")
    assert lines[2].startswith("kernels: 1 built, 1 failed in ")
    build_many([shell("echo > out", "good")], cache, progress=progress)
    assert stream.getvalue().splitlines()[3].startswith("kernels: 1 cached in ")


def test_live_bar_on_a_terminal(cache: Cache) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    stream = Terminal()
    progress = progress_for(stream)
    assert isinstance(progress, LiveProgress)
    names = [f"kernel{i}[x]" for i in range(3)]
    build_many(
        [shell("sleep 0.5; echo > out", name, key=name) for name in names], cache, max_workers=2, progress=progress
    )
    shown = stream.getvalue()
    assert "/3" in shown
    assert any(name in shown for name in names)  # which ones are in flight when the bar is drawn is a matter of luck
    assert "kernels: 3 built in" in shown


def test_a_call_that_waits_says_so_once_per_slow_compile(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress_module._Builds, "hinted", False)  # the hint comes once in a process
    stream = io.StringIO()
    notice = WaitNotice(stream, patience=0.05)
    until = "while [ ! -e go ]; do sleep 0.02; done; echo > out"
    slow = shell(f"( sleep 0.6; touch go ) & {until}", "slow_kernel_0badcafe_with_a_long_name_12345678")
    build_one(slow, cache, progress=notice)
    [line] = stream.getvalue().splitlines()
    assert line.startswith("tilewright: kernel ")
    assert "12345678" in line
    assert "TILEWRIGHT_QUIET=1" in line
    build_one(slow, cache, progress=notice)  # cached: nobody waits
    assert len(stream.getvalue().splitlines()) == 1


def test_quiet_calls_say_nothing() -> None:
    assert isinstance(waiting_progress(quiet=True), NoProgress)
    assert isinstance(waiting_progress(quiet=False), WaitNotice)


class ZMQInteractiveShell:
    """Named as the shell of a notebook is."""


def test_a_notebook_has_a_bar_of_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=ZMQInteractiveShell))
    assert isinstance(waiting_progress(quiet=False), NotebookProgress)
    assert isinstance(waiting_progress(quiet=True), NoProgress)
    monkeypatch.setattr(progress_module, "PATIENCE", 0.0)
    stream = io.StringIO()
    bar = progress_module.progress_for(stream)
    bar.start(2)
    bar.begin("a_kernel_with_a_long_name_12345678")
    bar.done("a_kernel_with_a_long_name_12345678", 0.1, "built")
    bar.done("another_kernel", 0.2, "failed")
    bar.finish()
    states = stream.getvalue().split("\r")
    assert any("0%|          | 0/2" in s and "12345678" in s for s in states)
    assert any("50%|█████     | 1/2" in s for s in states)
    assert "failed 0.20 s  another_kernel" in stream.getvalue()
    assert states[-1].startswith("kernels: 1 built, 1 failed in")
    named, half = states[2:4]
    assert len(half) >= len(named)  # nothing of the longer line is left behind


def test_a_long_step_is_noticed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress_module, "PATIENCE", 0.02)
    with progress_module.noticed("counting") as step:
        step(1, 4)
        wait_for(lambda: "1 of 4" in capsys.readouterr().err)
    with progress_module.noticed("counting", quiet=True):
        time.sleep(0.1)
    assert not capsys.readouterr().err
