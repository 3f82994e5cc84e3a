"""What breaks each rule of CK's other GEMM kernels alone; in the form of `test_ck_tile_rules.py`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ck_tile_specs import FP16

from tilewright.model.kernel import Launch
from tilewright.ops.gemm.signature import GemmSignature

BATCHED = {"family": "batched"}
ATOMIC, LINEAR = {"family": "stream_k_atomic"}, {"family": "stream_k_linear"}
GROUPED = {"family": "grouped"}
QUANT, TENSOR = {"family": "quant"}, replace(FP16, scale_a="tensor", scale_b="tensor")
SIDE = 4096

# rule -> (algorithm fields, signature, what the message says, arch facts changed)
KERNEL_CASES: dict[str, tuple[dict[str, Any], GemmSignature, str, dict[str, Any]]] = {
    "batched_pipeline": (
        {**BATCHED, "pipeline": "compv4", "double_smem_buffer": True, "tile_k": 32},
        FP16,
        "has no compv4 form (it passes one LDS buffer)",
        {},
    ),
    "family_persistent": ({**BATCHED, "persistent": True}, FP16, "has no persistent form", {}),
    "stream_k_pipeline": (
        {**ATOMIC, "pipeline": "compv6", "tile_k": 32},
        FP16,
        "CK's Stream-K kernel has no compv6 form; it has mem, compv3",
        {},
    ),
    "stream_k_output": (
        {**ATOMIC, "epilogue": "default"},
        FP16,
        "atomics add pairs of fp16; the default epilogue stores 1",
        {},
    ),
    "quant_pipeline": (
        {**QUANT, "pipeline": "compv6", "tile_k": 32},
        TENSOR,
        "kernels with scales are generated with compv3, not with compv6",
        {},
    ),
    "quant_layout": (QUANT, replace(TENSOR, layout="rrr"), "kernels with scales have layout rcr and plain B", {}),
    "quant_epilogue": ({**QUANT, "epilogue": "default"}, TENSOR, "store through cshuffle, not default", {}),
    "quant_block": (
        {**QUANT, "warp_tile_m": 16, "warp_tile_n": 16, "warp_tile_k": 32, "tile_m": 64, "tile_n": 64},
        GemmSignature("fp8_fnuz", "fp8_fnuz", "fp32", "fp16", scale_a="block"),
        "blocks of 128 with tile_k 64, warp_tile_k 32",
        {},
    ),
    "stream_k_waves": (LINEAR, FP16, "4 waves: the first one signals that a part is stored", {}),
    "grouped_pipeline": (
        {**GROUPED, "pipeline": "compv6", "tile_k": 32, "persistent": True},
        FP16,
        "CK's persistent grouped kernel has no compv6 form; it has mem, compv3, compv4",
        {},
    ),
    "grouped_operands": (GROUPED, replace(FP16, layout="crr"), "layout crr: groups of rows need A and the output", {}),
}

# rule -> (algorithm fields, problem fields, launch, what the message says)
PROBLEM_CASES: dict[str, tuple[dict[str, Any], dict[str, Any], Launch, str]] = {
    "batch": ({}, {"batch": 2}, Launch(), "batch 2 > 1"),
    "groups": ({}, {"groups": 2}, Launch(), "rows in 2 groups; a kernel of family universal multiplies all rows"),
    "group_vectors": (
        GROUPED,
        {"groups": 2, "strides": {"b": (SIDE * SIDE + 4, 1, SIDE)}},
        Launch(),
        "b: matrices 16,777,220 elements apart % 8 = 4",
    ),
    "group_split": (
        {**GROUPED, "persistent": True},
        {"groups": 2},
        Launch(split_k=2),
        "split_k 2 with a grouped kernel that is persistent or compv4",
    ),
    "group_count": (
        GROUPED,
        {"groups": 2**27, "strides": {"b": (0, 1, SIDE)}},
        Launch(),
        "up to 2,147,483,904 blocks for 134,217,728 groups",
    ),
    "batch_strides": (
        BATCHED,
        {"batch": 2, "strides": {"b": (0, 1, SIDE)}},
        Launch(),
        "b: matrices are 0 elements apart; CK asks for 4096 x 4096 at least",
    ),
    "batch_offsets": (BATCHED, {"batch": 129}, Launch(), "a spans 2,147,483,648 >= 2,147,483,648 elements"),
    "stream_k_depth": (
        {**ATOMIC, "pad_k": True},
        {"k": 4104},
        Launch(),
        "K = 4,104 % tile_k 64 = 8; Stream-K multiplies whole steps, padded or not",
    ),
    "quant_scale_a": (
        {**QUANT, "tile_m": 64, "tile_n": 128, "tile_k": 128, "warp_tile_m": 16, "warp_tile_n": 16, "warp_tile_k": 32},
        {"dtype": "fp8_fnuz", "dtype_out": "fp16", "scale_a": "block", "strides": {"scale_a": (0, 1, SIDE)}},
        Launch(),
        "scales of 4096 rows of 32 blocks of A have strides 1 and 4096; CK reads them along k",
    ),
    "quant_scale_b": (
        {**QUANT, "tile_m": 64, "tile_n": 128, "tile_k": 128, "warp_tile_m": 16, "warp_tile_n": 16, "warp_tile_k": 32},
        {"dtype": "fp8_fnuz", "dtype_out": "fp16", "scale_b": "block"},
        Launch(),
        "scales of 32 x 32 blocks of B have strides 32 and 1; CK reads them along k",
    ),
    "quant_rows": (
        QUANT,
        {"scale_a": "row", "scale_b": "row", "dtype_out": "fp16", "strides": {"scale_b": (2, 0, 0)}},
        Launch(),
        "scale_b: 4096 scales are 2 elements apart; CK reads them one after another",
    ),
    "quant_split": (
        QUANT,
        {"scale_a": "row", "scale_b": "row", "dtype_out": "fp16"},
        Launch(split_k=2),
        "split_k 2 with scales",
    ),
    "stream_k_split": (ATOMIC, {}, Launch(split_k=2), "split_k 2 with Stream-K"),
    "batch_vectors": (
        BATCHED,
        {"batch": 2, "strides": {"a": (SIDE * SIDE + 4, SIDE, 1)}},
        Launch(),
        "a: matrices 16,777,220 elements apart % 8 = 4",
    ),
}
