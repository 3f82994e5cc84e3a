"""One body over dtype x layout x shape x epilogue x algorithm, each compared with the float64 reference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gemm_cases import EPILOGUES, LAYOUTS, OP, SHAPES, problem, run_with
from host_cpu_kernels import ARCH, HOST, VECTOR_INNER, gemm_tile

from tilewright.arch import get_arch
from tilewright.backends import get_backend_op
from tilewright.backends.cpu.detect import host_archs
from tilewright.backends.cpu.gemm.algorithm import CpuGemm
from tilewright.dispatcher import Dispatcher
from tilewright.errors import LaunchError
from tilewright.jit.arrays import view_of
from tilewright.model.kernel import Candidate, KernelSpec, Launch
from tilewright.plan import make_plan
from tilewright.registry import Registry
from tilewright.settings import Settings

CPU = get_backend_op("cpu", "gemm")


def check(p: Any, algorithm: CpuGemm, arch: str = ARCH, **settings: Any) -> None:
    tensors = OP.random_tensors(p, seed=7)
    out = run_with(p, tensors, algorithm, arch, **settings)
    spec = KernelSpec("gemm", "cpu", arch, p.signature, algorithm)
    OP.verify(p, tensors, out, product_error=CPU.product_error(spec)).require(f"{p.label()} on {spec.name}")


# One algorithm per way to form products; rules drop those that this machine lacks.
INNERS: dict[str, list[CpuGemm]] = {
    "fp32": [gemm_tile(), gemm_tile(inner="portable", nr=HOST.lanes)],
    "fp16": [gemm_tile(), CpuGemm(inner="amx_bf16x3", mr=32, nr=32, mc=384)],
    "bf16": [gemm_tile(), CpuGemm(inner="amx", mr=32, nr=32, mc=384)],
    "int8": [
        gemm_tile(inner="portable", nr=HOST.lanes),
        gemm_tile(inner="vnni"),
        CpuGemm(inner="amx", mr=32, nr=32, mc=384),
    ],
    "fp8": [gemm_tile()],
    "bf8": [gemm_tile()],
}
FORCED = [(dtype, a) for dtype, algorithms in INNERS.items() for a in algorithms]


def legal_or_skip(p: Any, algorithm: CpuGemm, arch: str = ARCH) -> None:
    rejections = CPU.check(KernelSpec("gemm", "cpu", arch, p.signature, algorithm), get_arch(arch))
    if any(r.rule == "cpu.gemm.inner" for r in rejections):
        pytest.skip(f"{arch}: {rejections[0]}")
    assert not rejections, rejections


@pytest.mark.parametrize(("dtype", "algorithm"), FORCED, ids=lambda v: v if isinstance(v, str) else v.inner)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_shapes(dtype: str, algorithm: CpuGemm, shape: tuple[int, int, int]) -> None:
    p = problem(*shape, dtype)
    legal_or_skip(p, algorithm)
    check(p, algorithm, cxx_flags="")  # as they ship; the features below without optimisation


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("packs", [(True, True), (False, True), (True, False), (False, False)], ids=str)
def test_layouts_and_packing(layout: str, packs: tuple[bool, bool]) -> None:
    p = problem(75, 83, 91, layout=layout)
    algorithm = gemm_tile(kc=32, mc=48, nc=64, pack_a=packs[0], pack_b=packs[1])
    if not packs[1] and layout[1] == "c":  # columns of B in place would be read one by one
        refused = CPU.check(KernelSpec("gemm", "cpu", ARCH, p.signature, algorithm), get_arch(ARCH))
        assert [r.rule for r in refused] == ["cpu.gemm.packing"]
    else:
        check(p, algorithm)


@pytest.mark.parametrize("epilogue", EPILOGUES, ids=lambda e: str(e["epilogue"])[:40])
@pytest.mark.parametrize("dtype", ["fp32", "bf16"])
def test_epilogues(epilogue: dict[str, Any], dtype: str) -> None:
    check(problem(37, 70, 45, dtype, **epilogue), gemm_tile(kc=32))


@pytest.mark.parametrize("scales", [("tensor", "tensor"), ("row", "row"), ("none", "row")], ids=str)
@pytest.mark.parametrize(("dtype", "inner"), [("int8", "portable"), ("fp8", VECTOR_INNER)])
def test_scaled(scales: tuple[str, str], dtype: str, inner: str) -> None:
    p = problem(19, 35, 40, dtype, scale_a=scales[0], scale_b=scales[1], dtype_out="fp32")
    check(p, gemm_tile(inner=inner))


def test_mixed_8_bit_floats() -> None:
    check(problem(19, 35, 40, dtype_a="fp8", dtype_b="bf8", dtype="fp8"), gemm_tile())


@pytest.mark.parametrize("split_k", [1, 2, 3])
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_split_k_and_threads(split_k: int, threads: int) -> None:
    p = problem(70, 90, 500, split_k=split_k)
    check(p, gemm_tile(kc=64, mc=48, nc=64), threads=threads)


OPEN = {"pipeline": "tiled", "kc": 0, "mc": 0}


@pytest.mark.parametrize("blocks", [(), (32, 48), (64, 8), (4096, 4096)], ids=str)
@pytest.mark.parametrize(("dtype", "inner"), [("fp32", VECTOR_INNER), ("int8", "portable"), ("bf16", "amx")])
def test_blocks_of_the_launch(dtype: str, inner: str, blocks: tuple[int, ...]) -> None:
    p = problem(70, 90, 200, dtype)
    algorithm = CpuGemm(inner=inner, mr=16, nr=16, **OPEN) if inner == "amx" else gemm_tile(inner=inner, **OPEN)
    legal_or_skip(p, algorithm)
    launched = Launch(threads=1, blocks=blocks)
    tensors = OP.random_tensors(p, seed=5)
    if dtype == "int8" and inner == "portable" and blocks and blocks[0] > 1024:
        with pytest.raises(LaunchError, match="exact up to 1024"):
            run_candidate(p, tensors, algorithm, launched)
        return
    out = run_candidate(p, tensors, algorithm, launched)
    OP.verify(p, tensors, out).require(f"{p.label()} with blocks {blocks}")


def run_candidate(p: Any, tensors: dict[str, Any], algorithm: CpuGemm, launch: Launch) -> Any:
    spec = KernelSpec("gemm", "cpu", ARCH, p.signature, algorithm)
    settings = Settings.from_env()
    (artifact,) = Registry().build(specs=[spec], settings=settings)
    plan = make_plan(p, Candidate(spec, launch), CPU.load(spec, artifact), settings)
    tensors["out"][...] = 77
    plan.bind({role: view_of(t, role) for role, t in tensors.items()})()
    return tensors["out"]


@pytest.mark.parametrize(
    ("mr", "nr", "pack_a"), [(8, 48, True), (14, 32, True), (6, 64, True), (28, 16, True), (8, 48, False)]
)
def test_large_register_tiles(mr: int, nr: int, pack_a: bool) -> None:
    """Some of their rows are multiplied from memory; the last tiles are partial, and so are the last k of a block."""
    p = problem(75, 131, 203, layout="rcr")
    algorithm = CpuGemm(inner=VECTOR_INNER, mr=mr, nr=nr, kc=64, mc=48, pack_a=pack_a)
    rejections = CPU.check(KernelSpec("gemm", "cpu", ARCH, p.signature, algorithm), HOST)
    if rejections:
        pytest.skip(f"{ARCH}: {rejections[0]}")
    check(p, algorithm)


@pytest.mark.parametrize("grid", [(4, 1), (2, 2), (1, 4)], ids=str)
@pytest.mark.parametrize("pack_a", [True, False])
def test_grids_of_threads(grid: tuple[int, int], pack_a: bool) -> None:
    """Rows and columns that no grid divides; k blocks end inside of a group, so columns are fetched across them."""
    p = problem(70, 5 * HOST.lanes + 3, 203, layout="rcr")
    algorithm = gemm_tile(**OPEN, nc=3 * HOST.lanes, pack_a=pack_a)
    tensors = OP.random_tensors(p, seed=5)
    out = run_candidate(p, tensors, algorithm, Launch(threads=4, grid=grid, blocks=(64, 48)))
    OP.verify(p, tensors, out).require(f"{p.label()} with a grid of {grid}")


@pytest.mark.parametrize("grid", [(2, 2), (1, 3)], ids=str)
@pytest.mark.parametrize("layout", ["rcr", "crr"])
def test_threads_that_pack_a_together(grid: tuple[int, int], layout: str) -> None:
    """A is large enough for it. The last panel and the last block of k are partial; the last thread has no columns."""
    p = problem(411, 2 * HOST.lanes + 3, 703, layout=layout)
    tensors = OP.random_tensors(p, seed=5)
    launch = Launch(threads=grid[0] * grid[1], grid=grid, blocks=(160, 48))
    out = run_candidate(p, tensors, gemm_tile(**OPEN), launch)
    OP.verify(p, tensors, out).require(f"{p.label()} with a grid of {grid}")


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("tile", [(4, 2), (12, 2), (4, 4)], ids=str)
@pytest.mark.parametrize(("rows", "columns"), [(2, 83), (50, 83), (13, 1024)])
def test_a_row_major_b_gives_the_bits_of_a_column_major_one(
    rows: int, columns: int, tile: tuple[int, int], threads: int
) -> None:
    """However B comes into panels: with the first products or before, whole panels or a last one, in blocks of k."""
    algorithm = gemm_tile(**OPEN, mr=tile[0], nr=tile[1] * HOST.lanes)
    rejections = CPU.check(KernelSpec("gemm", "cpu", ARCH, problem(rows, columns, 203).signature, algorithm), HOST)
    if rejections or not HOST.has_fma:
        pytest.skip(f"{ARCH}: {rejections}")
    launch = Launch(threads=threads, grid=(1, threads), blocks=(64, 48))
    tensors = dict(OP.random_tensors(problem(rows, columns, 203), seed=5))
    found = []
    for layout, b in (("rrr", np.ascontiguousarray(tensors["b"])), ("rcr", np.asfortranarray(tensors["b"]))):
        p = problem(rows, columns, 203, layout=layout)
        found.append(run_candidate(p, {**tensors, "b": b}, algorithm, launch).copy())
        OP.verify(p, tensors, found[-1]).require(f"{p.label()} with {threads} threads")
    assert np.array_equal(*found)


@pytest.mark.parametrize("threads", [1, 3, 8])
@pytest.mark.parametrize("dtype", ["fp32", "bf16"])
def test_few_rows_are_cut_between_any_two_groups_of_columns(dtype: str, threads: int) -> None:
    """A thread's columns end inside of a vector, and inside of a line that the next thread writes too."""
    p = problem(7, 101, 203, dtype, layout="rcr")
    tensors = OP.random_tensors(p, seed=5)
    out = run_candidate(p, tensors, CpuGemm("skinny", VECTOR_INNER, mr=4, nr=2, kc=64), Launch(threads=threads))
    OP.verify(p, tensors, out).require(f"{p.label()} with {threads} threads")


