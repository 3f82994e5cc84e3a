"""When a Triton attention kernel is legal: dtypes, memory, registers, block shapes, alignment, the problem."""

from __future__ import annotations

from ....model.arch import AmdArch, NvidiaArch
from ....model.dtype import get_dtype
from ....model.rule import Broken, Rule, broken, first_broken, rule
from ....ops.fmha.problem import FmhaSubject as Subject
from ....ops.fmha.shapes import DENSE_ROLES, ROW_ROLES
from ....ops.fmha.signature import EIGHT_BIT
from .algorithm import backward_shared_bytes, forward_shared_bytes, padded
from .backward_rules import BACKWARD_RULES
from .bind import strides_of
from .forward_rules import FORWARD_RULES

FORWARD = ("fwd", "fwd_splitkv", "fwd_pagedkv", "batch_prefill")
STAGED_ROWS = 64  # of 8-bit operands with an elementwise bias on AMD targets, in more than one stage
CHAINED_STAGES = 3  # of a loop with two products in a row that Triton pipelines for WMMA
REGISTERS = 255
OVERHEAD = 64  # registers of a thread beside its accumulators: addresses, running sums, the next operands
INT32_LIMIT = 2**31
LARGEST = 2.0**60  # of a scale or a cap; products with others still fit fp32


@rule("triton.fmha.arch", "hardware", "an NVIDIA or AMD GPU that computes with the operands' dtype")
def _arch(s: Subject) -> Broken | None:
    if not isinstance(s.arch, (NvidiaArch, AmdArch)):
        return broken(f"{s.arch.name} is no GPU", "use the cpu backend")
    dtype = s.signature.dtype
    if s.arch.has_dtype(dtype) or dtype == "fp32":
        return None
    return broken(f"{s.arch.name} does not compute with {dtype}", f"it has {', '.join(s.arch.dtypes)}", got=dtype)


@rule("triton.fmha.dropout_rng", "semantic", "dropout by philox: the generator of CK is not written here")
def _dropout_rng(s: Subject) -> Broken | None:
    return broken("dropout by ck", "use the philox generator") if s.signature.dropout == "ck" else None


@rule("triton.fmha.append_dtype", "semantic", "append-KV of fp32, fp16 and bf16")
def _append_dtype(s: Subject) -> Broken | None:
    g = s.signature
    if g.family == "fwd_appendkv" and g.dtype in EIGHT_BIT:
        return broken(f"appending {g.dtype} rows", "append before the cache is quantised", dtype=g.dtype)
    return None


@rule("triton.fmha.tile", "compile", "tile_m, tile_n and warps are powers of two, tiles of 16 to 128")
def _tile(s: Subject) -> Broken | None:
    a = s.algorithm
    if a.pipeline == "hopper":
        return None  # see triton.fmha.forward_tile and triton.fmha.backward_tile
    sizes = {"tile_m": a.tile_m, "tile_n": a.tile_n, "warps": a.warps}
    odd = [n for n, v in sizes.items() if v <= 0 or v & (v - 1)]
    if odd:
        return broken(f"{odd[0]} is {sizes[odd[0]]}", "use a power of two", **sizes)
    if not (16 <= a.tile_m <= 128 and 16 <= a.tile_n <= 128):
        return broken(f"a block of {a.tile_m}x{a.tile_n}", "use 16 to 128 rows and keys", **sizes)
    if get_dtype(s.signature.dtype).bits == 8 and a.tile_n < 32:
        return broken(f"tile_n {a.tile_n} with 8-bit keys", "use tile_n >= 32, one instruction of 8-bit operands")
    return None


@rule("triton.fmha.hdim", "compile", "8-bit heads of at least 32 columns: one instruction of 8-bit operands")
def _hdim(s: Subject) -> Broken | None:
    g = s.signature
    if g.dtype in EIGHT_BIT and padded(g.hdim_q) < 32:
        return broken(f"hdim_q {g.hdim_q} in {g.dtype}", "pad heads to 32 columns", hdim_q=g.hdim_q)
    return None


