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
    "cpu": {"row_vectors": [2, 4]},
    "cpu-amx": {"inner": "amx", "row_vectors": 4, "block_keys": 256},
}
CASES = cases()
HALF = ("fwd-causal-bottom-right-fp16", "bwd-bias-bf16", "bwd-window-sink-fp16", "fwd_appendkv-half-bf16")
FEATURES = ("plain", "rows-that-see-nothing", "sink", "bias-of-each-head", "alibi", "soft-cap", "dropout", "varlen")
AMX = [f"fwd-{n}-bf16" for n in (*FEATURES, "lengths", "heads-first")]
AMX += ["fwd_splitkv-split-pages-bf16", "batch_prefill-prefill-bf16"]


def names_for(backend: str) -> list[str]:
    """fp32 and 8 bits in full; 16 bits where conversions matter; AMX in every feature that its own code knows."""
    if backend == "reference":
        return list(CASES)
    if backend == "cpu-amx":
        return AMX
    return [n for n in CASES if n.endswith("fp32") or "8" in n or n in HALF]


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
