"""Python and the translated program choose the same kernel with the same launch."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest
from bundle_cases import RANDOM, Selection, kernel_row

from tilewright.backends.cpu.detect import host_device
from tilewright.cpp import engine
from tilewright.errors import TilewrightError
from tilewright.ops import get_op, problem_from_dict
from tilewright.plan import _launch_values
from tilewright.registry import Registry, default_registry
from tilewright.registry.entry import Entry
from tilewright.select import get_selector
from tilewright.settings import Settings

pytestmark = pytest.mark.xdist_group("bundle")
DEFAULT = default_registry(["cpu"])


# A rule that was evaluated too far: a convolution whose pixels are not the rows of one matrix is no product.
HARD: dict[str, list[dict[str, Any]]] = {
    "conv": [
        {"op": "conv", "direction": d, "n": 2, "c": 64, "k": 32, "input": [7, 5], "filter": [1, 1], "layout": "ngchw",
         "dtype": "bf16"}
        for d in ("forward", "backward_weight")
    ]
}  # fmt: skip


def legal_problems(op: str, count: int, seed: int = 0) -> list[dict[str, Any]]:
    rng, found = random.Random(seed), list(HARD.get(op, ()))
    while len(found) < count:
        data = RANDOM[op](rng)
        try:
            problem_from_dict(data)
        except TilewrightError:
            continue
        found.append(data)
    return found


def registry_of(problems: list[Any], device: Any) -> Registry:
    """A registry of single kernels: every kernel of the default sets that has the signature of a problem."""
    specs = {c.spec.digest: c.spec for p in problems for c in DEFAULT.legal(p, device)}
    registry = Registry("random")
    registry.take([Entry(spec, 0, "") for spec in specs.values()])
    return registry


def compare(op: str, count: int, library: Path) -> None:
    settings = Settings.from_env()
    device = host_device(settings)
    data = legal_problems(op, count)
    problems = [problem_from_dict(d) for d in data]
    registry, analytical = registry_of(problems, device), get_selector("analytical", settings)
    specs = [e.spec for e in registry.entries()]
    selection = Selection(specs, settings, library)
    assert len(specs) > 3
    for given, problem in zip(data, problems, strict=True):
        best = registry.select(problem, analytical, device)[0]
        request = {
            "problem": given,
            "device": device.to_dict(),
            "selector": "cost",
            "order": list(range(len(specs))),
            "threads": settings.resolved_threads(),
        }
        ok, answer = selection.ask("choose", request)
        assert ok, (given, answer)
        assert specs[answer["kernel"]].digest == best.candidate.spec.digest, given
        assert engine.launch_of(answer["launch"]) == best.candidate.launch, given
        assert answer["seconds"] == best.seconds, given
        check_lowered(problem, best.candidate, answer, settings)


def check_lowered(problem: Any, candidate: Any, answer: Any, settings: Any) -> None:
    """The values of the C ABI are those of a plan in Python."""
    if getattr(candidate.spec.algorithm, "pipeline", "") == "gemm":
        return  # a product: its values are those of another op
    op = get_op(problem.op)
    abi = op.abi_for(problem)
    assert answer["sizes"] == list(op.sizes(problem))
    assert answer["scalars"] == list(op.scalars(problem))
    assert answer["slots"] == {r: abi.slot(r) for r in op.roles(problem)}
    assert answer["strides"] == {str(abi.slot(r)): list(op.strides(problem, r)) for r in op.roles(problem)}
    assert answer["values"] == _launch_values(candidate, problem, settings)


@pytest.mark.parametrize("op", list(RANDOM))
def test_the_same_kernel(op: str, selection_library: Path) -> None:
    compare(op, 40, selection_library)


@pytest.mark.exhaustive
@pytest.mark.parametrize("op", list(RANDOM))
def test_the_same_kernel_on_many_problems(op: str, selection_library: Path) -> None:
    compare(op, 1000, selection_library)


@pytest.mark.parametrize("selector", [s for s in engine.SELECTORS if s != "learned"])
@pytest.mark.parametrize("op", list(RANDOM))
def test_every_answer_is_that_of_the_engine_in_python(op: str, selector: str, selection_library: Path) -> None:
    settings = Settings.from_env()
    device = host_device(settings)
    data = legal_problems(op, 6, seed=1)
    specs = [e.spec for e in registry_of([problem_from_dict(d) for d in data], device).entries()]
    selection = Selection(specs, settings, selection_library)
    kernels = engine.load([kernel_row(s) for s in specs])
    for given in data:
        request = {"problem": given, "device": device.to_dict(), "selector": selector, "order": [*range(len(specs))]}
        assert selection.ask("rank", request) == (True, json.loads(json.dumps(engine.rank(kernels, request)))), given
        assert selection.ask("describe", given) == (True, json.loads(json.dumps(engine.describe(given))))


WRONG = [
    {"op": "gemm", "m": -1, "n": 4, "k": 2, "dtype": "fp32"},
    {"op": "gemm", "m": 4, "n": 4, "dtype": "fp32"},
    {"op": "gemm", "m": 4, "n": 4, "k": 4, "dtype": "fp23"},
    {"op": "gemm", "m": 4, "n": 4, "k": 4, "dtype": "fp32", "layuot": "rcr"},
    {"op": "gemm", "m": 4.0, "n": True, "k": 4, "dtype": "fp32"},
    {"op": "gemm", "m": 1 << 40, "n": 1 << 40, "k": 4, "dtype": "fp32"},
    {"op": "gemm", "m": 4, "n": 4, "k": 4, "dtype": "fp32", "epilogue": {"activation": "swish"}},
    {"op": "gemm", "m": 4, "n": 4, "k": 4, "dtype": "fp32", "d": [{"broadcast": "row"}]},
    {"op": "conv3", "m": 4},
    {"op": "conv", "direction": "forward", "n": 1, "c": 4, "k": 4, "input": [4, 4], "filter": [9, 9], "dtype": "fp32"},
    {"op": "conv", "direction": "sideways", "n": 1, "c": 4, "k": 4, "input": [4, 4], "filter": [3, 3], "dtype": "fp32"},
    {"op": "fmha", "batch": 1, "heads_q": 6, "heads_kv": 4, "seqlen_q": 8, "hdim_q": 300, "dtype": "fp32"},
    {"op": "fmha", "batch": "two", "heads_q": 6, "seqlen_q": 8, "hdim_q": 32, "dtype": "fp32", "mask": "causal"},
    {"op": "fmha", "batch": 1, "heads_q": 4, "seqlen_q": 8, "hdim_q": 32, "dtype": "fp32", "dropout": 1.5},
]  # fmt: skip


@pytest.mark.parametrize("data", WRONG, ids=lambda d: json.dumps(d)[:60])
def test_the_same_error(data: dict[str, Any], selection_library: Path) -> None:
    selection = Selection([], Settings.from_env(), selection_library)
    ok, answer = selection.ask("describe", data)
    assert not ok
    with pytest.raises(TilewrightError) as raised:
        engine.describe(data)
    error = raised.value
    # Whole numbers beyond 64 bits are shown as real numbers.
    said, meant = (re.sub(r"\d{20,}|\d\.\d+e\+\d+", "#", text) for text in (answer["message"], error.message))
    assert (answer["type"], said) == (type(error).__name__, meant)
    assert answer["remedy"] == (error.remedy or "")


def test_no_kernel_says_why(selection_library: Path) -> None:
    settings = Settings.from_env()
    device = host_device(settings)
    problem = problem_from_dict({"op": "gemm", "m": 4, "n": 64, "k": 64, "dtype": "fp32"})
    specs = [s for s in registry_of([problem], device).specs() if s.algorithm.pipeline == "skinny"]
    selection = Selection(specs, settings, selection_library)
    large = {"op": "gemm", "m": 64, "n": 64, "k": 64, "dtype": "fp32"}
    request = {
        "problem": large,
        "device": device.to_dict(),
        "selector": "cost",
        "order": [*range(len(specs))],
        "threads": 1,
    }
    ok, answer = selection.ask("choose", request)
    assert not ok
    assert answer["type"] == "SelectionError"
    assert "cpu.gemm.skinny_rows" in answer["message"]