@rule("triton.fmha.registers", "hardware", "accumulators per thread + 64 <= 255 registers (AMD: 512)")
def _registers(s: Subject) -> Broken | None:
    g, a = s.signature, s.algorithm
    if g.family == "fwd_appendkv" or a.pipeline == "hopper":
        return None
    lanes = s.arch.wave_size if isinstance(s.arch, AmdArch) else 32
    dq, dv, threads = padded(g.hdim_q), padded(g.hdim_v), lanes * a.warps
    if g.family == "bwd":
        need = (a.tile_n * (dq + dv) + 2 * a.tile_m * a.tile_n) // threads
    else:
        need = (a.tile_m * (dv + a.tile_n)) // threads
    limit = (512 if isinstance(s.arch, AmdArch) and s.arch.matrix_isa == "mfma" else REGISTERS) - OVERHEAD
    if need <= limit:
        return None
    got = f"{need} accumulator registers per thread > {limit} ({a.tile_m}x{a.tile_n}, hdim {dq}x{dv}, {a.warps} warps)"
    return broken(got, "use a smaller block or more warps", need=need, limit=limit)


@rule("triton.fmha.shared", "hardware", "rows and the blocks of keys in flight <= the shared memory of a program")
def _shared(s: Subject) -> Broken | None:
    g, a = s.signature, s.algorithm
    if g.family == "fwd_appendkv" or a.pipeline == "hopper" or not isinstance(s.arch, (NvidiaArch, AmdArch)):
        return None
    amd = isinstance(s.arch, AmdArch)
    limit = s.arch.lds_bytes if isinstance(s.arch, AmdArch) else s.arch.smem_per_block_bytes
    stages = max(1, a.stages - 1) if amd else a.stages  # AMD keeps one of the stages in registers
    count = backward_shared_bytes if g.family == "bwd" else forward_shared_bytes
    need = count(g, a, stages)
    if amd and g.family == "bwd" and a.stages == 1:  # two operand tiles at a time; the rest stays in registers
        need = int((a.tile_m + a.tile_n) * max(padded(g.hdim_q), padded(g.hdim_v)) * get_dtype(g.dtype).bytes)
    if need <= limit:
        return None
    got = f"shared memory {need:,} B > {limit:,} B ({s.arch.name}, {a.tile_m}x{a.tile_n}, {a.stages} stages)"
    return broken(got, "use fewer stages or a smaller block", need=need, limit=limit)


@rule(
    "triton.fmha.chained_stages",
    "compile",
    "forward passes on AMD targets: stages <= 3 with WMMA, or for 8-bit operands with an elementwise bias or block"
    " scales",
)
def _chained_stages(s: Subject) -> Broken | None:
    """Triton 3.6 has a schedule of its own for two products in a row in 4 stages, which drops loads that are used."""
    g, a = s.signature, s.algorithm
    if not isinstance(s.arch, AmdArch) or a.stages <= CHAINED_STAGES or g.family not in FORWARD:
        return None
    loads_between = g.dtype in EIGHT_BIT and (g.bias == "elementwise" or g.qscale == "blockscale")
    if s.arch.matrix_isa != "wmma" and not loads_between:
        return None
    got = f"{a.stages} stages on {s.arch.name}: the compiler fails ('tt.load' destroyed but still has uses)"
    return broken(got, f"use {CHAINED_STAGES} stages", stages=a.stages)


@rule(
    "triton.fmha.staged_bias",
    "compile",
    "forward passes on AMD targets of 8-bit operands with an elementwise bias: tile_m == 64, or one stage",
)
def _staged_bias(s: Subject) -> Broken | None:
    """Triton 3.6 cannot translate the loads of fp32 numbers that it moves between stages of other tiles."""
    g, a = s.signature, s.algorithm
    staged = isinstance(s.arch, AmdArch) and a.stages > 1 and a.tile_m != STAGED_ROWS
    if not staged or g.dtype not in EIGHT_BIT or g.bias != "elementwise" or g.family not in FORWARD:
        return None
    got = f"{a.tile_m} rows in {a.stages} stages on {s.arch.name}: the compiler fails (LLVM Translation failed)"
    return broken(got, f"use tile_m {STAGED_ROWS}, or one stage", tile_m=a.tile_m, stages=a.stages)


