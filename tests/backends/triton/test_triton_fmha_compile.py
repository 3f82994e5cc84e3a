"""Attention kernels compile for GPUs that are not here; the binaries hold matrix instructions."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache

import pytest

pytest.importorskip("triton")

from tilewright.arch import get_arch
from tilewright.backends.triton.fmha import OP
from tilewright.backends.triton.fmha.algorithm import (
    TritonFmha,
    backward_shared_bytes,
    forward_shared_bytes,
    hopper_backward_shared_bytes,
    query_stages,
)
from tilewright.jit import BuildFailure, Cache, build_many
from tilewright.model.kernel import KernelSpec
from tilewright.ops.fmha.signature import FmhaSignature
from tilewright.settings import Settings

pytestmark = pytest.mark.xdist_group("triton_fmha_compile")  # they share what is compiled
CAUSAL = FmhaSignature("fwd", "fp16", "fp16", 64, 64, mask="causal_top_left", lse=True)
PAGED = FmhaSignature("fwd_splitkv", "bf16", "bf16", 128, 128, lookup="vllm", page_size=16, mask="causal_bottom_right")
RICH = FmhaSignature(
    "fwd", "bf16", "bf16", 96, 64, mode="group", mask="window", sink=True, bias="alibi", dropout="philox"
)
BWD = FmhaSignature("bwd", "fp16", "fp16", 64, 64, mask="causal_top_left", lse=True, dropout="philox")
PLAIN_BWD = FmhaSignature("bwd", "bf16", "bf16", 128, 128, mask="causal_bottom_right", lse=True)
WIDE_BWD = FmhaSignature("bwd", "bf16", "bf16", 256, 256, lse=True)
MASKED_BWD = FmhaSignature("bwd", "bf16", "bf16", 64, 64, lse=True, bias="elementwise")
HIDDEN = FmhaSignature("fwd", "bf16", "bf16", 256, 256, bias="elementwise", lse=True)
APPEND = FmhaSignature("fwd_appendkv", "bf16", "bf16", 128, 128, rope="half", lookup="sglang", page_size=16)
ROWS, FEW = TritonFmha(64, 32, 4, 2), TritonFmha(16, 64, 4, 3, pack=True)
MFMA, WMMA, WGMMA, MMA = "v_mfma", "v_wmma", "wgmma.mma_async", "mma.sync"

# (arch, signature, algorithm, matrix instruction of each kernel that multiplies)
CASES = [
    ("sm_90", CAUSAL, TritonFmha(64, 64, 4, 3, pipeline="tma"), {"kernel": WGMMA}),
    ("sm_90", PAGED, FEW, {"kernel": MMA, "split": MMA}),
    ("sm_90", BWD, TritonFmha(32, 64, 4, 2), {"kernel": WGMMA, "query_gradients": WGMMA}),
    ("sm_90", CAUSAL, TritonFmha(128, 128, 8, 2, pipeline="hopper"), {"kernel": WGMMA}),
    ("sm_90", HIDDEN, TritonFmha(128, 64, 8, 2, pipeline="hopper"), {"kernel": WGMMA}),
    ("sm_90", PLAIN_BWD, TritonFmha(64, 128, 8, 2, pipeline="hopper"), {"kernel": WGMMA}),
    ("sm_80", RICH, ROWS, {"kernel": MMA}),
    ("gfx942", CAUSAL, ROWS, {"kernel": MFMA}),
    ("gfx942", BWD, TritonFmha(32, 32, 4, 1), {"kernel": MFMA}),
    ("gfx1100", CAUSAL, ROWS, {"kernel": WMMA}),
    ("gfx1201", PAGED, TritonFmha(16, 32, 4, 2, pack=True), {"kernel": WMMA, "split": WMMA}),
    ("gfx942", APPEND, TritonFmha(), {}),
    ("sm_90", MASKED_BWD, TritonFmha(32, 64, 4, 2), {"kernel": WGMMA, "origins": WGMMA}),
    ("gfx942", MASKED_BWD, TritonFmha(32, 32, 4, 1), {"kernel": MFMA, "origins": MFMA}),
    ("sm_90", replace(PLAIN_BWD, mode="group"), TritonFmha(64, 128, 8, 2, pipeline="hopper"), {"kernel": WGMMA}),
    ("sm_90", MASKED_BWD, TritonFmha(64, 128, 8, 2, pipeline="hopper"), {"kernel": WGMMA, "origins": WGMMA}),
    ("sm_90", BWD, TritonFmha(64, 128, 8, 2, pipeline="hopper"), {"kernel": WGMMA}),
    ("sm_90", replace(PLAIN_BWD, soft_cap=True), TritonFmha(64, 128, 8, 2, pipeline="hopper"), {"kernel": WGMMA}),
    ("sm_90", WIDE_BWD, TritonFmha(64, 64, 8, 2, pipeline="hopper"), {"kernel": WGMMA}),
    ("sm_90", replace(WIDE_BWD, deterministic=True), TritonFmha(64, 64, 8, 1, pipeline="hopper"), {"kernel": WGMMA}),
    ("sm_90", replace(CAUSAL, hdim_q=192, hdim_v=192), TritonFmha(128, 64, 8, 2, pipeline="hopper"), {"kernel": WGMMA}),
    ("sm_90", replace(WIDE_BWD, deterministic=True), TritonFmha(64, 64, 8, 2, pipeline="hopper"), {"kernel": WGMMA}),
    ("sm_90", replace(PLAIN_BWD, mask="window", sink=True), TritonFmha(64, 128, 8, 2, pipeline="hopper"),
     {"kernel": WGMMA, "sinks": WGMMA}),
]  # fmt: skip


USUAL = {0, 1, 4, 5, 7, 9, 12, 15}  # a case of each pipeline and kind of GPU by default; they take seconds each


def cases(numbers):
    for i in numbers:
        label = f"{CASES[i][0]}-{CASES[i][1].label()}"
        yield pytest.param(i, id=label, marks=[] if i in USUAL else pytest.mark.exhaustive)


@cache
def built(case):
    settings = Settings.from_env()
    arch, signature, algorithm, _ = CASES[case]
    spec = KernelSpec("fmha", "triton", arch, signature, algorithm)
    assert not OP.check(spec, get_arch(arch)), spec.name
    (artifact,) = build_many([OP.request(spec, settings)], Cache.from_settings(settings), max_workers=1)
    assert not isinstance(artifact, BuildFailure), artifact.log
    return spec, artifact


@pytest.mark.parametrize("case", list(cases(range(len(CASES)))))
def test_a_kernel_for_an_absent_gpu(case):
    arch, signature, algorithm, instructions = CASES[case]
    spec, artifact = built(case)
    text = "ptx" if arch.startswith("sm") else "amdgcn"
    for prefix, instruction in instructions.items():
        assembly = artifact.file(f"{prefix}.{text}").read_text()
        assert instruction in assembly, prefix
    # The Hopper passes fill their registers with accumulators: some numbers of a block of keys or bias find no room.
    tight = algorithm.pipeline == "hopper" and (signature.family == "bwd" or signature.bias != "none")
    features = signature.bias != "none" or signature.soft_cap or signature.dropout != "none"
    spare = (128 if features and signature.family == "bwd" else 48) if tight else 0
    for prefix in OP.load(spec, artifact).prefixes:
        meta = json.loads(artifact.file(f"{prefix}.json").read_text())
        assert meta["arch"] == arch
        assert meta.get("stack_bytes", 0) <= spare, f"{prefix} spills"


def test_shares_of_dq_are_added_by_the_copy_engine():
    text = built(5)[1].file("kernel.ptx").read_text()
    assert "cp.reduce.async.bulk.tensor" in text
    assert "atom." not in text
    assert "red.global" not in text


@pytest.mark.parametrize("case", list(cases(range(6))))
def test_the_rule_counts_the_shared_memory_that_the_compiler_takes(case):
    _, signature, algorithm, _ = CASES[case]
    taken = json.loads(built(case)[1].file("kernel.json").read_text())["shared"]
    count = backward_shared_bytes if signature.family == "bwd" else forward_shared_bytes
    hopper = algorithm.pipeline == "hopper"
    if hopper and signature.family == "bwd":
        said = hopper_backward_shared_bytes(signature, algorithm)
    else:
        said = count(signature, algorithm, algorithm.stages)
    if hopper and signature.family == "fwd":  # a second tile of queries is taken where there is room
        said += (query_stages(signature, algorithm) - 1) * algorithm.tile_m * signature.hdim_q * 2
    assert taken <= 1.1 * said + 4096, (taken, said)
