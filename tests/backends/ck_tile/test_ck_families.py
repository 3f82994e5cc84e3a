"""CK's other GEMM kernels: batched, grouped, Stream-K, with scales. They are launched as on a GPU, in the emulator."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from amd_toolchain import REAL, needs_toolchain
from code_objects import ELF
from numpy.lib.stride_tricks import as_strided

import tilewright as tw
from tilewright.arch import get_arch, get_nominal_devices
from tilewright.backends.ck_tile.call import CkKernels
from tilewright.backends.ck_tile.ck_revision import REFERENCE, detect
from tilewright.backends.ck_tile.gemm import OP, CkTileGemm
from tilewright.backends.ck_tile.gemm.instances import instances
from tilewright.backends.ck_tile.gemm.request import GemmRequest, requested
from tilewright.backends.ck_tile.gemm.stream_k import Shares
from tilewright.backends.ck_tile.inspect import ASSEMBLY, CODE
from tilewright.backends.ck_tile.lower import INCLUDE_DIRS, lower, namespace
from tilewright.backends.ck_tile.toolchain import find_toolchain
from tilewright.dispatcher import Dispatcher
from tilewright.model.device import Device
from tilewright.model.kernel import Candidate, KernelSpec
from tilewright.ops import problem_from_dict
from tilewright.ops.gemm.epilogue import COMBINES, DTensor
from tilewright.ops.gemm.prologue import PrologueStep
from tilewright.ops.gemm.signature import GemmSignature
from tilewright.registry import Registry, default_registry
from tilewright.settings import Settings
from tilewright.tune.verify.execute import execute

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks" / "ck_tile"))
from ck_tile_executed import Batch, Wanted, execute_ck

DATA = Path(__file__).parents[2] / "emulator" / "data"
PLACE = "emu:gfx942"
FP16 = GemmSignature("fp16", "fp16", "fp32", "fp16")
FP8 = GemmSignature("fp8_fnuz", "fp8_fnuz", "fp32", "fp16")
SQUARE = {"tile_m": 64, "tile_n": 64, "tile_k": 64, "warp_tile_k": 16}
PADS = {"pad_m": True, "pad_n": True, "pad_k": True}


def step(op: str) -> PrologueStep:
    return PrologueStep(op, "fp16" if op in COMBINES else "")


# What was compiled: the assembly, and the kernel for long K.
KEPT: dict[str, tuple[GemmSignature, dict[str, Any]]] = {
    "batched": (FP16, {**SQUARE, "family": "batched"}),
    "grouped": (FP16, {**SQUARE, "family": "grouped"}),
    "grouped_persistent": (FP16, {**SQUARE, "family": "grouped", "persistent": True}),
    "stream_k_atomic": (FP16, {**SQUARE, "tile_k": 32, "family": "stream_k_atomic"}),
    "stream_k_linear": (FP16, {"tile_m": 32, "tile_n": 64, "tile_k": 32, "waves_m": 1, "waves_n": 1,
                               "family": "stream_k_linear"}),
    "quant_row": (replace(FP8, scale_a="row", scale_b="row"), {**SQUARE, **PADS, "family": "quant"}),
    "quant_block": (replace(FP8, scale_a="block"), {"tile_m": 16, "tile_n": 64, "tile_k": 128, "waves_m": 1,
                                                    "waves_n": 4, "warp_tile_m": 16, "warp_tile_n": 16,
                                                    "warp_tile_k": 32, "family": "quant"}),
    "multi_abd": (replace(FP16, prologue_a=(step("multiply"), step("add"), step("relu")), prologue_b=(step("add"),),
                          d=(DTensor("fp16"),)), {**SQUARE, **PADS}),
    "contraction": (replace(FP16, activation="relu", d=(DTensor("fp16"), DTensor("fp16", "row"))),
                    {**SQUARE, **PADS, "family": "batched"}),
}  # fmt: skip
RUN = ("hot_full_set", "tails", "shared tiles", "one tile of many blocks", "several tiles of a block", "4 steps")


def spec_of(name: str) -> KernelSpec:
    signature, fields = KEPT[name]
    return KernelSpec("gemm", "ck_tile", "gfx942", signature, CkTileGemm(**fields))


def kernels_of(name: str, folder: Path) -> CkKernels:
    spec = spec_of(name)
    (folder / CODE).write_bytes(ELF)
    (folder / ASSEMBLY).write_text((DATA / f"ck_gemm_{name}_gfx942.s").read_text())
    return CkKernels(spec, folder, {str(instances(spec)[0].name): "ck_gemm"})


@pytest.mark.parametrize("name", KEPT)
def test_a_compiled_kernel_is_right_and_clean(name: str, tmp_path: Path) -> None:
    spec = spec_of(name)
    assert not OP.check(spec, get_arch("gfx942"))
    done = execute(spec, kernels_of(name, tmp_path), Settings.from_env(), lambda trial: trial.path in RUN)
    assert done.state == "right", done.why
    assert len(done.outcomes) >= 2
    assert not any(outcome.findings for outcome in done.outcomes)


@pytest.mark.parametrize("name", KEPT)
def test_generated_code_names_the_kernel_of_the_family(name: str) -> None:
    text = lower(spec_of(name), REFERENCE).header_text
    kernel = {"batched": "ck_tile::BatchedGemmKernel<", "quant_row": "ck_tile::QuantGemmKernel<",
              "quant_block": "ck_tile::AQuantGemmPipelineAgBgCrCompV3<",
              **dict.fromkeys(("grouped", "grouped_persistent"), "ck_tile::GroupedGemmKernel<"),
              "multi_abd": "ck_tile::UniversalGemmKernel<",
              "contraction": "ck_tile::BatchedContractionKernel<"}  # fmt: skip
    assert kernel.get(name, "ck_tile::reboot::StreamKKernel<") in text
    assert ("Reduction," in text) == (name == "stream_k_linear")


def test_a_call_with_a_batch_is_served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    where = serving("batched", tmp_path, monkeypatch)
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(shape).astype(np.float16) for shape in ((3, 64, 192), (3, 128, 192)))
    got = tw.gemm(a, b.transpose(0, 2, 1), device=PLACE, dispatcher=where)
    want = a.astype(np.float64) @ b.transpose(0, 2, 1).astype(np.float64)
    assert np.abs(got - want).max() < 0.1


@pytest.mark.parametrize("row", [64, 8, 4, 1, 0])
def test_a_single_row_may_have_any_stride(row: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CK takes the stride of the rows for the length of the output, and stores whole tiles: also rows that are none."""
    a, b = matrices((2, 1, 192), (2, 64, 192))
    kept = np.full(512, 7, np.float16)
    out = as_strided(kept, (2, 1, 64), (128, 2 * row, 2))
    problem = problem_from_dict({"op": "gemm", "m": 1, "n": 64, "k": 192, "dtype": "fp16", "batch": 2,
                                 "strides": {"out": (64, row, 1)}, "device": PLACE})  # fmt: skip
    serving("batched", tmp_path, monkeypatch).run(problem, a=a, b=b.transpose(0, 2, 1), out=out)
    assert np.abs(out - a.astype(np.float64) @ b.transpose(0, 2, 1).astype(np.float64)).max() < 0.1
    assert (kept[128:] == 7).all()


