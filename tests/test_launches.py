"""Launches: those that selection offers pass the rules, and those that a user makes by hand must."""

from __future__ import annotations

import random
from typing import Any

import pytest
from bundle_cases import GPU_RANDOM, RANDOM

import tilewright
from tilewright.arch import get_arch
from tilewright.backends import get_backend_op
from tilewright.dispatcher import nominal_device
from tilewright.errors import SchemaError, SelectionError, TilewrightError
from tilewright.model.kernel import Candidate, KernelSpec, Launch
from tilewright.ops import get_op, problem_from_dict
from tilewright.registry import Registry, default_registry

ARCHS = [("cpu", "x86_64_v3"), ("triton", "sm_90"), ("triton", "gfx942"), ("ck_tile", "gfx942")]
GEMM = {"op": "gemm", "m": 128, "n": 256, "dtype": "fp16", "device": "cuda"}


def registry_of(backend: str, op: str) -> Registry:
    if backend != "ck_tile":
        return default_registry([backend])
    registry = Registry("preselected")
    for kernel_set in get_backend_op(backend, op).kernel_sets():
        registry.declare(kernel_set)
    return registry


@pytest.mark.parametrize("op", RANDOM)
@pytest.mark.parametrize(("backend", "arch"), ARCHS)
def test_offered_launches_pass_the_rules(backend: str, arch: str, op: str) -> None:
    rng, draw, seen = random.Random(7), (RANDOM if backend == "cpu" else GPU_RANDOM)[op], 0
    registry, device = registry_of(backend, op), nominal_device(arch)
    for _ in range(12):
        data = draw(rng) | ({} if backend == "cpu" else {"device": "cuda"})
        data.pop("strides", None)
        try:
            problem = problem_from_dict(data)
        except TilewrightError:
            continue
        for candidate in registry.legal(problem, device):
            spec = candidate.spec
            rules = get_backend_op(spec.backend, spec.op)
            assert not rules.check_problem(spec, get_arch(arch), problem, candidate.launch), (problem, candidate)
            seen += 1
    assert seen or backend == "ck_tile"


def candidate_of(problem: Any, arch: str, launch: Launch, **algorithm: Any) -> Candidate:
    """A kernel of a registry with these choices of its algorithm, and a launch made by hand."""
    backend = "cpu" if problem.device == "cpu" else "triton"
    specs = [c.spec for c in default_registry([backend]).legal(problem, nominal_device(arch))]
    fits = (s for s in specs if all(getattr(s.algorithm, name) == value for name, value in algorithm.items()))
    return Candidate(next(fits), launch)


STREAMS = {"pipeline": "hopper", "split": True, "reduce": "inside", "order": "shares"}
BY_HAND: dict[str, tuple[int, Launch, dict[str, Any], str]] = {
    "shares without steps": (128, Launch(split_k=64), {**STREAMS, "tile_k": 64}, "split_k = 64 .* K = 128 has 2 steps"),
    "shares of a whole K": (128, Launch(split_k=2), {"split": False}, "split_k = 2 .*split=True"),
    "a grid without steps": (0, Launch(grid=(132,)), STREAMS, "stream-K with K = 0"),
    "an empty grid": (128, Launch(grid=(0,)), STREAMS, r"grid \[0\]"),
    "a grid of two": (128, Launch(grid=(8, 8)), STREAMS, r"grid \[8, 8\]"),
    "a grid for whole tiles": (128, Launch(grid=(132,)), {"split": False}, r"grid \[132\] for"),
    "shares below one": (128, Launch(split_k=0), STREAMS, "split_k is 0; it must be between 1"),
    "too many splits": (128, Launch(num_splits=129), STREAMS, "num_splits is 129; it must be between 1 and 128"),
}


@pytest.mark.parametrize("case", BY_HAND)
def test_a_launch_by_hand_is_checked(case: str) -> None:
    k, launch, algorithm, said = BY_HAND[case]
    candidate = candidate_of(problem_from_dict({**GEMM, "k": 128}), "sm_90", launch, **algorithm)
    with pytest.raises((SelectionError, SchemaError), match=said):
        tilewright.Dispatcher().realise(problem_from_dict({**GEMM, "k": k}), candidate)


@pytest.mark.parametrize("grid", [(2**31 - 1, 2**31 - 1), (3, 1), (1,)])
def test_a_thread_grid_by_hand_is_checked(grid: tuple[int, ...]) -> None:
    """A count of threads beyond 32 bits was taken for a small one, and parts of the result were not written."""
    dispatcher, problem = (
        tilewright.Dispatcher(),
        problem_from_dict({"op": "gemm", "m": 5, "n": 7, "k": 3, "dtype": "fp32"}),
    )
    spec: KernelSpec = next(r.candidate.spec for r in dispatcher.explain(problem).ranked
                            if r.candidate.spec.algorithm.pipeline == "tiled")  # fmt: skip
    tensors = get_op("gemm").random_tensors(problem, 0)
    with pytest.raises(SelectionError, match=r"cpu.gemm.grid: grid \[.* on 2 threads"):
        dispatcher.bind_to(Candidate(spec, Launch(threads=2, grid=grid)), problem, **tensors)


def test_a_candidate_of_another_problem_is_checked() -> None:
    dispatcher = tilewright.Dispatcher()
    few, many = (problem_from_dict({"op": "gemm", "m": m, "n": 70, "k": 3, "dtype": "fp32"}) for m in (2, 200))
    spec = next(
        r.candidate.spec for r in dispatcher.explain(few).ranked if r.candidate.spec.algorithm.pipeline == "skinny"
    )
    with pytest.raises(SelectionError, match=r"cpu.gemm.skinny_rows.*for gemm 200x70x3|gemm 200x70x3.*skinny_rows"):
        dispatcher.realise(many, Candidate(spec))
