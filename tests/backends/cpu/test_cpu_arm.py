"""Arm's kernels without an Arm machine: what is legal on which level, what is generated, what is chosen.

`make test-foreign` runs the kernels and reads their machine code.
"""

from __future__ import annotations

from typing import Any

import pytest

from tilewright.arch import get_arch, get_nominal_devices
from tilewright.backends import get_backend_op
from tilewright.backends.cpu.gemm.algorithm import CpuGemm
from tilewright.backends.cpu.gemm.cost_arm import lanes_fit
from tilewright.backends.cpu.gemm.lower import source_of
from tilewright.model.arch import CpuArch
from tilewright.model.kernel import KernelSpec
from tilewright.ops import problem_from_dict
from tilewright.registry import default_registry
from tilewright.select import get_selector
from tilewright.settings import Settings

NEON = ("aarch64", "aarch64_dot", "aarch64_mm")
ARM = (*NEON, "aarch64_sve", "aarch64_sve512")
BROKEN = [
    ("aarch64", "int8", {"inner": "dot", "mr": 8, "nr": 12}, "cpu.gemm.inner"),
    ("aarch64_dot", "int8", {"inner": "mm", "mr": 8, "nr": 12}, "cpu.gemm.inner"),
    ("aarch64_dot", "bf16", {"inner": "dot", "mr": 8, "nr": 12}, "cpu.gemm.inner"),
    ("aarch64_mm", "fp16", {"inner": "mm", "mr": 8, "nr": 12}, "cpu.gemm.inner"),
    ("aarch64_dot", "int8", {"inner": "dot", "mr": 6, "nr": 12}, "cpu.gemm.lane_tiles"),
    ("aarch64_mm", "int8", {"inner": "mm", "mr": 12, "nr": 12}, "cpu.gemm.pair_tiles"),
    ("aarch64_dot", "int8", {"inner": "dot", "mr": 8, "nr": 12, "pack_a": False}, "cpu.gemm.packing"),
    ("aarch64_mm", "bf16", {"pipeline": "skinny", "inner": "mm", "mr": 4, "nr": 16}, "cpu.gemm.skinny_inner"),
    ("aarch64_mm", "bf16", {"pipeline": "skinny", "inner": "dot", "mr": 4, "nr": 4}, "cpu.gemm.skinny_inner"),
    ("aarch64", "fp32", {"pipeline": "skinny", "mr": 16, "nr": 16, "kc": 128}, "cpu.gemm.skinny_lanes"),
]


def spec_of(arch: str, dtype: str, fields: dict[str, Any]) -> KernelSpec:
    problem = problem_from_dict({"op": "gemm", "m": 64, "n": 64, "k": 64, "dtype": dtype, "layout": "rcr"})
    return KernelSpec("gemm", "cpu", arch, problem.signature, CpuGemm(**fields))


def broken_rules(spec: KernelSpec) -> set[str]:
    return {rejection.rule for rejection in get_backend_op("cpu", "gemm").check(spec, get_arch(spec.arch))}


@pytest.mark.parametrize(("arch", "dtype", "fields", "rule"), BROKEN)
def test_what_a_level_lacks_is_refused(arch: str, dtype: str, fields: dict[str, Any], rule: str) -> None:
    assert rule in broken_rules(spec_of(arch, dtype, fields))


@pytest.mark.parametrize(
    ("arch", "dtype", "fields"),
    [
        *((arch, "fp32", {"mr": 8, "nr": 12}) for arch in NEON),
        ("aarch64_dot", "int8", {"inner": "dot", "mr": 8, "nr": 12}),
        ("aarch64_sve512", "int8", {"inner": "dot", "mr": 8, "nr": 48}),
        ("aarch64_mm", "bf16", {"inner": "dot", "mr": 8, "nr": 12}),
        *(("aarch64_mm", dtype, {"inner": "mm", "mr": 8, "nr": 12}) for dtype in ("int8", "bf16", "fp8", "bf8_fnuz")),
    ],
)
def test_what_a_level_has_is_legal_and_generated(arch: str, dtype: str, fields: dict[str, Any]) -> None:
    spec = spec_of(arch, dtype, fields)
    assert broken_rules(spec) == set()
    assert "#include <tw/arm/micro.hpp>" in source_of(spec)


