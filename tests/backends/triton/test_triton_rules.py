"""The rules of the triton backend say what was got, the limit and the remedy; its sets expand to legal kernels."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilewright.arch import get_arch
from tilewright.backends.triton.gemm import OP
from tilewright.backends.triton.gemm.algorithm import TritonGemm, view_of
from tilewright.backends.triton.gemm.bind import copies
from tilewright.backends.triton.gemm.pipelines.hopper.ring import part_width
from tilewright.model.dtype import get_dtype
from tilewright.model.kernel import KernelSpec
from tilewright.model.kernel_set import expand
from tilewright.ops.gemm.epilogue import DTensor
from tilewright.ops.gemm.problem import GemmProblem
from tilewright.ops.gemm.signature import GemmSignature

FP16 = GemmSignature("fp16", "fp16", "fp32", "fp16", "rcr")
FP8 = GemmSignature("fp8", "fp8", "fp32", "bf16", "rcr")
HOPPER = TritonGemm(pipeline="hopper", tile_n=256, warps=8, stages=4)


def broken(arch="sm_90", signature=FP16, problem=None, **fields):
    spec = KernelSpec("gemm", "triton", arch, signature, replace(HOPPER, **fields))
    return {r.rule: r for r in OP.check(spec, get_arch(arch), problem)}


def problem(**fields):
    return GemmProblem.from_dict({"m": 512, "n": 512, "k": 512, "dtype": "fp16", **fields})


def test_a_good_kernel_breaks_no_rule():
    assert broken() == {}
    assert broken(problem=problem()) == {}
    assert broken(problem=problem(), tile_n=136) == {}
    assert broken(tile_n=144, cluster=2) == {}


@pytest.mark.parametrize(
    ("fields", "rule", "numbers"),
    [
        ({"stages": 5}, "shared", "279,120 B > 232,448 B"),
        ({"warps": 4}, "registers", "256 accumulator registers per thread > 192"),
        ({"tile_m": 32}, "tile", "32x256; hopper takes at least 64x8"),
        ({"tile_n": 228}, "narrowed", "228 columns with shares that are no multiple of 8"),
        ({"tile_n": 136, "cluster": 2}, "narrowed", "136 columns with shares that are no multiple of 8"),
        ({"tile_n": 136, "tile_k": 128, "stages": 2}, "narrowed", "128 elements per step; slabs have 128 bytes"),
        ({"tile_n": 136, "signature": replace(FP16, layout="rrr")}, "narrowed", "a B whose K is not contiguous"),
        ({"tile_n": 136, "signature": FP8, "tile_k": 128}, "narrowed", "operands of fp8"),
        ({"tile_k": 8}, "instruction", "tile_k 8 < 16"),
        ({"tile_m": 64}, "instruction", "multiple of 128; it is 64"),
        ({"tile_n": 64, "blocks_per_unit": 2, "stages": 2}, "entry_registers", "80 registers; wgmma needs 90"),
        ({"accumulate": "promoted"}, "traits", "not 8-bit floats"),
        ({"reduce": "after"}, "traits", "without a hopper split"),
        ({"vector_bytes": 4}, "traits", "pointer traits in the hopper pipeline"),
        ({"arch": "sm_80"}, "pipeline", "sm_80 has no TMA"),
        ({"signature": FP8, "arch": "sm_80"}, "arch_dtype", "sm_80 does not compute with fp8"),
        ({"signature": replace(FP16, dtype_out="fp8"), "arch": "sm_80"}, "arch_dtype", "does not convert fp8"),
        (
            {"signature": replace(FP16, d=(DTensor("fp8", "row"),)), "arch": "sm_80"},
            "arch_dtype",
            "does not convert fp8",
        ),
        ({"signature": replace(FP16, dtype_b="fp8")}, "dtype", "A is fp16 and B is fp8"),
        ({"signature": replace(FP16, dtype_acc="fp16")}, "dtype", "into fp16"),
        ({"signature": replace(FP8, layout="rrr"), "tile_k": 128}, "box", "wgmma reads only 16-bit types"),
        ({"signature": replace(FP16, layout="rrr"), "tile_n": 8, "warps": 4}, "box", "B has 8 columns side by side"),
        (
            {
                "signature": replace(FP16, dtype_out="fp8", layout="rcc"),
                "tile_m": 64,
                "tile_n": 8,
                "warps": 4,
                "swap_ab": True,
            },
            "box",
            "stored 8 bytes at a time",
        ),
        (
            {"signature": replace(FP16, dtype_out="fp8"), "pipeline": "tma_persistent", "tile_n": 16, "stages": 3},
            "box",
            "stored 8 bytes at a time",
        ),
        ({"problem": problem(k=500)}, "alignment", "a is aligned to 8 bytes"),
        ({"problem": problem(n=515)}, "alignment", "out is aligned to 2 bytes"),
        ({"problem": problem(strides={"a": [0, 2048, 2]})}, "strides", "a stride of 2"),
        ({"problem": problem(groups=4)}, "groups", "rows in 4 groups"),
        ({"problem": problem(split_k=4)}, "split_k", "split_k = 4 is asked for"),
        ({"problem": problem(split_k=16), "split": True}, "split_k", "K = 512 has 8 steps of 64"),
    ],
)
def test_a_broken_rule_says_the_numbers(fields, rule, numbers):
    found = broken(**fields)
    said = found.get(f"triton.gemm.{rule}")
    assert said is not None, found
    assert numbers in said.message
    assert said.remedy


def test_pointer_kernels_take_what_tma_cannot():
    pointer = {"pipeline": "pointer", "tile_n": 128, "stages": 3, "vector_bytes": 2}
    assert broken(problem=problem(n=515, k=501), **pointer) == {}
    assert "triton.gemm.index" in broken(problem=problem(strides={"a": [0, 2**26, 1]}), **pointer)
    wide = {**pointer, "wide": True}
    assert "triton.gemm.index" not in broken(problem=problem(strides={"a": [0, 2**26, 1]}), **wide)
    assert "triton.gemm.even_k" in broken(problem=problem(k=500), **pointer, even_k=True)


def test_sizes_that_overflow_when_rounded_up_to_tiles_are_refused():
    pointer = {"pipeline": "pointer", "tile_n": 128, "stages": 3, "vector_bytes": 1}
    for k, is_refused in ((2**31 - 1, True), (2**31 - 1023, True), (2**31 - 1024, False)):
        p = problem(m=1, n=1, k=k, dtype="int8")
        assert ("triton.gemm.index" in broken(signature=p.signature, problem=p, **pointer)) == is_refused


@pytest.mark.parametrize("dtype", ["fp16", "fp8"])
@pytest.mark.parametrize("layout", ["rcr", "rcc"])
@pytest.mark.parametrize("dtype_out", ["fp8", "fp16", "fp32"])
def test_every_box_of_a_kernel_on_offer_has_lines_of_16_bytes(dtype, layout, dtype_out):
    signature = GemmSignature(dtype, dtype, "fp32", dtype_out, layout)
    arch, seen = get_arch("sm_90"), 0
    sets = [s for s in OP.default_sets() if s.takes(signature, "sm_90") and s.name.startswith("triton_hopper")]
    for spec in (k for s in sets for k in expand(s, arch, signature, OP.algorithm, OP.tunables(), OP.rules).specs):
        a, view = spec.algorithm, view_of(signature, spec.algorithm)
        columns = part_width(signature, a) if view.out_row else a.tile_m
        assert a.store == "pointer" or columns * get_dtype(dtype_out).bytes >= 16, spec.name
        seen += 1
    assert seen > 50


@pytest.mark.parametrize(
    ("fields", "rule"),
    [
        ({"dtype_a": "bf16", "dtype_b": "fp16"}, "dtype"),
        ({"dtype_a": "fp32", "dtype_b": "int32"}, "dtype"),
        ({"dtype_out": "int8"}, "dtype"),
        ({"dtype_out": "fp8_fnuz"}, "arch_dtype"),
        ({"d": [{"dtype": "bf8_fnuz"}], "epilogue": {"combine": "add"}}, "arch_dtype"),
        ({"dtype": "int8", "dtype_out": "int32", "epilogue": {"alpha": 0.0}}, "alpha"),
    ],
)
def test_what_triton_cannot_compile_or_would_ignore_is_refused(fields, rule):
    p = problem(**{**fields, "dtype": fields.get("dtype", "fp16")})
    spec = KernelSpec("gemm", "triton", "sm_90", p.signature, TritonGemm(pipeline="pointer", vector_bytes=2))
    assert f"triton.gemm.{rule}" in {r.rule for r in OP.check(spec, get_arch("sm_90"), p)}


def test_a_matrix_that_a_batch_shares_is_copied_once():
    p = problem(batch=3, k=100, layout="rrr", strides={"b": [0, 512, 1]})
    [a, b] = copies(p, TritonGemm(operands="staged"), {"a": 0, "b": 0, "out": 0}, 0)
    assert a.target(0).strides[0] == 512 * a.line
    assert b.target(0).strides[0] == 0
    assert copies(problem(k=0, layout="rrr"), TritonGemm(operands="staged"), {"a": 0, "b": 0, "out": 0}, 0) == []


def test_an_unaligned_pointer_is_refused_by_tma_kernels():
    moved = replace(problem(), alignment={"a": 4})
    assert "triton.gemm.alignment" in broken(problem=moved)
    assert broken(problem=moved, operands="staged") == {}


@pytest.mark.parametrize("arch", ["sm_80", "sm_90", "gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"])
@pytest.mark.parametrize("dtype", ["fp16", "bf16", "fp32", "int8"])
def test_every_arch_has_kernels_for_any_layout_and_stride(arch, dtype):
    for layout in ("rcr", "rrr", "ccc"):
        p = GemmProblem.from_dict(
            {"m": 33, "n": 35, "k": 37, "dtype": dtype, "layout": layout, "batch": 2,
             "strides": {"a": [10**7, 2100, 3] if layout[0] == "r" else [10**7, 3, 2100]}}
        )  # fmt: skip
        legal = [
            spec
            for s in OP.default_sets()
            if s.takes(p.signature, arch)
            for spec in expand(s, get_arch(arch), p.signature, OP.algorithm, OP.tunables(), OP.rules).specs
            if not OP.check(spec, get_arch(arch), p)
        ]
        assert legal, (arch, dtype, layout)


def test_sets_account_for_what_they_reject():
    for s in OP.kernel_sets():
        for arch in s.archs:
            signature = next((x for x in (FP16, FP8) if s.takes(x, arch)), None)
            if signature is not None and get_arch(arch).has_dtype(signature.dtype_a):
                expansion = expand(s, get_arch(arch), signature, OP.algorithm, OP.tunables(), OP.rules)
                assert expansion.specs, (s.name, arch)


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from([64, 128, 256]), st.sampled_from([8, 32, 64, 96, 128, 192, 256]), st.sampled_from([64, 128]),
    st.sampled_from([4, 8]), st.integers(1, 2), st.integers(0, 6), st.booleans(),
)  # fmt: skip
def test_legal_hopper_kernels_fit_the_multiprocessor(m, n, k, warps, consumers, stages, swap):
    from tilewright.backends.triton.gemm.pipelines.hopper.ring import hopper_shared_bytes, hopper_stages

    a = TritonGemm(pipeline="hopper", tile_m=m, tile_n=n, tile_k=k, warps=warps, consumers=consumers, stages=stages,
                   swap_ab=swap)  # fmt: skip
    spec = KernelSpec("gemm", "triton", "sm_90", FP16, a)
    if not OP.check(spec, get_arch("sm_90")):
        arch = get_arch("sm_90")
        count = hopper_stages(FP16, a, arch)
        assert hopper_shared_bytes(FP16, a, count) <= arch.smem_per_block_bytes
        assert m * n * consumers // (32 * warps) <= 192
        assert stages or count >= 2


def test_algorithms_survive_their_canonical_form():
    a = replace(HOPPER, tile_n=192, split=True, reduce="after")
    spec = KernelSpec("gemm", "triton", "sm_90", replace(FP16, d=(DTensor("bf16", "row"),)), a)
    assert OP.algorithm_from_dict(spec.to_dict()["algorithm"]) == a


def test_every_pipeline_is_a_folder():
    from tilewright.backends.triton.gemm.algorithm import PIPELINES
    from tilewright.backends.triton.gemm.pipelines import FOLDERS

    assert FOLDERS.names == PIPELINES
    tunables = {t.name for t in OP.tunables()}
    assert all(FOLDERS.get(name).has <= {*tunables, "free_stages"} for name in PIPELINES)