@rule("triton.fmha.traits", "compile", "traits belong to their family: pack to forward, tf32 to fp32, turns to hopper")
def _traits(s: Subject) -> Broken | None:
    g, a = s.signature, s.algorithm
    checks = (
        (a.pack and g.family not in FORWARD, f"packed heads in {g.family}"),
        (a.precision == "tf32" and g.dtype != "fp32", f"tf32 with {g.dtype} operands"),
        (a.precision == "tf32" and isinstance(s.arch, AmdArch), "tf32 on an AMD GPU"),
        (a.turns and (a.pipeline != "hopper" or g.family != "fwd"), f"turns in {g.family}, pipeline {a.pipeline}"),
        (a.pipeline == "hopper" and g.family == "fwd_appendkv", "the hopper pipeline where nothing is multiplied"),
    )
    return first_broken(checks, "leave that trait at its default")


@rule(
    "triton.fmha.tma", "hardware", "tensor maps: sm_90; row V, no pages, no lengths, 16-byte strides, 16-bit operands"
)
def _tma(s: Subject) -> Broken | None:
    g, a = s.signature, s.algorithm
    if a.pipeline != "tma":
        return None
    if not isinstance(s.arch, NvidiaArch) or s.arch.tma is None:
        return broken(f"{s.arch.name} has no TMA", "use pipeline='pointer'")
    checks = (
        (g.family not in ("fwd", "fwd_splitkv"), f"family {g.family}"), (g.mode == "group", "group mode"),
        (g.v_layout == "col", "column-major V"), (g.page_size > 0, "pages"), (not a.aligned, "unaligned rows"),
        (get_dtype(g.dtype).bits != 16, f"{g.dtype} operands"),
    )  # fmt: skip
    return first_broken(checks, "use pipeline='pointer'", "tensor maps with ")


@rule(
    "triton.fmha.tma_lengths",
    "problem",
    "tensor maps: every sequence has seqlen_k keys, so nothing past a length is read",
)
def _tma_lengths(s: Subject) -> Broken | None:
    a, p = s.algorithm, s.problem
    if a.pipeline == "tma" and (p.kv_lengths or p.seqlen_k == 0):
        return broken("tensor maps with keys that end at seqlens_k", "use pipeline='pointer'")
    return None


@rule("triton.fmha.pack", "problem", "packed heads where several query heads share a key head, and rows are few")
def _pack(s: Subject) -> Broken | None:
    a, p = s.algorithm, s.problem
    if not a.pack or p.heads_q > p.heads_kv:
        return None
    return broken(f"{p.heads_q} query heads for {p.heads_kv} key heads", "use pack=False", heads_q=p.heads_q)


@rule(
    "triton.fmha.scale",
    "problem",
    "softmax scale up to 2**60, and >= 2**-60 where logits are only scaled; soft cap from 2**-60 to 2**60",
)
def _scale(s: Subject) -> Broken | None:
    """Kernels are handed numbers of fp32, divide by the cap, and multiply -inf by a scale that must not become 0."""
    p = s.problem
    if p.soft_cap and not 1 / LARGEST <= p.soft_cap <= LARGEST:
        return broken(f"soft_cap is {p.soft_cap}", "use a cap between these, or none", soft_cap=p.soft_cap)
    if abs(p.softmax_scale) > LARGEST:
        return broken(f"scale is {p.softmax_scale}", "scale Q instead", scale=p.softmax_scale)
    if p.family in FORWARD and p.bias == "none" and not p.soft_cap and p.softmax_scale < 1 / LARGEST:
        remedy = "scale Q instead" if p.softmax_scale > 0 else "negate Q and use a positive scale"
        return broken(f"scale is {p.softmax_scale}", remedy, scale=p.softmax_scale)
    return None


