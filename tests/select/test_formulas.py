"""The cost models as formulas: the best candidate is the one that the cost models themselves rank first."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tilewright.backends import by_cost, get_backend_op
from tilewright.dispatcher import nominal_device
from tilewright.ops import problem_from_dict
from tilewright.ops.gemm.samples import sample_problems
from tilewright.registry import Registry, default_registry
from tilewright.select import scorer
from tilewright.select.analytical import Analytical
from tilewright.select.formulas import Formulas
from tilewright.settings import Settings

CORPUS = Path(__file__).parents[2] / "benchmarks" / "problems" / "conv_corpus.jsonl"


@pytest.fixture(scope="module")
def registry() -> Registry:
    return default_registry()


def convolutions(step: int, **fields: Any) -> list[Any]:
    lines = CORPUS.read_text().splitlines()[::step]
    return [problem_from_dict({**json.loads(text), **fields}) for text in lines]


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The C form is built before the first problem."""

    def submit(work: Any) -> None:
        work(threading.Event())

    monkeypatch.setattr(scorer, "_beside", lambda: SimpleNamespace(submit=submit))


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize(("arch", "step"), [("sm_90", 83), ("gfx942", 977), ("x86_64_amx", 311)])
def test_the_best_convolution_is_that_of_the_cost_model(registry: Registry, arch: str, step: int) -> None:
    device, settings = nominal_device(arch), Settings.from_env()
    backend = "cpu" if arch.startswith("x86") else "triton"
    found = Formulas(backend, "conv", arch, settings)
    told = 0
    # A product of each of many groups, whose operands do not begin where TMA can read: its kernels copy them first.
    of_groups = {"op": "grouped_conv", "direction": "forward", "n": 4, "g": 32, "c": 128, "k": 128, "dtype": "fp16",
                 "input": [14, 14], "filter": [1, 1]}  # fmt: skip
    dtype = "fp32" if backend == "cpu" else "fp16"
    for problem in (*convolutions(step, dtype=dtype), problem_from_dict({**of_groups, "dtype": dtype})):
        candidates = [c for c in registry.legal(problem, device) if c.spec.backend == backend]
        if candidates:
            best = found.best(problem, candidates, device)
            assert best == by_cost(problem, candidates, device)[0], problem.label()
            told += 1
    assert told >= 7


@pytest.mark.usefixtures("at_once")
def test_the_best_product_is_that_of_the_cost_model(registry: Registry) -> None:
    device = nominal_device("sm_90")
    found = Formulas("triton", "gemm", "sm_90", Settings.from_env())
    for problem in sample_problems(20, 11, ["bf16"], "cuda:0"):
        candidates = registry.legal(problem, device)
        assert found.best(problem, candidates, device) == by_cost(problem, candidates, device)[0]


THREADS = (1, 2, 3, 8, 24, 64)
# Sizes that threads share by rows, by columns, by both, by batches, and by splits of k that do not divide them.
SHAPES = [(96, 96, 64), (1000, 1000, 500), (4096, 64, 512), (64, 4096, 512), (7, 900, 4096), (32, 32, 16384)]
PRODUCTS = [{"m": m, "n": n, "k": k, "batch": b} for m, n, k in SHAPES for b in (1, 6)]
PRODUCTS += [{"m": 384, "n": 256, "k": 3000, "split_k": s} for s in (2, 5)]


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("threads", THREADS)
def test_the_best_product_of_a_cpu_is_that_of_the_cost_model(registry: Registry, threads: int) -> None:
    device = replace(nominal_device("x86_64_v4"), threads=threads)
    found = Formulas("cpu", "gemm", "x86_64_v4", Settings.from_env())
    mixed = 0
    for fields in PRODUCTS:
        problem = problem_from_dict({"op": "gemm", "dtype": "fp32", "layout": "rrr", **fields})
        candidates = [c for c in registry.legal(problem, device) if c.spec.backend == "cpu"]
        mixed += any(c.launch.grid for c in candidates)
        assert found.best(problem, candidates, device) == by_cost(problem, candidates, device)[0], problem.label()
    assert (mixed > 0) == (threads > 3)  # fewer threads cannot share rows and columns


