"""Rows in groups by Triton's kernel: compiled for an AMD GPU and executed in the emulator, and launched on a GPU."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

pytest.importorskip("triton")

import tilewright as tw
from tilewright.arch import get_arch
from tilewright.backends.triton.gemm import OP
from tilewright.backends.triton.gemm.algorithm import TritonGemm
from tilewright.backends.triton.gemm.bind import tile_count
from tilewright.dispatcher.nominal import nominal_device
from tilewright.model.kernel import KernelSpec
from tilewright.ops import problem_from_dict
from tilewright.registry import Registry, default_registry
from tilewright.settings import Settings

FIELDS = {"op": "gemm", "m": 150, "n": 72, "k": 96, "dtype": "fp16", "groups": 3}
SMALL = TritonGemm(pipeline="grouped", tile_m=64, tile_n=64, tile_k=32, warps=4, stages=2, blocks_per_unit=2)


@pytest.fixture(scope="module")
def dispatcher() -> tw.Dispatcher:
    registry = Registry("one")
    signature = problem_from_dict({**FIELDS, "epilogue": {"activation": "relu"}}).signature
    registry.add(KernelSpec("gemm", "triton", "gfx942", signature, SMALL))
    return tw.Dispatcher(registry, settings=Settings.from_env(sanitize=True, build="wait"))


@pytest.mark.parametrize("ends", [(7, 7, 150), (150, 150, 150), (0, 65, 129)])
def test_groups_of_any_length_are_served(ends: tuple[int, ...], dispatcher: tw.Dispatcher) -> None:
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(shape).astype(np.float16) for shape in ((150, 96), (3, 72, 96)))
    out = np.full((150, 72), 7, np.float16)
    given = a, b.transpose(0, 2, 1), np.array(ends, np.int32)
    tw.grouped_gemm(*given, out=out, activation="relu", device="emu:gfx942", dispatcher=dispatcher)
    for g, (start, end) in enumerate(pairwise((0, *ends))):
        want = np.maximum(a[start:end].astype(np.float64) @ b[g].T.astype(np.float64), 0)
        assert np.abs(out[start:end] - want).max(initial=0) < 0.1
    assert (out[ends[-1] :] == 7).all()  # no group has these rows


def broken(algorithm: TritonGemm, **changes: Any) -> set[str]:
    problem: Any = problem_from_dict({**FIELDS, **changes})
    spec = KernelSpec("gemm", "triton", "gfx942", problem.signature, algorithm)
    arch = get_arch("gfx942")
    return {r.rule for r in (*OP.check(spec, arch), *OP.check_problem(spec, arch, problem))}


def test_only_the_grouped_pipeline_takes_groups() -> None:
    pointer = TritonGemm(tile_m=64, tile_n=64, tile_k=32, warps=4, stages=2)
    assert broken(SMALL) == set()
    assert broken(SMALL, groups=0) == {"triton.gemm.groups"}
    assert broken(pointer) == {"triton.gemm.groups"}
    assert broken(pointer, groups=0) == set()
    for broadcast, rules in (("row", set()), ("col", {"triton.gemm.groups"}), ("none", {"triton.gemm.groups"})):
        assert broken(SMALL, d=[{"dtype": "fp16", "broadcast": broadcast}]) == rules
    odd = {"b": (96 * 72 + 4, 1, 96)}  # the second matrix does not begin on 16 bytes
    assert broken(SMALL, strides=odd) == {"triton.gemm.alignment"}


@pytest.mark.parametrize(("m", "groups", "most"), [(150, 3, 5), (3, 100, 3), (64, 1, 2), (4096, 8, 72)])
def test_programs_reach_every_tile_of_groups_of_any_length(m: int, groups: int, most: int) -> None:
    problem: Any = problem_from_dict({**FIELDS, "m": m, "n": 64, "groups": groups})
    assert tile_count(problem, SMALL) == most
    rng = np.random.default_rng(0)
    for _ in range(20):
        ends = np.sort(rng.integers(0, m + 1, groups))
        rows = np.diff(ends, prepend=0)
        assert (-(-rows // 64)).sum() <= most


@pytest.mark.parametrize(
    ("arch", "changes"),
    [
        ("sm_90", {}),
        ("sm_90", {"dtype": "fp32"}),
        ("gfx942", {"dtype": "bf16", "k": 97}),
        ("sm_80", {"layout": "crc", "k": 33}),
    ],
)
def test_the_default_registry_has_kernels_of_groups(arch: str, changes: dict[str, Any]) -> None:
    problem = problem_from_dict({**FIELDS, **changes})
    legal = default_registry(("triton",)).consider(problem, nominal_device(arch)).legal
    assert legal
    assert {c.spec.algorithm.pipeline for c in legal} == {"grouped"}


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
def test_groups_on_a_gpu(dtype: str) -> None:
    torch = pytest.importorskip("torch")
    kind = getattr(torch, dtype)
    a, b = torch.randn(300, 200, device="cuda", dtype=kind), torch.randn(5, 264, 200, device="cuda", dtype=kind)
    ends = torch.tensor([17, 17, 120, 290, 300], device="cuda", dtype=torch.int32)
    got = tw.grouped_gemm(a, b.transpose(1, 2), ends)
    for g, (start, end) in enumerate(pairwise((0, *ends.tolist()))):
        want = a[start:end].double() @ b[g].double().T
        assert torch.allclose(got[start:end].double(), want, rtol=0.02, atol=0.2)
