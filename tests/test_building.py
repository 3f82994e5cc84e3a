"""Building on the way to a plan: which kernels are tried, and who waits for the compiler."""

from __future__ import annotations

import os
import threading
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from host_cpu_kernels import ARCH, HOST, gemm_tile

from tilewright.backends.cpu.gemm.algorithm import CpuGemm
from tilewright.dispatcher import MAX_FAILED_KERNELS, Dispatcher
from tilewright.errors import BuildError
from tilewright.jit import Cache
from tilewright.model.kernel import KernelSpec
from tilewright.ops import get_op, problem_from_dict
from tilewright.plan import Plan, Plans
from tilewright.registry import Registry
from tilewright.settings import Settings

# The launch decides kc and mc, so that one kernel has many launches.
BROKEN, SOUND = (gemm_tile(mr=mr, nr=max(8, HOST.lanes), kc=0, mc=0) for mr in (6, 4))
P = problem_from_dict({"op": "gemm", "m": 1024, "n": 1024, "k": 1024, "dtype": "fp32", "layout": "rrr"})


def registry_of(*algorithms: CpuGemm) -> Registry:
    registry = Registry()
    for priority, algorithm in enumerate(algorithms[::-1]):
        registry.add(KernelSpec("gemm", "cpu", ARCH, P.signature, algorithm), priority)
    return registry


def compiler(folder: Path, script: str) -> Settings:
    """Settings with a compiler that runs `script` first, in the folder of the kernel."""
    path = folder / "g++"
    path.write_text(f'#!/bin/sh\n{script}\nexec g++ "$@"\n')
    path.chmod(0o755)
    return Settings.from_env(cxx=str(path))


def test_a_broken_kernel_counts_once_however_many_launches_it_has(tmp_path: Path) -> None:
    settings = compiler(tmp_path, 'if grep -qs "mr = 6;" *.cpp; then exit 1; fi')
    dispatcher = Dispatcher(registry_of(BROKEN, SOUND), "first_fit", settings, Cache(tmp_path / "cache"))
    ranked = dispatcher.explain(P).ranked
    assert sum(r.candidate.spec.algorithm == BROKEN for r in ranked) > MAX_FAILED_KERNELS
    assert ranked[0].candidate.spec.algorithm == BROKEN
    plan = dispatcher.plan(P)
    assert plan.candidate is not None
    assert plan.candidate.spec.algorithm == SOUND
    assert len(dispatcher.events) == 1


def test_a_broken_compiler_is_not_tried_with_every_kernel(tmp_path: Path) -> None:
    kernels = [gemm_tile(kc=64 * n) for n in range(1, MAX_FAILED_KERNELS + 3)]
    dispatcher = Dispatcher(
        registry_of(*kernels), "first_fit", compiler(tmp_path, "test -e *.cpp && exit 1"), Cache(tmp_path / "cache")
    )
    with pytest.raises(BuildError, match=f"{MAX_FAILED_KERNELS} kernels"):
        dispatcher.plan(P)
    assert len(dispatcher.events) == MAX_FAILED_KERNELS


def test_the_grid_that_is_judged_is_the_one_that_runs() -> None:
    """Eight threads share ten tiles of rows and 25 of columns; the launch says how, and the result is right."""
    flat = replace(P, m=10 * SOUND.mr, n=25 * SOUND.nr, k=96)
    dispatcher = Dispatcher(registry_of(SOUND), "analytical", Settings.from_env(threads=8))
    plan = dispatcher.plan(flat)
    assert plan.candidate is not None
    assert plan.candidate.launch.grid == (4, 2)
    tensors = get_op("gemm").random_tensors(flat, 0)
    get_op("gemm").verify(flat, tensors, dispatcher.run(flat, **tensors)).require("a mixed grid")


SLOW, QUICK = CpuGemm(mr=4, nr=16, kc=128), CpuGemm(mr=4, nr=16, kc=256)
Q = problem_from_dict({"op": "gemm", "m": 24, "n": 40, "k": 32, "dtype": "fp16", "layout": "rrr"})
PATIENCE = 300.0  # seconds until a thread counts as stuck; only a failing test waits for so long


