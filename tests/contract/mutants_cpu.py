"""Mutants of the CPU kernels: attention and its masks, epilogues, products and convolutions."""

from __future__ import annotations

from typing import Any

from contract_mutants import Mutant

TW = "backends/cpu/include/tw"
HIDING = ("hide_leading", "hide_all", "hide_rows", "hide_alternating")
WINDOWS = ("window", "window_top_left")
FORWARD = ("fwd", "fwd_splitkv", "fwd_pagedkv", "batch_prefill")


def _cpu(name: str, file: str, old: str, new: str, op: str, **where: tuple[Any, ...]) -> Mutant:
    return Mutant(name, "cpu", f"{TW}/{file}", old, new, op, where)


MUTANTS = (
    _cpu("no-safe-maximum", "attention/block.hpp", "return (top > splat<vf>(hidden)) ? top : vf{};", "return top;",
         "fmha", data=HIDING),
    _cpu("cap-after-bias", "attention/block.hpp",
         """    scale_scores<C>(a, count * R, scores, slopes);
    if constexpr (C::bias == Bias::elementwise) add_bias(a, n, b, j0, count, scores);
""",
         """    if constexpr (C::bias == Bias::elementwise) add_bias(a, n, b, j0, count, scores);
    scale_scores<C>(a, count * R, scores, slopes);
""",
         "fmha", bias=("elementwise",), soft_cap=(2.5,)),
    _cpu("mask-edge", "attention/rows.hpp", "min(q.keys, at + right + 1)", "min(q.keys, at + right)",
         "fmha", mask=("causal_top_left", "causal_bottom_right", *WINDOWS)),
    _cpu("window-edge", "attention/rows.hpp", "min(q.keys, at - left)", "min(q.keys, at - left + 1)",
         "fmha", mask=WINDOWS, window_left=(0, 5, 66)),
    _cpu("no-sinks", "attention/rows.hpp", "min(n.sink_tokens, min(low, high))", "0", "fmha", sink_tokens=(2,)),
    _cpu("one-page", "attention/rows.hpp", "of = j / n.page_size;", "of = j / n.page_size / 2;",
         "fmha", page_size=(16, 64, 12)),
    _cpu("shared-heads", "attention/block.hpp", "RowBlock b{q, kv_head, kv_head * n.group(), 0,",
         "RowBlock b{q, kv_head, kv_head, 0,", "fmha", heads_kv=("half",), heads_q=(4, 6), family=FORWARD),
    _cpu("stride-of-a-shared-bias", "attention/rows.hpp", "(n.bias_heads > 1 ? h * s[1] : 0)",
         "(n.bias_batch > 1 ? h * s[1] : 0)", "fmha", bias=("elementwise",), bias_heads=("all",), bias_batch=("one",)),
    _cpu("lse-base", "attention/forward.hpp", "store_lse(a, b, rate(a) / log2_e)", "store_lse(a, b, rate(a))",
         "fmha", lse=(True,), family=("fwd",)),
    _cpu("softmax-scale", "attention/block.hpp", "scaled_late<C>(a) ? float(a.scalars[0])",
         "scaled_late<C>(a) ? 1.002f * float(a.scalars[0])", "fmha", bias=("none",), soft_cap=(0.0,)),
    _cpu("weight-of-a-split", "attention/split.hpp", "vexp2(splat<vf>((top[at + s] - best) * rate))",
         "splat<vf>(1.0f)", "fmha", family=("fwd_splitkv",), num_splits=(3,), seqlen_k=(130, 200)),
    _cpu("delta", "attention/backward.hpp", "* keep - load_bits<vf>(s.delta + v * lanes)", "* keep", "fmha",
         family=("bwd",)),
    _cpu("rotation", "attention/append.hpp", "from_float<To>(u * c - v * s)", "from_float<To>(u * c + v * s)",
         "fmha", rope=("half", "interleaved")),
    _cpu("broadcast-stride", "gemm/epilogue.hpp", "step(down ? c.d.row : c.d.col)",
         "step(down ? c.d.col : c.d.row)", "gemm", d=("one_row", "one_col", "two", "eight")),
    _cpu("activation-before-d", "gemm/epilogue.hpp",
         "x = d_.apply(x, beta_);", "x = d_.apply(activate<Config::activation>(x), beta_);",
         "gemm", d=("one_row", "one_col", "one_none", "two"), activation=("relu", "tanh", "sigmoid", "silu")),
    _cpu("beta-of-another", "gemm/epilogue.hpp", "if (Index == 0) y = y * beta;", "if (Index == 1) y = y * beta;",
         "gemm", beta=(0.5,)),
    _cpu("next-row-of-d", "gemm/epilogue.hpp", "p += next;", "p += next * 0;",
         "gemm", d=("one_none", "two", "eight"), m=(17, 64, 129)),
    _cpu("factor-is-added", "gemm/epilogue.hpp", "(Config::combine != Combine::multiply && Index > 0)",
         "(Config::combine != Combine::multiply)", "gemm", combine=("multiply_add",)),
    _cpu("slope-at-the-sum", "gemm/epilogue.hpp", "gone_back<Config::activation>(x, d_.at)",
         "gone_back<Config::activation>(d_.at, x)", "gemm", combine=("gradient",)),
    _cpu("scale-of-a-row", "gemm/epilogue.hpp", "e.scale_a_ + i * e.stride_a_",
         "e.scale_a_", "gemm", scale_a=("row",)),
    _cpu("alpha", "gemm/epilogue.hpp", "factor_(float(args.scalars[0]))", "factor_(1.002f * float(args.scalars[0]))",
         "gemm", data=("positive",), dtype_out=("fp16", "fp32")),
    _cpu("one-split", "gemm/tiled.hpp", "for (int s = 1; s < plan_.splits; ++s) sum",
         "for (int s = 2; s < plan_.splits; ++s) sum",
         "gemm", split_k=(3,), data=("normal", "positive", "huge", "tiny")),
    _cpu("gelu", "math.hpp", "splat<vf>(0.044715f) * x", "splat<vf>(0.0437f) * x", "gemm", activation=("gelu_tanh",)),
    _cpu("bf16-truncated", "types.hpp", "(bits + splat<U>(0x7FFFu) + ((bits >> 16) & splat<U>(1u))) >> 16",
         "bits >> 16", "gemm", dtype_out=("bf16",)),
    _cpu("one-tap", "conv/gather.hpp", "for (int64_t iy = 0; iy < ay.taps; ++iy) {",
         "for (int64_t iy = 0; iy < ay.taps - (ay.taps > 2); ++iy) {", "conv", filter=("three", "large"),
         direction=("forward", "backward_data"), layout=("nhwgc", "ndhwgc")),
    _cpu("edge-of-an-image", "conv/stage.hpp", "if (x < 0 || x >= ax.source) zero_bytes",
         "if (x < 0 || x > ax.source) zero_bytes",
         "conv", filter=("three", "large", "flat"), pad=("one",)),
    _cpu("padding-of-a-gradient", "conv/args.hpp", "r.start = (residue + a.pad - f * a.dilation) / a.stride;",
         "r.start = (residue + a.pad - f * a.dilation) / a.stride + (a.stride > 1);", "conv",
         direction=("backward_data",), stride=(2, 3)),
)  # fmt: skip
# What `make test` runs: each is noticed by a case of its sample, within seconds.
QUICK = ("no-safe-maximum", "cap-after-bias", "one-page", "broadcast-stride", "softmax-scale", "mask-edge")
