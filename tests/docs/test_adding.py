"""Adding an op and a backend is adding folders: those of `added` are put into a copy of the package."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from copied_package import ask_copy
from snippets import ROOT

ADDED = Path(__file__).parent / "added"
ASK = """
import json, sys
import numpy as np
import tilewright as tw
from tilewright.cli.app import run
from tilewright.ops import get_op, op_names
from tilewright.backends import backend_names, get_backend_op
from tilewright.registry import Registry, default_registry

# The op, by the reference.
axpy = get_op("axpy")
problem = tw.problem_from_dict({"op": "axpy", "n": 100, "dtype": "fp32", "alpha": 2.0})
tensors = axpy.random_tensors(problem, seed=0)
registry = Registry("reference")
for kernels in get_backend_op("reference", "axpy").kernel_sets():
    registry.declare(kernels)
dispatcher = tw.Dispatcher(registry)
out = dispatcher.run(problem, **tensors)
right = axpy.verify(problem, tensors, out)
before = out.copy()
in_place = np.allclose(dispatcher.run(problem, x=tensors["x"], y=out, out=out), before + 2.0 * tensors["x"], atol=1e-4)
mutant = axpy.verify(problem, tensors, 2.0 * tensors["x"])
try:
    dispatcher.run(problem, **{**tensors, "x": np.ones(3, np.float32)})
except tw.TilewrightError as error:
    mismatch = str(error)
try:
    tw.problem_from_dict({"op": "axpy", "n": -1, "dtype": "int8"})
except tw.TilewrightError as error:
    mistakes = str(error)

# The backend, beside the others and by itself.
product = tw.problem_from_dict({"op": "gemm", "m": 100, "n": 40, "k": 30, "dtype": "fp32", "layout": "rrr"})
alone = tw.Dispatcher(default_registry(["blocked"]))
found = alone.explain(product)
values = get_op("gemm").random_tensors(product, seed=0)
verdict = get_op("gemm").verify(product, values, alone.run(product, **values))
every = {r.candidate.spec.backend for r in tw.Dispatcher().explain(product).ranked}
other = alone.explain(tw.problem_from_dict({**product.to_dict(), "epilogue": {"activation": "relu"}}))
status = run(["run", json.dumps(problem.to_dict()), "--set", "reference_axpy", "--check"])
support = run(["support", "--arch", "x86_64_v3"])
print(json.dumps({
    "ops": op_names(), "backends": backend_names(), "right": right.ok, "mutant": mutant.ok, "in place": in_place,
    "mismatch": mismatch, "mistakes": mistakes, "ranked": [r.candidate.spec.algorithm.label() for r in found.ranked],
    "removed": dict(found.counts), "blocked right": verdict.ok, "every": sorted(every), "relu": dict(other.counts),
    "status": status, "support": support,
}))
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What a copy of the package says that has an op and a backend more."""
    added = {str(p.relative_to(ADDED)): p.read_text() for p in ADDED.rglob("*.py")}
    return ask_copy(tmp_path_factory.mktemp("package"), added, ASK)


def test_an_op_is_found_by_its_folder_and_runs(said: Any) -> None:
    assert said["ops"] == ["axpy", "conv", "fmha", "gemm"]
    assert (said["right"], said["mutant"], said["in place"]) == (True, False, True)
    assert said["status"] == 0  # `tilewright run --check` knows it


def test_mistakes_in_its_problems_and_tensors_are_reported(said: Any) -> None:
    assert "x has shape (3,), needs (100,)" in said["mismatch"]
    assert "n is -1" in said["mistakes"]
    assert "axpy takes floats" in said["mistakes"]


def test_a_backend_is_found_by_its_folder_and_runs(said: Any) -> None:
    assert said["backends"] == ["blocked", "ck_tile", "cpu", "reference", "triton", "vendor"]
    assert said["blocked right"]
    assert said["every"] == ["blocked", "cpu"]
    assert said["support"] == 0  # `tilewright support` lists it


def test_its_rules_and_its_cost_are_asked(said: Any) -> None:
    assert said["ranked"] == ["rows64", "rows16"]
    assert said["removed"] == {"blocked.gemm.rows": 1}
    assert said["relu"] == {"blocked.gemm.plain": 3}


@pytest.mark.parametrize("page", ["adding-an-op.md", "adding-a-backend.md"])
def test_the_pages_name_the_folders(page: str) -> None:
    assert "`tests/docs/added" in (ROOT / "docs" / page).read_text()
