"""When a kernel of the Hopper forward pass is legal."""

from __future__ import annotations

from ....model.arch import NvidiaArch
from ....model.dtype import get_dtype
from ....model.rule import Broken, Rule, broken, first_broken, rule
from ....ops.fmha.problem import FmhaSubject as Subject
from .algorithm import HOPPER_ROWS, forward_shared_bytes, padded
from .hopper_limits import bias_broken, shared_broken, sizes_broken

REGISTERS = {128: 240, 192: 160}  # of a thread that multiplies, by rows of a tile
OVERHEAD = 32  # registers beside scores, probabilities and results


def _applies(s: Subject) -> bool:
    return bool(s.algorithm.pipeline == "hopper" and s.signature.family not in ("bwd", "fwd_appendkv"))


@rule(
    "triton.fmha.forward_features",
    "semantic",
    "hopper forward: family fwd on sm_90, 16-bit operands, batch mode; masks without sink tokens; a bias"
    " for each element or none; no soft cap, dropout or packed heads",
)
def _features(s: Subject) -> Broken | None:
    g, a = s.signature, s.algorithm
    if not _applies(s):
        return None
    refused = (
        (not isinstance(s.arch, NvidiaArch) or s.arch.tma is None, s.arch.name), (g.family != "fwd", g.family),
        (get_dtype(g.dtype).bits != 16, f"{g.dtype} operands"), (g.mode == "group", "group mode"),
        (g.page_size > 0, "pages"), (g.v_layout == "col", "column-major V"), (not a.aligned, "unaligned rows"),
        (g.bias == "alibi", "slopes"), (g.soft_cap, "a soft cap"), (g.dropout != "none", "dropout"),
        (g.sink, "sink tokens"), (a.pack, "packed heads"),
    )  # fmt: skip
    return first_broken(refused, "use pipeline='tma' or 'pointer'", "hopper forward with ")


@rule(
    "triton.fmha.forward_tile",
    "compile",
    "hopper forward: 128 or 192 rows, 4 warps per 64 of them, 64 or 128 keys, and hdim_v / 2 + 3 * tile_n / 4 registers"
    " + 32 <= 240 (192 rows: 160); 128 rows with a bias",
)
def _tile(s: Subject) -> Broken | None:
    g, a = s.signature, s.algorithm
    if not _applies(s):
        return None
    sizes = {"tile_m": a.tile_m, "tile_n": a.tile_n, "warps": a.warps}
    if a.tile_m not in REGISTERS or a.tile_n not in (64, 128) or a.warps * HOPPER_ROWS != 4 * a.tile_m:
        return broken(f"{a.tile_m}x{a.tile_n} with {a.warps} warps", "use 128x128 with 8 warps", **sizes)
    if g.bias != "none" and a.tile_m != 128:
        return broken(f"{a.tile_m} rows with a bias", "use tile_m=128", **sizes)
    # Results, scores and probabilities of 64 rows in 128 threads.
    need, limit = padded(g.hdim_v) // 2 + 3 * a.tile_n // 4, REGISTERS[a.tile_m] - OVERHEAD
    if need <= limit:
        return None
    return broken(f"{need} accumulators per thread > {limit}", "use fewer rows or keys", need=need, **sizes)


@rule(
    "triton.fmha.forward_shared",
    "hardware",
    "hopper forward: rows, the rings of keys and values, and results <= the shared memory of a program",
)
def _shared(s: Subject) -> Broken | None:
    if not _applies(s) or not isinstance(s.arch, NvidiaArch):
        return None
    a = s.algorithm
    return shared_broken(s, forward_shared_bytes(s.signature, a, a.stages), "use fewer stages or keys")


@rule("triton.fmha.forward_sizes", "problem", "hopper forward: there are rows and keys, and every sequence is whole")
def _sizes(s: Subject) -> Broken | None:
    return sizes_broken("forward", s) if _applies(s) else None


@rule(
    "triton.fmha.forward_bias",
    "problem",
    "hopper forward with a bias: scale > 0, keys of the bias one after another, its rows apart, and all of that by"
    " multiples of 16 bytes",
)
def _bias(s: Subject) -> Broken | None:
    p = s.problem
    if not _applies(s) or p.bias == "none":
        return None
    if p.softmax_scale <= 0:
        return broken(f"scale is {p.softmax_scale}", "use pipeline='pointer'", scale=p.softmax_scale)
    return bias_broken(s)


FORWARD_RULES: tuple[Rule, ...] = (_features, _tile, _shared, _sizes, _bias)
