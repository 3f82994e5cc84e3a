"""D operands of CK Tile products, executed: whole matrices, and rows or columns that the output shares.

The device code of a kernel does not depend on what its D operands share, so one compiled kernel (its assembly is in the
test data) serves all kinds: only the strides of a launch differ.
"""

from __future__ import annotations

import subprocess
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from amd_toolchain import REAL, needs_toolchain
from code_objects import ELF

import tilewright as tw
from tilewright.arch import get_arch
from tilewright.backends.ck_tile.call import CkKernels
from tilewright.backends.ck_tile.ck_revision import detect
from tilewright.backends.ck_tile.gemm import OP, CkTileGemm
from tilewright.backends.ck_tile.gemm.instances import instance_of
from tilewright.backends.ck_tile.inspect import ASSEMBLY, CODE
from tilewright.backends.ck_tile.lower import INCLUDE_DIRS, lower, namespace
from tilewright.backends.ck_tile.toolchain import find_toolchain
from tilewright.dispatcher import Dispatcher
from tilewright.errors import SanitizerError
from tilewright.jit.arrays import view_of
from tilewright.model.dtype import get_dtype
from tilewright.model.kernel import Candidate, KernelSpec, Launch
from tilewright.ops import get_op, problem_from_dict
from tilewright.ops.gemm.epilogue import DTensor
from tilewright.ops.gemm.of_signature import problem_for
from tilewright.ops.gemm.problem import GemmProblem
from tilewright.ops.gemm.signature import GemmSignature
from tilewright.plan import make_plan
from tilewright.registry import Registry
from tilewright.settings import Settings

DATA = Path(__file__).parents[2] / "emulator" / "data"
PLACE = "emu:gfx942"
TYPES = ("fp16", "fp16", "fp32", "fp16")
BLOCK = {"tile_m": 64, "tile_n": 64, "tile_k": 32, "waves_m": 2, "waves_n": 2, "warp_tile_m": 32, "warp_tile_n": 32,
         "warp_tile_k": 8, "pipeline": "compv3", "pad_m": True, "pad_n": True, "pad_k": True}  # fmt: skip
KERNELS = {  # of the test data: layout, combine, activation, dtypes of D, epilogue
    "add_gelu": ("rcr", "add", "gelu_tanh", ("fp16",), "cshuffle"),
    "multiply_two": ("rcr", "multiply", "silu", ("fp16", "fp32"), "cshuffle"),
    "default_row": ("rrr", "add", "none", ("fp16",), "default"),
    "column": ("rcc", "add", "relu", ("fp16",), "default"),
}


def spec_of(name: str, kinds: tuple[str, ...]) -> KernelSpec:
    layout, combine, activation, dtypes, epilogue = KERNELS[name]
    d = tuple(DTensor(dtype, kind) for dtype, kind in zip(dtypes, kinds, strict=True))
    signature = GemmSignature(*TYPES, layout, combine=combine, activation=activation, d=d)
    return KernelSpec("gemm", "ck_tile", "gfx942", signature, CkTileGemm(**BLOCK, epilogue=epilogue))


def opened(spec: KernelSpec, name: str, folder: Path, k: int) -> CkKernels:
    (folder / CODE).write_bytes(ELF)
    (folder / ASSEMBLY).write_text((DATA / f"ck_gemm_{name}_gfx942.s").read_text())
    return CkKernels(spec, folder, {instance_of(spec, k, 1).name: "ck_gemm"})


CASES = [
    (name, kinds)
    for name, (layout, _, _, dtypes, _) in KERNELS.items()
    for kinds in product(("none", "row"), repeat=len(dtypes))
    if layout[2] == "r"
]
TAILS = (96, 136, 128)  # no whole tiles of 64 rows or columns


def bound(name: str, kinds: tuple[str, ...], folder: Path, sizes: tuple[int, int, int] = TAILS) -> Any:
    """(problem, tensors, spec, launch) of a product under the sanitizer."""
    spec = spec_of(name, kinds)
    problem = problem_for(spec.signature, *sizes, PLACE)
    tensors = get_op("gemm").random_tensors(problem, 3)
    plan = make_plan(problem, Candidate(spec, Launch()), opened(spec, name, folder, sizes[2]), Settings(sanitize=True))
    return problem, tensors, spec, plan.bind({role: view_of(t, role) for role, t in tensors.items()})


@pytest.mark.parametrize(("name", "kinds"), CASES, ids=lambda x: x if isinstance(x, str) else "-".join(x))
def test_every_kind_of_d_operand_is_right_and_clean(name: str, kinds: tuple[str, ...], tmp_path: Path) -> None:
    problem, tensors, spec, launch = bound(name, kinds, tmp_path)
    assert not OP.check(spec, get_arch("gfx942"), problem, Launch())
    launch()
    error = OP.product_error(spec)
    verdict = get_op("gemm").verify(problem, tensors, tensors["out"], tier="float64", product_error=error)
    assert verdict.ok, (verdict.error, verdict.tolerance)


