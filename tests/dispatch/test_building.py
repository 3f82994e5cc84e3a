"""Building on the way to a plan: which kernels are tried, and who waits for the compiler."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilewright.backends.cpu.gemm.algorithm import CpuGemm
from tilewright.dispatcher import MAX_FAILED_KERNELS, Dispatcher
from tilewright.errors import BuildError
from tilewright.jit import Cache
from tilewright.model.kernel import KernelSpec
from tilewright.ops import problem_from_dict
from tilewright.registry import Registry
from tilewright.settings import Settings

ARCH = "x86_64_v3"
# The launch decides kc and mc, so that one kernel has many launches.
BROKEN, SOUND = CpuGemm(mr=6, nr=16, kc=0, mc=0), CpuGemm(mr=4, nr=16, kc=0, mc=0)
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
    kernels = [CpuGemm(mr=4, nr=16, kc=64 * n) for n in range(1, MAX_FAILED_KERNELS + 3)]
    dispatcher = Dispatcher(
        registry_of(*kernels), "first_fit", compiler(tmp_path, "test -e *.cpp && exit 1"), Cache(tmp_path / "cache")
    )
    with pytest.raises(BuildError, match=f"{MAX_FAILED_KERNELS} kernels"):
        dispatcher.plan(P)
    assert len(dispatcher.events) == MAX_FAILED_KERNELS
