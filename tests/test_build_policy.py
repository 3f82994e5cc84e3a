"""Policies for builds at run time: stand-ins, switches, failures, exits, captures."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
import threading
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from host_cpu_kernels import ARCH, gemm_tile

import tilewright
from tilewright.backends import get_backend_op
from tilewright.backends.cpu.gemm.algorithm import CpuGemm
from tilewright.backends.vendor import cost
from tilewright.dispatcher import Dispatcher, stand_in
from tilewright.dispatcher.policy import policy_for, refuse_capture
from tilewright.errors import CaptureError, ProblemError, TilewrightError
from tilewright.jit import Cache
from tilewright.jit.cache import CacheWarning
from tilewright.model.kernel import KernelSpec
from tilewright.model.kernel_set import KernelSet
from tilewright.ops import get_op, problem_from_dict
from tilewright.registry import Registry
from tilewright.settings import Settings

OP = get_op("gemm")
P = problem_from_dict({"op": "gemm", "m": 24, "n": 40, "k": 32, "dtype": "fp32", "layout": "rrr"})
BEST, OTHER = gemm_tile(kc=128), gemm_tile(kc=256)
PATIENCE = 120.0  # seconds; a test that waits longer hangs


def registry_of(*algorithms: CpuGemm) -> Registry:
    registry = Registry()
    for priority, algorithm in enumerate(algorithms[::-1]):
        registry.add(KernelSpec("gemm", "cpu", ARCH, P.signature, algorithm), priority)
    return registry


def gate(folder: Path, script: str = "") -> tuple[Settings, Path]:
    """Settings with a compiler that waits for the file `open` before it compiles a kernel."""
    compiler, opened = folder / "g++", folder / "open"
    wait = f'if ls *.cpp >/dev/null 2>&1; then while [ ! -e "{opened}" ]; do sleep 0.05; done; {script}\nfi'
    compiler.write_text(f'#!/bin/sh\n{wait}\nexec g++ "$@"\n')
    compiler.chmod(0o755)
    return Settings.from_env(cxx=str(compiler)), opened


def background(folder: Path, *algorithms: CpuGemm, script: str = "", **more: Any) -> tuple[Dispatcher, Path]:
    settings, opened = gate(folder, script)
    made = Dispatcher(
        registry_of(*algorithms), "first_fit", settings, Cache(folder / "cache", settings=settings), build="background",
        **more,
    )  # fmt: skip
    return made, opened


def kinds(dispatcher: Dispatcher) -> list[str]:
    return [event.kind for event in dispatcher.events]


def algorithm_of(dispatcher: Dispatcher) -> Any:
    candidate = dispatcher.plan(P).candidate
    assert candidate is not None
    return candidate.spec.algorithm


def test_a_call_runs_on_the_reference_until_its_kernel_is_built(tmp_path: Path) -> None:
    dispatcher, opened = background(tmp_path, BEST)
    tensors = OP.random_tensors(P, 0)
    for _ in range(2):  # the compiler waits; the calls do not
        tensors["out"][...] = np.nan
        OP.verify(P, tensors, dispatcher.run(P, **tensors)).require("stand-in")
    assert kinds(dispatcher) == ["stand-in"]
    assert dispatcher.plan(P).candidate.spec.backend == "reference"  # type: ignore[union-attr]
    opened.touch()
    assert dispatcher.wait_for_builds(PATIENCE)
    tensors["out"][...] = np.nan
    OP.verify(P, tensors, dispatcher.run(P, **tensors)).require("switched")
    assert algorithm_of(dispatcher) == BEST
    assert kinds(dispatcher) == ["stand-in", "switched"]


@pytest.mark.parametrize("ends_in_the_mode", [False, True])
def test_the_best_kernel_that_is_built_stands_in_and_prepared_calls_switch(
    tmp_path: Path, ends_in_the_mode: bool
) -> None:
    """Also if torch is in its deterministic mode, which has calls of its own, when the build ends."""
    torch = pytest.importorskip("torch") if ends_in_the_mode else None
    dispatcher, opened = background(tmp_path, BEST, OTHER)
    opened.touch()
    settings = dispatcher.settings
    Dispatcher(registry_of(OTHER), "first_fit", settings, dispatcher.cache, build="wait").warm_up([P])
    opened.unlink()
    tensors = OP.random_tensors(P, 0)
    expected = tensors["a"] @ tensors["b"]
    for _ in range(3):
        found = tilewright.gemm(tensors["a"], tensors["b"], dispatcher=dispatcher)
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)
    assert algorithm_of(dispatcher) == OTHER
    assert len(dispatcher.calls) == 1
    if torch is not None:
        torch.use_deterministic_algorithms(True)
    try:
        dispatcher.follow_mode()
        opened.touch()
        assert dispatcher.wait_for_builds(PATIENCE)
    finally:
        if torch is not None:
            torch.use_deterministic_algorithms(False)
    dispatcher.follow_mode()
    assert len(dispatcher.calls) == 0  # prepared on the stand-in
    tilewright.gemm(tensors["a"], tensors["b"], dispatcher=dispatcher)
    assert algorithm_of(dispatcher) == BEST


def test_a_build_that_fails_is_reported_once_and_the_stand_in_goes_on(tmp_path: Path) -> None:
    dispatcher, opened = background(tmp_path, BEST, script='echo "no thanks" >&2; exit 1')
    opened.touch()
    tensors = OP.random_tensors(P, 0)
    for _ in range(3):
        OP.verify(P, tensors, dispatcher.run(P, **tensors)).require("stand-in")
        assert dispatcher.wait_for_builds(PATIENCE)
    assert kinds(dispatcher) == ["stand-in", "build-failed"]
    assert dispatcher.plan(P).candidate.spec.backend == "reference"  # type: ignore[union-attr]


def test_strict_allows_no_stand_in(tmp_path: Path) -> None:
    settings = Settings.from_env(build="background", strict=True)
    dispatcher = Dispatcher(registry_of(BEST), "first_fit", settings, Cache(tmp_path))
    assert algorithm_of(dispatcher) == BEST
    assert not dispatcher.events


def test_a_program_can_give_its_own_stand_in(tmp_path: Path) -> None:
    def multiply(problem: Any, tensors: Any) -> bool:
        tensors["out"][...] = tensors["a"] @ tensors["b"]
        return True

    dispatcher, _ = background(tmp_path, BEST, stand_in=multiply)
    tensors = OP.random_tensors(P, 0)
    OP.verify(P, tensors, dispatcher.run(P, **tensors)).require("given")
    assert dispatcher.plan(P).stages[0].name == "stand-in"


def test_threads_share_one_build_and_all_switch(tmp_path: Path) -> None:
    dispatcher, opened = background(tmp_path, BEST)
    problems = [problem_from_dict({**P.to_dict(), "m": m}) for m in (8, 16, 24, 32)]

    def call(problem: Any) -> None:
        tensors = OP.random_tensors(problem, 0)
        for _ in range(3):
            OP.verify(problem, tensors, dispatcher.run(problem, **tensors)).require("thread")

    def all_call() -> None:
        threads = [threading.Thread(target=call, args=(p,)) for p in problems]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    all_call()
    opened.touch()
    assert dispatcher.wait_for_builds(PATIENCE)
    all_call()
    assert kinds(dispatcher).count("switched") == 1
    assert all(dispatcher.plan(p).candidate.spec.algorithm == BEST for p in problems)  # type: ignore[union-attr]


def test_a_process_exits_during_a_background_build_and_leaves_a_clean_cache(tmp_path: Path) -> None:
    settings, _ = gate(tmp_path)  # never opened: the compiler would wait for ever
    script = """
        import numpy as np, sys, tilewright
        from tilewright.settings import Settings
        settings = Settings.from_env(cxx=sys.argv[1], cache_dir=sys.argv[2], build="background")
        dispatcher = tilewright.Dispatcher(settings=settings)
        a = np.ones((4, 4), np.float32)
        print(tilewright.gemm(a, a, dispatcher=dispatcher)[0, 0], dispatcher.events[0].kind)
    """
    cache = tmp_path / "cache"
    command = [sys.executable, "-c", textwrap.dedent(script), settings.cxx, str(cache)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (ended.returncode, ended.stdout.split()) == (0, ["4.0", "stand-in"]), ended.stderr
    assert Cache(cache).verify().ok


@pytest.mark.parametrize(
    ("modules", "policy"),
    [
        ({}, "background"),
        ({"torch": SimpleNamespace(are_deterministic_algorithms_enabled=lambda: True)}, "wait"),
        ({"torch.distributed": SimpleNamespace(is_available=lambda: True, is_initialized=lambda: True)}, "wait"),
        ({"torch.distributed": SimpleNamespace(is_available=lambda: True, is_initialized=lambda: False)}, "background"),
    ],
)
def test_background_means_wait_where_every_run_must_choose_alike(
    monkeypatch: pytest.MonkeyPatch, modules: dict[str, Any], policy: str
) -> None:
    for name in ("torch", "torch.distributed"):
        monkeypatch.setitem(sys.modules, name, modules.get(name))  # type: ignore[arg-type]
    assert policy_for(Settings(build="background"), P) == policy
    assert policy_for(Settings(build="never"), P) == "never"


def test_a_deterministic_attention_waits() -> None:
    sizes = {"op": "fmha", "family": "bwd", "batch": 1, "heads_q": 1, "seqlen_q": 8, "hdim_q": 32, "dtype": "fp32"}
    assert policy_for(Settings(build="background"), problem_from_dict({**sizes, "deterministic": True})) == "wait"


def test_a_build_during_a_capture_is_an_error_that_names_warm_up(monkeypatch: pytest.MonkeyPatch) -> None:
    cuda = SimpleNamespace(is_initialized=lambda: True, is_current_stream_capturing=lambda: True)
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=cuda))  # type: ignore[arg-type]
    with pytest.raises(CaptureError, match=r"graph is being captured.*warm_up"):
        refuse_capture(problem_from_dict({**P.to_dict(), "device": "cuda:0"}), "kernel")
    refuse_capture(P, "kernel")  # the host captures nothing


def test_a_call_in_a_capture_runs_what_is_built_and_refuses_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dispatcher = Dispatcher(registry_of(BEST), "first_fit", Settings.from_env(), Cache(tmp_path))
    monkeypatch.setattr("tilewright.dispatcher.dispatcher.is_captured", lambda problem: True)
    monkeypatch.setattr("tilewright.dispatcher.policy.is_captured", lambda problem: True)
    with pytest.raises(CaptureError, match="warm_up"):
        dispatcher.plan(P)
    monkeypatch.undo()
    dispatcher.warm_up([P])
    monkeypatch.setattr("tilewright.dispatcher.dispatcher.is_captured", lambda problem: True)
    assert dispatcher.plan(P).candidate is not None


def test_an_unknown_policy_is_refused() -> None:
    with pytest.raises(TilewrightError, match="wait, background, never"):
        Settings.from_env({"TILEWRIGHT_BUILD": "sometimes"})
    with pytest.raises(TilewrightError, match="wait, background, never"):
        Dispatcher(build="sometimes")


def test_warm_up_builds_a_problem_file_in_spite_of_never(tmp_path: Path) -> None:
    settings = Settings.from_env(build="never")
    dispatcher = Dispatcher(registry_of(BEST), "first_fit", settings, Cache(tmp_path / "cache"))
    file = tmp_path / "problems.jsonl"
    file.write_text(json.dumps({**P.to_dict(), "count": 3}) + "\n")
    [plan] = tilewright.warm_up(file, dispatcher=dispatcher, jobs=1)
    assert plan is dispatcher.plan(P)
    assert dispatcher.events == []
    with pytest.raises(ProblemError, match="is no problem"):
        tilewright.warm_up([7], dispatcher=dispatcher)  # type: ignore[list-item]


def test_a_rehearsal_collects_problems_and_builds_nothing(tmp_path: Path) -> None:
    dispatcher, _ = background(tmp_path, BEST)  # its compiler would wait for ever
    tensors = OP.random_tensors(P, 0)
    with dispatcher.rehearsal() as problems:
        assert tilewright.gemm(tensors["a"], tensors["b"], dispatcher=dispatcher).shape == (24, 40)
        with pytest.raises(TilewrightError, match="rehearsal"), dispatcher.rehearsal():
            pass
    assert [p.m for p in problems.values()] == [24]
    assert dispatcher.events == []
    assert len(dispatcher.calls) == 0


def test_a_rehearsal_may_end_while_another_thread_plans(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (dispatcher, _), answers = background(tmp_path, BEST), iter([{}, None])
    monkeypatch.setattr(Dispatcher, "_rehearsed", property(lambda self: next(answers)), raising=False)
    assert dispatcher.plan(P).candidate is None


@pytest.mark.parametrize("forget", ["calls", "plans", "nothing"])
def test_calls_that_are_forgotten_in_a_rehearsal_stay_forgotten(forget: str) -> None:
    registry = registry_of(BEST)
    dispatcher = Dispatcher(registry, "analytical", Settings.from_env(vendor=False))
    a, b = (OP.random_tensors(P, 0)[role] for role in "ab")
    tilewright.gemm(a, b, dispatcher=dispatcher)
    kept = dispatcher.calls
    assert len(kept) == 1
    with dispatcher.rehearsal():
        if forget == "calls":
            dispatcher.forget_calls()
        if forget == "plans":
            registry.add(KernelSpec("gemm", "cpu", ARCH, P.signature, OTHER))
    assert (dispatcher.calls is kept) == (forget == "nothing")
    assert len(dispatcher.calls) == (forget == "nothing")


def test_background_is_the_default_and_a_bound_plan_waits(tmp_path: Path) -> None:
    assert Settings().build == "background"
    dispatcher, opened = background(tmp_path, BEST)
    tensors = OP.random_tensors(P, 0)
    dispatcher.run(P, **tensors)
    assert dispatcher.plan(P).awaits is not None
    opened.touch()
    bound = dispatcher.bind(P, **tensors)
    assert bound.plan.candidate.spec.algorithm == BEST  # type: ignore[union-attr]


def test_a_slow_stand_in_is_no_stand_in(tmp_path: Path) -> None:
    dispatcher, opened = background(tmp_path, BEST)
    large = problem_from_dict({"op": "gemm", "m": 1024, "n": 1024, "k": 1024, "dtype": "fp32", "layout": "rrr"})
    opened.touch()
    assert dispatcher.plan(large).candidate.spec.backend == "cpu"  # type: ignore[union-attr]


def test_a_library_stands_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cost, "prices", dict)  # nothing is known about it
    settings, opened = gate(tmp_path)
    registry = registry_of(BEST)
    registry.declare(KernelSet("library", "gemm", "vendor", ({"library": "blas"},)))
    settings = replace(settings, vendor=True, data_dir=str(tmp_path))
    dispatcher = Dispatcher(registry, "analytical", settings, Cache(tmp_path / "cache", settings=settings),
                            build="background")  # fmt: skip
    tensors = OP.random_tensors(P, 0)
    OP.verify(P, tensors, dispatcher.run(P, **tensors)).require("stand-in")
    assert dispatcher.plan(P).candidate.spec.backend == "vendor"  # type: ignore[union-attr]
    opened.touch()
    assert dispatcher.wait_for_builds(PATIENCE)
    assert dispatcher.plan(P).candidate.spec.backend == "cpu"  # type: ignore[union-attr]


def test_without_a_compiler_the_reference_computes(tmp_path: Path) -> None:
    settings = Settings.from_env(cxx=str(tmp_path / "none"), build="background", vendor=False)
    dispatcher = Dispatcher(registry_of(BEST, OTHER), "first_fit", settings, Cache(tmp_path / "cache"))
    for m in (24, 24, 8):
        problem = problem_from_dict({**P.to_dict(), "m": m})
        tensors = OP.random_tensors(problem, 0)
        OP.verify(problem, tensors, dispatcher.run(problem, **tensors)).require("reference")
        assert dispatcher.plan(problem).candidate.spec.backend == "reference"  # type: ignore[union-attr]
    assert kinds(dispatcher) == ["not-used"]
    assert "none" in dispatcher.events[0].message
    assert dispatcher.wait_for_builds(PATIENCE)


def test_without_a_compiler_a_library_computes(tmp_path: Path) -> None:
    folders = {"TILEWRIGHT_CACHE_DIR": str(tmp_path), "TILEWRIGHT_DATA_DIR": str(tmp_path), "PATH": "/nonexistent"}
    script = """
        import numpy as np, tilewright
        from tilewright.frontends import default
        a = np.ones((8, 8), np.float32)
        print([tilewright.gemm(a, a)[0, 0].item() for _ in range(3)], [e.kind for e in default.made.events])
        print(default.made._plans.all()[0].kernel)
    """
    environment = {**os.environ, **folders, "TILEWRIGHT_BUILD": "background", "TILEWRIGHT_VENDOR": "1"}
    command = [sys.executable, "-c", textwrap.dedent(script)]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.splitlines()[0] == "[8.0, 8.0, 8.0] ['not-used']"
    assert "blas" in ended.stdout.splitlines()[1]


def test_a_stored_kernel_that_can_neither_be_loaded_nor_rebuilt_is_passed_over(tmp_path: Path) -> None:
    """The call runs on the next kernel that is built."""
    broken = tmp_path / "broken"
    dispatcher, opened = background(tmp_path, BEST, OTHER, script=f'if [ -e "{broken}" ]; then exit 1; fi')
    opened.touch()
    settings = dispatcher.settings
    Dispatcher(registry_of(BEST, OTHER), "first_fit", settings, dispatcher.cache, build="wait").warm_up([P])
    Dispatcher(registry_of(OTHER), "first_fit", settings, dispatcher.cache, build="wait").warm_up([P])
    candidate = dispatcher.choose(P).candidate
    request = get_backend_op("cpu", "gemm").request(candidate.spec, settings)
    path = dispatcher.cache.find(request.build_key).file()
    path.chmod(0o644)
    fact = path.stat()
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    os.utime(path, ns=(fact.st_atime_ns, fact.st_mtime_ns))  # found only when it is loaded
    broken.touch()
    tensors = OP.random_tensors(P, 0)
    with pytest.warns(CacheWarning):
        OP.verify(P, tensors, dispatcher.run(P, **tensors)).require("next")
    assert algorithm_of(dispatcher) == OTHER
    assert kinds(dispatcher) == ["build-failed"]


def test_a_build_that_was_killed_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls that were prepared on the stand-in are prepared again, after a longer time at each failure."""
    monkeypatch.setattr(stand_in, "RETRY", 0.5)
    broken = tmp_path / "broken"
    dispatcher, opened = background(tmp_path, BEST, script=f'if [ -e "{broken}" ]; then kill -9 $$; fi')
    opened.touch()
    broken.touch()
    tensors = OP.random_tensors(P, 0)
    tilewright.gemm(tensors["a"], tensors["b"], dispatcher=dispatcher)
    assert dispatcher.wait_for_builds(PATIENCE)
    tilewright.gemm(tensors["a"], tensors["b"], dispatcher=dispatcher)
    assert kinds(dispatcher) == ["stand-in", "build-failed"]
    assert dispatcher.bind(P, **tensors).plan.candidate.spec.backend == "reference"  # type: ignore[union-attr]
    broken.unlink()
    end = time.monotonic() + PATIENCE
    while "switched" not in kinds(dispatcher):
        tilewright.gemm(tensors["a"], tensors["b"], dispatcher=dispatcher)
        assert time.monotonic() < end
        time.sleep(0.05)
    assert algorithm_of(dispatcher) == BEST


def test_a_kernel_with_an_error_in_its_source_is_built_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stand_in, "RETRY", 0.01)
    script = 'echo "kernel.cpp:1:1: error: no" >&2; exit 1'
    dispatcher, opened = background(tmp_path, BEST, script=script)
    opened.touch()
    for _ in range(3):
        dispatcher.plan(P)
        assert dispatcher.wait_for_builds(PATIENCE)
        time.sleep(0.05)
    assert kinds(dispatcher) == ["stand-in", "build-failed"]
    assert dispatcher.plan(P).awaits is None


def test_after_many_failures_builds_stop_for_a_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilewright.dispatcher.dispatcher.MAX_FAILED_KERNELS", 1)
    dispatcher, opened = background(tmp_path, BEST, OTHER, script="kill -9 $$")
    opened.touch()
    for _ in range(3):
        dispatcher.plan(P)
        assert dispatcher.wait_for_builds(PATIENCE)
    assert kinds(dispatcher) == ["stand-in", "build-failed", "not-used"]
    assert "1 kernel was not built" in dispatcher.events[-1].message
    plan = dispatcher.plan(P)
    assert plan.awaits is not None
    assert not plan.awaits.done()