def in_thread(call: Any, *args: Any) -> Future[Any]:
    """The result of `call` in a thread of its own; the thread does not keep the process alive."""
    found: Future[Any] = Future()

    def work() -> None:
        try:
            found.set_result(call(*args))
        except BaseException as error:
            found.set_exception(error)

    threading.Thread(target=work, daemon=True).start()
    return found


def test_no_lock_is_held_while_a_kernel_is_compiled(tmp_path: Path) -> None:
    gate, started = tmp_path / "gate", tmp_path / "started"
    os.mkfifo(gate)
    script = f'if grep -qs "kc = 128;" *.cpp; then echo x >> {started}; cat {gate} > {tmp_path}/opened; fi'
    registry = registry_of(SLOW)
    registry.add(KernelSpec("gemm", "cpu", ARCH, Q.signature, QUICK))
    dispatcher = Dispatcher(registry, "first_fit", compiler(tmp_path, script), Cache(tmp_path / "cache"))
    first = in_thread(dispatcher.plan, P)
    opened = in_thread(open, gate, "w").result(PATIENCE)  # a pipe opens when its other end does: it compiles now
    try:
        second = in_thread(dispatcher.plan, P)
        quick = in_thread(dispatcher.plan, Q).result(PATIENCE)
        assert not first.done()
    finally:
        opened.close()
    assert quick.candidate.spec.algorithm == QUICK
    assert first.result(PATIENCE) is second.result(PATIENCE) is dispatcher.plan(P)
    assert started.read_text() == "x\n"


def test_a_plan_of_an_older_registry_is_not_kept(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    script = f'if grep -qs "kc = 128;" *.cpp; then cat {gate} > {tmp_path}/opened; fi'
    registry = registry_of(SLOW)
    dispatcher = Dispatcher(registry, "first_fit", compiler(tmp_path, script), Cache(tmp_path / "cache"))
    first = in_thread(dispatcher.plan, P)
    with in_thread(open, gate, "w").result(PATIENCE):
        in_thread(registry.add, KernelSpec("gemm", "cpu", ARCH, P.signature, QUICK), 9).result(PATIENCE)
    assert first.result(PATIENCE).candidate.spec.algorithm == SLOW
    assert dispatcher.plan(P).candidate.spec.algorithm == QUICK


def test_plans_are_bounded_and_a_forgotten_one_is_made_again() -> None:
    plans, made = Plans(most=3), [Plan(P, None, ()) for _ in range(5)]
    for key, plan in enumerate(made):
        assert plans.get_or_make(key, lambda plan=plan: plan) is plan
    assert len(plans) == 3
    assert [plans.get(key) for key in range(5)] == [None, None, *made[2:]]
    again = Plan(P, None, ())
    assert plans.get_or_make(0, lambda: again) is again
    assert len(plans) == 3


def test_threads_that_wait_for_a_plan_share_its_error_and_a_later_call_tries_again() -> None:
    plans, begun, go = Plans(), threading.Event(), threading.Event()

    def fail() -> Plan:
        begun.set()
        go.wait(PATIENCE)
        raise BuildError("no")

    first = in_thread(plans.get_or_make, "key", fail)
    assert begun.wait(PATIENCE)
    made = Plan(P, None, ())
    second = in_thread(plans.get_or_make, "key", lambda: made)
    go.set()
    with pytest.raises(BuildError, match="no"):
        first.result(PATIENCE)
    # The second thread waited and got the error, or came later and made the plan itself.
    assert isinstance(second.exception(PATIENCE), BuildError) or second.result() is made
    assert plans.get_or_make("key", lambda: made) is made


def test_an_interrupted_thread_is_replaced_by_one_that_waits() -> None:
    plans, begun, go = Plans(), threading.Event(), threading.Event()

    def interrupted() -> Plan:
        begun.set()
        go.wait(PATIENCE)
        raise KeyboardInterrupt

    first = in_thread(plans.get_or_make, "key", interrupted)
    assert begun.wait(PATIENCE)
    made = Plan(P, None, ())
    second = in_thread(plans.get_or_make, "key", lambda: made)
    go.set()
    assert isinstance(first.exception(PATIENCE), KeyboardInterrupt)
    assert second.result(PATIENCE) is made
