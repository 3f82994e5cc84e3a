"""Random samples: a problem, further sizes of it, and a kernel whose tunables are drawn without regard to rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...backends import get_backend_op
from ...errors import MissingExtraError, TilewrightError
from ...model.kernel import KernelSpec
from ...model.problem import Problem
from ...ops import problem_from_dict

Draw = Callable[[Any], Any]
EDGES = (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 63, 64, 65, 96, 100, 127, 128, 129, 200)
DTYPES = ("fp32", "bf16", "fp16", "int8")
LAYOUTS = ("rrr", "rcr", "crr", "ccr", "rrc", "rcc", "crc", "ccc")
ACTIVATIONS = ("none", "relu", "gelu_erf", "gelu_tanh", "sigmoid", "tanh", "silu")
CONV_LAYOUTS = (("nwgc", "nhwgc", "ndhwgc"), ("ngcw", "ngchw", "ngcdhw"))
FURTHER = 2  # other sizes that the same kernel computes


@dataclass(frozen=True)
class Sample:
    """What one run takes: problems of one signature, the kernel as it was drawn, and which launch to take."""

    problems: tuple[Mapping[str, Any], ...]
    backend: str
    arch: str
    algorithm: Mapping[str, Any]
    pick: int
    seed: int

    def parsed(self) -> list[Problem]:
        """Return the problems that are sound and share the signature of the first; raise if the first is not sound."""
        first = problem_from_dict(dict(self.problems[0]))
        found = [first]
        for data in self.problems[1:]:
            try:
                problem = problem_from_dict(dict(data))
            except TilewrightError:
                continue
            if problem.signature == first.signature:
                found.append(problem)
        return found

    def spec(self) -> KernelSpec:
        """Return the kernel as it was drawn; it may break rules."""
        first = self.parsed()[0]
        own = get_backend_op(self.backend, first.op)
        return KernelSpec(first.op, self.backend, self.arch, first.signature, own.algorithm(**self.algorithm))


def strategies() -> Any:
    """Return Hypothesis' strategies; `MissingExtraError` if it is not installed."""
    try:
        from hypothesis import strategies as st
    except ImportError:
        raise MissingExtraError("hypothesis", extra="dev", why="to draw samples and to shrink failures") from None
    return st


def samples(ops: Sequence[str], backends: Sequence[tuple[str, str]], device: str) -> Any:
    """Return a strategy of samples of some ops, for pairs of backend and arch.

    >>> import warnings; warnings.simplefilter("ignore")
    >>> samples(["gemm"], [("cpu", "x86_64_v3")], "cpu").example().backend
    'cpu'
    """
    st = strategies()

    def sample(draw: Draw) -> Sample:
        op = draw(st.sampled_from(list(ops)))
        backend, arch = draw(st.sampled_from(list(backends)))
        problems = PROBLEMS[op](draw, st)
        place = {} if device == "cpu" else {"device": device}
        algorithm = {}
        for t in get_backend_op(backend, op).tunables():
            # Defaults come first, so that shrinking leads to them; drawn half of the time, more samples are near legal.
            value = draw(st.sampled_from((t.default, *(c for c in t.choices if c != t.default))))
            algorithm[t.name] = value if draw(st.booleans()) else t.default
        pick, seed = draw(st.integers(0, 7)), draw(st.integers(0, 3))
        return Sample(tuple({**p, **place} for p in problems), backend, arch, algorithm, pick, seed)

    return st.composite(sample)()


def _sizes(draw: Draw, st: Any, names: Sequence[str], choices: Sequence[int] = EDGES) -> dict[str, int]:
    return {name: draw(st.sampled_from(choices)) for name in names}


def _gemms(draw: Draw, st: Any) -> list[dict[str, Any]]:
    fixed: dict[str, Any] = {
        "op": "gemm",
        "dtype": draw(st.sampled_from(DTYPES)),
        "layout": draw(st.sampled_from(LAYOUTS)),
    }
    if draw(st.booleans()):
        fixed["epilogue"] = {
            "activation": draw(st.sampled_from(ACTIVATIONS)),
            "alpha": draw(st.sampled_from((1.0, 0.5))),
        }
    if draw(st.booleans()):
        fixed["d"] = [{"dtype": "fp32", "broadcast": draw(st.sampled_from(("none", "row", "col")))}]
    batch = draw(st.sampled_from((1, 2, 3)))
    return [{**fixed, "batch": batch, **_sizes(draw, st, ("m", "n", "k"))} for _ in range(1 + FURTHER)]


def _convs(draw: Draw, st: Any) -> list[dict[str, Any]]:
    dims = draw(st.integers(1, 3))
    fixed = {
        "op": "grouped_conv", "direction": draw(st.sampled_from(("forward", "backward_data", "backward_weight"))),
        "dtype": draw(st.sampled_from(DTYPES[:3])), "layout": draw(st.sampled_from(CONV_LAYOUTS))[dims - 1],
    }  # fmt: skip
    return [{**fixed, **_conv_sizes(draw, st, dims)} for _ in range(1 + FURTHER)]


def _conv_sizes(draw: Draw, st: Any, dims: int) -> dict[str, Any]:
    def each(least: int, most: int) -> list[int]:
        return [draw(st.integers(least, most)) for _ in range(dims)]

    groups = draw(st.sampled_from((1, 2, 3, 16, 33)))
    per_group = st.sampled_from((1, 2, 4, 8, 16) if groups > 3 else EDGES[:16])
    filters, dilation = each(1, 3), each(1, 2)
    reach = [(f - 1) * d + 1 for f, d in zip(filters, dilation, strict=True)]
    return {
        "n": draw(st.integers(1, 3)), "g": groups, "c": groups * draw(per_group), "k": groups * draw(per_group),
        "filter": filters, "dilation": dilation, "stride": each(1, 3), "pad": [[p, p] for p in each(0, 2)],
        "input": [r + e for r, e in zip(reach, each(0, 14), strict=True)],
    }  # fmt: skip


def _attentions(draw: Draw, st: Any) -> list[dict[str, Any]]:
    family = draw(st.sampled_from(("fwd", "bwd")))
    heads = draw(st.sampled_from((1, 2)))
    fixed: dict[str, Any] = {
        "op": "fmha", "family": family, "dtype": draw(st.sampled_from(DTYPES[:3])), "batch": draw(st.integers(1, 2)),
        "heads_q": heads * draw(st.integers(1, 3)), "heads_kv": heads,
        "hdim_q": draw(st.sampled_from((8, 20, 32, 64, 128))), "hdim_v": draw(st.sampled_from((8, 20, 32, 64, 128))),
        "mask": draw(st.sampled_from(("none", "causal_top_left", "causal_bottom_right"))),
    }  # fmt: skip
    fixed["lse"] = family == "bwd" or draw(st.booleans())
    if draw(st.booleans()):
        fixed["bias"] = draw(st.sampled_from(("elementwise", "alibi")))
    return [{**fixed, **_sizes(draw, st, ("seqlen_q", "seqlen_k"), EDGES[:20])} for _ in range(1 + FURTHER)]


PROBLEMS: Mapping[str, Callable[[Draw, Any], list[dict[str, Any]]]] = {
    "gemm": _gemms,
    "conv": _convs,
    "fmha": _attentions,
}
