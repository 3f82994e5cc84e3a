"""The trained models of a bundle: C++ chooses the kernel that Python's selector `learned` chooses."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from bundle_cases import GPU_RANDOM, RANDOM, Selection

from tilewright.cpp import engine
from tilewright.cpp.models import bundled_models
from tilewright.dispatcher import nominal_device
from tilewright.errors import TilewrightError
from tilewright.ops import problem_from_dict
from tilewright.registry import Registry, default_registry
from tilewright.registry.entry import Entry
from tilewright.select.learned import Learned
from tilewright.select.shelf import SHIPPED, Shelf
from tilewright.settings import Settings

pytestmark = pytest.mark.xdist_group("bundle")
WHERE = [("gemm", "triton", "sm_90"), ("conv", "triton", "sm_90"), ("gemm", "cpu", "x86_64_amx")]


def legal(op: str, backend: str, count: int, device: Any, selector: Learned) -> list[tuple[dict[str, Any], Any]]:
    """Problems that a shipped model predicts."""
    registry, draw = default_registry([backend]), (RANDOM if backend == "cpu" else GPU_RANDOM)[op]
    rng, found = random.Random(11), list[tuple[dict[str, Any], Any]]()
    for _ in range(100 * count):
        if len(found) == count:
            break
        data = draw(rng)
        try:
            problem = problem_from_dict(data)
        except TilewrightError:
            continue
        if not selector.silent(problem, backend, device) and registry.select(problem, None, device):
            found.append((data, problem))
    assert len(found) == count
    return found


def compare(op: str, backend: str, arch: str, count: int, library: Path) -> None:
    settings, device = Settings.from_env(), nominal_device(arch)
    selector = Learned(Shelf([SHIPPED]))
    assert bundled_models(backend, arch, [op], selector.shelf), f"no shipped model serves {op} on {arch}"
    cases = legal(op, backend, count, device, selector)
    specs: dict[str, Any] = {}
    for _, problem in cases:
        ranked = default_registry([backend]).select(problem, None, device)
        for r in [*ranked[:5], *random.Random(5).sample(ranked, min(len(ranked), 15))]:
            specs[r.candidate.spec.digest] = r.candidate.spec
    registry = Registry("some")
    registry.take([Entry(spec, 0, "") for spec in specs.values()])
    kernels = [e.spec for e in registry.entries()]
    selection = Selection(kernels, settings, library, backend)
    selection.learn(backend, arch, [op])
    by_trees = 0
    for given, problem in cases:
        best = registry.select(problem, selector, device)[0]
        order = list(range(len(kernels)))
        request = {"problem": given, "device": device.to_dict(), "selector": "learned", "order": order, "threads": 2}
        ok, answer = selection.ask("rank", {**request, "limit": 1})
        assert ok, (given, answer)
        (first,) = answer["ranked"]
        assert kernels[first["kernel"]].digest == best.candidate.spec.digest, given
        assert engine.launch_of(first["launch"]) == best.candidate.launch, given
        assert first["seconds"] == pytest.approx(best.seconds, rel=1e-9), given
        assert best.reason.startswith(first["reason"]), (first["reason"], best.reason)
        by_trees += first["reason"].startswith("learned: model")
    assert by_trees >= count // 2


@pytest.mark.parametrize(("op", "backend", "arch"), [WHERE[0], WHERE[2]])
def test_the_same_kernel_by_trees(op: str, backend: str, arch: str, selection_library: Path) -> None:
    compare(op, backend, arch, 4, selection_library)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("op", "backend", "arch"), WHERE)
def test_the_same_kernel_by_trees_on_many_problems(op: str, backend: str, arch: str, selection_library: Path) -> None:
    compare(op, backend, arch, 1000, selection_library)


def test_without_a_model_the_cost_model_ranks(selection_library: Path) -> None:
    settings, device = Settings.from_env(), nominal_device("sm_90")
    given = {"op": "gemm", "m": 256, "n": 256, "k": 256, "dtype": "fp16"}
    ranked = default_registry(["triton"]).select(problem_from_dict(given), None, device)
    selection = Selection([r.candidate.spec for r in ranked[:5]], settings, selection_library, "triton")
    request = {"problem": given, "device": device.to_dict(), "order": [0, 1, 2], "limit": 1}
    answers = [selection.ask("rank", {**request, "selector": name})[1]["ranked"] for name in ("learned", "cost")]
    assert answers[0] == answers[1]