@pytest.mark.parametrize("stride", [(4, 1), (9, 1), (0, 1), (1, 20), (-4, 1)])
def test_scales_of_blocks_are_right_or_refused(
    stride: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    m, n, k = 20, 64, 512
    rng, served = np.random.default_rng(0), stride[1] == 1 and stride[0] >= 0
    a, b = (rng.standard_normal(shape).astype(ml_dtypes.float8_e4m3fnuz) for shape in ((m, k), (n, k)))
    room, start = np.full(512, np.nan, np.float32), max(0, -stride[0] * (m - 1))
    scale = as_strided(room[start:], (m, k // 128), [4 * s for s in stride])
    scale[:] = rng.uniform(0.5, 2, scale.shape)
    described = {"op": "gemm", "m": m, "n": n, "k": k, "dtype": "fp8_fnuz", "dtype_out": "fp16", "scale_a": "block"}
    problem = problem_from_dict({**described, "strides": {"scale_a": (0, *stride)}, "device": PLACE})
    assert [r.rule for r in OP.check(spec_of("quant_block"), get_arch("gfx942"), problem)] == (
        [] if served else ["ck_tile.gemm.quant_scale_a"]
    )
    if served:
        out = np.empty((m, n), np.float16)
        serving("quant_block", tmp_path, monkeypatch).run(problem, a=a, b=b.T, out=out, scale_a=scale)
        want = (a.astype(np.float64) * np.repeat(scale, 128, 1)) @ b.T.astype(np.float64)
        assert np.abs(out - want).max() < 0.1


def test_batches_that_go_back_in_memory_are_counted_in_32_bits() -> None:
    d, strides = [{"dtype": "fp16"}] * 2, {"a": (-(2**32), 64, 1)}
    described = {"op": "gemm", "m": 64, "n": 64, "k": 64, "dtype": "fp16", "batch": 3, "d": d, "strides": strides}
    found = OP.check_problem(spec_of("contraction"), get_arch("gfx942"), problem_from_dict(described))
    assert [r.rule for r in found] == ["ck_tile.gemm.batch_offsets"]


@pytest.mark.parametrize("ends", [(7, 7, 130), (130, 130, 130), (0, 65, 129), (64, 128, 130)])
@pytest.mark.parametrize("name", ["grouped", "grouped_persistent"])
def test_groups_of_any_length_are_served(
    name: str, ends: tuple[int, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry = Registry("one")
    registry.add(spec_of(name))
    where = Dispatcher(registry, settings=Settings.from_env(sanitize=True))
    kernels = kernels_of(name, tmp_path)
    monkeypatch.setattr(where, "_load", lambda spec: kernels)
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(shape).astype(np.float16) for shape in ((130, 192), (3, 64, 192)))
    out = np.full((130, 64), 7, np.float16)
    tw.grouped_gemm(a, b.transpose(0, 2, 1), np.array(ends, np.int32), out=out, device=PLACE, dispatcher=where)
    for g, (start, end) in enumerate(zip((0, *ends), ends, strict=False)):
        want = a[start:end].astype(np.float64) @ b[g].T.astype(np.float64)
        assert np.abs(out[start:end] - want).max(initial=0) < 0.1
    assert (out[ends[-1] :] == 7).all()  # no group has these rows


def serving(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Dispatcher:
    registry = Registry("one")
    registry.add(spec_of(name))
    where = Dispatcher(registry, settings=Settings.from_env(sanitize=True))
    kernels = kernels_of(name, tmp_path)
    monkeypatch.setattr(where, "_load", lambda spec: kernels)
    return where


def matrices(*shapes: tuple[int, ...]) -> list[Any]:
    rng = np.random.default_rng(0)
    return [rng.standard_normal(shape).astype(np.float16) for shape in shapes]


def test_a_call_with_prologues_is_served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    where = serving("multi_abd", tmp_path, monkeypatch)
    a, scale, shift, b, more, d = matrices(*[(40, 200)] * 3, *[(72, 200)] * 2, (40, 72))
    steps = [("multiply", scale), ("add", shift), "relu"]
    got = tw.gemm(a, b.T, d=d, prologue_a=steps, prologue_b=[("add", more.T)], device=PLACE, dispatcher=where)
    wide = [x.astype(np.float32) for x in (a, scale, shift, b, more, d)]
    left = np.maximum(wide[0] * wide[1] + wide[2], 0).astype(np.float16).astype(np.float64)
    right = (wide[3] + wide[4]).astype(np.float16).astype(np.float64)
    assert np.abs(got - (left @ right.T + wide[5])).max() < 0.2


@pytest.mark.parametrize("shared", [False, True])
def test_a_contraction_over_several_dimensions_is_served(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shared: bool
) -> None:
    where = serving("contraction", tmp_path, monkeypatch)
    a, b, d, bias = matrices((2, 5, 8, 25, 8), (2, 72, 25, 8), (2, 5, 8, 72), (72,))
    if shared:  # one B for all products: the kernel of contractions does not ask for distinct ones
        b = np.broadcast_to(b[:1], b.shape)
    got = tw.contract("gxyij,gnij->gxyn", a, b, d=[d, bias], activation="relu", device=PLACE, dispatcher=where)
    wide = [x.astype(np.float64) for x in (a, b, d, bias)]
    want = np.maximum(np.einsum("gxyij,gnij->gxyn", *wide[:2]) + wide[2] + wide[3], 0)
    assert np.abs(got - want).max() < 0.2


@needs_toolchain
def test_the_headers_still_have_what_rules_of_prologues_rest_on() -> None:
    root = find_toolchain(REAL).include_dirs[0] / "ck_tile"
    loads = (root / "core/tensor/tile_window.hpp").read_text().split("@brief Load tile with elementwise function")[1]
    read = loads[: loads.index("move thread coordinate")]
    assert "tile_window[number<0>{}].pre_computed_coords_" in read  # `prologue_broadcast`, `prologue_strides`
    assert "tile_window[number<jj>{}].pre_computed_coords_" not in read
    compv4 = (root / "ops/gemm/pipeline/gemm_pipeline_ag_bg_cr_comp_v4.hpp").read_text()
    windows = compv4.split("auto b_tile_windows = generate_tuple(")[1]
    assert "number<AsLayout::size()>{});" in windows[: windows.index("load_tile_with")]  # `prologue_count`


SCALED = {"m": 256, "n": 256, "k": 512, "dtype": "fp8_fnuz", "dtype_out": "bf16"}


@pytest.mark.parametrize(
    ("changes", "family"),
    [
        ({"batch": 4, "dtype": "fp16"}, "batched"),
        ({"groups": 4, "dtype": "fp16"}, "grouped"),
        ({"batch": 4, "dtype": "fp16", "d": [{"dtype": "fp16"}]}, "batched"),
        ({**SCALED, "scale_a": "row", "scale_b": "row"}, "quant"),
        ({"dtype": "bf16", "prologue_a": [{"op": "add", "dtype": "bf16"}, "silu"]}, "universal"),
    ],
)
def test_the_default_registry_selects_the_family_of_a_problem(changes: dict[str, Any], family: str) -> None:
    problem = problem_from_dict({"op": "gemm", "m": 256, "n": 256, "k": 512, **changes, "device": PLACE})
    legal = default_registry(("ck_tile",)).consider(problem, nominal()).legal
    assert legal
    assert {c.spec.algorithm.family for c in legal} == {family}


def nominal() -> Device:
    return get_nominal_devices("gfx942")[0]


def test_stream_k_is_predicted_to_help_where_a_round_is_nearly_empty() -> None:
    device = nominal()
    shape = {**SQUARE, "tile_m": 256, "tile_n": 256}
    plain, shared = (
        Candidate(KernelSpec("gemm", "ck_tile", "gfx942", FP16, CkTileGemm(**shape, family=family)))
        for family in ("universal", "stream_k_atomic")
    )
    tiles = device.units + 4  # the second round has four tiles
    uneven = problem_from_dict({"op": "gemm", "m": 256 * tiles, "n": 256, "k": 8192, "dtype": "fp16"})
    even = problem_from_dict({"op": "gemm", "m": 256 * device.units, "n": 256, "k": 8192, "dtype": "fp16"})
    assert OP.predict(shared, uneven, device) < OP.predict(plain, uneven, device)
    assert OP.predict(shared, even, device) > OP.predict(plain, even, device)


@pytest.mark.parametrize(("m", "k", "blocks"), [(192, 128, 2), (64, 288, 4), (320, 96, 2), (256, 64, 2), (64, 32, 4)])
def test_every_step_of_every_tile_has_one_block(m: int, k: int, blocks: int) -> None:
    s = Shares.of(m, 64, k, (64, 64, 32), blocks)
    assert s.whole_tiles + s.shared_tiles == s.tiles == m // 64
    assert s.sharing_blocks * s.steps_each + s.extra_steps == s.shared_steps == s.shared_tiles * s.steps
    assert s.grid(False) == s.whole_tiles + s.sharing_blocks


def test_variants_name_the_families() -> None:
    for family in ("batched", "grouped", "stream_k_atomic"):
        found = requested(GemmRequest("gfx942", variants=(family,))).specs
        assert found
        assert {s.algorithm.family for s in found} == {family}
    assert {s.algorithm.family for s in requested(GemmRequest("gfx942")).specs} == {"universal"}
    found = requested(GemmRequest("gfx942", variants=("multi_abd",))).specs
    assert {s.signature.variant for s in found} == {"multi_abd"}


# Strides of the ABI, which are 0 along a dimension of extent 1: what the kernel is given of them.
STRIDES = {
    "batched": """
constexpr tw_args single() { tw_args x{}; x.sizes[0] = 1; x.sizes[1] = 64; x.sizes[2] = 96; x.strides[0][2] = 1;
                             x.strides[1][2] = 98; x.strides[2][2] = 1; return x; }
constexpr tw_args row = single();
constexpr auto given = tilewright_ck::gemm_args<HOST::Host>(&row, 1);
static_assert(given.stride_a == 96 && given.stride_b == 98 && given.stride_out == 64);
""",
    "quant_block": """
constexpr tw_args padded() { tw_args x{}; x.sizes[0] = 32; x.sizes[1] = 64; x.sizes[2] = 500;
                             for(int i = 0; i < 4; i++) { x.strides[i][1] = 1000 + i; x.strides[i][2] = 2000 + i; }
                             return x; }
constexpr tw_args scaled = padded();
constexpr auto given = tilewright_ck::quant_args<HOST::Host>(&scaled);
static_assert(given.QK_A == 4 && given.stride_AQ == 1003 && given.QK_B == 1 && given.stride_BQ == 1);
""",
}


@needs_toolchain
@pytest.mark.exhaustive  # the compiler takes half a minute for each
@pytest.mark.xdist_group("amd_compile")
@pytest.mark.parametrize("name", KEPT)
def test_the_host_entry_of_a_family_compiles(name: str, tmp_path: Path) -> None:
    tools, spec = find_toolchain(REAL), spec_of(name)
    source = lower(spec, detect(tools.include_dirs[0]))
    (tmp_path / f"{spec.name}.hpp").write_text(source.header_text)
    (tmp_path / "test.cpp").write_text(source.wrapper_text + STRIDES.get(name, "").replace("HOST", namespace(spec)))
    own = [f"-I{folder}" for folder in (tmp_path, *INCLUDE_DIRS)]
    mode = ["--cuda-host-only", "-nogpulib", "-fsyntax-only", "-DTW_CK_HOST=1", "-DTW_CK_MAIN_ONLY"]
    command = [*tools.argv, *tools.flags("gfx942", "gemm"), *own, *mode, "test.cpp"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]


@needs_toolchain
@pytest.mark.exhaustive
@pytest.mark.xdist_group("amd_compile")
@pytest.mark.parametrize("name", KEPT)
def test_the_kept_kernels_are_what_the_compiler_makes(name: str) -> None:
    batch = Batch("ck_tile", (spec_of(name),), frozenset())
    [row] = execute_ck(batch, REAL, find_toolchain(REAL), True, Wanted(frozenset()))
    assert row["executed"] == "right", row.get("why")
