"""Faults that the list has found, each with a small case that shows it."""

from __future__ import annotations

from typing import Any

import pytest
from contract_run import Case, Runner, run_cases
from contract_targets import SPACES, Target

CPU = Target("cpu cpu", "cpu", "", "cpu")
FOUND: dict[str, tuple[str, dict[str, Any]]] = {
    "a problem without matrices": ("gemm", {"batch": 0}),
    "the lse of a row with a NaN": ("fmha", {"data": "nan", "lse": True, "seqlen_q": 1, "seqlen_k": 33}),
    "dropout and no rows": ("fmha", {"dropout": 0.3, "seqlen_q": 0}),
    "gradients of keys without rows": (
        "fmha", {"family": "bwd", "lse": True, "bias": "elementwise", "dbias": True, "seqlen_q": 0},
    ),
    "gradients of a shared bias without sequences": (
        "fmha", {"family": "bwd", "lse": True, "bias": "elementwise", "dbias": True, "batch": 0},
    ),
    "queries that are turned into another dtype": (
        "fmha",
        {"family": "fwd_appendkv", "dtype": "fp8", "dtype_out": "fp32", "rope": "half", "rotary_dim": 8,
         "seqlen_new": 5, "seqlen_q": 1},
    ),
    "a sum of floats as integers": ("conv", {"dtype_input": "fp32", "dtype_output": "int32", "input": 6, "c": 3}),
}  # fmt: skip


@pytest.mark.parametrize("name", FOUND)
def test_it_is_right_now(name: str) -> None:
    op, choice = FOUND[name]
    case = Case(name, op, {**SPACES[op].plain(), **choice}, 1)
    assert [row["state"] for row in run_cases(Runner(CPU), [case])] == ["right"]


EMULATED: dict[str, tuple[str, dict[str, Any]]] = {
    "vectors of a wider result in merged groups": (
        "conv", {"dtype_output": "fp32", "g": 3, "k": 2, "d": "one_row", "d_dtype": "bf16"},
    ),
    "vectors of a wider result": ("conv", {"dtype_output": "fp32", "k": 12, "input": 6}),
}  # fmt: skip


@pytest.mark.parametrize("name", EMULATED)
def test_every_kind_of_kernel_is_right_on_an_emulated_gpu(name: str) -> None:
    pytest.importorskip("triton", reason="Triton is not installed: its kernels are not compiled")
    op, choice = EMULATED[name]
    runner = Runner(Target("triton emu:gfx942", "triton", "", "emu:gfx942"))
    cases = [Case(f"{name} {turn}", op, {**SPACES[op].plain(), **choice}, turn) for turn in range(2)]
    assert [row["state"] for row in run_cases(runner, cases)] == ["right"] * len(cases)
