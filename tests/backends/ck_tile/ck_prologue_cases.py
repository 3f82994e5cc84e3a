"""What breaks each rule of prologues alone; in the form of `test_ck_tile_rules.py`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ck_tile_specs import FP16

from tilewright.model.kernel import Launch
from tilewright.ops.gemm.prologue import PrologueStep
from tilewright.ops.gemm.signature import GemmSignature

SIDE = 4096
ADD = PrologueStep("add", "fp16")
SUM = replace(FP16, prologue_a=(ADD,))
ADDED = {"prologue_a": [{"op": "add", "dtype": "fp16"}]}
SIGMOIDS = {"prologue_a": ["sigmoid"], "prologue_b": ["sigmoid"]}

# rule -> (algorithm fields, signature, what the message says, arch facts changed)
KERNEL_CASES: dict[str, tuple[dict[str, Any], GemmSignature, str, dict[str, Any]]] = {
    "prologue_family": ({"family": "batched"}, SUM, "family batched take one tensor for A and one for B", {}),
    "prologue_pipeline": (
        {"pipeline": "compv6", "tile_k": 32},
        SUM,
        "prologues are generated with mem, compv3, compv4, not with compv6",
        {},
    ),
    "prologue_count": (
        {"pipeline": "compv4", "double_smem_buffer": True, "tile_k": 32},
        SUM,
        "2 tensors for A and 1 for B: compv4 of CK 1.2.0 reads as many for B as for A",
        {},
    ),
    "prologue_dtype": (
        {},
        replace(FP16, prologue_b=(PrologueStep("multiply", "fp32"),)),
        "B of fp16 combined with fp32",
        {},
    ),
    "prologue_broadcast": (
        {},
        replace(FP16, prologue_a=(replace(ADD, broadcast="row"),)),
        "add-row: CK 1.2.0 would read a vector at the offsets of the matrix",
        {},
    ),
}

# rule -> (algorithm fields, problem fields, launch, what the message says)
PROBLEM_CASES: dict[str, tuple[dict[str, Any], dict[str, Any], Launch, str]] = {
    "prologue_strides": (
        {},
        {**ADDED, "strides": {"a1": (0, SIDE + 8, 1)}},
        Launch(),
        "a1 has leading stride 4104, a 4096; CK 1.2.0 reads both with 4096",
    ),
    "prologue_split": ({}, ADDED, Launch(split_k=2), "split_k 2 with a prologue"),
    "prologue_depth": (
        {"pad_k": True},
        {**SIGMOIDS, "k": 4104},
        Launch(),
        "K = 4,104 % tile_k 64 = 8, and both operands go through a sigmoid",
    ),
}
