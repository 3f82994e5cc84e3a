"""Packed weights: one packer for every format that a kernel reads, used wherever tensors of a problem are made."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from amd_toolchain import REAL, needs_toolchain
from code_objects import ELF

import tilewright as tw
from tilewright.arch import get_arch, get_supported_archs
from tilewright.backends.ck_tile.call import CkKernels
from tilewright.backends.ck_tile.gemm import OP, CkTileGemm
from tilewright.backends.ck_tile.gemm.geometry import packed_formats
from tilewright.backends.ck_tile.gemm.instances import instance_of
from tilewright.backends.ck_tile.gemm.packing import shuffled
from tilewright.backends.ck_tile.inspect import ASSEMBLY, CODE
from tilewright.cli.execute import _run_one
from tilewright.dispatcher import Dispatcher
from tilewright.errors import TensorError, UnknownNameError
from tilewright.frontends.packing import packed_forms
from tilewright.model.dtype import DTYPES
from tilewright.model.kernel import KernelSpec
from tilewright.model.tensor import PackedTensor
from tilewright.ops import get_op, problem_from_dict
from tilewright.ops.gemm.of_signature import problem_for
from tilewright.ops.gemm.signature import GemmSignature
from tilewright.registry import Registry
from tilewright.settings import Settings
from tilewright.tune.bench.record import bench_problem

DATA = Path(__file__).parents[2] / "emulator" / "data"
PLACE = "emu:gfx942"
SIGNATURE = GemmSignature("fp16", "fp16", "fp32", "fp16", "rcr", b_format="ck_tile_n32_v8")
# The kernel of data/ck_gemm_preshuffle_gfx942.s: the ending for an even number of steps along k.
SPEC = KernelSpec("gemm", "ck_tile", "gfx942", SIGNATURE, CkTileGemm(
    tile_m=64, tile_n=64, tile_k=64, waves_m=1, waves_n=2, warp_tile_m=32, warp_tile_n=32, warp_tile_k=16,
    pipeline="preshufflev2", double_smem_buffer=True, epilogue="cshuffle",
))  # fmt: skip
SIZES = (128, 192, 256)


@pytest.fixture
def dispatcher(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Dispatcher:
    """A dispatcher with the kernel of the test data, already built."""
    (tmp_path / CODE).write_bytes(ELF)
    (tmp_path / ASSEMBLY).write_text((DATA / "ck_gemm_preshuffle_gfx942.s").read_text())
    kernel = CkKernels(SPEC, tmp_path, {instance_of(SPEC, SIZES[2], 1).name: "ck_gemm"})
    registry = Registry("one")
    registry.add(SPEC)
    where = Dispatcher(registry, settings=Settings.from_env(sanitize=True))
    monkeypatch.setattr(where, "_load", lambda spec: kernel)
    return where


def test_run_check_packs_the_weights_of_a_preshuffle_kernel(dispatcher: Dispatcher) -> None:
    problem = problem_for(SIGNATURE, *SIZES, PLACE)
    row = _run_one(dispatcher, problem, 0, True, "float64")
    assert row["ok"], row
    assert row["findings"] == []


def test_packed_weights_go_through_gemm_and_the_dispatcher(dispatcher: Dispatcher) -> None:
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(s).astype(np.float16) for s in ((128, 256), (256, 192)))
    want = a.astype(np.float64) @ b.astype(np.float64)
    packed = tw.pack_weights(b, format="ck_tile_n32_v8", device=PLACE, dispatcher=dispatcher)
    assert (packed.format, packed.letter, packed.shape) == ("ck_tile_n32_v8", "c", (256, 192))
    got = tw.gemm(a, packed, device=PLACE, dispatcher=dispatcher)
    assert np.abs(got - want).max() < 0.1
    out = np.zeros_like(got)
    dispatcher.run(problem_for(SIGNATURE, *SIZES, PLACE), a=a, b=packed, out=out)
    assert (out == got).all()


def test_a_plain_matrix_or_another_format_is_refused(dispatcher: Dispatcher) -> None:
    problem = problem_for(SIGNATURE, *SIZES, PLACE)
    tensors = get_op("gemm").random_tensors(problem, 0)
    with pytest.raises(TensorError, match="b is a plain matrix, the problem needs it packed as ck_tile_n32_v8"):
        dispatcher.run(problem, **tensors)
    other = PackedTensor("ck_tile_n16_v8", "fp16", (256, 192), shuffled(tensors["b"], "ck_tile_n16_v8"), "c")
    with pytest.raises(TensorError, match=r"b is packed as ck_tile_n16_v8: .*needs it packed as ck_tile_n32_v8"):
        dispatcher.run(problem, **{**tensors, "b": other})
    smaller = PackedTensor("ck_tile_n32_v8", "fp16", (256, 96), shuffled(tensors["b"], "ck_tile_n32_v8"), "c")
    with pytest.raises(TensorError, match=r"fp16 of \(256, 96\); the problem needs it .* fp16 of \(256, 192\)"):
        dispatcher.run(problem, **{**tensors, "b": smaller})
    with pytest.raises(UnknownNameError, match="ck_tile_n33_v8"):
        tw.pack_weights(tensors["b"], format="ck_tile_n33_v8", device=PLACE, dispatcher=dispatcher)


@pytest.mark.parametrize("arch", get_supported_archs("amd"))
def test_every_format_that_a_rule_accepts_can_be_packed(arch: str) -> None:
    facts = get_arch(arch)
    types = [GemmSignature(a, b, acc, "fp16") for a in DTYPES for b in DTYPES for acc in ("fp32", "int32")]
    listed = [s for s in types if s.dtype_key in facts.preshuffle_warp_tiles]
    assert len(listed) == len(facts.preshuffle_warp_tiles)
    b = np.arange(64 * 64, dtype=np.int16).reshape(64, 64)
    for signature in listed:
        tiles = facts.preshuffle_warp_tiles[signature.dtype_key]
        names = packed_formats(signature, facts)
        assert names or all(t[1] not in (16, 32) for t in tiles), signature
        for name in names:
            packed = shuffled(b, name)
            assert sorted(packed.ravel()) == sorted(b.ravel())
            assert (shuffled(np.asfortranarray(b), name) == packed).all()


def test_torch_tensors_are_packed_like_arrays() -> None:
    torch = pytest.importorskip("torch")
    b = np.random.default_rng(0).standard_normal((32, 64)).astype(np.float16)
    for name in ("ck_tile_n32_v8", "ck_tile_n16_v4"):
        assert (shuffled(torch.from_numpy(b), name).numpy() == shuffled(b, name)).all()
    assert (shuffled(torch.from_numpy(b.T.copy()).T, "ck_tile_n16_v4").numpy() == shuffled(b, "ck_tile_n16_v4")).all()


def cpu_problem() -> Any:
    plain = problem_from_dict({"op": "gemm", "m": 5, "n": 40, "k": 33, "dtype": "fp32", "layout": "rrr"})
    return packed_forms(plain, Dispatcher())[0]


def test_run_check_and_bench_pack_the_weights_of_cpu_kernels() -> None:
    problem = cpu_problem()
    assert problem.b_format.startswith("cpu.")
    assert _run_one(Dispatcher(), problem, 0, True, "float64")["ok"]
    from tilewright.tune.measure.timer import Policy

    assert bench_problem(Dispatcher(), problem, policy=Policy(rounds=3, min_sample_ms=0.01)).ok


@needs_toolchain
@pytest.mark.exhaustive  # the compiler takes half a minute
@pytest.mark.xdist_group("amd_compile")
def test_a_compiled_preshuffle_kernel_is_right() -> None:
    assert not OP.check(SPEC, get_arch("gfx942"))
    registry = Registry("one")
    registry.add(replace(SPEC))
    assert REAL is not None
    where = Dispatcher(registry, settings=replace(REAL, sanitize=True))
    row = _run_one(where, problem_for(SIGNATURE, *SIZES, PLACE), 0, True, "float64")
    assert row["ok"], row
