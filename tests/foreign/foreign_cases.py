"""What runs on the other machine: a spread of kernels of the default sets, few enough to compile in some minutes.

Every op, dtype, pipeline, inner loop, direction and family of an arch is among them. What has many values (register
tiles, packings, layouts, epilogues, features of attention) is dealt out over the problems.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from tilewright.arch import get_nominal_devices
from tilewright.model.arch import CpuArch
from tilewright.model.dtype import get_dtype
from tilewright.model.kernel import Candidate
from tilewright.ops import problem_from_dict
from tilewright.ops.conv.signature import DIRECTIONS
from tilewright.registry import default_registry

ROW_BIAS = {"dtype": "fp32", "broadcast": "row"}
GEMM: tuple[dict[str, Any], ...] = (
    {"m": 37, "n": 70, "k": 45, "dtype": "fp32", "epilogue": {"activation": "gelu_tanh"}, "d": [ROW_BIAS]},
    {"m": 130, "n": 67, "k": 259, "dtype": "fp32", "layout": "crr", "split_k": 3},
    {"m": 1, "n": 257, "k": 129, "dtype": "fp32", "layout": "rcr"},
    {"m": 3, "n": 100, "k": 77, "dtype": "fp32", "layout": "rrr"},
    {"m": 33, "n": 29, "k": 17, "dtype": "fp32", "layout": "ccc", "batch": 3},
    {"m": 75, "n": 83, "k": 91, "dtype": "bf16", "layout": "rcr"},
    {"m": 5, "n": 64, "k": 200, "dtype": "bf16", "layout": "rcr", "epilogue": {"activation": "silu"}},
    {"m": 75, "n": 83, "k": 91, "dtype": "fp16", "layout": "ccr"},
    {"m": 2, "n": 65, "k": 190, "dtype": "fp16", "layout": "rrr", "epilogue": {"activation": "gelu_erf"}},
    {"m": 70, "n": 90, "k": 203, "dtype": "int8", "layout": "rcr"},
    {"m": 19, "n": 35, "k": 40, "dtype": "int8", "scale_a": "row", "scale_b": "row", "dtype_out": "fp32"},
    {"m": 4, "n": 66, "k": 130, "dtype": "int8", "layout": "rcr"},
    {"m": 19, "n": 35, "k": 40, "dtype": "fp8", "scale_a": "tensor", "scale_b": "tensor", "dtype_out": "fp32"},
    {"m": 21, "n": 50, "k": 60, "dtype": "bf8", "dtype_out": "fp16", "epilogue": "Relu"},
    {"m": 40, "n": 31, "k": 64, "dtype": "fp8_fnuz", "dtype_out": "fp32", "layout": "crr"},
    {"m": 40, "n": 31, "k": 64, "dtype": "bf8_fnuz", "dtype_out": "bf16", "epilogue": "Sigmoid"},
    {"m": 31, "n": 45, "k": 50, "dtype": "fp32", "strides": {"a": [61, 1], "b": [1, 57], "out": [53, 1]}},
)
CONV_SHAPES: dict[str, dict[str, Any]] = {
    "dense": {"n": 2, "c": 20, "k": 35, "input": [9, 11], "filter": [3, 3], "stride": [2, 1], "pad": [[1, 0], [2, 1]]},
    "pointwise": {"n": 2, "c": 24, "k": 18, "input": [7, 9], "filter": [1, 1]},
    "grouped": {"n": 2, "g": 6, "c": 24, "k": 24, "input": [10, 17], "filter": [3, 3], "pad": 1},
    "depthwise": {"n": 2, "g": 37, "c": 37, "k": 37, "input": [9, 18], "filter": [3, 3], "pad": 1},
    "pointwise_first": {"n": 2, "c": 24, "k": 18, "input": [7, 9], "filter": [1, 1], "layout": "ngchw"},
    "depthwise_first": {"g": 7, "c": 7, "k": 7, "n": 2, "input": [9, 18], "filter": [3, 3], "layout": "ngchw"},
    "one_d": {"n": 2, "g": 2, "c": 6, "k": 8, "input": [23], "filter": [5], "dilation": [2], "layout": "ngcw"},
}
CONV_DTYPES = ("fp32", "bf16", "fp16")
FMHA_BASE = {"batch": 2, "heads_q": 4, "heads_kv": 2, "seqlen_q": 9, "seqlen_k": 13, "hdim_q": 32, "hdim_v": 64}
LONG = {"batch": 1, "heads_q": 2, "heads_kv": 2, "seqlen_q": 70, "seqlen_k": 203, "hdim_q": 40, "hdim_v": 72}
PAGED = {"page_size": 4, "mask": "causal_bottom_right"}
PREFILL = {"page_size": 4, "mode": "group", "lookup": "sglang", "total_q": 12}
FMHA: tuple[dict[str, Any], ...] = (
    {"dtype": "fp32", **LONG, "mask": "causal_bottom_right", "lse": True},
    {"dtype": "bf16", **LONG, "mask": "window", "window_left": 30, "window_right": 2, "sink_tokens": 7},
    {"dtype": "fp16", "seqlen_q": 1, "seqlen_k": 150, "bias": "alibi", "v_layout": "col"},
    {"dtype": "fp32", "mode": "group", "total_q": 15, "total_k": 20, "bias": "elementwise", "bias_heads": 4},
    {"dtype": "fp8", "qscale": "pertensor"},
    {"dtype": "fp32", "family": "bwd", **LONG, "mask": "causal_top_left", "dropout": 0.2},
    {"dtype": "bf16", "family": "bwd", "bias": "elementwise", "bias_heads": 4, "dbias": True},
    {"dtype": "fp16", "family": "fwd_splitkv", "num_splits": 3, "kv_lengths": True, "lse": True, "seqlen_k": 130},
    {"dtype": "bf16", "family": "fwd_pagedkv", **PAGED},
    {"dtype": "fp32", "family": "batch_prefill", **PREFILL, "soft_cap": 3.0},
    {"dtype": "fp16", "family": "fwd_appendkv", "seqlen_new": 3, "rope": "half", "rotary_dim": 16},
)


@dataclass(frozen=True)
class Case:
    """One problem and the kernel that computes it."""

    problem: Any
    candidate: Candidate

    @property
    def label(self) -> str:
        """What to look for in a report."""
        launch = self.candidate.launch
        return f"{self.problem.label()} on {self.candidate.spec.name}, {launch.threads} threads"


def problems(turn: int) -> list[Any]:
    """Return every problem; dtypes of convolutions move on with each `turn`."""
    dicts = [{"op": "gemm", **fields} for fields in GEMM]
    for i, (shape, direction) in enumerate((s, d) for s in CONV_SHAPES for d in DIRECTIONS):
        dtype = CONV_DTYPES[(i // len(DIRECTIONS) + i + turn) % len(CONV_DTYPES)]
        dicts.append({"op": "grouped_conv", "direction": direction, "dtype": dtype, **CONV_SHAPES[shape]})
    dicts.append({"op": "grouped_conv", "direction": "forward", "dtype": "int8", **CONV_SHAPES["dense"]})
    dicts += [{"op": "fmha", **FMHA_BASE, **fields} for fields in FMHA]
    return [problem_from_dict(d) for d in dicts]


def cases(arch: CpuArch) -> list[Case]:
    """Return the kernels to run on `arch`: for each problem one of each pipeline and inner loop that computes it.

    Which tile of a pipeline it is changes from problem to problem; so do one thread and two. A way to compute a
    convolution is taken once for each direction and size of elements.
    """
    registry, device = default_registry(["cpu"]), get_nominal_devices(arch.name)[0]
    found: list[Case] = []
    seen = set[tuple[Any, ...]]()
    for number, problem in enumerate(problems(arch.level)):
        ways = _ways(registry.legal(problem, device))
        assert ways, f"no kernel of {arch.name} computes {problem.label()}"
        for way, candidates in sorted(ways.items()):
            if problem.op == "conv":
                key = (*way, problem.signature.direction, get_dtype(problem.signature.dtype_input).bits)
                if key in seen:
                    continue
                seen.add(key)
            chosen = candidates[7 * number % len(candidates)]
            launch = replace(chosen.launch, threads=1 + len(found) % 2)
            found.append(Case(problem, Candidate(chosen.spec, launch)))
    return found


def _ways(candidates: Sequence[Candidate]) -> dict[tuple[str, ...], list[Candidate]]:
    """The candidates by pipeline and inner loop."""
    ways: dict[tuple[str, ...], list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        algorithm = candidate.spec.algorithm
        ways[getattr(algorithm, "pipeline", ""), getattr(algorithm, "inner", "")].append(candidate)
    return ways
