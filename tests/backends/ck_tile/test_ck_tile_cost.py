"""The cost model is an estimate, but a sane one: never above the machine's limits, and it knows large from skinny."""

from __future__ import annotations

from dataclasses import replace

import pytest
from ck_tile_specs import LEGAL, problem_of, spec_of
from hypothesis import given, settings
from hypothesis import strategies as st

from tilewright.arch import get_arch, get_nominal_devices
from tilewright.backends.ck_tile.gemm import OP
from tilewright.backends.ck_tile.gemm.cost import resident_blocks
from tilewright.backends.ck_tile.gemm.features import work
from tilewright.model.kernel import Candidate, Launch
from tilewright.ops.gemm.problem import GemmProblem

(MI300X,) = get_nominal_devices("gfx942")
SMALL = {"tile_m": 64, "tile_n": 64, "pipeline": "mem", "scheduler": "interwave"}


def problem_for(spec, m, n, k):
    s = spec.signature
    fields = {f: getattr(s, f) for f in ("dtype_a", "dtype_b", "dtype_acc", "dtype_out", "layout", "b_format", "d")}
    return GemmProblem(m, n, k, **fields)


@settings(max_examples=100, deadline=None)
@given(
    spec=st.sampled_from(LEGAL),
    sizes=st.tuples(*[st.integers(1, 20000)] * 3),
    split_k=st.sampled_from((1, 2, 8)),
)
def test_no_estimate_beats_the_peak_or_the_bandwidth(spec, sizes, split_k):
    problem = problem_for(spec, *sizes)
    arch = get_arch(spec.arch)
    (device,) = get_nominal_devices(spec.arch)
    candidate = Candidate(spec, Launch(split_k=split_k))
    seconds = OP.predict(candidate, problem, device)
    peak = device.units * device.clock_mhz * 1e6 * arch.ops_per_cycle[spec.signature.dtype_a]
    assert seconds >= problem.flops / peak
    assert seconds >= problem.bytes / (device.bandwidth_gbps * 1e9)
    parts = work(*OP.formula_cost.numbers(candidate, problem, device))
    assert float(parts["predicted_us"]) == pytest.approx(1e6 * seconds, rel=1e-12)
    bounds = [float(parts[f"{name}_us"]) for name in ("compute", "issue", "lds", "l2", "memory")]
    assert max(bounds) < float(parts["predicted_us"])
    assert float(parts["rounds"]) * device.units >= float(parts["tiles"]) >= 1


@settings(max_examples=50, deadline=None)
@given(spec=st.sampled_from(LEGAL), sizes=st.tuples(*[st.integers(1, 4000)] * 3), dim=st.sampled_from("mnk"))
def test_more_work_never_takes_less_time(spec, sizes, dim):
    (device,) = get_nominal_devices(spec.arch)
    one = problem_for(spec, *sizes)
    two = replace(one, **{dim: 2 * getattr(one, dim)})
    launch = Launch()
    less, more = (OP.predict(Candidate(spec, launch), p, device) for p in (one, two))
    assert more >= less * 0.999


def best(problem, candidates):
    return min(candidates, key=lambda c: OP.predict(c, problem, MI300X))


def test_large_products_get_large_tiles_and_skinny_ones_small_tiles_or_a_split():
    large, small = spec_of(pad_k=True), spec_of(**SMALL)  # both judged by tile sizes
    pair = [Candidate(large), Candidate(small)]
    assert best(problem_of(m=8192, n=8192, k=8192), pair).spec is large
    assert best(problem_of(m=64, n=4096), pair).spec is small
    deep = problem_of(m=256, n=256, k=65536)
    splits = [Candidate(large, Launch(split_k=s)) for s in (1, 2, 4, 8, 16)]
    assert best(deep, splits).launch.split_k > 1
    assert best(problem_of(m=256 * 16, n=256 * 19), splits).launch.split_k == 1  # one tile for each unit


def test_launches_split_only_where_units_idle_and_k_is_deep_and_divisible():
    assert OP.launches(spec_of(), problem_of(m=8192, n=8192), MI300X) == [Launch()]
    assert OP.launches(spec_of(), problem_of(split_k=4), MI300X) == (Launch(split_k=4),)
    found = OP.launches(spec_of(), problem_of(m=256, n=256, k=65536), MI300X)
    assert found[0].split_k > 1
    assert len(found) <= 3
    odd = problem_of(m=256, n=256, k=64 * 1023)
    assert [x.split_k for x in OP.launches(spec_of(), odd, MI300X)] == [1]
    assert max(x.split_k for x in OP.launches(spec_of(pad_k=True), odd, MI300X)) > 1
    fused = problem_of(m=256, n=256, k=65536, epilogue="Relu")
    assert OP.launches(spec_of(signature=fused.signature), fused, MI300X) == [Launch()]
    deep = problem_of(m=256, n=256, k=65536)
    assert OP.launches(spec_of(epilogue="default"), deep, MI300X) == [Launch()]  # its stores cannot be added
    for launch in found:
        assert OP.check(spec_of(), get_arch("gfx942"), deep, launch) == ()


def test_residency_counts_both_buffers():
    arch, s = get_arch("gfx942"), spec_of().signature
    small = {"tile_m": 128, "tile_n": 128, "tile_k": 32}
    assert resident_blocks(spec_of(**small).algorithm, s, arch) == 3
    double = spec_of(**small, pipeline="compv4", double_smem_buffer=True).algorithm
    assert resident_blocks(double, s, arch) == 2
    assert resident_blocks(spec_of().algorithm, s, arch) == 1


def test_the_rule_of_thumb_says_why():
    score, reason = OP.preference(Candidate(spec_of()), problem_of(), MI300X)
    assert reason == (
        "256x256 tiles: 100% of the work is useful, 256 tiles keep 84% of 304 units busy in 1 round; "
        "compv3 suits a compute-bound product"
    )
    assert score < OP.preference(Candidate(spec_of(**SMALL)), problem_of(), MI300X)[0]
    assert score < OP.preference(Candidate(spec_of(pad_m=True)), problem_of(), MI300X)[0]


@pytest.mark.parametrize("size", [{"m": 0}, {"n": 0}, {"k": 0}])
def test_empty_problems_still_have_an_estimate(size):
    assert OP.predict(Candidate(spec_of()), problem_of(**size), MI300X) > 0
