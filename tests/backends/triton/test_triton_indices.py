"""Indices in GPU memory that nobody has checked: kernels stay inside of the tensors whatever they say."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

pytest.importorskip("triton")

from tilewright.backends.triton.fmha import OP
from tilewright.backends.triton.fmha.algorithm import TritonFmha
from tilewright.jit import BuildFailure, Cache, build_many
from tilewright.jit.arrays import view_of
from tilewright.model.kernel import Candidate, KernelSpec, Launch
from tilewright.ops import get_op, problem_from_dict
from tilewright.ops.fmha.shapes import READ_ROLES
from tilewright.plan import make_plan
from tilewright.settings import Settings

FMHA = get_op("fmha")
ARCH = "gfx942"
LOWEST, HIGHEST = -(2**31), 2**31 - 1
HEADS = {"op": "fmha", "batch": 2, "heads_q": 2, "heads_kv": 1, "hdim_q": 32, "hdim_v": 32, "dtype": "fp16"}
PAGES = {"page_size": 16, "num_pages": 9}
SMALL, PACKED = TritonFmha(16, 32, 1, 1), TritonFmha(16, 16, 1, 1, pack=True)
CASES: dict[str, tuple[dict[str, Any], TritonFmha, int]] = {
    "lengths": ({"seqlen_q": 5, "seqlen_k": 40, "kv_lengths": True, "bias": "elementwise"}, SMALL, 1),
    "varlen": ({"mode": "group", "seqlen_q": 20, "seqlen_k": 40, "total_q": 30, "total_k": 61, "lse": True}, SMALL, 1),
    "paged": ({"family": "fwd_pagedkv", "seqlen_q": 1, "seqlen_k": 60, "lookup": "vllm", **PAGES}, PACKED, 1),
    "split": ({"family": "fwd_splitkv", "seqlen_q": 1, "seqlen_k": 60, "lookup": "vllm", **PAGES}, SMALL, 3),
    "prefill": (
        {"family": "batch_prefill", "mode": "group", "seqlen_q": 9, "total_q": 15, "seqlen_k": 60, "lookup": "sglang",
         **PAGES}, PACKED, 1,
    ),
    "backward": (
        {"family": "bwd", "mode": "group", "seqlen_q": 20, "seqlen_k": 24, "total_q": 30, "total_k": 41, "lse": True,
         "bias": "elementwise", "dbias": True}, SMALL, 1,
    ),
    "append": (
        {"family": "fwd_appendkv", "seqlen_q": 2, "seqlen_new": 2, "seqlen_k": 60, "lookup": "vllm", "rope": "half",
         "rotary_dim": 16, "mask": "causal_top_left", **PAGES}, SMALL, 1,
    ),
    "append to a list": (
        {"family": "fwd_appendkv", "seqlen_q": 2, "seqlen_new": 2, "seqlen_k": 60, "lookup": "sglang", **PAGES},
        SMALL, 1,
    ),
}  # fmt: skip


@cache
def built(case: str) -> tuple[Any, Candidate, Any]:
    """The problem, the kernel of a case and its launch."""
    described, algorithm, splits = CASES[case]
    problem = problem_from_dict({**HEADS, **described, "device": f"emu:{ARCH}"})
    spec = KernelSpec("fmha", "triton", ARCH, problem.signature, algorithm)
    settings = Settings.from_env()
    [artifact] = build_many([OP.request(spec, settings)], Cache.from_settings(settings), max_workers=1)
    assert not isinstance(artifact, BuildFailure), artifact.log
    return problem, Candidate(spec, Launch(num_splits=splits)), artifact


def run(case: str, tensors: dict[str, Any]) -> Any:
    """Run in the emulator, where an access outside of every allocation is an error. Nothing checks the indices."""
    problem, candidate, artifact = built(case)
    plan = make_plan(problem, candidate, OP.load(candidate.spec, artifact), Settings())
    return plan.bind({role: view_of(t, role) for role, t in tensors.items()})()


def hostile(problem: Any, tensors: dict[str, Any], kind: str) -> dict[str, Any]:
    """The tensors with other indices."""
    rng = np.random.default_rng(0)
    roles = [r for r in problem.roles if r in READ_ROLES]
    numbers = {
        "low": lambda x: np.full_like(x, LOWEST),
        "high": lambda x: np.full_like(x, HIGHEST),
        "wide": lambda x: np.linspace(-70, 500, x.size).astype(x.dtype).reshape(x.shape),
        "falling": lambda x: np.ascontiguousarray(x.reshape(-1)[::-1].reshape(x.shape)) + 1,
        "mixed": lambda x: rng.choice([LOWEST, -70, -1, 1, 62, 500, HIGHEST], x.shape).astype(x.dtype),
    }
    return {r: numbers[kind](x) if r in roles else x.copy() for r, x in tensors.items()}


@pytest.mark.parametrize("case", CASES)
def test_accesses_stay_inside_of_the_tensors(case: str) -> None:
    problem = built(case)[0]
    tensors = FMHA.random_tensors(problem, 0)
    for kind in ("low", "high", "wide", "falling", "mixed"):
        given = hostile(problem, tensors, kind)
        before = {r: x.copy() for r, x in given.items() if r not in problem.outputs}
        run(case, given)
        assert [r for r, x in before.items() if given[r].tobytes() != x.tobytes()] == []


@pytest.mark.parametrize("case", ["paged", "prefill", "varlen"])
def test_legal_indices_give_the_right_answer(case: str) -> None:
    problem = built(case)[0]
    tensors = FMHA.random_tensors(problem, 1)
    assert FMHA.verify(problem, tensors, run(case, tensors), tier="float64").ok


def test_a_list_of_pages_may_be_longer_than_there_are_pages() -> None:
    problem = built("prefill")[0]
    tensors = FMHA.random_tensors(problem, 1)
    first = tensors["page_table"][:4]
    tensors["page_table"] = np.concatenate([np.full(8, 3, np.int32), first, first[::-1]]).astype(np.int32)
    tensors["page_indptr"][...] = (8, 12, 16)
    assert FMHA.verify(problem, tensors, run("prefill", tensors), tier="float64").ok
