"""When a kernel of the Hopper backward pass is legal."""

from __future__ import annotations

from ....model.arch import NvidiaArch
from ....model.dtype import get_dtype
from ....model.rule import Broken, Rule, broken, first_broken, rule
from ....ops.fmha.problem import FmhaSubject as Subject
from .algorithm import adds_from_registers, backward_columns, hopper_backward_shared_bytes, is_wide
from .hopper_limits import bias_broken, shared_broken, sizes_broken

ACCUMULATORS = 192  # registers of a thread for dK, dV, scores and their gradients; 240 in all
KEYS = {64: 128, 128: 128, 256: 64}  # of a block, by the padded columns of a head
LARGEST_CAP = 512.0  # reciprocals are right to 21 bits, and the cap is multiplied by them


def _applies(s: Subject) -> bool:
    return bool(s.signature.family == "bwd" and s.algorithm.pipeline == "hopper")


@rule(
    "triton.fmha.backward_deterministic",
    "semantic",
    "hopper backward: dQ is a sum in a fixed order only without a bias and without sink tokens",
)
def _deterministic(s: Subject) -> Broken | None:
    g = s.signature
    if _applies(s) and g.deterministic and (g.sink or g.bias != "none"):
        what = "sink tokens" if g.sink else "a bias"
        got = f"a deterministic backward pass with {what}"
        return broken(got, "use pipeline='pointer', which adds nothing atomically")
    return None


@rule(
    "triton.fmha.backward_share",
    "semantic",
    "walks over rows are shared in the hopper backward pass only, without a bias, and if sums need no fixed order",
)
def _share(s: Subject) -> Broken | None:
    g = s.signature
    if not s.algorithm.share or (_applies(s) and not g.deterministic and g.bias == "none"):
        return None
    what = "a deterministic sum" if g.deterministic else "a bias" if g.bias != "none" else "another kernel"
    return broken(f"shared walks with {what}", "use share=False")


@rule(
    "triton.fmha.backward_features",
    "semantic",
    "hopper backward: sm_90, 16-bit operands; a bias for each element in batch mode or none; no gradient of a bias",
)
def _features(s: Subject) -> Broken | None:
    g, a = s.signature, s.algorithm
    if not _applies(s):
        return None
    refused = (
        (not isinstance(s.arch, NvidiaArch) or s.arch.tma is None, s.arch.name),
        (get_dtype(g.dtype).bits != 16, f"{g.dtype} operands"),
        (g.v_layout == "col", "column-major V"), (not a.aligned, "unaligned rows"), (g.bias == "alibi", "slopes"),
        (g.bias != "none" and g.mode == "group", "a bias in group mode"), (g.dbias, "dbias"),
        (g.dropout != "none" and is_wide(g), "dropout in heads of more than 128 columns"),
        (adds_from_registers(g, a) and g.bias != "none", "a bias in two stages of such heads"),
    )  # fmt: skip
    return first_broken(refused, "use pipeline='pointer'", "hopper backward with ")


@rule(
    "triton.fmha.backward_tile",
    "compile",
    "hopper backward: 8 warps, tile_m 64 or 128, heads of up to 256 columns padded alike (to 64 at least), tile_n = 128"
    " (wider heads than 128: 64), and (2 * tile_n * hdim + 2 * tile_m * tile_n) / threads <= 192 registers",
)
def _tile(s: Subject) -> Broken | None:
    g, a = s.signature, s.algorithm
    if not _applies(s):
        return None
    d, dv = backward_columns(g.hdim_q), backward_columns(g.hdim_v)
    sizes = {"tile_m": a.tile_m, "tile_n": a.tile_n, "warps": a.warps, "hdim": d}
    if a.warps != 8 or a.tile_n != KEYS.get(d) or a.tile_m not in (64, 128) or d != dv:
        got = f"{a.tile_m}x{a.tile_n} with {a.warps} warps, heads of {d} and {dv} columns"
        remedy = f"use tile_m=64, tile_n={KEYS.get(d, 128)} and 8 warps, or pipeline='pointer'"
        return broken(got, remedy, **sizes)
    need = 2 * a.tile_n * (d + a.tile_m) // (32 * a.warps)
    if need > ACCUMULATORS:
        return broken(f"{need} accumulators per thread > {ACCUMULATORS}", "use a smaller tile_m", need=need, **sizes)
    return None


@rule(
    "triton.fmha.backward_shared",
    "hardware",
    "hopper backward: K, V, the ring of rows, dS, dQ and a block of the bias <= the shared memory of a program",
)
def _shared(s: Subject) -> Broken | None:
    if not _applies(s) or not isinstance(s.arch, NvidiaArch):
        return None
    need = hopper_backward_shared_bytes(s.signature, s.algorithm)
    return shared_broken(s, need, "use fewer stages or a smaller tile_m")


@rule("triton.fmha.backward_cap", "problem", "hopper backward: a soft cap up to 512")
def _cap(s: Subject) -> Broken | None:
    cap = s.problem.soft_cap
    if not _applies(s) or cap <= LARGEST_CAP:
        return None
    return broken(f"soft_cap is {cap}", "use pipeline='pointer'", soft_cap=cap)


@rule("triton.fmha.backward_sizes", "problem", "hopper backward: rows and keys are there, and every sequence is whole")
def _sizes(s: Subject) -> Broken | None:
    return sizes_broken("backward", s) if _applies(s) else None


@rule(
    "triton.fmha.backward_bias",
    "problem",
    "hopper backward with a bias: keys of the bias one after another, its rows apart, and all of that by multiples of"
    " 16 bytes",
)
def _bias(s: Subject) -> Broken | None:
    return bias_broken(s) if _applies(s) else None


BACKWARD_RULES: tuple[Rule, ...] = (_deterministic, _share, _features, _tile, _shared, _cap, _sizes, _bias)