@pytest.mark.parametrize("kind", ["none", "col"])
def test_d_operands_of_a_column_major_output_are_wrong_and_refused(kind: str, tmp_path: Path) -> None:
    """Once CK reads them right, this fails, and the rule can go."""
    problem, tensors, spec, launch = bound("column", (kind,), tmp_path)
    launch()
    assert not get_op("gemm").verify(problem, tensors, tensors["out"], tier="float64").ok
    assert [r.rule for r in OP.check(spec, get_arch("gfx942"))] == ["ck_tile.gemm.column_d"]
    without = GemmSignature(*TYPES, "rcc")
    assert not OP.check(KernelSpec("gemm", "ck_tile", "gfx942", without, spec.algorithm), get_arch("gfx942"))


@pytest.mark.parametrize(("name", "kinds"), [c for c in CASES if set(c[1]) != {"none"}])
def test_the_sanitizer_notices_the_stride_of_a_whole_matrix(
    name: str, kinds: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(GemmProblem, "repeats", lambda self, role: False)
    launch = bound(name, kinds, tmp_path)[-1]
    with pytest.raises(SanitizerError, match=r"outside|beyond|allocat"):
        launch()


@pytest.mark.parametrize("stride", [136, 137, 0, -5])
def test_the_stride_of_a_row_that_is_shared_does_not_matter(stride: int) -> None:
    spec = spec_of("add_gelu", ("row",))
    problem = problem_for(spec.signature, *TAILS, PLACE)
    found = OP.check(spec, get_arch("gfx942"), GemmProblem(**{**vars_of(problem), "strides": {"d0": (0, stride, 1)}}))
    assert not found


def vars_of(problem: GemmProblem) -> dict[str, Any]:
    return {name: getattr(problem, name) for name in GemmProblem.__dataclass_fields__}


def test_a_shared_row_that_is_not_contiguous_is_refused() -> None:
    spec = spec_of("add_gelu", ("row",))
    problem = problem_for(spec.signature, *TAILS, PLACE)
    found = OP.check(spec, get_arch("gfx942"), GemmProblem(**{**vars_of(problem), "strides": {"d0": (0, 0, 2)}}))
    assert [r.rule for r in found] == ["ck_tile.gemm.strides"]


@needs_toolchain
@pytest.mark.exhaustive
@pytest.mark.xdist_group("amd_compile")
def test_the_host_entry_gives_a_shared_row_no_stride(tmp_path: Path) -> None:
    """`gemm_args` of entry.hpp, evaluated by the compiler: strides of two D operands, of which one is shared."""
    tools, spec = find_toolchain(REAL), spec_of("multiply_two", ("row", "none"))
    source = lower(spec, detect(tools.include_dirs[0]))
    (tmp_path / "kernel.hpp").write_text(source.header_text)
    (tmp_path / "test.cpp").write_text(
        '#include "kernel.hpp"\n#include "tilewright_ck/entry.hpp"\n'
        "constexpr tw_args given() { tw_args x{}; for(int i = 0; i < 7; i++) x.strides[i][1] = 100 + i;\n"
        "x.sizes[0] = x.sizes[1] = x.sizes[2] = 64; return x; }\n"
        "constexpr tw_args args = given();\n"
        f"constexpr auto made = tilewright_ck::gemm_args<{namespace(spec)}::Host>(&args, 1);\n"
        "static_assert(made.stride_d[0] == 0 && made.stride_d[1] == 106 && made.stride_out == 102);\n"
    )
    own = [f"-I{folder}" for folder in (tmp_path, *INCLUDE_DIRS)]
    mode = ["--cuda-host-only", "-nogpulib", "-fsyntax-only", "-DTW_CK_HOST=1"]
    command = [*tools.argv, *tools.flags("gfx942", "gemm"), *own, *mode, "test.cpp"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]


@needs_toolchain
@pytest.mark.exhaustive  # the compiler takes a minute
@pytest.mark.xdist_group("amd_compile")
def test_a_call_with_a_bias_builds_and_runs_a_kernel() -> None:
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(shape).astype(np.float16) for shape in ((96, 128), (128, 136)))
    bias = rng.standard_normal((1, 136)).astype(np.float16)
    assert REAL is not None
    registry = Registry("one")
    registry.add(spec_of("add_gelu", ("row",)))
    where = Dispatcher(registry, settings=REAL)
    got = tw.gemm(a, np.asfortranarray(b), d=bias, activation="gelu_tanh", device=PLACE, dispatcher=where).astype(
        np.float64
    )
    x = a.astype(np.float64) @ b.astype(np.float64) + bias
    want = 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))
    assert np.abs(got - want).max() < 0.05


@pytest.mark.parametrize(("activation", "d", "rounded"), [("none", 0, 0), ("none", 1, 1), ("gelu_tanh", 0, 1)])
def test_what_goes_through_lds_before_an_activation_or_an_operand_is_rounded(
    activation: str, d: int, rounded: int
) -> None:
    signature = problem_from_dict(
        {
            "op": "gemm",
            "m": 64,
            "n": 64,
            "k": 64,
            "dtype": "fp16",
            "epilogue": {"activation": activation},
            "d": [{"dtype": "fp16"}] * d,
        }
    ).signature
    spec = KernelSpec("gemm", "ck_tile", "gfx942", signature, CkTileGemm())
    assert OP.product_error(spec).partial == rounded * get_dtype("fp16").unit_roundoff
