"""CPU attention kernels against the float64 reference: one body over family, feature, dtype and block of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tilewright import Dispatcher, Registry
from tilewright.backends import get_backend_op
from tilewright.errors import SelectionError
from tilewright.model.kernel_set import KernelSet
from tilewright.ops import get_op, problem_from_dict

from fmha_cases import BASE, EIGHT_BIT, FORWARD  # isort: skip

OP, CPU = get_op("fmha"), get_backend_op("cpu", "fmha")
REFUSED = ("v-columns",)
PLAIN = {"op": "fmha", **BASE, "dtype": "fp32"}
LONG = {"batch": 1, "heads_q": 2, "heads_kv": 2, "seqlen_q": 70, "seqlen_k": 203, "hdim_q": 40, "hdim_v": 72}
CASES: dict[str, dict[str, Any]] = {
    **{name: fields for name, fields in FORWARD.items() if name not in REFUSED},
    "long": LONG,
    "long-causal": {**LONG, "mask": "causal_bottom_right", "lse": True},
    "long-sink": {**LONG, "mask": "window", "window_left": 30, "window_right": 2, "sink_tokens": 7},
    "long-dropout": {**LONG, "dropout": 0.4},
    "decode": {"seqlen_q": 1, "seqlen_k": 300, "heads_q": 8, "heads_kv": 2, "kv_lengths": True},
    "one-row": {"seqlen_q": 1, "seqlen_k": 150, "heads_q": 2, "heads_kv": 2},
    "no-keys": {"seqlen_k": 0, "lse": True},
}
NARROW = ("plain", "long-causal", "decode", "bias", "prefill")


def dispatcher(row_vectors: int) -> Dispatcher:
    registry = Registry(f"cpu{row_vectors}")
    registry.declare(KernelSet("one", "fmha", "cpu", ({"row_vectors": row_vectors},)))
    return Dispatcher(registry)


DISPATCHERS = {n: dispatcher(n) for n in (1, 2, 4)}


def check(fields: dict[str, Any], row_vectors: int) -> None:
    p = problem_from_dict({**PLAIN, **fields})
    tensors = OP.random_tensors(p, seed=7)
    out = DISPATCHERS[row_vectors].run(p, **tensors)
    OP.verify(p, tensors, out, tier="float64").require(p.label())


@pytest.mark.parametrize("name", CASES)
def test_fp32(name: str) -> None:
    check(CASES[name], 2 if name in FORWARD else 4)


@pytest.mark.parametrize("row_vectors", [1, 2, 4])
@pytest.mark.parametrize("dtype", ["fp32", "bf16", "fp16"])
@pytest.mark.parametrize("name", ["long-causal", "decode"])
def test_every_block_of_rows_and_dtype(name: str, dtype: str, row_vectors: int) -> None:
    check({**CASES[name], "dtype": dtype}, row_vectors)


@pytest.mark.parametrize("name", NARROW)
def test_bf16(name: str) -> None:
    check({**CASES[name], "dtype": "bf16"}, 4)


def test_eight_bit_operands_without_scales() -> None:
    check(EIGHT_BIT["to-fp32"], 2)


@pytest.mark.parametrize("dtype", ["fp32", "fp16"])
def test_strides_are_followed(dtype: str) -> None:
    """Q, K and V cut out of one tensor, as a fused projection leaves them."""
    shape = {"batch": 2, "seqlen_q": 13, "seqlen_k": 13, "heads_q": 4, "heads_kv": 4, "hdim_q": 32, "hdim_v": 32}
    step = (13 * 3 * 4 * 32, 3 * 4 * 32, 32, 1)
    p = problem_from_dict({**PLAIN, **shape, "dtype": dtype, "strides": dict.fromkeys(("q", "k", "v"), step)})
    tensors = OP.random_tensors(p, seed=2)
    assert tensors["k"].strides[1] == step[1] * tensors["k"].itemsize
    OP.verify(p, tensors, DISPATCHERS[2].run(p, **tensors)).require("strided")


def test_threads_do_not_change_the_answer() -> None:
    from tilewright.settings import Settings

    p = problem_from_dict({**PLAIN, **LONG, "dropout": 0.2})
    outs = []
    for threads in (1, 3):
        tensors = OP.random_tensors(p, seed=1)
        registry = Registry("cpu")
        registry.declare(CPU.default_sets()[0])
        settings = Settings(threads=threads)
        outs.append(Dispatcher(registry, settings=settings).run(p, **tensors).copy())
    np.testing.assert_array_equal(*outs)


@pytest.mark.parametrize(
    ("fields", "rule"),
    [
        ({"v_layout": "col"}, "cpu.fmha.v_layout"),
        ({"dtype": "fp8", "qscale": "pertensor"}, "cpu.fmha.qscale"),
        ({"dropout": 0.1, "dropout_rng": "ck"}, "cpu.fmha.dropout_rng"),
        ({"family": "bwd", "lse": True}, "cpu.fmha.family"),
        ({"strides": {"q": (9 * 4 * 64, 4 * 64, 64, 2)}}, "cpu.fmha.contiguous_heads"),
    ],
)
def test_what_is_refused_names_its_rule(fields: dict[str, Any], rule: str) -> None:
    p = problem_from_dict({**PLAIN, **fields})
    with pytest.raises(SelectionError, match=rule):
        DISPATCHERS[1].plan(p)


def test_strict_reads_what_index_tensors_hold() -> None:
    from tilewright.errors import TensorError
    from tilewright.settings import Settings

    p = problem_from_dict({**PLAIN, **FORWARD["pages"]})
    tensors = OP.random_tensors(p, seed=0)
    tensors["page_table"][0, 0] = -1
    registry = Registry("cpu")
    registry.declare(CPU.default_sets()[0])
    with pytest.raises(TensorError, match="sequence 0 names page -1 at 0; pages are 0 to"):
        Dispatcher(registry, settings=Settings(strict=True)).bind(p, **tensors)
