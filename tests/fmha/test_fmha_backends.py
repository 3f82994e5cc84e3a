"""Attention on every backend: one body over family x feature x dtype x backend against the float64 reference.

Triton's kernels take the same cases in its interpreter, in `tests/backends/triton/test_triton_fmha.py`.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from tilewright import Dispatcher, Registry, get_backend
from tilewright.errors import SelectionError
from tilewright.model.kernel_set import KernelSet
from tilewright.ops import get_op, problem_from_dict
from tilewright.settings import Settings

from fmha_cases import cases  # isort: skip

OP = get_op("fmha")
ALGORITHMS: dict[str, dict[str, Any]] = {
    "reference": {},
    "cpu": {"row_vectors": 2},
    "cpu-amx": {"inner": "amx", "row_vectors": 4, "block_keys": 256},
}
CASES = cases()
HALF = ("causal-bottom-right", "varlen", "split", "prefill", "bias", "half", "pages", "window-sink")
AMX = [n for n in CASES if n.endswith("bf16") and CASES[n]["family"] not in ("bwd", "fwd_appendkv")]


def names_for(backend: str) -> list[str]:
    """fp32 and 8 bits in full; 16 bits where conversions matter; AMX in every feature, for bf16 is what it has."""
    if backend == "reference":
        return list(CASES)
    if backend == "cpu-amx":
        return AMX
    short = [n for n in CASES if any(n.endswith(f"-{h}-{d}") for h in HALF for d in ("fp16", "bf16"))]
    return [n for n in CASES if n.endswith("fp32") or "8" in n] + short


@cache
def dispatcher(name: str) -> Dispatcher:
    backend = name.partition("-")[0]
    registry = Registry(name)
    if backend == "reference":
        for kernels in get_backend(backend).op("fmha").kernel_sets():
            registry.declare(kernels)
    else:
        registry.declare(KernelSet("one", "fmha", backend, (ALGORITHMS[name],)))
    return Dispatcher(registry, settings=Settings.from_env(threads=2))


def test_amx_is_here_or_said_to_be_missing() -> None:
    p = problem_from_dict(CASES[AMX[0]])
    if not _runs("cpu-amx", p):
        pytest.skip("this CPU has no AMX: its kernels are not run here")
    assert dispatcher("cpu-amx").plan(p).kernel.count("_amx_") == 2  # the arch, and the kernel


def _runs(backend: str, p: Any) -> bool:
    return bool(dispatcher(backend).explain(p).ranked)


@pytest.mark.parametrize(("backend", "name"), [(b, n) for b in ALGORITHMS for n in names_for(b)])
def test_a_backend_agrees_with_the_reference(backend: str, name: str) -> None:
    p = problem_from_dict(CASES[name])
    if backend == "cpu-amx" and not _runs(backend, p):
        rules = dispatcher(backend).explain(p).counts
        assert set(rules) <= {"cpu.fmha.inner", "cpu.fmha.v_layout", "cpu.fmha.splits"}
        pytest.skip(f"refused by {', '.join(rules)}")
    tensors = OP.random_tensors(p, seed=7)
    out = dispatcher(backend).run(p, **tensors)
    assert not any(np.isnan(np.asarray(tensors[r], np.float64)).any() for r in p.outputs)
    OP.verify(p, tensors, out, tier="float64").require(name)


def test_an_unknown_generator_is_refused_by_name() -> None:
    p = problem_from_dict({**CASES["fwd-plain-fp32"], "dropout": 0.1, "dropout_rng": "ck"})
    for backend in ("reference", "cpu"):
        with pytest.raises(SelectionError, match=rf"{backend}.fmha.dropout_rng"):
            dispatcher(backend).plan(p)
