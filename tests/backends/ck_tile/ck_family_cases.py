"""What breaks each rule of CK's other GEMM kernels alone; in the form of `test_ck_tile_rules.py`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ck_tile_specs import FP16

from tilewright.model.kernel import Launch
from tilewright.ops.gemm.epilogue import DTensor
from tilewright.ops.gemm.signature import GemmSignature

BATCHED = {"family": "batched"}
SIDE = 4096

# rule -> (algorithm fields, signature, what the message says, arch facts changed)
KERNEL_CASES: dict[str, tuple[dict[str, Any], GemmSignature, str, dict[str, Any]]] = {
    "batched_pipeline": (
        {**BATCHED, "pipeline": "compv4", "double_smem_buffer": True, "tile_k": 32},
        FP16,
        "has no compv4 form (it passes one LDS buffer)",
        {},
    ),
    "batched_persistent": ({**BATCHED, "persistent": True}, FP16, "has no persistent form", {}),
    "batched_d": (BATCHED, replace(FP16, d=(DTensor("fp16"),)), "1 D operands: CK's batched kernel takes plain", {}),
}

# rule -> (algorithm fields, problem fields, launch, what the message says)
PROBLEM_CASES: dict[str, tuple[dict[str, Any], dict[str, Any], Launch, str]] = {
    "batch": ({}, {"batch": 2}, Launch(), "batch 2 > 1"),
    "batch_strides": (
        BATCHED,
        {"batch": 2, "strides": {"b": (0, 1, SIDE)}},
        Launch(),
        "b: matrices are 0 elements apart; CK asks for 4096 x 4096 at least",
    ),
    "batch_offsets": (BATCHED, {"batch": 129}, Launch(), "a spans 2,147,483,648 >= 2,147,483,648 elements"),
    "batch_vectors": (
        BATCHED,
        {"batch": 2, "strides": {"a": (SIDE * SIDE + 4, SIDE, 1)}},
        Launch(),
        "a: matrices 16,777,220 elements apart % 8 = 4",
    ),
}
