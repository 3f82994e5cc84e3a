"""Mutants of the Triton kernels: they run in the emulator, and on a GPU where there is one."""

from __future__ import annotations

from typing import Any

from contract_mutants import Mutant

T = "backends/triton"
WINDOWS = ("window", "window_top_left")
CAUSAL = ("causal_top_left", "causal_bottom_right")


def _triton(name: str, file: str, old: str, new: str, op: str, **where: tuple[Any, ...]) -> Mutant:
    return Mutant(name, "triton", f"{T}/{file}", old, new, op, where)


MUTANTS = (
    _triton("no-safe-maximum", "fmha/kernels/logits.py", 'return tl.where(top == float("-inf"), 0.0, top)',
            "return top", "fmha", data=("hide_leading", "hide_all", "hide_rows", "hide_alternating")),
    _triton("no-safe-lse", "fmha/kernels/logits.py",
            'return tl.where(log_sum == float("-inf"), float("inf"), log_sum)', "return log_sum",
            "fmha", family=("bwd",), data=("hide_all", "hide_rows")),
    _triton("cap-after-bias", "fmha/kernels/forward.py",
            """            s, _ = capped(s * scale, cap, C)
            s = biased(s, row[:, None], key, b, head[:, None], q_start, rows, keys, shift, bias, bias_strides, C)
""",
            """            s = s * scale
            s = biased(s, row[:, None], key, b, head[:, None], q_start, rows, keys, shift, bias, bias_strides, C)
            s, _ = capped(s, cap, C)
""",
            "fmha", bias=("elementwise", "alibi"), soft_cap=(2.5,)),
    _triton("mask-edge", "fmha/kernels/logits.py", "seen & (key <= row + shift + window[1])",
            "seen & (key < row + shift + window[1])", "fmha", mask=(*CAUSAL, *WINDOWS)),
    _triton("window-edge", "fmha/kernels/logits.py", "inside = key >= row + shift - window[0]",
            "inside = key > row + shift - window[0]", "fmha", mask=WINDOWS, window_left=(0, 5, 66)),
    _triton("no-sinks", "fmha/kernels/logits.py", "inside = inside | (key < window[2])", "inside = inside",
            "fmha", sink_tokens=(2,)),
    _triton("stride-of-a-shared-bias", "fmha/kernels/logits.py",
            "head.to(tl.int64) * bias_strides[1]\n", "head.to(tl.int64) * bias_strides[2]\n",
            "fmha", bias=("elementwise",)),
    _triton("lse-base", "fmha/kernels/logits.py", "return top * LN_2", "return top", "fmha", lse=(True,),
            bias=("none",), soft_cap=(0.0,)),
    _triton("softmax-scale", "fmha/kernels/logits.py", "return tl.exp2(s * scale - safe[:, None])",
            "return tl.exp2(s * (scale * 1.002) - safe[:, None])", "fmha", bias=("none",), soft_cap=(0.0,)),
    _triton("one-page", "fmha/kernels/place.py", "tl.load(pages + at // C.page_size,",
            "tl.load(pages + at // C.page_size // 2,", "fmha", page_size=(16, 64, 12)),
    _triton("one-page-less", "fmha/kernels/place.py", "mask=at < keys, other=0), 0, limits[2] - 1, C)",
            "mask=at < keys, other=0), 0, limits[2] - 3, C)", "fmha", page_size=(16, 64, 12)),
    _triton("shared-heads", "fmha/kernels/forward.py", "kv = lane % lanes // group", "kv = lane % lanes // group // 2",
            "fmha", heads_kv=("half", "same")),
    _triton("weight-of-a-split", "fmha/kernels/forward.py", "weight = tl.exp2((tops - safe) * LOG2_E) * sums",
            "weight = sums", "fmha", family=("fwd_splitkv",), num_splits=(3,), seqlen_k=(130, 200)),
    _triton("delta", "fmha/kernels/backward.py", "ds = p * (dp - dots)", "ds = p * dp", "fmha", family=("bwd",)),
    _triton("rotation", "fmha/kernels/append.py", "tl.where(second[None, :], other, -other)",
            "tl.where(second[None, :], -other, other)", "fmha", rope=("half", "interleaved")),
    _triton("dropped-key", "fmha/kernels/logits.py", "seen = (key < keys) & (row < rows)",
            "seen = (key < keys - 1) & (row < rows)", "fmha", family=("fwd", "bwd"), data=("normal", "positive")),
    _triton("broadcast-stride", "gemm/kernels/epilogue.py", "y = tl.load(base + cols * strides[2], mask=cols < N",
            "y = tl.load(base + cols * strides[1], mask=cols < N", "gemm", d=("one_row", "two")),
    _triton("activation-before-d", "gemm/kernels/epilogue.py",
            """    COUNT: tl.constexpr = len(C.epilogue.d)
    for i in tl.static_range(COUNT):
        strides = args[5][i]
""",
            """    COUNT: tl.constexpr = len(C.epilogue.d)
    x = activate(x, C)
    for i in tl.static_range(COUNT):
        strides = args[5][i]
""",
            "gemm", d=("one_row", "one_col", "one_none", "two"), activation=("gelu_tanh", "tanh", "sigmoid", "silu")),
    _triton("slope-at-the-sum", "gemm/kernels/epilogue.py", "return gone_back(x, at, C)", "return gone_back(at, x, C)",
            "gemm", combine=("gradient",)),
    _triton("beta-of-another", "gemm/kernels/epilogue.py", "    if i == 0:\n        y = y * beta",
            "    if i == 1:\n        y = y * beta", "gemm", beta=(0.5,)),
    _triton("scale-of-a-row", "gemm/kernels/epilogue.py", "tl.load(args[2] + rows, mask=rows < M, other=0.0) * factor",
            "tl.load(args[2] + rows * 0, mask=rows < M, other=0.0) * factor", "gemm", scale_a=("row",)),
    _triton("alpha", "gemm/kernels/epilogue.py", "    factor = args[0]\n", "    factor = args[0] * 1.002\n", "gemm",
            data=("positive",), dtype_out=("fp16", "fp32")),
    _triton("one-k-tile", "gemm/kernels/portable.py", "    steps = tl.cdiv(K, C.bk)\n",
            "    steps = tl.maximum(tl.cdiv(K, C.bk) - 1, 1)\n", "gemm", k=(136, 257)),
    _triton("edge-of-k", "gemm/kernels/portable.py", "a = tl.load(a_at, mask=(depth < left)[None, :], other=C.zero)",
            "a = tl.load(a_at, mask=(depth < left - 1)[None, :], other=C.zero)", "gemm", k=(40, 136, 257)),
    _triton("one-tap", "conv/kernels/implicit.py", "    taps = d[3] * h[3] * w[3]\n",
            "    taps = tl.maximum(d[3] * h[3] * w[3] - 1, 1)\n", "conv", filter=("three", "large"),
            direction=("forward", "backward_data")),
    _triton("edge-of-an-image", "conv/kernels/common.py", "return p.to(tl.uint32) < extent.to(tl.uint32)",
            "return p.to(tl.uint32) <= extent.to(tl.uint32)", "conv", filter=("three", "large"), pad=("one",)),
    _triton("conv-broadcast", "conv/kernels/common.py", "channel.to(tl.int64) * args[3][i][1]",
            "channel.to(tl.int64) * args[3][i][0]", "conv", d=("one_row",)),
    _triton("conv-residual", "conv/kernels/common.py", "(channel.to(tl.int64) * strides[1])[None, :]",
            "(channel.to(tl.int64) * strides[0])[None, :]", "conv", d=("one_none",)),
)  # fmt: skip