@pytest.mark.parametrize("threads", THREADS)
def test_the_thread_grid_that_a_kernel_gets_is_the_one_that_was_judged(registry: Registry, threads: int) -> None:
    device, op = replace(nominal_device("x86_64_v4"), threads=threads), get_backend_op("cpu", "gemm")
    seen = set()
    for problem in (problem_from_dict({"op": "gemm", "dtype": "fp32", "layout": "rrr", **p}) for p in PRODUCTS):
        for candidate in [c for c in registry.legal(problem, device) if c.spec.backend == "cpu"][::7]:
            launch = candidate.launch
            grid = op.thread_grid(candidate, problem, launch.threads)
            if candidate.spec.algorithm.pipeline != "tiled" or launch.threads % launch.split_k:
                continue
            down, across = grid
            assert launch.threads % (down * across * launch.split_k) == 0
            said = replace(candidate, launch=replace(launch, grid=grid))
            assert op.predict(said, problem, device) == op.predict(candidate, problem, device), problem.label()
            seen.add((down > 1, across > 1))
    assert {(False, True), (True, False)} <= seen or threads == 1
    assert ((True, True) in seen) == (threads > 3)  # fewer cannot share rows and columns


@pytest.mark.usefixtures("at_once")
def test_of_equal_candidates_the_smallest_key_wins(registry: Registry) -> None:
    device, [problem, *_] = nominal_device("sm_90"), convolutions(500)
    candidates = registry.legal(problem, device)
    best = by_cost(problem, candidates, device)[0].candidate
    twins = [replace(best, launch=replace(best.launch, threads=n)) for n in range(5)]  # no GPU kernel looks at threads
    found = Formulas("triton", "conv", "sm_90", Settings.from_env()).best(problem, [*candidates, *twins], device)
    assert found is not None
    assert found.candidate.key == min(c.key for c in twins)


@pytest.mark.usefixtures("at_once")
def test_tensors_and_devices_out_of_the_ordinary_have_the_same_best(registry: Registry) -> None:
    device, [problem, *_] = nominal_device("sm_90"), convolutions(500)
    candidates = registry.legal(problem, device)
    found = Formulas("triton", "conv", "sm_90", Settings.from_env())
    apart = {"input": tuple(3 * s for s in problem.stride_of("input"))}
    for odd in (problem, replace(problem, alignment={"input": 2}), replace(problem, strides=apart)):
        assert found.best(odd, candidates, device) == by_cost(odd, candidates, device)[0]
    for untold in (replace(device, clock_mhz=0.0), replace(device, bandwidth_gbps=0.0)):
        assert found.best(problem, candidates, untold) == by_cost(problem, candidates, untold)[0]


def test_the_cost_model_sees_rows_that_begin_between_cache_lines(registry: Registry) -> None:
    device = nominal_device("sm_90")
    problem = problem_from_dict({"op": "gemm", "m": 4096, "n": 4096, "k": 4096, "dtype": "fp16", "device": "cuda:0"})
    apart = replace(problem, strides={"a": (0, 4104, 1)})
    candidates = registry.legal(apart, device)
    assert by_cost(apart, candidates, device)[0].seconds > 1.01 * by_cost(problem, candidates, device)[0].seconds


def test_a_ranking_is_whole_where_somebody_looks(registry: Registry) -> None:
    device, [problem, *_] = nominal_device("sm_90"), convolutions(500)
    candidates = registry.legal(problem, device)
    ranked = Analytical().rank(problem, candidates, device)
    assert len(ranked) == len(candidates)
    assert list(ranked) == by_cost(problem, candidates, device)
    assert ranked[0] == ranked[:1][0]
