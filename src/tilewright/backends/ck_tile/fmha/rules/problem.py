"""Rules of a kernel for one problem: dimensions without padding must be whole tiles."""

from __future__ import annotations

from .....model.dtype import get_dtype
from .....model.rule import Broken, broken, rule
from .....ops.fmha.problem import FmhaSubject as Subject
from .....ops.fmha.shapes import DENSE_ROLES, dense_strides


@rule("ck_tile.fmha.rows", "problem", "seqlen_q % tile_m0 == 0, or pad_s; backward kernels mask their rows")
def _rows(s: Subject) -> Broken | None:
    a, p = s.algorithm, s.problem
    if a.pad_s or a.stage in ("dq_dk_dv", "combine") or p.seqlen_q % a.tile_m0 == 0:
        return None
    return broken(f"{p.seqlen_q} query rows in tiles of {a.tile_m0}", "use a kernel with pad_s", rows=p.seqlen_q)


@rule("ck_tile.fmha.keys", "problem", "seqlen_k % tile_n0 == 0 and no per-sequence lengths, or pad_sk")
def _keys(s: Subject) -> Broken | None:
    a, p = s.algorithm, s.problem
    ragged = p.kv_lengths or p.page_size > 0
    if a.stage != "attend" or a.pad_sk or (p.seqlen_k % a.tile_n0 == 0 and not ragged):
        return None
    return broken(f"{p.seqlen_k} keys in tiles of {a.tile_n0}", "use a kernel with pad_sk", keys=p.seqlen_k)


@rule("ck_tile.fmha.max_seqlen_q", "problem", "seqlen_q <= max_seqlen_q if the kernel has one")
def _max_seqlen_q(s: Subject) -> Broken | None:
    limit = s.algorithm.max_seqlen_q
    if limit and s.problem.seqlen_q > limit:
        return broken(f"{s.problem.seqlen_q} query rows; this kernel takes {limit}", "use a kernel without the limit")
    return None


@rule("ck_tile.fmha.kv_lengths", "problem", "lengths of a padded cache only in fwd_splitkv")
def _kv_lengths(s: Subject) -> Broken | None:
    if s.problem.kv_lengths and s.problem.family != "fwd_splitkv":
        return broken(f"kv_lengths in {s.problem.family}", "use fwd_splitkv, or group mode")
    return None


@rule("ck_tile.fmha.merged", "problem", "merged groups: one query row, grouped heads")
def _merged(s: Subject) -> Broken | None:
    p = s.problem
    if s.algorithm.merge_groups and (p.seqlen_q != 1 or p.heads_q == p.heads_kv):
        return broken(
            f"{p.seqlen_q} rows, {p.heads_q} heads over {p.heads_kv}", "merge groups only in grouped decoding"
        )
    return None


@rule("ck_tile.fmha.even_splits", "problem", "without uneven_splits: seqlen_k % (num_splits * tile_n0) == 0")
def _even_splits(s: Subject) -> Broken | None:
    a, p = s.algorithm, s.problem
    if p.family != "fwd_splitkv" or a.stage != "attend" or a.uneven_splits:
        return None
    splits = s.launch.num_splits if s.launch is not None else p.num_splits or 1
    if p.kv_lengths or p.page_size or p.mode == "group" or p.seqlen_k % (splits * a.tile_n0):
        return broken(f"{p.seqlen_k} keys in {splits} splits of {a.tile_n0}", "use a kernel with uneven_splits")
    return None


@rule("ck_tile.fmha.combine_splits", "problem", "2 <= num_splits <= 2**log_max_splits")
def _combine_splits(s: Subject) -> Broken | None:
    a = s.algorithm
    splits = s.launch.num_splits if s.launch is not None else s.problem.num_splits
    if a.stage == "combine" and splits is not None and splits > 1 << a.log_max_splits:
        return broken(f"{splits} splits; this kernel combines {1 << a.log_max_splits}", "use a larger log_max_splits")
    return None


@rule(
    "ck_tile.fmha.launch", "problem",
    "no pages of a block table with varlen sequences; append: q and out dense (what can be launched)",
)  # fmt: skip
def _launch(s: Subject) -> Broken | None:
    p, remedy = s.problem, "use the triton backend"
    if p.page_size and p.mode == "group" and p.family != "batch_prefill":
        return broken("no launcher for pages of varlen sequences: CK reads starts of keys there", remedy)
    if p.family == "fwd_appendkv" and any(p.stride(r) != dense_strides(p, r) for r in ("q", "out") if r in p.roles):
        return broken("q or out with strides: CK rotates in place, in a dense copy", "give dense queries and output")
    return None


