"""Operands that go through steps first, by Triton's kernel: executed in the emulator, and launched on a GPU."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("triton")

import tilewright as tw
from tilewright.arch import get_arch
from tilewright.backends.triton.gemm import OP
from tilewright.backends.triton.gemm.algorithm import TritonGemm
from tilewright.dispatcher.nominal import nominal_device
from tilewright.model.kernel import KernelSpec
from tilewright.ops import problem_from_dict
from tilewright.ops.gemm.reference import expected
from tilewright.registry import Registry, default_registry
from tilewright.settings import Settings

ANY = {"vector_bytes": 1, "unit": False, "wide": True}
SMALL = TritonGemm(tile_m=64, tile_n=64, tile_k=32, warps=4, stages=2, precision="ieee", **ANY)
ROW, COL = {"broadcast": "row"}, {"broadcast": "col"}
NORM = [{"op": "multiply", **ROW}, {"op": "add", **ROW}, "relu"]
# Steps of A and of B, and K: the last step of 33 is not a whole one, so what lies past it must not count.
CASES: dict[str, tuple[list[Any], list[Any], int]] = {
    "norm and ReLU of A": (NORM, [], 33),
    "whole steps": (NORM, [], 64),
    "both": ([{"op": "add", **COL}, "sigmoid"], [{"op": "multiply"}, {"op": "add", **COL}, "sigmoid"], 33),
    "a row of B": ([], [{"op": "add", **ROW}, "silu"], 40),
}


def steps_of(steps: list[Any], dtype: str) -> list[Any]:
    return [step if isinstance(step, str) else {**step, "dtype": dtype} for step in steps]


def problem_of(case: str, dtype: str = "fp32", batch: int = 1, **more: Any) -> Any:
    a, b, k = CASES[case]
    named = {"prologue_a": steps_of(a, dtype), "prologue_b": steps_of(b, dtype)}
    sizes = {"m": 70, "n": 50, "k": k, "batch": batch}
    return problem_from_dict({"op": "gemm", **sizes, "dtype": dtype, "layout": "rrr", **named, **more})


def tensors_of(problem: Any) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    kind = {"fp32": np.float32, "fp16": np.float16}[problem.dtype_a]
    shapes = {role: problem.shape(role) for role in problem.roles}
    batch = (problem.batch,) if problem.batch > 1 else ()
    return {role: rng.standard_normal((*batch, *shape)).astype(kind) for role, shape in shapes.items()}


def called(problem: Any, tensors: dict[str, Any], **where: Any) -> Any:
    steps = {}
    for role in "ab":
        number, given = 0, []
        for step in getattr(problem, f"prologue_{role}"):
            number += bool(step.dtype)
            given.append((step.op, tensors[f"{role}{number}"]) if step.dtype else step.op)
        steps[f"prologue_{role}"] = given
    return tw.gemm(tensors["a"], tensors["b"], **steps, **where)


@pytest.mark.parametrize("case", list(CASES))
def test_steps_in_the_emulator(case: str) -> None:
    batch = 2 if case == "both" else 1
    problem = problem_of(case, batch=batch)
    registry = Registry("one")
    registry.add(KernelSpec("gemm", "triton", "gfx942", problem.signature, SMALL))
    dispatcher = tw.Dispatcher(registry, settings=Settings.from_env(sanitize=True, build="wait"))
    tensors = tensors_of(problem)
    got = called(problem, tensors, device="emu:gfx942", dispatcher=dispatcher)
    want = expected(problem, tensors).value
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)


def test_split_tiles_take_the_same_steps() -> None:
    problem = problem_of("norm and ReLU of A", split_k=2)
    registry = Registry("one")
    registry.add(KernelSpec("gemm", "triton", "gfx942", problem.signature, replace(SMALL, split=True)))
    dispatcher = tw.Dispatcher(registry, settings=Settings.from_env(build="wait"))
    tensors = tensors_of(problem)
    got = called(problem, tensors, device="emu:gfx942", dispatcher=dispatcher, split_k=2)
    want = expected(problem, tensors).value
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)


def broken(case: str = "whole steps", dtype: str = "fp16", **changes: Any) -> set[str]:
    algorithm = TritonGemm(**{"tile_m": 64, "tile_n": 64, "tile_k": 32, **changes})
    spec = KernelSpec("gemm", "triton", "sm_90", problem_of(case, dtype).signature, algorithm)
    return {r.rule for r in OP.check(spec, get_arch("sm_90"))}


def test_only_pointer_kernels_take_steps() -> None:
    rule = "triton.gemm.prologue"
    assert rule not in broken()
    assert rule in broken(swap_ab=True)
    assert rule in broken(pipeline="hopper")
    assert rule in broken(pipeline="grouped")


@pytest.mark.parametrize("arch", ["sm_80", "sm_90", "gfx942"])
@pytest.mark.parametrize("dtype", ["fp16", "bf16", "fp32"])
def test_the_default_registry_has_kernels_with_steps(arch: str, dtype: str) -> None:
    legal = default_registry(("triton",)).consider(problem_of("both", dtype), nominal_device(arch)).legal
    assert legal
    assert {c.spec.algorithm.pipeline for c in legal} == {"pointer"}


@pytest.mark.gpu
@pytest.mark.parametrize("case", list(CASES))
@pytest.mark.parametrize("dtype", ["fp16", "fp32"])
def test_steps_on_a_gpu(case: str, dtype: str) -> None:
    torch = pytest.importorskip("torch")
    problem = problem_of(case, dtype, 3)
    tensors = tensors_of(problem)
    got = called(problem, {role: torch.from_numpy(t).cuda() for role, t in tensors.items()})
    want = expected(problem, tensors).value
    np.testing.assert_allclose(got.cpu().numpy(), want, rtol=1e-2, atol=5e-2 if dtype == "fp16" else 1e-3)
