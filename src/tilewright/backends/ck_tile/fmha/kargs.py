"""The arguments of CK's attention kernels, laid out as C++ lays out CK's structures.

A structure is a chain of base classes, of which a kernel has those of its traits, and members of its own. What a base
class leaves unused at its end may hold what follows it, unless the class is plain old data. A test holds the layouts
against those of the compiler.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

SIZES = {"P": 8, "i": 4, "f": 4, "B": 1}
FORMS = {"P": "<Q", "i": "<i", "f": "<f", "B": "<B"}


@dataclass(frozen=True)
class Part:
    """One base class: kinds (P: pointer, i: int32, f: float, B: byte) and names of its fields."""

    kinds: str
    names: tuple[str, ...]
    plain: bool = True  # plain old data: nothing follows inside of its padding


def part(kinds: str, names: str, plain: bool = True) -> Part:
    """Return a part from names with spaces between them.

    >>> part("Pi", "bias_ptr stride_bias").names
    ('bias_ptr', 'stride_bias')
    """
    return Part(kinds, tuple(names.split()), plain)


def layout(bases: Sequence[Part], own: Part) -> tuple[dict[str, tuple[int, str]], int]:
    """Return (offset and kind of each field, size) of a structure with these base classes and members.

    >>> fields, size = layout([part("Pi", "p n"), part("Pi", "q m", plain=False)], part("ii", "x y"))
    >>> [offset for offset, _ in fields.values()], size
    ([0, 8, 16, 24, 28, 32], 40)
    """
    fields: dict[str, tuple[int, str]] = {}
    end = widest = 0
    for base in bases:
        align = max(SIZES[kind] for kind in base.kinds)
        widest = max(widest, align)
        end = _place(base, -(-end // align) * align, fields)
        if base.plain:
            end = -(-end // align) * align
    end = _place(own, end, fields)
    widest = max([widest, *(SIZES[kind] for kind in own.kinds)])
    return fields, -(-end // widest) * widest


def _place(what: Part, end: int, fields: dict[str, tuple[int, str]]) -> int:
    for kind, name in zip(what.kinds, what.names, strict=True):
        at = -(-end // SIZES[kind]) * SIZES[kind]
        fields[name] = (at, kind)
        end = at + SIZES[kind]
    return end


def pack(bases: Sequence[Part], own: Part, values: Mapping[str, Any]) -> bytes:
    """Return the bytes of a structure; a pointer without a value is null."""
    fields, size = layout(bases, own)
    raw = bytearray(size)
    for name, (at, kind) in fields.items():
        value = values.get(name, 0) if kind == "P" else values[name]
        struct.pack_into(FORMS[kind], raw, at, value)
    return bytes(raw)


FORWARD = part(
    "PPPPiiiiiifiiiiiiii",
    "q_ptr k_ptr v_ptr o_ptr seqlen_q seqlen_k hdim_q hdim_v num_head_q nhead_ratio_qk scale_s stride_q stride_k "
    "stride_v stride_o nhead_stride_q nhead_stride_k nhead_stride_v nhead_stride_o",
)
BACKWARD = part(
    "PPPPPPPPPiiiiiiffiiiiiiiiiiiiiii",
    "q_ptr k_ptr v_ptr lse_ptr do_ptr d_ptr dq_acc_ptr dk_ptr dv_ptr seqlen_q seqlen_k hdim_q hdim_v num_head_q "
    "nhead_ratio_qk raw_scale scale stride_q stride_k stride_v stride_do stride_dq_acc stride_dk stride_dv "
    "nhead_stride_q nhead_stride_k nhead_stride_v nhead_stride_do nhead_stride_lsed nhead_stride_dq_acc "
    "nhead_stride_dk nhead_stride_dv",
)
DOT_DO_O = part(
    "PPPfiiiiiii",
    "o_ptr do_ptr d_ptr p_undrop seqlen_q hdim_v stride_do stride_o nhead_stride_do nhead_stride_o nhead_stride_d",
)
CONVERT_DQ = part(
    "PPiiiiiii",
    "dq_acc_ptr dq_ptr seqlen_q seqlen_k hdim_q stride_dq stride_dq_acc nhead_stride_dq nhead_stride_dq_acc",
)
SPLIT = part(
    "PPPPPiiiiiiiifiiiiiiiiiii",
    "q_ptr k_ptr v_ptr lse_acc_ptr o_acc_ptr batch seqlen_q seqlen_k hdim_q hdim_v num_head_q nhead_ratio_qk "
    "num_splits scale_s stride_q stride_k stride_v stride_o_acc nhead_stride_q nhead_stride_k nhead_stride_v "
    "nhead_stride_lse_acc nhead_stride_o_acc split_stride_lse_acc split_stride_o_acc",
)
COMBINE = part(
    "PPPiiiiiiiiiii",
    "lse_acc_ptr o_acc_ptr o_ptr batch seqlen_q hdim_v num_splits row_stride_o_acc row_stride_o nhead_stride_lse_acc "
    "nhead_stride_o_acc nhead_stride_o split_stride_lse_acc split_stride_o_acc",
)
PREFILL = part(
    "PPPPiiiiiiiPPfiiiiiiii",
    "q_ptr k_ptr v_ptr o_ptr seqlen_q seqlen_k hdim_q hdim_v num_head_q nhead_ratio_qk num_total_pages kv_indptr "
    "kv_page_indices scale_s stride_q stride_k stride_v stride_o nhead_stride_q nhead_stride_k nhead_stride_v "
    "nhead_stride_o",
)
APPEND = part(
    "PPPPPPiiiiiiiiiiiiiiiiiiiiii",
    "q_ptr k_ptr knew_ptr v_ptr vnew_ptr seqlen_k_ptr seqlen_q seqlen_k seqlen_knew hdim_q hdim_v num_head_q "
    "nhead_ratio_qk stride_q stride_k stride_knew stride_v stride_vnew nhead_stride_q nhead_stride_k nhead_stride_knew "
    "nhead_stride_v nhead_stride_vnew batch_stride_q batch_stride_k batch_stride_knew batch_stride_v "
    "batch_stride_vnew",
)
ROPE = part("PPiB", "rotary_cos_ptr rotary_sin_ptr rotary_dim has_mask")
SCALES = part("ff", "scale_p scale_o")
SCALE_POINTERS = part("PPP", "scale_q_ptr scale_k_ptr scale_v_ptr")  # members of `tilewright_ck::ScaledArgs`
PAGES = part("Pii", "block_table_ptr batch_stride_block_table page_block_size")
CACHE_ROWS = part("P", "cache_batch_idx")
ALIBI = part("Pi", "alibi_slope_ptr alibi_slope_stride")
MASK = part("iii", "window_size_left window_size_right mask_type")
LSE = part("Pii", "lse_ptr nhead_stride_lse batch_stride_lse", plain=False)
SOFT_CAP = part("ff", "logits_soft_cap logits_soft_cap_rcp")
DETERMINISTIC = part("i", "split_stride_dq_acc", plain=False)
OWN = {
    ("attend", "batch"): part(
        "iiiiPP",
        "batch_stride_q batch_stride_k batch_stride_v batch_stride_o cu_seqlen_q_ptr cu_seqlen_k_ptr",
    ),
    ("dq_dk_dv", "batch"): part(
        "iiiiiiii",
        "batch_stride_q batch_stride_k batch_stride_v batch_stride_do batch_stride_lsed batch_stride_dq_acc "
        "batch_stride_dk batch_stride_dv",
    ),
    ("dot_do_o", "batch"): part("iii", "batch_stride_do batch_stride_o batch_stride_d"),
    ("convert_dq", "batch"): part("ii", "batch_stride_dq batch_stride_dq_acc"),
    ("split", "batch"): part(
        "Piiiii",
        "seqlen_k_ptr batch_stride_q batch_stride_k batch_stride_v batch_stride_lse_acc batch_stride_o_acc",
    ),
    ("split", "group"): part("PPPii", "seqstart_q_ptr seqstart_k_ptr seqlen_k_ptr batch_stride_k batch_stride_v"),
    ("paged", "batch"): part("Piiii", "seqlen_k_ptr batch_stride_q batch_stride_k batch_stride_v batch_stride_o"),
    ("combine", "batch"): part("iii", "batch_stride_lse_acc batch_stride_o_acc batch_stride_o"),
    ("combine", "group"): part("P", "seqstart_q_ptr"),
    ("append", "batch"): Part("", ()),
    ("prefill", "group"): part("Pii", "seqstart_q_ptr batch_stride_k batch_stride_v"),
    ("dot_do_o", "group"): part("PPP", "seqstart_q_ptr seqlen_q_ptr cu_seqlen_q_ptr"),
}
GROUP = part(
    "PPPPPP", "seqstart_q_ptr seqstart_k_ptr seqlen_q_ptr seqlen_k_ptr cu_seqlen_q_ptr cu_seqlen_k_ptr"
)  # own members of every other kernel of group mode


ATTENDING = {"fwd_splitkv": "split", "fwd_pagedkv": "paged", "batch_prefill": "prefill"}


def is_masked(s: Any) -> bool:
    """Return whether the kernel of a signature is one with a mask.

    A bias may hide all keys of a row, and only kernels with a mask divide such a row's sum by something else than zero.
    Their window is then the whole row.
    """
    return bool(s.mask != "none" or (s.bias == "elementwise" and s.family != "bwd"))


def parts_of(stage: str, signature: Any) -> tuple[list[Part], Part]:
    """Return (base classes, own members) of the argument of a stage's kernel."""
    s = signature
    stage = ATTENDING.get(s.family, stage) if stage == "attend" else stage
    own = OWN.get((stage, s.mode), GROUP)
    if stage == "dot_do_o":
        return [DOT_DO_O], own
    if stage == "combine":
        return [COMBINE, *([LSE] if s.lse else [])], own
    deterministic = [DETERMINISTIC] if s.deterministic else []
    if stage == "convert_dq":
        return [CONVERT_DQ, *deterministic], own
    if stage == "append":
        return [APPEND, *([ROPE] if s.rope != "none" else []), PAGES if s.page_size else CACHE_ROWS], own
    bias = list(_bias(s, ""))
    mask = [MASK] if is_masked(s) else []
    dropout = _dropout(s) if s.dropout != "none" else ()
    if stage == "dq_dk_dv":
        return [BACKWARD, *bias, *(_bias(s, "d") if s.dbias else ()), *mask, *dropout, *deterministic], own
    cap = [SOFT_CAP] if s.soft_cap else []
    if stage == "split":  # pages of group mode have one member more; there is no launcher for them
        keys = [PAGES] if s.page_size else [CACHE_ROWS] if s.mode == "batch" else []
        return [SPLIT, *bias, *mask, *keys, *cap], own
    scales = [SCALES] if s.qscale == "pertensor" else []
    if scales:
        own = Part(own.kinds + SCALE_POINTERS.kinds, own.names + SCALE_POINTERS.names)
    if stage == "paged":
        return [FORWARD, *bias, *mask, *([LSE] if s.lse else []), *scales, PAGES, *cap], own
    first = PREFILL if stage == "prefill" else FORWARD
    return [first, *bias, *mask, *([LSE] if s.lse else []), *scales, *dropout, *cap], own


def _dropout(s: Any) -> tuple[Part, Part]:
    """Return the dropout of a kernel: its seed and offset, here by address, and the rest."""
    seeds = part("PPB", "drop_seed drop_offset is_drop_seed_offset_from_host")
    kinds, first = "fBB", "rp_undrop p_undrop_in_uint8_t is_store_randval"
    if s.family == "bwd":
        kinds, first = "ffB", "rp_undrop scale_rp_undrop p_undrop_in_uint8_t"
    names = f"{first} rand_val_ptr stride_randval nhead_stride_randval"
    batch = s.mode == "batch"
    return seeds, part(kinds + "Pii" + "i" * batch, names + " batch_stride_randval" * batch, plain=False)


def _bias(s: Any, prefix: str) -> Iterable[Part]:
    """Yield the bias, or its gradient (prefix d), which only a bias by elements has."""
    if s.bias == "alibi":
        yield ALIBI
    elif s.bias != "none":
        names = f"{prefix}bias_ptr stride_{prefix}bias nhead_stride_{prefix}bias"
        batch = s.mode == "batch"
        more = f" batch_stride_{prefix}bias" if batch else ""
        yield part("Piii" if batch else "Pii", names + more, plain=False)