@rule("triton.fmha.columns", "problem", "the columns of a head lie one after another (v_layout col: the keys of V)")
def _columns(s: Subject) -> Broken | None:
    p = s.problem
    for role in (r for r in p.roles if r in ROW_ROLES):
        axis = 1 if role == "v" and p.v_layout == "col" else 3
        step = strides_of(p, role)[axis]
        if step != 1:
            what = "keys" if axis == 1 else "columns"
            return broken(f"{role} has a stride of {step} along its {what}", "pass a contiguous tensor", stride=step)
    return None


@rule("triton.fmha.dense", "problem", "cos, sin, scales and index tensors lie dense")
def _dense(s: Subject) -> Broken | None:
    p = s.problem
    for role in p.roles:
        given, shape, step = p.stride(role), p.shape(role), 1
        axes = range(len(shape) - 1, -1 if role != "page_table" else 0, -1)
        for axis in axes if role in DENSE_ROLES else ():
            if shape[axis] > 1 and given[axis] != step:
                return broken(f"{role} has strides {given}", "pass a contiguous tensor", strides=given)
            step *= shape[axis]
    return None


@rule("triton.fmha.alignment", "problem", "aligned: pointers and strides of rows are multiples of 16 bytes")
def _alignment(s: Subject) -> Broken | None:
    a, p = s.algorithm, s.problem
    if not a.aligned:
        return None
    for role in (r for r in p.roles if r in ROW_ROLES):
        got = min(p.row_alignment(role), p.alignment.get(role, 16))
        if got < 16:
            return broken(f"{role} is aligned to {got} bytes", "use aligned=False, or pad its rows", role=role, got=got)
    return None


@rule(
    "triton.fmha.index",
    "problem",
    "a block of keys and a page span < 2**31 elements, as does a block of rows of q, dout and lse in bwd, and of the"
    " bias in the hopper pipeline; fewer than 2**31 programs",
)
def _index(s: Subject) -> Broken | None:
    """Offsets inside of a block have 32 bits. Heads and sequences are stepped over in 64 bits."""
    a, p = s.algorithm, s.problem
    roles = ["k", "v", *(("q", "dout", "lse") if p.family == "bwd" else ())]
    roles += ["bias"] if p.bias == "elementwise" and a.pipeline == "hopper" else []
    for role in roles:
        first, *rest = strides_of(p, role)
        row, column = (rest[1], 0) if role in ("lse", "bias") else (rest[0], rest[2])
        block = max(a.tile_m, a.tile_n, padded(p.shape(role)[-1]) if role in ("k", "v") else 0)
        pages = abs(first) if p.page_size > 0 and role in ("k", "v") else 0
        far = max(abs(row) * block, abs(column) * block, pages)
        if far >= INT32_LIMIT:
            what = "page" if far == pages else "block"
            return broken(f"a {what} of {role} spans {far:,} elements", "use smaller strides or blocks", span=far)
    by_length = [max(p.batch, 1) * p.heads_q * max(length, 1) * 128 // 16 for length in (p.seqlen_q, p.seqlen_k)]
    if any(n >= INT32_LIMIT for n in by_length) or (p.family == "fwd_appendkv" and p.batch > 65535):
        programs = max(by_length)
        return broken(f"about {programs:,} programs for {p.batch} sequences", "split the batch", programs=programs)
    return None


@rule("triton.fmha.pages", "compile", "page sizes up to 2**16 keys")
def _pages(s: Subject) -> Broken | None:
    size = s.signature.page_size
    return broken(f"pages of {size} keys", "use pages of at most 65,536 keys", size=size) if size > 65536 else None


RULES: tuple[Rule, ...] = (
    _arch, _dropout_rng, _append_dtype, _tile, _hdim, _registers, _shared, _chained_stages, _staged_bias, _traits,
    _pages, _tma, _tma_lengths, _pack, _scale, _columns, _dense, _alignment, _index, *FORWARD_RULES, *BACKWARD_RULES,
)  # fmt: skip
