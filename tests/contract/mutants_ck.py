"""Mutants of CK Tile: its epilogues, and the arguments that kernels of CK get. Most need no other compilation."""

from __future__ import annotations

from typing import Any

from contract_mutants import Mutant

CK = "backends/ck_tile"
CAUSAL = ("causal_top_left", "causal_bottom_right")
WINDOWS = ("window", "window_top_left")
FORWARD = ("fwd", "fwd_pagedkv")


def _ck(name: str, file: str, old: str, new: str, op: str, **where: tuple[Any, ...]) -> Mutant:
    return Mutant(name, "ck_tile", f"{CK}/{file}", old, new, op, where)


MUTANTS = (
    _ck("softmax-scale", "fmha/launch.py", "return float(np.float32(float(np.float32(p.softmax_scale)) * log2(e)))",
        "return float(np.float32(1.002 * float(np.float32(p.softmax_scale)) * log2(e)))", "fmha", family=FORWARD),
    _ck("base-of-the-exponential", "fmha/launch.py", "float(np.float32(p.softmax_scale)) * log2(e)",
        "float(np.float32(p.softmax_scale))", "fmha", family=FORWARD),
    _ck("shared-heads", "fmha/launch.py", '"nhead_ratio_qk": p.heads_q // p.heads_kv', '"nhead_ratio_qk": p.heads_q',
        "fmha", heads_kv=("half",), heads_q=(4, 6)),
    _ck("mask-corner", "fmha/launch.py", '"mask_type": 1 if p.mask.endswith("top_left") else 2', '"mask_type": 1',
        "fmha", mask=("causal_bottom_right", "window")),
    _ck("window-edge", "fmha/launch.py", '"window_size_left": left,', '"window_size_left": left - (left > 0),',
        "fmha", mask=WINDOWS, window_left=(5, 66)),
    _ck("mask-edge", "fmha/launch.py", '"window_size_right": right,', '"window_size_right": right + (right >= 0),',
        "fmha", mask=(*CAUSAL, *WINDOWS)),
    _ck("soft-cap", "fmha/launch.py", '"logits_soft_cap": p.soft_cap,', '"logits_soft_cap": 1.002 * p.soft_cap,',
        "fmha", soft_cap=(2.5,)),
    _ck("one-page", "fmha/launch.py", '"batch_stride_block_table": p.stride("page_table")[0]',
        '"batch_stride_block_table": 0', "fmha", page_size=(128,), lookup=("vllm",)),
    _ck("slopes-of-a-sequence", "fmha/launch.py", 'step = p.stride("bias")[0] if p.bias_batch > 1 else 0', "step = 0",
        "fmha", bias=("alibi",), bias_batch=("all",)),
    _ck("heads-of-a-bias", "fmha/launch.py", "= head if p.bias_heads > 1 else 0", "= 0", "fmha",
        bias=("elementwise",), bias_heads=("all",)),
    _ck("sequences-of-a-bias", "fmha/launch.py", "= batch if p.bias_batch > 1 else 0", "= 0", "fmha",
        bias=("elementwise",), bias_batch=("all",)),
    _ck("rows-and-heads", "fmha/launch.py", "(steps[:1], steps[1:3])", "(steps[:1], steps[2:0:-1])", "fmha",
        family=("fwd", "bwd"), mode=("batch",)),
    _ck("stretch-of-dropout", "fmha/launch.py", "stretch = 1.0 / kept_share(p)", "stretch = 1.0", "fmha",
        dropout=(0.3,), dropout_rng=("ck",)),
    _ck("scale-of-gradients", "fmha/launch_backward.py", '"raw_scale": p.softmax_scale', '"raw_scale": 1.0', "fmha",
        family=("bwd",)),
    _ck("one-split", "fmha/launch_split.py", '"split_stride_o_acc": self.lse * row', '"split_stride_o_acc": 0', "fmha",
        family=("fwd_splitkv",), num_splits=(3,)),
    _ck("broadcast-stride", "gemm/launch.py", "    if problem.repeats(role):\n        return 0\n", "", "gemm",
        d=("one_row", "one_col", "two")),
    _ck("stride-of-d", "gemm/launch.py", "leading(problem, f\"d{i}\", out) for", "leading(problem, \"out\", out) for",
        "gemm", d=("one_row", "one_col", "two")),
    _ck("strips-of-a-packed-b", "gemm/packing.py", ".reshape(k // depth, depth, strip).swapaxes(1, 2)",
        ".reshape(k // depth, strip, depth)", "gemm", b_format=("packed",)),
    _ck("activation-before-d", "include/tilewright_ck/gemm.hpp", "Compute x = ck_tile::type_convert<Compute>(c);",
        "Compute x = activate<A>(ck_tile::type_convert<Compute>(c));", "gemm",
        d=("one_row", "one_none", "two"), activation=("gelu_tanh", "tanh", "sigmoid", "silu")),
    _ck("gelu", "include/tilewright_ck/gemm.hpp", "0.044715f * x * x * x", "0.0437f * x * x * x", "gemm",
        activation=("gelu_tanh",), dtype_out=("fp32",)),
    _ck("combine", "include/tilewright_ck/gemm.hpp", "((x *= ck_tile::type_convert<Compute>(ds)), ...);",
        "((x += ck_tile::type_convert<Compute>(ds)), ...);", "gemm", combine=("multiply",), d=("one_row", "one_none")),
)  # fmt: skip
