"""What the Hopper passes of attention refuse alike, forward and backward."""

from __future__ import annotations

from ....model.arch import NvidiaArch
from ....model.rule import Broken, broken
from ....ops.fmha.problem import FmhaSubject as Subject
from .bind import strides_of


def shared_broken(s: Subject, need: int, remedy: str) -> Broken | None:
    """More shared memory than a program has."""
    assert isinstance(s.arch, NvidiaArch), s.arch.name
    a, limit = s.algorithm, s.arch.smem_per_block_bytes
    if need <= limit:
        return None
    got = f"shared memory {need:,} B > {limit:,} B ({a.tile_m}x{a.tile_n}, {a.stages} stages)"
    return broken(got, remedy, need=need, limit=limit)


def sizes_broken(which: str, s: Subject) -> Broken | None:
    """Nothing to compute, or keys that end before the tensor does."""
    p = s.problem
    if not p.kv_lengths and 0 not in (p.batch, p.heads_q, p.seqlen_q, p.seqlen_k):
        return None
    got = "keys that end at seqlens_k" if p.kv_lengths else f"{p.seqlen_q} rows by {p.seqlen_k} keys"
    return broken(f"hopper {which} with {got}", "use pipeline='pointer'")


def bias_broken(s: Subject) -> Broken | None:
    """A bias that the copy engine cannot read."""
    p = s.problem
    if p.bias == "none":
        return None
    *steps, key = strides_of(p, "bias")
    if key != 1 and p.seqlen_k > 1:
        return broken(f"bias has a stride of {key} along its keys", "use pipeline='pointer'", stride=key)
    shape, align = p.shape("bias"), p.alignment.get("bias", 16)
    wrong = [step for step, n in zip(steps, shape, strict=False) if n > 1 and (step % 8 or step <= 0)]
    if wrong or align < 16:
        got = f"a stride of {wrong[0]} elements" if wrong else f"an address aligned to {align} bytes"
        return broken(f"bias has {got}", "use pipeline='pointer', or pad its rows to multiples of 8 elements")
    return None
