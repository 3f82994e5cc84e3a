"""Work in the background: what becomes of it when it is stopped."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest
from build_tools import wait_for

from tilewright.errors import BuildCancelledError
from tilewright.jit import Cache, launcher
from tilewright.jit.background import Background, stop_all
from tilewright.jit.compiler import find_compiler
from tilewright.settings import Settings

PATIENCE = 60.0


def test_work_that_waits_ends_when_it_is_stopped() -> None:
    background, began = Background(1), threading.Event()

    def work(cancel: threading.Event) -> None:
        began.set()
        cancel.wait(PATIENCE)

    running, waiting = background.submit(work), background.submit(work)
    assert began.wait(PATIENCE)
    background.stop()
    late = background.submit(work)
    assert running.error is None
    for pending in (running, waiting, late):
        assert pending.done()
        assert pending.wait(0)
    assert isinstance(waiting.error, BuildCancelledError)
    assert isinstance(late.error, BuildCancelledError)


def test_everything_is_cancelled_before_anything_is_joined(monkeypatch: pytest.MonkeyPatch) -> None:
    """All threads have one grace period together."""
    monkeypatch.setattr("tilewright.jit.background.GRACE", 0.5)
    release, began = threading.Event(), [threading.Event() for _ in range(4)]

    def work_of(event: threading.Event) -> None:
        event.set()
        release.wait(PATIENCE)

    made = [Background(1) for _ in began]
    for background, event in zip(made, began, strict=True):
        background.submit(lambda cancel, event=event: work_of(event))  # type: ignore[misc]
    assert all(event.wait(PATIENCE) for event in began)
    start = time.monotonic()
    stop_all(made)
    assert time.monotonic() - start < 1.5
    release.set()


def test_builds_can_be_awaited_in_a_later_exit_handler(tmp_path: Path) -> None:
    program = """
        import atexit, sys

        late = []
        atexit.register(lambda: print([m.wait_for_builds() for m in late]))  # runs after those of tilewright
        import numpy as np, tilewright
        from tilewright.settings import Settings
        options = {"cxx": sys.argv[1], "cache_dir": sys.argv[2], "build": "background", "build_workers": 1}
        settings = Settings.from_env(**options)
        late.append(tilewright.Dispatcher(settings=settings))
        a = np.ones((4, 8), np.float32)
        tilewright.gemm(a, a.T, dispatcher=late[0])
        tilewright.gemm(a, np.ones((8, 4), np.float32), dispatcher=late[0])
    """
    command = [sys.executable, "-c", textwrap.dedent(program), slow_compiler(tmp_path), str(tmp_path / "cache")]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (ended.returncode, ended.stdout) == (0, "[True]\n"), ended.stderr


def slow_compiler(folder: Path) -> str:
    """Return a compiler that needs a minute for everything."""
    path, real = folder / "c++", " ".join(find_compiler(Settings.from_env()).argv)
    wait = f'case "$*" in *.cpp*) touch "{folder}/began"; sleep 60;; esac'
    path.write_text(f'#!/bin/sh\n{wait}\nexec {real} "$@"\n')
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize("what", ["launcher", "runtime"])
def test_a_helper_that_is_compiled_can_be_cancelled(tmp_path: Path, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from tilewright.jit import library

    monkeypatch.setattr(launcher, "_active", None)
    monkeypatch.setattr(library, "_runtime", None)
    cache = Cache(tmp_path / "cache", settings=Settings.from_env(cxx=slow_compiler(tmp_path)))
    cancel, ended = threading.Event(), []

    def work() -> None:
        get = launcher.launcher if what == "launcher" else library.runtime_library
        with pytest.raises(BuildCancelledError):
            get(cache, cancel)
        ended.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    wait_for((tmp_path / "began").exists)
    cancel.set()
    thread.join(30)
    assert ended
    assert launcher._active is None
