"""Predicted times of both AMD backends: seconds of one clock, above what bytes and products take, in a sane order."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tilewright.arch import get_arch, get_nominal_devices
from tilewright.backends import get_backend_op
from tilewright.backends.ck_tile.conv import OP as CK_CONV
from tilewright.backends.ck_tile.conv.features import work
from tilewright.backends.ck_tile.fmha import OP as CK_FMHA
from tilewright.backends.ck_tile.fmha.features import work as attention
from tilewright.backends.formula_cost import problem_numbers
from tilewright.backends.gpu.kernel_counts import shipped_counts
from tilewright.cpp import engine
from tilewright.model.device import Device
from tilewright.model.kernel import Candidate, Launch
from tilewright.ops import problem_from_dict
from tilewright.registry import default_registry
from tilewright.select.formulas import Formulas
from tilewright.settings import Settings

BACKENDS = ("ck_tile", "triton")
ARCHS = ("gfx942", *(pytest.param(a, marks=pytest.mark.exhaustive) for a in ("gfx90a", "gfx950", "gfx1100", "gfx1201")))
FEW = 12  # candidates of one problem and backend
PER_OP = 4  # problems of an arch
APART = 12.0  # the best of two backends on the same problem; 80 was a missing term
DEPTHWISE = {"op": "grouped_conv", "n": 32, "g": 256, "c": 256, "k": 256, "input": [28, 28], "filter": [3, 3],
             "pad": [1, 1], "dtype": "fp16", "direction": "forward"}  # fmt: skip


def drawn(op: str, rng: random.Random) -> dict[str, Any]:
    """One problem of any size that a network might have."""
    if op == "gemm":
        m, n, k = (rng.choice((16, 64, 200, 512, 1024, 4096, 8192)) for _ in range(3))
        return {"op": op, "m": m, "n": n, "k": k, "dtype": rng.choice(("fp16", "bf16"))}
    if op == "fmha":
        rows, sizes = rng.choice((128, 512, 2048)), {"batch": rng.choice((1, 4, 16)), "heads_q": rng.choice((4, 16))}
        return {"op": op, "family": "fwd", **sizes, "seqlen_q": rows, "hdim_q": rng.choice((64, 128)), "dtype": "fp16"}
    side, taps, g = rng.choice((7, 14, 56)), rng.choice((1, 3)), rng.choice((1, 1, 4, 32))
    sizes = {"n": rng.choice((1, 8, 64)), "c": rng.choice((64, 256)), "k": rng.choice((64, 256)), "g": g}
    return {"op": "grouped_conv", **sizes, "input": [side, side], "filter": [taps, taps], "pad": [taps // 2] * 2,
            "stride": [rng.choice((1, 2))] * 2, "dtype": "fp16",
            "direction": rng.choice(("forward", "backward_data", "backward_weight"))}  # fmt: skip


def device_of(arch: str) -> Device:
    return get_nominal_devices(arch)[0]


def predicted(backend: str, problem: Any, device: Device) -> list[tuple[float, Candidate]]:
    """(seconds, candidate) of every legal candidate, best first."""
    op = get_backend_op(backend, problem.op)
    legal = default_registry((backend,)).consider(problem, device).legal
    return sorted(((op.predict(c, problem, device), c) for c in legal), key=lambda pair: pair[0])


@pytest.mark.parametrize("op", ["gemm", "conv", "fmha"])
@pytest.mark.parametrize("arch", ARCHS)
def test_no_prediction_is_below_the_time_of_bytes_or_products(arch: str, op: str) -> None:
    rng, device, best = random.Random(f"{arch} {op}"), device_of(arch), 0
    rates = get_arch(arch).ops_per_cycle
    for _ in range(PER_OP):
        problem = problem_from_dict(drawn(op, rng))
        peak = device.units * device.clock_mhz * 1e6 * rates[problem.operand_dtype]
        floor = max(problem.bytes / (device.bandwidth_gbps * 1e9), problem.flops / peak)
        first = {}
        for backend in BACKENDS:
            times = predicted(backend, problem, device)
            for seconds, candidate in times[:FEW]:
                assert seconds >= floor, (problem.label(), candidate.spec.name, seconds, floor)
            if times:
                first[backend] = times[0][0]
        if len(first) == len(BACKENDS):
            best += 1
            ratio = first["ck_tile"] / first["triton"]
            assert 1 / APART < ratio < APART, (problem.label(), first)
    assert best or (op, arch) == ("fmha", "gfx1100")  # CK Tile has no attention there


HARD = {  # bound by bytes, or by products whose rate differs between dtypes
    "gemv": {"op": "gemm", "m": 1, "n": 8192, "k": 8192, "dtype": "fp16"},
    "thin": {"op": "gemm", "m": 8192, "n": 16, "k": 4096, "dtype": "bf16"},
    "batched": {"op": "gemm", "m": 16, "n": 1024, "k": 1024, "batch": 64, "dtype": "bf16"},
    "volume": {"op": "grouped_conv", "n": 8, "c": 256, "k": 512, "input": [56] * 3, "filter": [3] * 3, "pad": [1] * 3,
               "stride": [2] * 3, "dtype": "bf16", "direction": "forward"},
    "weight": {"op": "grouped_conv", "n": 64, "c": 256, "k": 64, "input": [56, 56], "filter": [1, 1], "dtype": "bf16",
               "direction": "backward_weight"},
    "decode": {"op": "fmha", "family": "fwd_splitkv", "batch": 16, "heads_q": 32, "heads_kv": 8, "seqlen_q": 1,
               "seqlen_k": 16384, "hdim_q": 128, "dtype": "bf16"},
    "long": {"op": "fmha", "batch": 4, "heads_q": 16, "seqlen_q": 8192, "hdim_q": 128, "dtype": "bf16"},
    "many": {"op": "gemm", "m": 128, "n": 128, "k": 128, "batch": 4096, "dtype": "fp16"},
}  # fmt: skip


ON = [*((arch, name) for arch in ("gfx908", "gfx950") for name in HARD), ("gfx1100", "many"), ("gfx1100", "thin")]


@pytest.mark.parametrize(("arch", "name"), ON)
def test_no_prediction_of_a_bound_problem_is_below_its_bound(arch: str, name: str) -> None:
    problem, device = problem_from_dict(HARD[name]), device_of(arch)
    peak = device.units * device.clock_mhz * 1e6 * get_arch(arch).ops_per_cycle[problem.operand_dtype]
    floor = max(problem.bytes / (device.bandwidth_gbps * 1e9), problem.flops / peak)
    for backend in BACKENDS:
        for seconds, candidate in predicted(backend, problem, device)[:1]:
            assert seconds >= floor, (candidate.spec.name, candidate.launch, seconds / floor)


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
def test_counts_put_no_attention_above_the_peak(arch: str) -> None:
    counted = [spec for spec, _ in shipped_counts("ck_tile", "fmha", arch)]
    assert counted
    for spec in counted:
        heads = {"hdim_q": spec.signature.hdim_q, "hdim_v": spec.signature.hdim_v}
        problem = problem_from_dict({**HARD["long"], **heads})
        k, p, d = CK_FMHA.formula_cost.numbers(Candidate(spec), problem, device_of(arch))
        peak = k["peak_rate"] * d["units"] * d["clock"]
        assert float(attention(k, p, d)["compute_us"]) >= 1e6 * problem.flops / peak, spec.name


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
def test_a_depthwise_layer_is_not_left_to_a_kernel_of_whole_tiles(arch: str) -> None:
    problem, device = problem_from_dict(DEPTHWISE), device_of(arch)
    ck, triton = (predicted(backend, problem, device) for backend in BACKENDS)
    assert ck
    assert triton
    assert ck[0][0] > 4e-6, "a launch alone takes longer"
    assert triton[0][0] < ck[0][0], "CK Tile multiplies tiles of which one column is wanted"


def conv(**changes: Any) -> Any:
    base = {"op": "grouped_conv", "n": 8, "c": 64, "k": 64, "input": [28, 28], "filter": [3, 3], "pad": [1, 1]}
    return problem_from_dict({**base, "direction": "forward", "dtype": "fp16", **changes})


def seconds_of(candidate: Candidate, problem: Any, arch: str = "gfx942") -> float:
    return float(CK_CONV.predict(candidate, problem, device_of(arch)))


def kernel(direction: str, **fields: Any) -> Candidate:
    """The first CK Tile kernel of a direction with these fields that has no counts."""
    found = predicted("ck_tile", conv(direction=direction), device_of("gfx942"))
    specs = [c.spec for _, c in found if fields.items() <= vars(c.spec.algorithm).items()]
    return Candidate(specs[0].with_algorithm(block_per_cu=4))


def test_narrow_vectors_take_longer() -> None:
    wide = Candidate(kernel("forward").spec.with_algorithm(vector_a=8, vector_b=8))
    narrow = Candidate(wide.spec.with_algorithm(vector_a=1, vector_b=1))
    assert seconds_of(narrow, conv(n=64)) > 1.2 * seconds_of(wide, conv(n=64))


def test_splits_pay_where_units_idle_and_cost_where_they_do_not() -> None:
    one = kernel("backward_weight", two_stage=False, tile_m=64, tile_n=64)
    split = Candidate(one.spec, Launch(split_k=8))
    few = conv(direction="backward_weight", n=64, filter=[1, 1], pad=[0, 0])
    many = conv(direction="backward_weight", n=1, c=2048, k=2048, input=[7, 7])
    assert seconds_of(split, few) < seconds_of(one, few)
    assert seconds_of(split, many) > seconds_of(one, many)


def test_a_second_stage_costs_a_launch() -> None:
    one = kernel("backward_weight", two_stage=False)
    problem = conv(direction="backward_weight")
    two = Candidate(one.spec.with_algorithm(two_stage=True))
    assert seconds_of(two, problem) > seconds_of(one, problem) + 3e-6


@pytest.mark.parametrize("direction", ["forward", "backward_data", "backward_weight"])
@pytest.mark.parametrize("more", [{"n": 16}, {"c": 128}, {"k": 128}, {"input": [56, 56]}])
def test_more_work_never_takes_less_time(direction: str, more: dict[str, Any]) -> None:
    found = predicted("ck_tile", conv(direction=direction), device_of("gfx942"))
    for _, candidate in found[:: max(1, len(found) // 20)]:
        less, most = (seconds_of(candidate, conv(direction=direction, **x)) for x in ({}, more))
        assert most >= less * 0.999, candidate.spec.name


def test_the_parts_of_a_prediction_are_told() -> None:
    candidate, problem = kernel("forward"), conv()
    parts = work(*CK_CONV.formula_cost.numbers(candidate, problem, device_of("gfx942")))
    assert float(parts["predicted_us"]) == pytest.approx(1e6 * seconds_of(candidate, problem), rel=1e-12)
    bounds = [float(parts[f"{name}_us"]) for name in ("compute", "issue", "lds", "l2", "memory")]
    assert 0 < max(bounds) < float(parts["predicted_us"])


class Scores:
    """A scorer whose formulas say that every candidate takes no time."""

    how = "C"

    def predict(self, candidates: Any, *numbers: Any) -> Any:
        return SimpleNamespace(seconds=np.full(len(candidates), 1e-12))


def test_formulas_are_bounded_as_predictions_are(monkeypatch: pytest.MonkeyPatch) -> None:
    problem, device = problem_from_dict(HARD["many"]), device_of("gfx942")
    op = get_backend_op("triton", "gemm")
    least = op.least_seconds(problem, device)
    candidates = default_registry(("triton",)).consider(problem, device).legal[:3]
    table = Formulas("triton", "gemm", "gfx942", Settings())
    monkeypatch.setattr(table, "_scorer", Scores())
    monkeypatch.setattr(type(op), "predict", lambda *_: least)
    found = table.best(problem, candidates, device)
    assert found is not None
    assert found.seconds == least


def test_the_engine_of_bundles_has_the_same_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "arch_named", get_arch)
    for arch, backend in (("gfx942", "triton"), ("gfx950", "ck_tile"), ("sm_90", "triton")):
        problem, device = problem_from_dict(HARD["gemv"]), device_of(arch)
        d = engine.device_numbers(device, problem.operand_dtype)
        got = engine.least_of(device, problem_numbers(problem), d)
        assert got == get_backend_op(backend, "gemm").least_seconds(problem, device)
        assert (got > 0.0) == arch.startswith("gfx")
