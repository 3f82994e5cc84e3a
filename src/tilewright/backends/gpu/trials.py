"""Small problems that take kernels along their paths, for every backend: pools of convolutions and attentions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...model.trial import Trial
from ...ops.conv.of_signature import problem_for as conv_for
from ...ops.conv.problem import ConvProblem
from ...ops.conv.signature import ConvSignature
from ...ops.fmha.of_signature import problem_for as fmha_for
from ...ops.fmha.signature import FmhaSignature

# Filter, stride, dilation and padding along each dimension, and how many times the kernel's groups.
SHAPES: tuple[tuple[str, int, dict[str, Any]], ...] = (
    ("3x3 filter", 1, {"filter": 3, "pad": 1}),
    ("1x1 filter", 1, {"filter": 1}),
    ("stride, dilation, uneven padding, groups", 2,
     {"filter": 3, "stride": (2, 1, 1), "dilation": (1, 2, 1), "pad": (1, 2)}),
)  # fmt: skip
IMAGES = {1: ((13,), (96,)), 2: ((5, 7), (12, 16)), 3: ((3, 4, 5), (5, 6, 9))}
CHANNELS = (3, 5, 8, 16, 24, 32, 40, 48, 64, 72, 96, 128, 192, 256)
OTHER_CHANNELS = 24
COUNTS = (1, 2, 3, 4, 7, 12)


def conv_pool(signature: ConvSignature, place: str, groups: int = 1) -> Iterator[tuple[str, ConvProblem]]:
    """Yield (what it shows, convolution), many more than are needed: the rules of a kernel choose.

    `groups` is the number of groups that the kernel handles at once.
    """
    dims = signature.dims
    for what, times, shape in SHAPES:
        fields = {name: _along(value, dims, name) for name, value in shape.items()}
        g = groups * times
        for image in IMAGES[dims]:
            for n, c, k in _sizes(signature.direction):
                sizes = {"n": n, "g": g, "c": c * g, "k": k * g, "input": list(image), **fields}
                yield what, conv_for(signature, place, **sizes)


def _sizes(direction: str) -> Iterator[tuple[int, int, int]]:
    """Yield (images, channels in, channels out) per group: what is summed over takes many values."""
    if direction == "forward":
        yield from ((1, c, OTHER_CHANNELS) for c in CHANNELS)
    elif direction == "backward_data":
        yield from ((1, OTHER_CHANNELS, k) for k in CHANNELS)
    else:
        yield from ((n, c, OTHER_CHANNELS) for n in COUNTS for c in (3, 8, 16))


def _along(value: Any, dims: int, name: str) -> list[Any]:
    """Return a value for every dimension; a pair of paddings is one on the left and one on the right."""
    if isinstance(value, int):
        return [value] * dims
    return [list(value)] * dims if name == "pad" else list(value[:dims])


def attention_sizes(signature: FmhaSignature, rows: int, keys: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (path, sizes) of attentions for a kernel with blocks of `rows` and `keys`."""
    grouped = {"heads_q": 4, "heads_kv": 2} if signature.family != "bwd" else {"heads_q": 2, "heads_kv": 2}
    yield "whole blocks", {"batch": 1, "heads_q": 2, "heads_kv": 2, "seqlen_q": rows, "seqlen_k": 2 * keys}
    yield "tails", {"batch": 2, **grouped, "seqlen_q": rows + 5, "seqlen_k": 2 * keys + 7}
    yield "few keys", {"batch": 1, **grouped, "seqlen_q": rows - 3, "seqlen_k": 5}
    yield "one row", {"batch": 2, **grouped, "seqlen_q": 1, "seqlen_k": 3 * keys - 9}
    yield "grouped heads", {"batch": 1, "heads_q": 4, "heads_kv": 2, "seqlen_q": rows, "seqlen_k": keys + 8}


def attention_trials(signature: FmhaSignature, place: str, rows: int, keys: int) -> Iterator[Trial]:
    """Yield attentions along the paths of a kernel; the rules choose."""
    for path, sizes in attention_sizes(signature, rows, keys):
        if signature.dbias:  # each gradient of its own: CK does not add those of a shared bias
            sizes |= {"bias_heads": sizes["heads_q"], "bias_batch": sizes["batch"] if signature.mode == "batch" else 1}
        yield Trial(path, fmha_for(signature, place, **sizes))


def attention_loops(signature: FmhaSignature, place: str, rows: int, keys: int) -> tuple[Trial, Trial]:
    """Return two attentions with different numbers of blocks of keys; with a mask, also of blocks of rows."""
    found = []
    for times in (2, 4):
        long = times * (keys if signature.mask == "none" else max(rows, keys))
        sizes = {"seqlen_q": rows if signature.mask == "none" else long, "seqlen_k": long}
        found.append(Trial("main loop", fmha_for(signature, place, batch=1, heads_q=1, heads_kv=1, **sizes)))
    return found[0], found[1]


def conv_loops(trials: Sequence[tuple[str, Trial]]) -> tuple[Trial, ...]:
    """Return two convolutions that differ in what is summed over, of the first device kernel that has two.

    `trials` are (device kernel, trial) from `conv_pool`, in its order.
    """
    groups: dict[Any, list[Trial]] = {}
    for kernel, trial in trials:
        p: Any = trial.problem
        kept = {"forward": (p.n, p.k), "backward_data": (p.n, p.c)}.get(p.direction, (p.c, p.k))
        groups.setdefault((kernel, trial.path, p.input, p.g, kept), []).append(trial)
    for same in groups.values():
        ordered = sorted(same, key=lambda t: t.problem.flops)
        if len(ordered) > 1 and ordered[-1].problem.flops >= 2 * ordered[0].problem.flops:
            return ordered[0], ordered[-1]
    return ()


def fewest(trials: Sequence[Trial]) -> list[Trial]:
    """Return the cheapest trial of each path, in the order of the paths."""
    found: dict[str, Trial] = {}
    for trial in trials:
        known = found.get(trial.path)
        if known is None or trial.problem.flops < known.problem.flops:
            found[trial.path] = trial
    return list(found.values())
