"""Triton's AMD kernels of this project, compiled here, executed through the project's own launch code."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("triton")

from tilewright.backends.triton.fmha import OP as FMHA
from tilewright.backends.triton.fmha.algorithm import TritonFmha
from tilewright.backends.triton.gemm import OP
from tilewright.backends.triton.gemm.algorithm import TritonGemm
from tilewright.errors import SanitizerError
from tilewright.jit import BuildFailure, Cache, build_many
from tilewright.jit.arrays import view_of
from tilewright.model.kernel import Candidate, KernelSpec, Launch
from tilewright.ops import get_op
from tilewright.ops.gemm.signature import GemmSignature
from tilewright.plan import make_plan
from tilewright.settings import Settings

EVEN = TritonGemm(tile_m=64, tile_n=64, tile_k=32, warps=4, stages=2, even_k=True)
ODD = TritonGemm(tile_m=32, tile_n=32, tile_k=32, warps=4, stages=2, even_k=False)
FP16 = GemmSignature("fp16", "fp16", "fp32", "fp16", "rcr")
FMHA_OP = get_op("fmha")
FP32 = ("lse",)
SIZES = {"m": 128, "n": 64, "k": 96}
TAILS = {"m": 40, "n": 72, "k": 56}

# (arch, signature, algorithm, sizes)
CASES = [
    ("gfx908", FP16, EVEN, SIZES),
    ("gfx90a", FP16, EVEN, SIZES),
    ("gfx942", FP16, ODD, TAILS),
    ("gfx942", GemmSignature("fp8_fnuz", "fp8_fnuz", "fp32", "bf16", "rcr", scale_a="row"), EVEN, SIZES),
    ("gfx950", GemmSignature("fp16", "fp16", "fp32", "fp16", "rrr"), EVEN, SIZES),
    ("gfx1100", FP16, ODD, TAILS),
    ("gfx1200", GemmSignature("int8", "int8", "int32", "int32", "rcr"), EVEN, SIZES),
    ("gfx1201", GemmSignature("bf16", "bf16", "fp32", "bf16", "rcr"), EVEN, SIZES),
]


def shifted(array: Any, by: int) -> Any:
    """Return a dense copy whose address is so many bytes behind a multiple of 16."""
    room = np.zeros(array.nbytes + 32, np.uint8)
    first = -room.ctypes.data % 16 + by
    made = room[first : first + array.nbytes].view(array.dtype).reshape(array.shape)
    made[...] = array
    return made


def run_watched(backend: Any, spec: KernelSpec, artifact: Any, described: dict[str, Any]) -> Any:
    """Run a built kernel at its emulated place under the sanitizer, and verify the answer."""
    op = get_op(spec.op)
    problem = op.problem_from_dict({**described, "op": spec.op, "device": f"emu:{spec.arch}"})
    plan = make_plan(problem, Candidate(spec, Launch()), backend.load(spec, artifact), Settings(sanitize=True))
    tensors = op.random_tensors(problem, 0)
    tensors |= {r: shifted(tensors[r], by) for r, by in problem.alignment.items()}
    if spec.arch == "gfx90a":  # its matrix instructions flush small numbers of 16 bits, which the reference keeps
        for x in tensors.values():
            x[np.abs(x.astype(np.float32)) < 2.0**-14] = 0
    bound = plan.bind({role: view_of(t, role) for role, t in tensors.items()})
    try:
        bound()
    except SanitizerError as error:  # after the results were copied back
        if not problem.alignment or {f.kind for f in error.findings} != {"misaligned"}:
            raise  # what is misaligned is only slow
    out = tensors[op.out_roles(problem)[0]]
    return op.verify(problem, tensors, out, tier="float64", product_error=backend.product_error(spec), seed=0)


@pytest.fixture(scope="module")
def built() -> list[Any]:
    specs = [KernelSpec("gemm", "triton", arch, s, a) for arch, s, a, _ in CASES]
    settings = Settings.from_env()
    requests = [OP.request(s, settings) for s in specs]
    return list(zip(specs, build_many(requests, Cache.from_settings(settings), max_workers=2), strict=True))


@pytest.mark.parametrize("case", range(len(CASES)), ids=lambda i: f"{CASES[i][0]}-{CASES[i][1].label()}")
def test_a_gemm_is_right_and_clean(built: list[Any], case: int) -> None:
    spec, artifact = built[case]
    assert not isinstance(artifact, BuildFailure), artifact.log
    signature = spec.signature
    described = {**CASES[case][3], "layout": signature.layout, "dtype_a": signature.dtype_a,
                 "dtype_b": signature.dtype_b, "dtype_out": signature.dtype_out}  # fmt: skip
    if signature.scale_a != "none":
        described["scale_a"] = signature.scale_a
    verdict = run_watched(OP, spec, artifact, described)
    assert verdict.ok, (verdict.error, verdict.tolerance)


@pytest.mark.parametrize(
    ("by", "family"),
    [
        pytest.param(by, family, marks=pytest.mark.exhaustive if by and family == "fwd_splitkv" else ())
        for by in (0, 2, 8) for family in ("fwd", "bwd", "fwd_splitkv")
    ],
)  # fmt: skip
def test_attention_is_right_and_clean(by: int, family: str) -> None:
    """With `by`, all pointers are so many bytes behind a multiple of 16: only kernels for any alignment take them."""
    described = {
        "op": "fmha", "family": family, "batch": 1, "heads_q": 2, "heads_kv": 1, "seqlen_q": 48, "seqlen_k": 48,
        "hdim_q": 64, "hdim_v": 64, "dtype": "fp16", "mask": "causal_top_left", "lse": True,
    }  # fmt: skip
    if family == "fwd_splitkv":
        described |= {"seqlen_q": 1, "mask": "none", "num_splits": 2}
    if by:
        described["alignment"] = {r: by for r in FMHA_OP.problem_from_dict(described).roles if r not in FP32}
    signature = FMHA_OP.problem_from_dict(described).signature
    algorithm = TritonFmha(32 if family == "bwd" else 64, 32, 4, 2 if family != "bwd" else 1, aligned=not by)
    spec = KernelSpec("fmha", "triton", "gfx942", signature, algorithm)
    settings = Settings.from_env()
    [artifact] = build_many([FMHA.request(spec, settings)], Cache.from_settings(settings), max_workers=1)
    assert not isinstance(artifact, BuildFailure), artifact.log
    verdict = run_watched(FMHA, spec, artifact, described)
    assert verdict.ok, (verdict.error, verdict.tolerance)
