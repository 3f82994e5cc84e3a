"""Rules, sets, launches and mappings of Triton convolutions, by arithmetic alone; kernels for absent GPUs."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

pytest.importorskip("triton")

from tilewright.arch import get_arch, get_nominal_devices
from tilewright.backends.triton.conv import OP
from tilewright.backends.triton.conv.algorithm import TritonConv, gemm_spec
from tilewright.backends.triton.conv.bind import geometry, merged_groups, values
from tilewright.backends.triton.conv.boxes import boxes_of
from tilewright.backends.triton.conv.geometry import division
from tilewright.backends.triton.conv.strip_course import live_turns, strip_config
from tilewright.jit import BuildFailure, Cache, build_many
from tilewright.model.kernel import Candidate, KernelSpec, Launch
from tilewright.model.kernel_set import expand
from tilewright.ops import problem_from_dict
from tilewright.ops.conv.product import as_gemm, not_a_product
from tilewright.ops.conv.signature import DIRECTIONS, ConvSignature
from tilewright.settings import Settings

GROUPED = {"n": 32, "g": 32, "c": 128, "k": 128, "input": [56, 56], "filter": [3, 3], "pad": 1, "dtype": "fp16"}
POINTWISE = {"n": 8, "g": 4, "c": 256, "k": 512, "input": [14, 14], "filter": [1, 1], "dtype": "fp16"}
DENSE = {**GROUPED, "g": 1, "c": 64, "k": 64}
BOXES = TritonConv(pipeline="hopper", tile_m=128, tile_n=64, tile_k=64, warps=8, stages=0, out_buffers=1)
GATHER = TritonConv(fold=True, merge=True, tile_m=64, tile_n=64, tile_k=32, stages=1)
THIN = TritonConv(pipeline="thin", tile_m=64, tile_n=64, tile_k=64)
ADDRESSES = {"input": 1 << 20, "weight": 2 << 20, "output": 3 << 20}
WINDOW = TritonConv(pipeline="window", tile_m=64, tile_n=16, tile_k=16, warps=4, stages=1)


STRIP = TritonConv(pipeline="strip", tile_m=16, tile_n=64, tile_k=64, warps=4, stages=1, channels=4, filter_h=3)
PLANES = replace(STRIP, tile_n=32, tile_k=32, channels=1, pair=16, span=2)


def conv(direction="forward", **fields):
    return problem_from_dict({"op": "grouped_conv", "direction": direction, **fields})


def broken(problem, algorithm, arch="sm_90", launch=None):
    spec = KernelSpec("conv", "triton", arch, problem.signature, algorithm)
    return {r.rule.removeprefix("triton.conv."): r for r in OP.check(spec, get_arch(arch), problem, launch)}


def h200():
    return next(d for d in get_nominal_devices("sm_90") if d.name.startswith("H200"))


def legal(problem, arch="sm_90"):
    sets = [s for s in OP.default_sets() if s.takes(problem.signature, arch)]
    specs = [x for s in sets for x in
             expand(s, get_arch(arch), problem.signature, OP.algorithm, OP.tunables(), OP.rules).specs]  # fmt: skip
    return [s for s in specs if not OP.check(s, get_arch(arch), problem)]


CASES = [
    ("dtype", conv(**{**GROUPED, "dtype": "int8"}), WINDOW),
    ("combine", conv(**GROUPED, epilogue={"combine": "multiply_add"}), WINDOW),
    ("tile", conv(**GROUPED), replace(WINDOW, tile_n=8)),
    ("registers", conv(**GROUPED), replace(WINDOW, tile_m=256, warps=1)),
    ("shared", conv(**GROUPED), TritonConv(tile_m=256, tile_n=256, tile_k=128, warps=8, stages=3)),
    ("traits", conv(**GROUPED), replace(WINDOW, filter_h=3)),
    ("traits", conv("backward_weight", **GROUPED), replace(WINDOW, filter_h=7, filter_w=7, span=8)),
    ("gemm", conv(**GROUPED), TritonConv(pipeline="gemm", warps=8, stages=0)),
    ("gemm_kernel", conv(**POINTWISE), TritonConv(pipeline="gemm", warps=8, stages=0, tile_n=7)),
    ("window", conv(**{**GROUPED, "stride": 2}), WINDOW),
    ("window", conv(**{**GROUPED, "dilation": 2, "pad": 2}), WINDOW),
    ("strip", conv(**{**GROUPED, "stride": 2}), STRIP),
    ("strip", conv(**{**GROUPED, "dilation": 2, "pad": 2}), STRIP),
    ("strip", conv("backward_data", **{**GROUPED, "stride": 2, "pad": [1, 2]}), replace(STRIP, stride_w=2, phase=1)),
    ("tile", conv(**GROUPED), replace(STRIP, warps=8)),
    ("tile", conv(**GROUPED), replace(STRIP, channels=1, tile_m=64)),
    ("registers", conv(**GROUPED), replace(STRIP, channels=1, span=8)),
    ("shared", conv(**GROUPED), replace(STRIP, tile_m=64, warps=16, span=8)),
    ("traits", conv(**GROUPED), replace(STRIP, filter_h=0)),
    ("channels", conv(**GROUPED), replace(STRIP, channels=8)),
    ("channels", conv(**{**GROUPED, "g": 4}), WINDOW),
    ("channels", conv(**GROUPED), replace(WINDOW, channels=8)),
    ("groups", conv(**GROUPED, strides={"input": [802816, 8, 1, 14336, 256]}), WINDOW),
    ("strides", conv(**GROUPED, layout="ngchw"), WINDOW),
    ("alignment", conv(**{**GROUPED, "g": 3, "c": 18, "k": 18}), WINDOW),
    ("fold", conv(**GROUPED), TritonConv(fold=True, vector_bytes=2)),
    ("even_k", conv(**GROUPED), TritonConv(even_k=True, vector_bytes=8)),
    ("split_k", conv(**GROUPED, split_k=4), WINDOW),
    ("box", conv(**{**DENSE, "k": 36}), BOXES),
    ("box", conv(**DENSE, alignment={"input": 8}), BOXES),
    ("box", conv(**{**DENSE, "stride": 9}), BOXES),
    ("box", conv("backward_data", **{**DENSE, "stride": 2}), BOXES),
    ("thin", conv(**DENSE), THIN),
    ("fold", conv(**DENSE), GATHER),
    ("fold", conv(**{**DENSE, "c": 6, "g": 2}), GATHER),
    ("fold", conv(**{**DENSE, "c": 3, "k": 20}), GATHER),  # lines of 40 bytes are written
    ("fold", conv(**{**DENSE, "c": 3}, strides={"weight": (0, 60, 1, 20, 6)}), GATHER),  # gaps between taps
    ("traits", conv("backward_data", **{**DENSE, "c": 3}), GATHER),
    ("thin", conv(**{**DENSE, "filter": [1, 1], "pad": 0, "c": 512}), THIN),
    ("fold", conv(**DENSE), replace(BOXES, fold=True)),
    ("traits", conv("backward_weight", **{**DENSE, "c": 3}), replace(BOXES, fold=True)),
    ("fold", conv("backward_weight", **{**DENSE, "c": 3}), replace(BOXES, fold=True, split=True, filter_h=7)),
    ("fold", conv("backward_weight", **{**DENSE, "c": 6}), replace(BOXES, fold=True, split=True, filter_h=3)),
    ("whole_groups", conv(**{**DENSE, "g": 2}), BOXES),
    (
        "whole_groups",
        conv("backward_weight", **{**DENSE, "g": 3, "c": 96, "k": 96}),
        replace(BOXES, tile_m=64, warps=4, split=True, merge=True),
    ),
    ("gemm_kernel", conv(**DENSE), replace(BOXES, tile_n=256, consumers=2)),
    ("traits", conv(**DENSE), replace(BOXES, split=True)),
    # Offsets of runs of channels are counted without a stride.
    ("traits", conv(**GROUPED, layout="ngchw"), TritonConv(merge=True, unit=False, vector_bytes=1)),
    ("traits", conv(**{**DENSE, "c": 1}, layout="ngchw"), TritonConv(fold=True, unit=False, vector_bytes=1)),
    ("alignment", conv(**DENSE, strides={"weight": (64, 1, 1, 192, 64)}), TritonConv()),  # filters that overlap
    ("thin", conv(**{**DENSE, "filter": [1, 1], "pad": 0}, strides={"weight": (2**40, 2**27, 1, 1, 1)}),
     replace(THIN, wide=True)),
]  # fmt: skip


@pytest.mark.parametrize("case", range(len(CASES)), ids=lambda i: f"{CASES[i][0]}{i}")
def test_rules_refuse_with_numbers_and_a_remedy(case):
    rule, problem, algorithm = CASES[case]
    found = broken(problem, algorithm)
    assert rule in found
    assert any(ch.isdigit() for ch in found[rule].message) or found[rule].remedy
    assert found[rule].remedy


def test_every_problem_rule_is_met_by_a_case():
    missing = {r.id.removeprefix("triton.conv.") for r in OP.rules} - {rule for rule, _, _ in CASES}
    assert missing == {"index"}  # below


def test_tensors_over_two_to_the_31_elements_need_wide_offsets():
    large = conv(**{**GROUPED, "n": 6000})
    assert "index" in broken(large, WINDOW)
    assert not broken(large, replace(WINDOW, wide=True))
    for direction in DIRECTIONS:
        served = legal(conv(direction, **{**GROUPED, "n": 6000}))
        assert served, direction
        # Tensor maps have positions, not offsets.
        assert all(s.algorithm.wide or s.algorithm.pipeline == "hopper" for s in served), direction
    assert "index" in broken(conv(**{**GROUPED, "n": 2**20}), replace(WINDOW, wide=True))
    # The last tile counts pixels past the last one, in 32 bits too.
    pixels = {**DENSE, "c": 1, "k": 1, "input": [8, 8]}
    wide = TritonConv(vector_bytes=2, wide=True)
    assert "index" in broken(conv(**{**pixels, "n": 2**25 - 1}), wide)
    assert "index" not in broken(conv(**{**pixels, "n": 2**25 - 2**15}), wide)


def test_merged_groups_are_written_by_pointers_or_as_shares():
    merged = replace(BOXES, tile_m=64, warps=4, merge=True)
    p = conv("backward_weight", **GROUPED)
    assert not broken(p, replace(merged, store="pointer"))
    assert not broken(p, replace(merged, split=True, order="tiles"))
    assert "traits" in broken(p, replace(merged, store="pointer", split=True, order="tiles"))
    assert "traits" in broken(p, merged)
    assert "traits" in broken(conv(**GROUPED), replace(merged, store="pointer"))


def test_gathered_positions_fit_one_number():
    volume = {"n": 1, "c": 1, "k": 64, "filter": [3, 3, 3], "pad": 1, "dtype": "fp16"}
    assert not broken(conv(**volume, input=[511, 8, 1023]), GATHER)
    assert "fold" in broken(conv(**volume, input=[512, 8, 8]), GATHER)
    assert "fold" in broken(conv(**volume, input=[8, 8, 1024]), GATHER)


def test_the_division_by_multiplication_is_exact():
    for places in (1, 2, 3, 7, 14, 28, 56, 57, 112, 1000, 2**16 + 1, 2**30 + 3):
        factor, shift = division(places)
        assert factor < 2**32
        for x in (0, 1, places - 1, places, 7 * places - 1, 2**31 - 1):
            if x < 2**31:
                assert (x if factor == 0 else x * factor >> (32 + shift)) == x // places


def test_as_many_groups_as_fit_share_a_tile():
    p = conv(**GROUPED)
    assert merged_groups(p, WINDOW) == 4
    assert merged_groups(p, replace(WINDOW, tile_n=32, tile_k=32)) == 8
    assert geometry(p, WINDOW, Launch(), 132).programs == 8 * -(-32 * 56 * 14 // 64)


def test_backward_data_has_one_class_of_programs_per_residue():
    p = conv("backward_data", **{**GROUPED, "stride": 2})
    assert geometry(p, TritonConv(), Launch(), 132).classes == 4
    assert geometry(p, replace(WINDOW, stride_w=2, phase=1), Launch(), 132).classes == 2


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_a_pointwise_convolution_is_a_batch_of_products(direction):
    p = conv(direction, **POINTWISE)
    assert not_a_product(p) is None
    product = as_gemm(p)
    assert product.batch == 4
    assert product.flops == p.flops
    served = [s for s in legal(p) if s.algorithm.pipeline == "gemm"]
    assert {gemm_spec(s).op for s in served} == {"gemm"}
    assert {s.algorithm.inner for s in served} == {"hopper", "pointer"}
    assert OP.request(served[0], Settings()).spec_digest == gemm_spec(served[0]).digest


@pytest.mark.parametrize("change", [{"stride": 2}, {"pad": 1}, {"filter": [3, 3]}, {"layout": "ngchw"}])
def test_what_is_no_product_says_why(change):
    assert not_a_product(conv(**{**POINTWISE, **change}))


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("arch", ["sm_80", "sm_90", "gfx942", "gfx1100"])
@pytest.mark.parametrize("dtype", ["fp16", "fp32"])
def test_each_arch_serves_each_direction(arch, direction, dtype):
    for fields in (GROUPED, {**GROUPED, "g": 128}, {**GROUPED, "layout": "ngchw"}):
        p = conv(direction, **{**fields, "dtype": dtype})
        if get_arch(arch).has_dtype(dtype):
            assert legal(p, arch), (arch, p.label())


def test_the_cost_model_prefers_what_each_problem_is_for():
    for fields, pipelines in ((GROUPED, {"strip"}), ({**GROUPED, "g": 128}, {"strip"}), (POINTWISE, {"gemm"}),
                              ({**GROUPED, "g": 1, "c": 256, "k": 256}, {"hopper"})):  # fmt: skip
        p = conv(**fields)
        candidates = [Candidate(s, x) for s in legal(p) for x in OP.launches(s, p, h200())]
        assert min(candidates, key=lambda c: OP.predict(c, p, h200())).spec.algorithm.pipeline in pipelines
        best = min(candidates, key=lambda c: OP.preference(c, p, h200())[0])
        assert best.spec.algorithm.pipeline in pipelines


def test_shares_of_backward_weight_fill_the_gpu_and_leave_room_for_a_constraint():
    p = conv("backward_weight", **GROUPED)
    spec = KernelSpec("conv", "triton", "sm_90", p.signature, replace(WINDOW, filter_h=3))
    splits = [x.split_k for x in OP.launches(spec, p, h200())]
    assert len(splits) > 1
    assert max(splits) * 8 >= h200().units
    fixed = conv("backward_weight", **GROUPED, split_k=5)
    assert [x.split_k for x in OP.launches(spec, fixed, h200())] == [5]
    workspace = geometry(fixed, spec.algorithm, Launch(split_k=5), 132).workspace
    assert workspace == 5 * 4 * 128 * 4 * 9
    assert geometry(fixed, replace(spec.algorithm, sum="atomic"), Launch(split_k=5), 132).workspace * 5 == workspace


def test_boxes_waste_few_pixels_and_stay_within_a_tensor_map():
    sizes = {(64, 14): (32, 1, 2, 2), (1, 14): (1, 1, 8, 16), (64, 56): (2, 1, 8, 8), (2, 512): (1, 1, 1, 128)}
    for (n, size), box in sizes.items():
        p = conv(**{**DENSE, "n": n, "input": [size, size]})
        assert boxes_of(p, BOXES).size == box, (n, size)
    p = conv(**{**DENSE, "input": [2048, 2048], "stride": 8})
    assert boxes_of(p, replace(BOXES, tile_m=256)).size[3] == 32  # 32 pixels, 8 apart, span 249 <= 256


def test_boxes_of_a_strided_gradient_come_in_classes():
    p = conv("backward_data", **{**DENSE, "stride": 2})
    assert boxes_of(p, BOXES).classes == 4
    assert boxes_of(p, BOXES).total * 128 == 32 * 28 * 28
    grid, args = values(KernelSpec("conv", "triton", "sm_90", p.signature, BOXES), p, Launch(), ADDRESSES, 0, 132)
    assert grid == (132, 1, 1)
    assert args["src_desc"]["steps"] == [1, 1, 1, 1]
    forward = conv(**{**DENSE, "stride": 2})
    spec = KernelSpec("conv", "triton", "sm_90", forward.signature, BOXES)
    read = values(spec, forward, Launch(), ADDRESSES)[1]["src_desc"]
    assert read["steps"] == [1, 1, 2, 2]
    assert read["shape"] == [32, 1, 56, 56, 64]
    assert read["strides"] == [56 * 56 * 64, 64, 56 * 64, 64, 1]


def test_strips_are_cut_to_fill_the_gpu_and_cover_every_row():
    for direction in DIRECTIONS:
        for stride, height in ((1, 7), (1, 56), (2, 57)):
            p = conv(direction, **{**GROUPED, "input": [height, 30], "stride": stride})
            back = direction == "backward_data"
            a = replace(STRIP, stride_w=stride, phase=1 if back and stride == 2 else 0)
            assert not broken(p, a)
            shape = geometry(p, a, Launch(split_k=9 if direction == "backward_weight" else 1), 132)
            rows = shape.segments * shape.turns * (stride if back else 1)
            assert rows - a.phase >= (p.input if back else p.output)[0]
            assert rows - a.phase - shape.turns * (stride if back else 1) < (p.input if back else p.output)[0]
    # With one segment, turns outside of the image add nothing.
    depthwise = conv(**{**GROUPED, "g": 128, "input": [7, 7], "filter": [7, 7], "pad": 3})
    seven = replace(STRIP, channels=1, filter_h=7, filter_w=7, tile_m=4)
    shape = geometry(depthwise, seven, Launch(), 132)
    one = shape._replace(segments=1, turns=7)
    assert live_turns(depthwise, seven, one) == (3, 10)
    assert live_turns(depthwise, seven, one._replace(segments=2, turns=4)) == (0, 10)
    assert live_turns(replace(depthwise, direction="backward_data"), seven, one) == (3, 10)
    # Two rows to a turn: (-3, -2), (-1, 0), ... (5, 6), (7, 8), (9, 10).
    planes, weight = replace(seven, pair=16, tile_m=16), replace(depthwise, direction="backward_weight")
    shape = geometry(weight, planes, Launch(split_k=2), 132)
    assert shape.turns == 4
    assert live_turns(weight, planes, shape) == (1, 5)


def signature(direction, layout="nhwgc"):
    return ConvSignature(direction, "fp16", "fp16", "fp16", "fp32", layout)


DEPTHWISE = TritonConv(pipeline="depthwise", tile_m=8, tile_n=64, tile_k=64, warps=2, stages=1)
TILE = TritonConv(tile_m=64, tile_n=64, tile_k=32, warps=4, stages=2)
COMPILED = [
    ("sm_90", signature("forward"), replace(TILE, even_k=True), "wgmma.mma_async"),
    ("sm_90", signature("backward_data"), replace(WINDOW, channels=8, stride_w=2, phase=1), "wgmma.mma_async"),
    ("sm_90", signature("backward_weight"), replace(WINDOW, filter_h=3, channels=16, span=2), "mma.sync"),
    ("sm_90", signature("forward"), replace(BOXES, consumers=2), "cp.async.bulk.tensor.5d.shared::cluster"),
    ("sm_90", signature("backward_weight"), replace(BOXES, split=True), "cp.async.bulk.tensor.5d.shared::cluster"),
    ("sm_90", signature("forward"), replace(STRIP, channels=16, stride_w=2, stages=2), "ldmatrix"),
    ("sm_90", signature("backward_data"), replace(BOXES, tile_n=96, fold=True, store="pointer"), "st.global.v4.b32"),
    ("sm_80", signature("backward_data"), replace(STRIP, channels=8, stride_w=2, phase=1), "mma.sync"),
    ("sm_90", signature("backward_weight"), replace(STRIP, span=2), "ldmatrix"),
    ("sm_90", signature("forward"), replace(STRIP, channels=1, tile_m=8, filter_h=5, filter_w=5), "cp.async"),
    ("sm_90", signature("backward_weight"), replace(STRIP, channels=1, tile_m=8), "cp.async"),
    ("sm_80", signature("backward_weight"), replace(PLANES, filter_h=5, filter_w=5, stride_w=2), "mma.sync"),
    ("sm_80", signature("forward", "nwgc"), TILE, "mma.sync"),
    ("sm_90", signature("forward"), GATHER, "st.global.v4.b32"),
    ("gfx942", signature("forward", "ndhwgc"), TILE, "v_mfma"),
    ("gfx942", signature("backward_weight"), TILE, "v_mfma"),
    ("gfx1100", signature("backward_data"), TILE, "v_wmma"),
    ("gfx942", signature("forward"), DEPTHWISE, "v_pk_fma_f32"),
]  # fmt: skip


def loaded_meta(artifact):
    return json.loads(artifact.file("kernel.json").read_text())


def spec_of(arch, s, algorithm):
    return KernelSpec("conv", "triton", arch, s, algorithm)


def compiled_cases():
    """One case of each pipeline and kind of GPU by default; they take seconds each."""
    usual = {0, 3, 5, 6, 10, 13, 14, 16}
    for i, (arch, s, _, _) in enumerate(COMPILED):
        yield pytest.param(i, id=f"{arch}-{s.direction}{i}", marks=[] if i in usual else pytest.mark.exhaustive)


@pytest.mark.parametrize("case", list(compiled_cases()))
def test_kernels_for_absent_gpus_hold_their_instructions(case):
    arch, s, algorithm, instruction = COMPILED[case]
    settings = Settings.from_env()
    request = OP.request(spec_of(arch, s, algorithm), settings)
    (artifact,) = build_many([request], Cache.from_settings(settings), max_workers=1)
    assert not isinstance(artifact, BuildFailure), artifact.log
    assembly = artifact.file("kernel.amdgcn" if arch.startswith("gfx") else "kernel.ptx").read_text()
    assert instruction in assembly
    meta = loaded_meta(artifact)
    assert meta["arch"] == arch
    assert ("finish.json" in artifact.files) == (s.direction == "backward_weight")
    if algorithm.pipeline in ("hopper", "strip"):
        assert meta["stack_bytes"] == 0  # nothing spills
    if algorithm.pipeline == "strip":
        # What the rules say about shared memory is what is taken.
        assert meta["shared"] == pytest.approx(2 * strip_config(spec_of(arch, s, algorithm)).shared, rel=0.05)
    loaded = OP.load(spec_of(arch, s, algorithm), artifact)
    assert loaded.product.meta["arch"] == arch