def test_units_of_other_cpus_include_nothing_of_arm() -> None:
    assert "arm" not in source_of(spec_of("x86_64_v3", "fp32", {"mr": 4, "nr": 24}))


def test_bf16_instructions_declare_their_rounding_and_bytes_are_exact() -> None:
    op = get_backend_op("cpu", "gemm")
    error = {
        (inner, dtype): op.product_error(spec_of("aarch64_mm", dtype, {"inner": inner, "mr": 8, "nr": 12}))
        for inner in ("dot", "mm", "fma")
        for dtype in ("int8", "bf16")
    }
    assert {key for key, value in error.items() if value.product > 0} == {("dot", "bf16"), ("mm", "bf16")}


def best(arch: str, op: str = "gemm", **fields: Any) -> Any:
    """The algorithm that the cost model chooses on a nominal device of the arch."""
    problem = problem_from_dict({"op": op, "dtype": "fp32", **fields})
    device = get_nominal_devices(arch)[0]
    legal = default_registry(["cpu"]).legal(problem, device)
    return get_selector("analytical", Settings()).rank(problem, legal, device)[0].candidate.spec.algorithm


@pytest.mark.parametrize("arch", ARM)
def test_large_products_multiply_by_lanes_of_packed_rows(arch: str) -> None:
    facts = get_arch(arch)
    assert isinstance(facts, CpuArch)
    for size in (512, 2048):
        chosen = best(arch, m=size, n=size, k=size)
        assert (chosen.pipeline, chosen.pack_a, chosen.pack_b) == ("tiled", True, True)
        assert lanes_fit(chosen, facts, along_k=True)


@pytest.mark.parametrize(
    ("arch", "dtype", "inner"),
    [
        ("aarch64", "int8", "fma"),
        ("aarch64_dot", "int8", "dot"),
        ("aarch64_dot", "bf16", "fma"),
        ("aarch64_mm", "int8", "mm"),
        ("aarch64_mm", "bf16", "mm"),
        ("aarch64_mm", "fp16", "fma"),
        ("aarch64_sve", "int8", "dot"),
    ],
)
def test_the_strongest_instructions_are_chosen(arch: str, dtype: str, inner: str) -> None:
    assert best(arch, m=1024, n=1024, k=1024, dtype=dtype, layout="rcr").inner == inner


@pytest.mark.parametrize("rows", [1, 4])
def test_few_rows_are_staged_and_b_is_streamed(rows: int) -> None:
    chosen = best("aarch64_dot", m=rows, n=4096, k=4096, layout="rcr")
    assert (chosen.pipeline, chosen.mr) == ("skinny", rows)
    assert best("aarch64_dot", m=rows, n=4096, k=4096, layout="rcr", dtype="int8").inner == "dot"


CONV = {"op": "grouped_conv", "direction": "forward", "n": 1, "input": [56, 56], "filter": [3, 3], "pad": 1}
DENSE, FEW, DEPTHWISE = {"c": 64, "k": 64}, {"g": 32, "c": 128, "k": 128}, {"g": 64, "c": 64, "k": 64}


@pytest.mark.parametrize(
    ("shape", "pipeline", "tile"),
    [(DENSE, "direct", (4, 16)), (FEW, "direct", (16, 4)), (DEPTHWISE, "depthwise", (7, 4))],
)
def test_convolutions_get_the_tiles_that_were_measured_best(
    shape: dict[str, int], pipeline: str, tile: tuple[int, int]
) -> None:
    chosen = best("aarch64_dot", **CONV, **shape)
    assert (chosen.pipeline, chosen.mr, chosen.nr) == (pipeline, *tile)


@pytest.mark.parametrize(("arch", "inner"), [("aarch64_dot", "dot"), ("aarch64_mm", "mm"), ("aarch64_sve", "dot")])
def test_dense_convolutions_of_bytes_are_products(arch: str, inner: str) -> None:
    chosen = best(arch, **CONV, **DENSE, dtype="int8")
    assert (chosen.pipeline, chosen.inner) == ("implicit", inner)
