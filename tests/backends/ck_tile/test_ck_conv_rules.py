"""Every rule of ck_tile convolutions is broken by one case and says its numbers; its fix mends it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tilewright.arch import get_arch
from tilewright.backends.ck_tile.conv import OP, CkTileConv
from tilewright.backends.ck_tile.conv.rules import INHERITED
from tilewright.backends.ck_tile.conv.sets import default_sets
from tilewright.dispatcher import nominal_device
from tilewright.errors import SpecError, UnknownNameError
from tilewright.model.kernel import KernelSpec, Launch
from tilewright.ops import problem_from_dict
from tilewright.ops.conv.signature import ConvSignature
from tilewright.ops.gemm.epilogue import DTensor

GFX942 = get_arch("gfx942")


def spec_of(direction: str = "forward", signature: dict[str, Any] | None = None, **fields: Any) -> KernelSpec:
    types = {f"dtype_{role}": "fp16" for role in ("input", "weight", "output")}
    turned = {} if direction == "forward" else {"vector_a": 8, "vector_b": 8}
    found = ConvSignature(direction, **{**types, "dtype_acc": "fp32", **(signature or {})})
    return KernelSpec("conv", "ck_tile", "gfx942", found, CkTileConv(**{**turned, **fields}))


def problem_of(direction: str = "forward", **fields: Any) -> Any:
    size = {"n": 8, "c": 64, "k": 64, "input": [28, 28], "filter": [3, 3], "pad": 1, "dtype": "fp16"}
    return problem_from_dict({"op": "grouped_conv", "direction": direction, **size, **fields})


def broken(spec: KernelSpec, problem: Any = None, launch: Launch | None = None) -> list[str]:
    return [r.rule.removeprefix("ck_tile.conv.") for r in OP.check(spec, GFX942, problem, launch)]


KERNEL_CASES: dict[str, tuple[KernelSpec, str]] = {
    "dims": (spec_of(signature={"layout": "nwgc"}), "1 spatial dimension"),
    "layout": (spec_of(signature={"layout": "ngchw"}), "channels-last"),
    "emitted": (spec_of(pipeline="compv6"), "compv6 is not generated"),
    "epilogue": (spec_of(signature={"d": (DTensor("fp16"),)}), "1 D operands"),
    "fits": (spec_of(tile_m=32), "implicit GEMM: waves_m * warp_tile_m = 2 * 32 = 64 > tile_m 32"),
    "lds": (spec_of(tile_m=256, tile_n=256, tile_k=128), "131,072 B > 65,536 B"),
    "scheduler": (spec_of(scheduler="interwave"), "compv3 has no interwave form"),
    "output": (spec_of(signature={"dtype_output": "fp8_fnuz"}), "store no fp8_fnuz of fp32 sums"),
    "vectors": (spec_of("backward_weight", two_stage=True), "vector_c 8 of fp32 is 32 B; splits of K are added 16 B"),
    "turned_vectors": (spec_of("backward_data", vector_b=4), "vector_b is 4; CK turns B in registers, 8 elements"),
    "cshuffle_group": (
        spec_of(tile_m=96, warp_tile_m=16, warp_tile_n=16),
        "tile_m 96 / (waves_m 2 * 16) = 3 repeats, of which cshuffle stores 2 at a time",
    ),
    "turned_reads": (
        KernelSpec("conv", "ck_tile", "gfx950", ConvSignature("backward_data", *["fp32"] * 3, "fp32"), CkTileConv()),
        "layout rrr turns an operand as it is read",
    ),
    "merge_groups": (spec_of(groups_to_merge=8), "launches forward for every group"),
    "two_stage": (spec_of(two_stage=True, vector_c=4), "two_stage forward"),
    "one_dtype": (
        spec_of("backward_data", {"dtype_input": "fp32"}, vector_c=4),
        "backward data of a fp16 output into a fp32 input",
    ),
    "two_buffers": (spec_of("backward_data", pipeline="compv4", double_smem_buffer=True), "two LDS buffers (compv4)"),
    "interwave_weight": (spec_of("backward_weight", pipeline="mem", scheduler="interwave"), "leaves a part"),
}
PROBLEM_CASES: dict[str, tuple[KernelSpec, Any, Launch, str]] = {
    "alpha_beta": (spec_of(), problem_of(epilogue={"alpha": 2.0}), Launch(), "alpha = 2"),
    "filter": (spec_of(specialization="filter1x1_pad0"), problem_of(), Launch(), "filter1x1_pad0 with filter 3x3"),
    "channels": (spec_of(), problem_of(c=60), Launch(), "60 c per group % vector_b 8 = 4"),
    "whole_merges": (
        spec_of("backward_weight", groups_to_merge=8),
        problem_of("backward_weight", g=4, c=64, k=64),
        Launch(),
        "4 groups % groups_to_merge 8 = 4",
    ),
    "split_k": (spec_of(), problem_of(), Launch(split_k=2), "CK splits backward weight only"),
    "pointers": (spec_of(), problem_of(alignment={"output": 8}), Launch(), "output is aligned to 8 B"),
    "offsets": (spec_of(), problem_of(n=1, input=[4096, 4096]), Launch(), "input has 2,147,483,648 B: "),
    "phases": (
        spec_of("backward_data"),
        problem_of("backward_data", filter=[12, 12], stride=12, pad=0, input=[36, 36], k=4096),
        Launch(),
        "144 products > 128",
    ),
    "endings": (
        spec_of("backward_data"),
        problem_of("backward_data", stride=2, c=16, k=16),
        Launch(),
        "end unlike that of depth 144",
    ),
    "folded_offsets": (
        spec_of("backward_data", pipeline="mem"),
        problem_of("backward_data"),
        Launch(),
        "loads of the first pixels read 0",
    ),
}


@pytest.mark.parametrize("name", KERNEL_CASES)
def test_a_kernel_rule_is_broken_and_says_its_numbers(name):
    spec, words = KERNEL_CASES[name]
    (rejection,) = [r for r in OP.check(spec, get_arch(spec.arch)) if r.rule == f"ck_tile.conv.{name}"]
    assert words in rejection.message
    assert rejection.remedy
    if "fix" in rejection.values and not rejection.message.startswith("implicit GEMM"):
        assert name not in broken(spec.with_algorithm(**rejection.values["fix"]))


@pytest.mark.parametrize("name", PROBLEM_CASES)
def test_a_problem_rule_is_broken_alone(name):
    spec, problem, launch, words = PROBLEM_CASES[name]
    assert broken(spec) == []
    (rejection,) = OP.check(spec, GFX942, problem, launch)
    assert rejection.rule == f"ck_tile.conv.{name}"
    assert words in rejection.message


@pytest.mark.parametrize(
    ("arch", "fields", "legal"),
    [
        ("gfx942", {"tile_k": 64, "vector_b": 4}, False),
        ("gfx942", {"tile_k": 16, "vector_b": 8}, True),  # 4 elements a thread: loaded and turned as such
        ("gfx942", {"tile_k": 16, "vector_b": 2}, False),
        ("gfx950", {"tile_k": 64, "vector_b": 2}, True),  # turned as it is read from LDS
    ],
)
def test_registers_turn_what_they_load(arch, fields, legal):
    shape = {"tile_m": 64, "tile_n": 64, "warp_tile_m": 16, "warp_tile_n": 16, "vector_a": 4}
    spec = spec_of("backward_data", **shape, **fields)
    spec = replace(spec, arch=arch)
    assert [r.rule for r in OP.check(spec, get_arch(arch))] == ([] if legal else ["ck_tile.conv.turned_vectors"])


def test_plain_cases_are_legal_in_every_direction():
    for direction in ("forward", "backward_data", "backward_weight"):
        spec = spec_of(direction)
        assert broken(spec) == []
        assert broken(spec, problem_of(direction)) == []
    assert len(INHERITED) >= 12


def test_splits_of_bf16_need_two_stages():
    types = {f"dtype_{role}": "bf16" for role in ("input", "weight", "output")}
    problem = problem_of("backward_weight", dtype="bf16")
    one = spec_of("backward_weight", types)
    two = spec_of("backward_weight", types, two_stage=True, vector_c=4)
    assert broken(one, problem, Launch(split_k=4)) == ["split_k"]
    assert broken(two, problem, Launch(split_k=4)) == []


def test_the_sets_are_legal_for_their_arch_and_cover_the_six_variants():
    names = {s.name for s in default_sets() if s.archs == ("gfx942",)}
    for direction in ("forward", "backward_data", "backward_weight"):
        for dims in (2, 3):
            assert f"ck_tile_conv_gfx942_{direction}_{dims}d_fp16" in names


def test_values_and_answers():
    with pytest.raises(UnknownNameError, match="did you mean 'filter3x3'"):
        CkTileConv(specialization="filter3")
    with pytest.raises(SpecError, match=r"tile_m is 128\.0"):
        CkTileConv(tile_m=128.0)  # type: ignore[arg-type]
    assert CkTileConv().matrix_instructions(spec_of().signature) == (("fp16", "fp16"), [(32, 32, 16)])


@pytest.mark.parametrize(("dtype", "splits"), [("fp16", True), ("bf16", False)])
def test_only_kernels_that_add_splits_are_offered_them(dtype: str, splits: bool) -> None:
    spec = spec_of("backward_weight", {f"dtype_{role}": dtype for role in ("input", "weight", "output")})
    found = OP.launches(spec, problem_of("backward_weight", dtype=dtype), nominal_device("gfx942"))
    assert (len(found) > 1) == splits
    assert not any(broken(spec, problem_of("backward_weight", dtype=dtype), launch) for launch in found)


def test_a_refused_compv5_names_the_source_in_ck() -> None:
    found = {r.rule: r.message for r in OP.check(spec_of(pipeline="compv5"), GFX942)}
    assert "universal_gemm_kernel.hpp does (line 984)" in found["ck_tile.conv.emitted"]


@pytest.mark.parametrize("direction", ["forward", "backward_data", "backward_weight"])
@pytest.mark.parametrize("fields", [{"stride": 2**31}, {"dilation": 2**32}, {"stride": 2**30, "pad": 2**30}])
def test_numbers_of_more_than_32_bits_are_refused(direction: str, fields: dict[str, Any]) -> None:
    """CK counts in 32 bits: a stride of 2**32 would be 0."""
    spec = spec_of(direction)
    few = {"input": [4, 4], "filter": [1, 1], "pad": 0, **fields}
    found = OP.check_problem(spec, get_arch("gfx942"), problem_of(direction, **few))
    assert "ck_tile.conv.offsets" in {r.rule for r in found}
    assert not OP.check_problem(
        spec, get_arch("gfx942"), problem_of(direction, **{**few, "stride": 2, "dilation": 3, "pad": 0})
    )
