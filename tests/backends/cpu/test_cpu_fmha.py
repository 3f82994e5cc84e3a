"""CPU attention kernels: blocks of rows and keys that are not full, splits, strides, threads, and what is refused.

Every family and feature is held against the reference in `test_fmha_backends.py`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from host_cpu_kernels import VECTOR_INNER, needs_inner
from shipped_kernels import shipped_settings

from tilewright import Dispatcher, Registry
from tilewright.arch import get_arch, get_nominal_devices
from tilewright.backends import get_backend_op
from tilewright.errors import TensorError
from tilewright.jit import Cache, build_one
from tilewright.jit.arrays import view_of
from tilewright.model.kernel import Candidate, KernelSpec, Launch
from tilewright.model.kernel_set import KernelSet
from tilewright.ops import get_op, problem_from_dict
from tilewright.plan import make_plan
from tilewright.registry import runs
from tilewright.settings import Settings

from fmha_cases import BASE, FORWARD  # isort: skip

OP, CPU = get_op("fmha"), get_backend_op("cpu", "fmha")
PLAIN = {"op": "fmha", **BASE, "dtype": "fp32"}
LONG = {"batch": 1, "heads_q": 2, "heads_kv": 2, "seqlen_q": 70, "seqlen_k": 203, "hdim_q": 40, "hdim_v": 72}
SINK = {"mask": "window", "window_left": 30, "window_right": 2, "sink_tokens": 7}
DECODE = {"seqlen_q": 1, "seqlen_k": 300, "heads_q": 8, "heads_kv": 2, "kv_lengths": True}
ONE_ROW = {"seqlen_q": 1, "seqlen_k": 150, "heads_q": 2, "heads_kv": 2}
FMA1, FMA2, FMA4 = ({"row_vectors": n} for n in (1, 2, 4))
AMX2, AMX8 = ({"inner": "amx", "row_vectors": r, "block_keys": k} for r, k in ((2, 64), (8, 512)))
CASES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "long-causal-1": ({**LONG, "mask": "causal_bottom_right", "lse": True}, FMA1),
    "long-full": ({**LONG, "seqlen_q": 333, "hdim_q": 128, "hdim_v": 128}, FMA4),  # several blocks share keys
    "long-causal-4": ({**LONG, "mask": "causal_bottom_right", "lse": True}, FMA4),
    "long-sink": ({**LONG, **SINK}, FMA4),
    "long-dropout": ({**LONG, "dropout": 0.4}, FMA2),
    "long-fp16": ({**LONG, "dtype": "fp16", "seqlen_q": 65}, FMA4),  # the last block has one row
    "decode": (DECODE, FMA1),
    "one-row": (ONE_ROW, FMA1),
    "one-row-long": ({**ONE_ROW, "seqlen_k": 203, "hdim_q": 72, "hdim_v": 136}, FMA1),
    "one-row-odd": ({**ONE_ROW, "seqlen_k": 97, "hdim_q": 40, "hdim_v": 40, "lse": True}, FMA1),
    "one-row-bf16": ({**ONE_ROW, "dtype": "bf16", "mask": "causal_bottom_right"}, FMA2),
    "one-row-bias": ({**ONE_ROW, "bias": "elementwise", "dropout": 0.3}, FMA1),
    "one-row-alibi": ({**ONE_ROW, "bias": "alibi", "v_layout": "col"}, FMA1),
    "one-row-scales": ({**ONE_ROW, "dtype": "fp8", "qscale": "blockscale", "block_q": 4, "block_k": 8}, FMA1),
    "no-keys": ({"seqlen_k": 0, "lse": True}, FMA2),
    "negative-scale": ({"scale": -0.7, "mask": "causal_top_left"}, FMA2),
    "scale-below-float32": ({"scale": 1e-50, "mask": "causal_top_left"}, FMA2),
    "one-row-scale-below-float32": ({**ONE_ROW, "seqlen_k": 97, "scale": 1e-50}, FMA1),
    "amx-causal": ({**LONG, "dtype": "bf16", "mask": "causal_bottom_right", "lse": True}, AMX2),
    "amx-sink": ({**LONG, "dtype": "bf16", **SINK}, AMX2),
    "amx-dropout": ({**LONG, "dtype": "bf16", "dropout": 0.4}, AMX8),
    "amx-large": ({"seqlen_q": 290, "seqlen_k": 700, "dtype": "bf16", "mask": "causal_bottom_right"}, AMX8),
    "bwd-causal": ({**LONG, "family": "bwd", "mask": "causal_bottom_right", "dropout": 0.2}, FMA4),
    "bwd-sink": ({**LONG, "family": "bwd", **SINK, "dtype": "bf16"}, FMA1),
    "bwd-shared-bias": ({**LONG, "family": "bwd", "batch": 2, "bias": "elementwise", "dbias": True}, FMA4),
}


def dispatcher(threads: int = 2, shipped: bool = False, **algorithm: Any) -> Dispatcher:
    registry = Registry("cpu")
    registry.declare(KernelSet("one", "fmha", "cpu", (algorithm,)))
    return Dispatcher(registry, settings=(shipped_settings if shipped else Settings.from_env)(threads=threads))


def check(fields: dict[str, Any], algorithm: dict[str, Any]) -> None:
    p = problem_from_dict({**PLAIN, **fields})
    needs_inner(algorithm.get("inner", VECTOR_INNER))
    d = dispatcher(**algorithm)
    tensors = OP.random_tensors(p, seed=7)
    OP.verify(p, tensors, d.run(p, **tensors), tier="float64").require(p.label())


PAGED: dict[str, dict[str, Any]] = {
    "fwd_splitkv": {"seqlen_q": 1},
    "fwd_pagedkv": {"mask": "causal_bottom_right"},
    "fwd_appendkv": {"seqlen_new": 5, "seqlen_q": 0},
}


@pytest.mark.parametrize("family", PAGED)
def test_page_tables_with_any_strides(family: str) -> None:
    """Between the pages lie others that no check has seen."""
    p = problem_from_dict({**PLAIN, **PAGED[family], "family": family, "page_size": 4, "lookup": "vllm"})
    tensors, d, role = OP.random_tensors(p, seed=3), dispatcher(row_vectors=4), p.outputs[0]

    def answer(problem: Any, table: Any) -> Any:
        given = {r: t.copy() for r, t in tensors.items()} | {"page_table": table}
        d.run(problem, **given)
        return given[role]

    table = tensors["page_table"]
    want, wide = answer(p, table), np.zeros((table.shape[0], 2 * table.shape[1]), np.int32)
    wide[:, ::2] = table
    for view in (wide[:, ::2], np.asfortranarray(table), np.ascontiguousarray(table[:, ::-1])[:, ::-1]):
        strides = [step // 4 for step in view.strides]
        np.testing.assert_array_equal(answer(replace(p, strides={"page_table": tuple(strides)}), view), want)


@pytest.mark.parametrize("name", CASES)
def test_blocks_that_are_not_full(name: str) -> None:
    check(*CASES[name])


@pytest.mark.parametrize("splits", [1, 2, 5, 128])
@pytest.mark.parametrize("rows", [1, 20])
def test_any_number_of_splits_gives_the_whole(splits: int, rows: int) -> None:
    """More splits than blocks of keys, and splits that a mask leaves nothing of, are among them."""
    split = {"family": "fwd_splitkv", "num_splits": splits, "lse": True, "hdim_v": 32, "kv_lengths": True}
    p = problem_from_dict({**PLAIN, **split, "seqlen_q": rows, "seqlen_k": 400, "mask": "causal_bottom_right"})
    d = dispatcher(row_vectors=1)
    plan = d.plan(p)
    assert [s.name for s in plan.steps] == (["attend"] if splits == 1 else ["split", "combine"])
    tensors = OP.random_tensors(p, seed=3)
    OP.verify(p, tensors, d.run(p, **tensors), tier="float64").require(p.label())


def test_splits_occupy_the_threads() -> None:
    """One key head and many keys: as many parts as there are threads; with a head for each thread, none."""
    device = get_nominal_devices("x86_64_v4")[0]
    sizes = {**PLAIN, "family": "fwd_splitkv", "batch": 1, "seqlen_q": 1, "seqlen_k": 8192, "hdim_v": 32}
    for heads, least, most in ((1, device.threads // 2, device.threads), (device.threads, 1, 1)):
        p = problem_from_dict({**sizes, "heads_q": heads, "heads_kv": heads})
        spec = KernelSpec("fmha", "cpu", device.arch, p.signature, CPU.algorithm(row_vectors=1))
        (launch,) = CPU.launches(spec, p, device)
        assert least <= launch.num_splits <= most


def test_a_backward_pass_has_three_steps_and_the_same_bits_every_time() -> None:
    p = problem_from_dict({**PLAIN, **LONG, "heads_q": 1, "heads_kv": 1, "family": "bwd", "deterministic": True})
    d = dispatcher(threads=3, row_vectors=2)
    assert [s.name for s in d.plan(p).steps] == ["dot_do_o", "dq_dk_dv", "convert_dq"]
    assert d.plan(p).candidate.launch.num_splits == 3  # one key head, three threads: three parts of dQ
    found = []
    for _ in range(3):
        tensors = OP.random_tensors(p, seed=1)
        OP.verify(p, tensors, d.run(p, **tensors)).require("parts of dQ")
        found.append([tensors[r].copy() for r in p.outputs])
    for again in found[1:]:
        for a, b in zip(found[0], again, strict=True):
            np.testing.assert_array_equal(a, b)


def test_a_bound_plan_keeps_its_workspace() -> None:
    """The second call of a plan with steps writes the same answer, from memory that the first call left dirty."""
    p = problem_from_dict({**PLAIN, "family": "bwd", "bias": "elementwise", "dbias": True})
    tensors = OP.random_tensors(p, seed=4)
    bound = dispatcher(row_vectors=2).bind(p, **tensors)
    assert bound.plan.workspace_bytes >= sum(size for step in bound.plan.steps for _, size in step.buffers)
    first = [bound().copy(), tensors["dbias"].copy()]
    np.testing.assert_array_equal(bound(), first[0])
    np.testing.assert_array_equal(tensors["dbias"], first[1])


@pytest.mark.parametrize("dtype", ["fp32", "fp16"])
def test_strides_are_followed(dtype: str) -> None:
    """Q, K and V cut out of one tensor, as a fused projection leaves them."""
    shape = {"batch": 2, "seqlen_q": 13, "seqlen_k": 13, "heads_q": 4, "heads_kv": 4, "hdim_q": 32, "hdim_v": 32}
    step = (13 * 3 * 4 * 32, 3 * 4 * 32, 32, 1)
    p = problem_from_dict({**PLAIN, **shape, "dtype": dtype, "strides": dict.fromkeys(("q", "k", "v"), step)})
    tensors = OP.random_tensors(p, seed=2)
    assert tensors["k"].strides[1] == step[1] * tensors["k"].itemsize
    OP.verify(p, tensors, dispatcher(**FMA2).run(p, **tensors)).require("strided")


@pytest.mark.parametrize("name", ["long-dropout", "amx-dropout"])
def test_threads_do_not_change_the_answer(name: str) -> None:
    fields, algorithm = CASES[name]
    needs_inner(algorithm.get("inner", VECTOR_INNER))
    p = problem_from_dict({**PLAIN, **fields})
    outs = []
    for threads in (1, 3):
        tensors = OP.random_tensors(p, seed=1)
        outs.append(dispatcher(threads, **algorithm).run(p, **tensors).copy())
    np.testing.assert_array_equal(*outs)


@pytest.mark.parametrize(
    ("fields", "algorithm", "rule"),
    [
        ({"v_layout": "col", "dtype": "bf16"}, AMX2, "cpu.fmha.v_layout"),
        ({"family": "fwd_splitkv", "num_splits": 2, "dtype": "bf16"}, AMX2, "cpu.fmha.splits"),
        ({"dtype": "fp16"}, AMX2, "cpu.fmha.inner"),
        ({"family": "bwd", "dtype": "bf16"}, AMX2, "cpu.fmha.inner"),
        ({}, {"row_vectors": 8}, "cpu.fmha.tiles"),
        ({"dropout": 0.1, "dropout_rng": "ck"}, FMA1, "cpu.fmha.dropout_rng"),
        ({"strides": {"q": (9 * 4 * 64, 4 * 64, 64, 2)}}, FMA1, "cpu.fmha.contiguous_heads"),
    ],
)
def test_what_is_refused_names_its_rule(fields: dict[str, Any], algorithm: dict[str, Any], rule: str) -> None:
    p = problem_from_dict({**PLAIN, **fields})
    explained = dispatcher(**algorithm).explain(p, "x86_64_amx")  # an arch that has every inner loop
    assert not explained.ranked
    assert rule in {r.rule for _, rejections in explained.rejected for r in rejections}


def test_strict_reads_what_index_tensors_hold() -> None:
    p = problem_from_dict({**PLAIN, **FORWARD["pages"]})
    tensors = OP.random_tensors(p, seed=0)
    tensors["page_table"][0, 0] = -1
    registry = Registry("cpu")
    registry.declare(CPU.default_sets()[0])
    with pytest.raises(TensorError, match="sequence 0 names page -1 at 0; pages are 0 to"):
        Dispatcher(registry, settings=Settings(strict=True)).bind(p, **tensors)


def test_65536_fp16_outputs_are_within_1e4_of_float64() -> None:
    """The stated configuration of the documentation: one head, 1,024 x 1,024, hdim 64."""
    sizes = {"batch": 1, "heads_q": 1, "heads_kv": 1, "seqlen_q": 1024, "seqlen_k": 1024, "hdim_q": 64, "hdim_v": 64}
    p = problem_from_dict({"op": "fmha", **sizes, "dtype": "fp16"})
    tensors = OP.random_tensors(p, seed=0)
    out = dispatcher(shipped=True, row_vectors=4).run(p, **tensors)
    assert out.size == 65536
    assert np.abs(out.astype(np.float64) - OP.expected(p, tensors).value).max() <= 1e-4


@pytest.mark.parametrize("arch", ["x86_64", "x86_64_v3", "aarch64", "generic"])
@pytest.mark.parametrize(
    ("fields", "row_vectors", "splits"),
    [
        ({"hdim_v": 64, "family": "fwd_splitkv", "mask": "causal_bottom_right", "dtype": "fp16", "lse": True}, 4, 2),
        ({"seqlen_q": 1, "heads_q": 1, "heads_kv": 1}, 1, 1),
        ({"family": "bwd", "mask": "causal_bottom_right", "dropout": 0.2}, 2, 1),
    ],
    ids=["split", "one-row", "bwd"],
)
def test_narrower_registers(arch: str, fields: dict[str, Any], row_vectors: int, splits: int) -> None:
    """The code for narrower registers than this CPU may have, where it runs such code."""
    p = problem_from_dict({**PLAIN, **LONG, **fields})
    settings = Settings.from_env(threads=2)
    device = Dispatcher(Registry("none"), settings=settings).device_for(p)
    if not runs(get_arch(device.arch), get_arch(arch)):
        pytest.skip(f"this CPU does not run {arch}")
    spec = KernelSpec("fmha", "cpu", arch, p.signature, CPU.algorithm(row_vectors=row_vectors))
    artifact = build_one(CPU.request(spec, settings), Cache.from_settings(settings))
    candidate = Candidate(spec, Launch(num_splits=splits))
    plan = make_plan(p, candidate, CPU.load(spec, artifact), settings)
    tensors = OP.random_tensors(p, seed=2)
    out = plan.bind({role: view_of(t, role) for role, t in tensors.items()})()
    OP.verify(p, tensors, out, tier="float64").require(f"{arch} {p.label()}")