def test_the_selector_is_offered_blocks_that_differ() -> None:
    spec = KernelSpec("gemm", "cpu", ARCH, problem(1, 1, 1).signature, gemm_tile(**OPEN))
    device = Dispatcher().device_for(problem(300, 64, 300))
    offered = [launch.blocks for launch in CPU.launches(spec, problem(300, 64, 300), device)]
    assert len(set(offered)) == len(offered) > 4
    assert len(CPU.launches(spec, problem(8, 8, 8), device)) == 1
    fixed = KernelSpec("gemm", "cpu", ARCH, spec.signature, gemm_tile(kc=256, mc=96))
    assert [launch.blocks for launch in CPU.launches(fixed, problem(300, 64, 300), device)] == [()]


def test_batched() -> None:
    check(problem(31, 29, 17, batch=5, layout="crr"), gemm_tile())


@pytest.mark.parametrize("arch", [a.name for a in host_archs()])
def test_every_arch_of_this_machine(arch: str) -> None:
    facts = get_arch(arch)
    check(
        problem(50, 60, 70), gemm_tile(inner="fma" if "fma" in facts.inners else "portable", nr=2 * facts.lanes), arch
    )


def test_strided_views() -> None:
    base = np.random.default_rng(0).standard_normal((60, 80), dtype=np.float32)
    a, b = base[::2, ::3], base[1:28, ::-2]
    out = np.full((60, 80), np.nan, np.float32)[::2, ::2]
    import tilewright

    result = tilewright.gemm(a, b, out=out)
    assert result is out
    np.testing.assert_allclose(out, a.astype(np.float64) @ b.astype(np.float64), rtol=1e-5, atol=1e-5)


def test_same_answer_for_the_same_setting() -> None:
    p = problem(200, 300, 400)
    tensors = OP.random_tensors(p, seed=3)
    first = run_with(p, tensors, gemm_tile(), ARCH, threads=2).copy()
    for _ in range(3):
        assert np.array_equal(run_with(p, tensors, gemm_tile(), ARCH, threads=2), first)


def test_accumulate_into_d() -> None:
    import tilewright

    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((40, 700), dtype=np.float32), rng.standard_normal((700, 50), dtype=np.float32)
    c = rng.standard_normal((40, 50), dtype=np.float32)
    want = 0.5 * a.astype(np.float64) @ b + 3.0 * c
    tilewright.gemm(a, b, out=c, d=[c], alpha=0.5, beta=3.0)
    np.testing.assert_allclose(c, want, rtol=1e-4, atol=1e-4)