@rule(
    "ck_tile.fmha.rotary", "problem",
    "rope: rotary_dim is a multiple of a work item's 16 bytes of columns; half: of two work items'",
)  # fmt: skip
def _rotary(s: Subject) -> Broken | None:
    """A work item of CK rotates its columns alike, or not at all, and reads its partners as one vector."""
    p = s.problem
    if p.rope == "none":
        return None
    columns = ROTATED_BYTES // get_dtype(p.dtype).bytes * (2 if p.rope == "half" else 1)
    if p.rotary_dim % columns == 0:
        return None
    message = f"rotary_dim {p.rotary_dim} with rope {p.rope}, multiples of {columns:g} are rotated"
    return broken(message, "use the triton backend", rotary_dim=p.rotary_dim)


@rule("ck_tile.fmha.shared_dbias", "problem", "dbias: a bias for each head and, in batches, each sequence")
def _shared_dbias(s: Subject) -> Broken | None:
    p = s.problem
    if not p.dbias or (p.bias_heads == p.heads_q and (p.mode == "group" or p.bias_batch == p.batch)):
        return None
    message = f"gradient of a bias that {p.heads_q} heads of {p.batch} sequences share: CK writes it without adding"
    return broken(message, "give a bias for each of them, or use the triton backend", bias_heads=p.bias_heads)


ROTATED_BYTES = 16  # of one row, that a work item rotates
MAX_ELEMENTS = 2**31  # strides are signed 32-bit
MAX_BYTES = 2**31  # so are byte offsets from the first row of a head
MATRICES = ("q", "k", "v", "k_new", "v_new", "out", "dout", "dq", "dk", "dv", "bias", "dbias")


@rule(
    "ck_tile.fmha.dense", "problem",
    "columns of heads, rows of an LSE, keys of a bias lie one after another; cos, sin, scales and index tensors dense",
)  # fmt: skip
def _dense(s: Subject) -> Broken | None:
    """The arguments of CK's kernels have no strides for them."""
    p = s.problem
    for role in p.strides:
        given, shape = p.stride(role), p.shape(role)
        first = len(shape) - 1
        if role in DENSE_ROLES:  # rows of a block table have a stride
            first = 1 if role == "page_table" and len(shape) == 2 else 0
        wanted = dense_strides(p, role) if role in DENSE_ROLES else (*given[:-1], 1)
        if any(n > 1 and got != want for n, got, want in list(zip(shape, given, wanted, strict=True))[first:]):
            return broken(f"{role} has strides {given}", "pass a contiguous tensor", role=role, strides=given)
    return None


@rule(
    "ck_tile.fmha.strides", "problem",
    "strides of LSE, slopes and block table < 2**31; bwd: an LSE for each head, rows of q, dout and bias that share no "
    "memory",
)  # fmt: skip
def _strides(s: Subject) -> Broken | None:
    """CK writes the sums of dO * O of a backward pass with the strides of the LSE. It multiplies rows of Q, dO and bias
    behind the last one: only the end of the matrix makes them zero.
    """
    p = s.problem
    for role in ("lse", "page_table", *(["bias"] if p.bias == "alibi" else [])):
        if role not in p.strides:
            continue
        steps = [step for step, n in zip(p.stride(role), p.shape(role), strict=True) if n > 1]
        least = 1 if role == "lse" and p.family == "bwd" else 1 - MAX_ELEMENTS
        if not all(least <= step < MAX_ELEMENTS for step in steps):
            return broken(f"{role} has strides {p.stride(role)}", "pass a contiguous tensor", strides=p.stride(role))
    for role in ("q", "dout", *(["bias"] if p.bias == "elementwise" else [])):
        if p.family != "bwd" or role not in p.strides:
            continue
        axis = -2 if role == "bias" else -3
        row, width = p.stride(role)[axis], p.shape(role)[-1]
        if p.shape(role)[axis] > 1 and row < width:
            return broken(f"rows of {role} are {row} elements apart, of {width}", "pass a contiguous tensor", row=row)
    return None


