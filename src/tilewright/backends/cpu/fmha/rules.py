"""What the CPU attention kernels can do."""

from __future__ import annotations

from ....model.arch import CpuArch
from ....model.rule import Broken, broken, rule
from ....ops.fmha.problem import FmhaSubject as Subject
from ....ops.fmha.shapes import ROW_ROLES


@rule("cpu.fmha.arch", "hardware", "a CPU")
def _arch(s: Subject) -> Broken | None:
    return None if isinstance(s.arch, CpuArch) else broken(f"{s.arch.name} is not a CPU", "use a CPU arch")


@rule("cpu.fmha.inner", "hardware", "fma on every CPU, with 96 keys; amx if the arch has it, on bf16")
def _inner(s: Subject) -> Broken | None:
    a, g, arch = s.algorithm, s.signature, s.arch
    if not isinstance(arch, CpuArch):
        return None
    if a.inner == "fma":
        return None if a.block_keys == 96 else broken(f"fma with {a.block_keys} keys", "use block_keys=96")
    if g.family in ("bwd", "fwd_appendkv"):
        return broken(f"amx in {g.family}", "use inner='fma'")
    takes = arch.inners.get("amx", ())
    if g.dtype not in takes or g.dtype != "bf16":
        return broken(f"amx on {arch.name} with {g.dtype}", "use inner='fma'", dtype=g.dtype)
    return None


@rule("cpu.fmha.tiles", "compile", "fma: 1, 2 or 4 registers of rows (append: 4); amx: 2, 4 or 8 and 32n keys")
def _tiles(s: Subject) -> Broken | None:
    a = s.algorithm
    allowed: tuple[int, ...] = (1, 2, 4) if a.inner == "fma" else (2, 4, 8)
    if s.signature.family == "fwd_appendkv":  # there are no blocks: one kernel is enough
        allowed = (4,)
    if a.row_vectors not in allowed:
        return broken(f"{a.row_vectors} registers of rows with {a.inner}", f"use one of {allowed}")
    if a.inner == "amx" and (a.block_keys % 32 or a.block_keys <= 0):
        return broken(f"blocks of {a.block_keys} keys", "use a multiple of 32", block_keys=a.block_keys)
    return None


@rule("cpu.fmha.v_layout", "compile", "amx with row-major V")
def _v_layout(s: Subject) -> Broken | None:
    if s.signature.v_layout == "col" and s.algorithm.inner == "amx":
        return broken("column-major V with amx", "use v_layout row, or inner='fma'")
    return None


@rule("cpu.fmha.dropout_rng", "semantic", "dropout by philox: the generator of CK is not implemented")
def _dropout_rng(s: Subject) -> Broken | None:
    return broken("dropout by ck", "use the philox generator") if s.signature.dropout == "ck" else None


@rule("cpu.fmha.splits", "problem", "amx takes the keys in one part")
def _splits(s: Subject) -> Broken | None:
    if s.algorithm.inner == "amx" and (s.problem.num_splits or 1) > 1:
        return broken(f"{s.problem.num_splits} splits with amx", "use inner='fma', or let tilewright choose the splits")
    return None


@rule(
    "cpu.fmha.contiguous_heads",
    "problem",
    "the columns of a head are contiguous in every tensor of rows (v_layout col: any strides)",
)
def _contiguous_heads(s: Subject) -> Broken | None:
    p = s.problem
    rows = [r for r in ROW_ROLES if r in p.roles and not (r == "v" and p.v_layout == "col")]
    spread = {r: p.stride(r)[-1] for r in rows if p.stride(r)[-1] != 1}
    if spread:
        strides_text = ", ".join(f"{r} has stride {step}" for r, step in spread.items())
        return broken(f"{strides_text} along hdim", "pass tensors whose last dimension is contiguous", **spread)
    return None


RULES = (_arch, _inner, _tiles, _v_layout, _dropout_rng, _splits, _contiguous_heads)
