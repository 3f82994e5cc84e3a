"""The thread pool and the C launcher come from the cache of the dispatcher, under its policy."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from host_cpu_kernels import ARCH, gemm_tile

from tilewright.errors import BuildForbiddenError
from tilewright.jit import Cache
from tilewright.jit.compiler import find_compiler
from tilewright.jit.native_build import launcher_request, load_runtime, runtime_request
from tilewright.model.kernel import KernelSpec
from tilewright.ops import problem_from_dict
from tilewright.registry import Registry
from tilewright.settings import Settings

PROBLEM = {"op": "gemm", "m": 256, "n": 256, "k": 256, "dtype": "fp32", "layout": "rrr"}
PATIENCE = 60
CALL = """
    import numpy as np, sys, tilewright
    from tilewright.jit import library, launcher
    from tilewright.settings import Settings
    cache_dir = {"cache_dir": sys.argv[1]} if len(sys.argv) > 1 else {}
    dispatcher = tilewright.Dispatcher(settings=Settings.from_env(**cache_dir))
    a = np.ones((256, 256), np.float32)
    result = tilewright.gemm(a, a, dispatcher=dispatcher)[0, 0]
    print(result, launcher.launcher().kind, library._runtime is not None)
"""
WARM_UP = f"""
    import tilewright
    tilewright.warm_up([{PROBLEM}])
"""


def run(folder: Path, script: str, *arguments: str, build: str) -> str:
    """Run a program whose launches use two threads, on any machine."""
    chosen = {"TILEWRIGHT_CACHE_DIR": str(folder), "TILEWRIGHT_BUILD": build, "TILEWRIGHT_THREADS": "2"}
    command = [sys.executable, "-c", textwrap.dedent(script), *arguments]
    done = subprocess.run(
        command, env={**os.environ, **chosen}, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_warm_cache_serves_calls_that_may_build_nothing(tmp_path: Path) -> None:
    run(tmp_path, WARM_UP, build="wait")
    assert run(tmp_path, CALL, build="never") == "256.0 c True"


def test_they_are_built_in_the_cache_of_the_dispatcher(tmp_path: Path) -> None:
    others, own = tmp_path / "others", tmp_path / "own"
    assert run(others, CALL, str(own), build="wait") == "256.0 c True"
    for request in (launcher_request(Settings.from_env()), runtime_request(Settings.from_env())):
        assert Cache(own).find(request.build_key) is not None
        assert Cache(others).find(request.build_key) is None


def test_a_build_of_cpu_kernels_builds_them_too(tmp_path: Path) -> None:
    cache, signature = Cache(tmp_path), problem_from_dict(PROBLEM).signature
    spec = KernelSpec("gemm", "cpu", ARCH, signature, gemm_tile(kc=128))
    results = Registry().build(specs=[spec], cache=cache)
    assert [result.spec_digest for result in results] == [spec.digest]
    for request in (launcher_request(cache.settings), runtime_request(cache.settings)):
        assert cache.find(request.build_key) is not None


def test_the_remedy_names_commands_that_exist(tmp_path: Path) -> None:
    with pytest.raises(BuildForbiddenError, match="tw_runtime is not in the cache") as found:
        load_runtime(str, Cache(tmp_path, settings=Settings.from_env(build="never")))
    assert "tilewright build" in str(found.value)
    assert "ALLOW" not in str(found.value)


UPGRADED = """
    import pathlib, sys
    import numpy as np, tilewright
    from tilewright.jit import launcher
    from tilewright.settings import Settings
    dispatcher = tilewright.Dispatcher()
    a = np.ones((256, 256), np.float32)
    assert tilewright.gemm(a, a, dispatcher=dispatcher)[0, 0] == 256
    plan = dispatcher.plan(tilewright.problem_from_dict(PROBLEM))
    assert plan.candidate.spec.backend == "cpu" and plan.awaits is None
    assert launcher.launcher_is_pending()
    pathlib.Path(sys.argv[1]).touch()
    assert dispatcher.wait_for_builds(300)
    assert launcher.launcher().kind == "c" and not launcher.launcher_is_pending()
    assert tilewright.gemm(a, a, dispatcher=dispatcher)[0, 0] == 256
    assert len(dispatcher.calls.in_c)
    made = [stage._made for plan in dispatcher._plans.all() for stage in plan.stages if stage._made[0] is not None]
    kinds = [type(call) for call, is_provisional in made if not is_provisional]
    assert kinds == [launcher.launcher().call], (made, [p.problem.to_dict() for p in dispatcher._plans.all()])
"""


def test_a_kernel_that_is_built_waits_for_no_launcher(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As after an upgrade of Python or NumPy: calls go through ctypes until the launcher is compiled."""
    compiler, opened = tmp_path / "c++", tmp_path / "open"
    wait = f'case "$*" in *launcher.cpp*) until [ -e "{opened}" ]; do sleep 0.05; done; set -- "$@" -O0;; esac'
    real = " ".join(find_compiler(Settings.from_env()).argv)
    compiler.write_text(f'#!/bin/sh\n{wait}\nexec {real} "$@"\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("TILEWRIGHT_CXX", str(compiler))
    opened.touch()
    folder = tmp_path / "cache"
    run(folder, WARM_UP, build="wait")
    opened.unlink()
    cache = Cache(folder)
    shutil.rmtree(cache.entry_path(launcher_request(cache.settings).build_key))
    run(folder, UPGRADED.replace("PROBLEM", repr(PROBLEM)), str(opened), build="background")
