"""Attention on every backend: one body over family x feature x dtype x backend against the float64 reference.

Triton's kernels take the same cases in its interpreter, in `tests/backends/triton/test_triton_fmha.py`.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from host_cpu_kernels import needs_inner

from tilewright import Dispatcher, Registry, get_backend
from tilewright.errors import SelectionError
from tilewright.model.kernel_set import KernelSet
from tilewright.model.rule import broken, rule
from tilewright.ops import get_op, problem_from_dict
from tilewright.settings import Settings

from fmha_cases import BASE, cases  # isort: skip
from fmha_masks import MASKS, masked_tensors  # isort: skip

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
    needs_inner("amx")
    p = problem_from_dict(CASES[AMX[0]])
    assert dispatcher("cpu-amx").plan(p).kernel.count("_amx_") == 2  # the arch, and the kernel


@pytest.mark.parametrize(("backend", "name"), [(b, n) for b in ALGORITHMS for n in names_for(b)])
def test_a_backend_agrees_with_the_reference(backend: str, name: str) -> None:
    if backend == "cpu-amx":
        needs_inner("amx")
    p = problem_from_dict(CASES[name])
    tensors = OP.random_tensors(p, seed=7)
    out = dispatcher(backend).run(p, **tensors)
    assert not any(np.isnan(np.asarray(tensors[r], np.float64)).any() for r in p.outputs)
    OP.verify(p, tensors, out, tier="float64").require(name)


HIDDEN_SIZES = {"op": "fmha", **BASE, "seqlen_q": 20, "seqlen_k": 220, "bias": "elementwise", "lse": True}
HIDDEN: dict[str, dict[str, Any]] = {
    "fwd": {"bias_heads": 4},
    "one row": {"seqlen_q": 1},
    "split": {"family": "fwd_splitkv", "num_splits": 3, "hdim_v": 32},
    "capped": {"soft_cap": 2.0, "bias_heads": 4},
    "bwd": {"family": "bwd", "bias_heads": 4, "dbias": True},
    "capped-bwd": {"family": "bwd", "bias_heads": 4, "dbias": True, "soft_cap": 2.0},
}


HIDDEN_RUNS = [(b, f, "fp32") for b in ("reference", "cpu") for f in HIDDEN]
HIDDEN_RUNS += [("cpu", f, "bf16") for f in ("fwd", "one row", "bwd")]
HIDDEN_RUNS += [("cpu-amx", f, "bf16") for f in ("fwd", "capped")]


@pytest.mark.parametrize(("backend", "family", "dtype"), HIDDEN_RUNS)
def test_a_bias_may_hide_whole_blocks_of_keys(backend: str, family: str, dtype: str) -> None:
    """First blocks, last ones, all of them: by -inf, or by the most negative number of the dtype."""
    if backend == "cpu-amx":
        needs_inner("amx")
    p = problem_from_dict({**HIDDEN_SIZES, **HIDDEN[family], "dtype": dtype})
    for mask in MASKS:
        tensors = masked_tensors(p, mask)
        out = dispatcher(backend).run(p, **tensors)
        OP.verify(p, tensors, out, tier="float64").require(f"{family} {mask}")


def test_an_unknown_generator_is_refused_by_name() -> None:
    p = problem_from_dict({**CASES["fwd-plain-fp32"], "dropout": 0.1, "dropout_rng": "ck"})
    for backend in ("reference", "cpu"):
        with pytest.raises(SelectionError, match=rf"{backend}.fmha.dropout_rng"):
            dispatcher(backend).plan(p)


PADDED = [f"fwd-{n}-fp32" for n in ("narrow", "odd")] + ["fwd_splitkv-split-narrow-fp32"]
PADDED += [f"{family}-narrow-fp32" for family in ("bwd", "fwd_appendkv")]


@pytest.mark.parametrize("name", PADDED)
def test_heads_are_padded_if_no_kernel_takes_them(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a rule that wants multiples of eight, odd heads are padded, recorded, and never wrong."""

    @rule("test.fmha.multiple", "problem", "hdim % 8 == 0")
    def multiple(s: Any) -> Any:
        odd = s.problem.hdim_q % 8 or s.problem.hdim_v % 8
        return broken("heads are no multiple of 8", "pad them") if odd else None

    cpu = get_backend("cpu").op("fmha")
    monkeypatch.setattr(type(cpu), "rules", (*cpu.rules, multiple))
    registry = Registry("cpu")
    registry.declare(KernelSet("one", "fmha", "cpu", (ALGORITHMS["cpu"],)))
    padding = Dispatcher(registry, settings=Settings.from_env())
    p = problem_from_dict(CASES[name])
    assert "is padded to" in padding.explain(p).note
    tensors = OP.random_tensors(p, seed=7)
    bound = padding.bind(p, **tensors)
    assert [e.kind for e in padding.events] == ["padded"]
    OP.verify(p, tensors, bound(), tier="float64").require(name)


def test_ck_tile_keeps_its_limits_as_its_own_rules() -> None:
    """Heads of 20 columns are padded for CK Tile; a soft cap with a bias is refused by it alone."""
    registry = Registry("ck_tile")
    for part in get_backend("ck_tile").op("fmha").default_sets():
        registry.declare(part)
    size = {"op": "fmha", "batch": 2, "heads_q": 4, "seqlen_q": 128, "dtype": "fp16"}
    walk = Dispatcher(registry).explain(problem_from_dict({**size, "hdim_q": 20}), "gfx942")
    assert "padded to fmha b2 h4 128x128 fwd_fp16_d24" in walk.note
    assert walk.ranked
    capped = problem_from_dict({**size, "hdim_q": 64, "soft_cap": 2.0, "bias": "alibi"})
    refused = Dispatcher(registry).explain(capped, "gfx942")
    assert not refused.ranked
    assert refused.counts["ck_tile.fmha.soft_cap_bias"] > 0
    assert Dispatcher().explain(capped, "sm_90").ranked
    assert Dispatcher().explain(problem_from_dict({**size, "hdim_q": 20}), "sm_90").note == ""
