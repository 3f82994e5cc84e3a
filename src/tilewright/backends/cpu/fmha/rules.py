"""What the CPU attention kernels can do."""

from __future__ import annotations

from ....model.arch import X86Arch
from ....model.rule import Broken, Subject, broken, rule

FAMILIES = ("fwd", "fwd_splitkv", "fwd_pagedkv", "batch_prefill")
HEADS = ("q", "k", "v", "out")


@rule("cpu.fmha.arch", "hardware", "an x86 arch")
def _arch(s: Subject) -> Broken | None:
    return None if isinstance(s.arch, X86Arch) else broken(f"{s.arch.name} is no x86 arch", "use a CPU")


@rule("cpu.fmha.family", "semantic", "forward families: fwd, fwd_splitkv, fwd_pagedkv, batch_prefill")
def _family(s: Subject) -> Broken | None:
    family = s.spec.signature.family
    return None if family in FAMILIES else broken(f"{family} on the CPU", f"use one of {', '.join(FAMILIES)}")


@rule("cpu.fmha.v_layout", "semantic", "row-major V")
def _v_layout(s: Subject) -> Broken | None:
    return broken("column-major V", "use v_layout row") if s.spec.signature.v_layout == "col" else None


@rule("cpu.fmha.qscale", "semantic", "no scales of 8-bit operands")
def _qscale(s: Subject) -> Broken | None:
    qscale = s.spec.signature.qscale
    return None if qscale == "none" else broken(f"{qscale} scales", "fold the scales into Q, K and V, or use a GPU")


@rule("cpu.fmha.dropout_rng", "semantic", "dropout by philox: the generator of CK is not written here")
def _dropout_rng(s: Subject) -> Broken | None:
    return broken("dropout by ck", "use the philox generator") if s.spec.signature.dropout == "ck" else None


@rule("cpu.fmha.contiguous_heads", "problem", "the columns of a head lie one after another in q, k, v and out")
def _contiguous_heads(s: Subject) -> Broken | None:
    spread = {r: s.problem.stride(r)[-1] for r in HEADS if s.problem.stride(r)[-1] != 1}
    if spread:
        told = ", ".join(f"{r} has stride {step}" for r, step in spread.items())
        return broken(f"{told} along hdim", "pass tensors whose last dimension is contiguous", **spread)
    return None


RULES = (_arch, _family, _v_layout, _qscale, _dropout_rng, _contiguous_heads)