@rule(
    "ck_tile.fmha.workspace", "problem",
    "strides of partial results, of sums of dQ, and of dK and dV by heads < 2**31",
)  # fmt: skip
def _workspace(s: Subject) -> Broken | None:
    """Strides of the workspace are signed 32-bit, too."""
    p, a = s.problem, s.algorithm
    if a.stage == "attend" and p.family == "fwd_splitkv":
        from ..launch_split import Partials

        space = Partials.of(p, s.spec, 1)
        largest = space.lse * space.width
    elif a.stage == "dq_dk_dv":
        from ..launch_backward import Gradients

        largest = Gradients.of(p, s.spec).largest_stride(p)
    else:
        return None
    if largest < MAX_ELEMENTS:
        return None
    return broken(f"strides of {largest:,} elements in the workspace", "split the batch, or use another backend")


@rule("ck_tile.fmha.offsets", "problem", "0 <= strides < 2**31; the rows of one head span less than 2 GiB")
def _offsets(s: Subject) -> Broken | None:
    """A batch and a head are found with 64-bit offsets, a row of them with 32-bit ones that are not negative."""
    p, faults = s.problem, []
    for role in (r for r in MATRICES if r in p.roles and (p.bias != "alibi" or r != "bias")):
        steps, shape, size = p.stride(role), p.shape(role), get_dtype(p.dtype_of(role)).bytes
        axis = len(steps) - 2 if role in ("bias", "dbias") else 0 if p.mode == "group" or p.lookup == "sglang" else 1
        rows = min(shape[axis], p.seqlen_q if role in ("q", "out", "dout", "dq") else p.seqlen_k)
        rows = shape[axis] if role in ("k_new", "v_new") else rows
        if p.lookup == "sglang" and role in ("k", "v"):
            rows = shape[axis]  # pages of one row, all of them from one address
        span = int(((rows - 1) * steps[axis] + shape[-1]) * size)
        if min(steps) < 0:
            faults.append(f"{role} has strides {steps}; none may be negative")
        elif max(steps) >= MAX_ELEMENTS:
            faults.append(f"{role} has strides {steps}; the largest must be < {MAX_ELEMENTS:,}")
        elif span >= MAX_BYTES:
            faults.append(f"{role}: {rows:,} rows of a head span {span:,} B >= {MAX_BYTES:,} B")
    return broken("; ".join(faults), "use another layout or another backend") if faults else None


VECTOR_BYTES = 16
ASYNC = "qr_async"  # its loads are whole vectors even of padded heads


@rule(
    "ck_tile.fmha.alignment", "problem",
    "matrices of heads without padding, bias of keys without padding: strides and addresses % 16 B == 0",
)  # fmt: skip
def _alignment(s: Subject) -> Broken | None:
    """CK loads and stores whole vectors of dimensions that are not padded, from any row."""
    p, a = s.problem, s.algorithm
    if a.stage not in ("attend", "dq_dk_dv", "append"):
        return None
    summed = p.heads_q != p.heads_kv  # tilewright's own kernel stores single elements
    padded = {
        **dict.fromkeys(("q", "k", "k_new", "dq"), a.pad_d),
        **dict.fromkeys(("v", "v_new", "out", "dout"), a.pad_dv),
        "dk": a.pad_d or summed,
        "dv": a.pad_dv or summed,
        "bias": a.pad_sk,
    }
    faults = []
    for role, single in padded.items():
        if role not in p.roles or (role == "bias" and p.bias == "alibi"):
            continue
        if single and (not a.pipeline.startswith(ASYNC) or role == "bias"):
            continue
        got = min(p.row_alignment(role), p.alignment.get(role, VECTOR_BYTES))
        if got < VECTOR_BYTES:
            faults.append(f"{role} is aligned to {got} B; vectors have {VECTOR_BYTES} B")
    return broken("; ".join(faults), "use a kernel with pad_d and pad_dv, or pass a dense copy") if faults else None


PROBLEM_RULES = (
    _dense,
    _strides,
    _workspace,
    _offsets,
    _alignment,
    _launch,
    _rotary,
    _shared_dbias,
    _rows,
    _keys,
    _max_seqlen_q,
    _kv_lengths,
    _merged,
    _even_splits,
    _combine_splits,
)
