"""Encodings that change how any vector instruction reads and writes: SDWA, DPP, and two instructions in one (VOPD)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..emit import Emitter
from ..numeric import U32


def first_source(e: Emitter) -> int:
    """Return which operand src0 is."""
    if "_co_" in e.ins.opcode:
        return 2
    return 0 if e.ins.opcode.startswith("v_cmp") and len(e.ops) == 2 else 1


def prepare_sdwa(e: Emitter) -> None:
    """Let each source be a byte or word, and the result go into one."""
    at, ops = first_source(e), list(e.ops)
    for j in (0, 1):
        name = f"src{j}_sel"
        e.used.add(name)
        chosen = e.ins.modifiers.get(name, "DWORD")
        if chosen != "DWORD" and at + j < len(ops):
            ops[at + j] = replace(ops[at + j], select=chosen)
    e.ops = tuple(ops)
    e.used.update(("dst_sel", "dst_unused"))
    chosen = e.ins.modifiers.get("dst_sel", "DWORD")
    if chosen != "DWORD" and not e.ins.opcode.startswith("v_cmp"):
        e.place = (chosen, e.ins.modifiers.get("dst_unused", "UNUSED_PAD"))
        if e.place[1] == "UNUSED_SEXT":
            e.fail("dst_unused:UNUSED_SEXT")


def prepare_dpp(e: Emitter) -> None:
    """Let the first source come from other lanes, and write only lanes that have one."""
    at = first_source(e)
    o = e.ops[at]
    source, valid = dpp_lanes(e)
    rows, banks = e.integer("row_mask", 15), e.integer("bank_mask", 15)
    lane = np.arange(e.lanes)
    writes = ((rows >> (lane // 16 % 4)) & 1).astype(np.bool_) & ((banks >> (lane % 16 // 4)) & 1).astype(np.bool_)
    zero, inactive = e.has("bound_ctrl"), e.integer("fi", 0)
    whole = e.read(replace(o, neg=False, abs=False), "u32")
    arrays = ",".join(e.array(x) for x in (source, valid, writes))
    e.line(f"y,Ed=shuffle_dpp({whole},E,{arrays},{zero},{bool(inactive)},W,L)")
    if o.count == 2:
        upper = e.read(replace(o, neg=False, abs=False), "u32", at=1)
        e.line(f"yh,_=shuffle_dpp({upper},E,{arrays},{zero},{bool(inactive)},W,L)")
    e.ops = (*e.ops[:at], replace(o, local="y"), *e.ops[at + 1 :])
    e.mask = "Ed"


def shuffle_dpp(
    values: Any,
    execution: Any,
    source: Any,
    valid: Any,
    writes: Any,
    zero: bool,
    inactive: bool,
    waves: int,
    lanes: int,
) -> tuple[Any, Any]:
    """Return (values from other lanes, lanes that are written)."""
    moved = np.broadcast_to(values, (waves, lanes))[:, source]
    there = np.broadcast_to(valid, (waves, lanes))
    if execution is not True and not inactive:
        there = there & execution[:, source]
    mask = np.broadcast_to(writes, (waves, lanes))
    if zero:
        moved = np.where(there, moved, U32(0))
    else:
        mask = mask & there
    return moved, mask if execution is True else mask & execution


def _quad(lane: Any, n: list[int]) -> tuple[Any, Any]:
    return lane // 4 * 4 + np.array(n)[lane % 4], lane >= 0


def _eight(lane: Any, n: list[int]) -> tuple[Any, Any]:
    return lane // 8 * 8 + np.array(n)[lane % 8], lane >= 0


Shuffle = Callable[[Any, list[int]], tuple[Any, Any]]
# modifier -> (source lane, whether there is one) of the lane and the modifier's numbers
SHUFFLES: dict[str, Shuffle] = {
    "quad_perm": _quad,
    "dpp8": _eight,
    "row_shr": lambda lane, n: (lane - n[0], lane % 16 >= n[0]),
    "row_shl": lambda lane, n: (lane + n[0], lane % 16 + n[0] < 16),
    "row_ror": lambda lane, n: (lane // 16 * 16 + (lane % 16 - n[0]) % 16, lane >= 0),
    "row_share": lambda lane, n: (lane // 16 * 16 + n[0], lane >= 0),
    "row_newbcast": lambda lane, n: (lane // 16 * 16 + n[0], lane >= 0),
    "row_xmask": lambda lane, n: (lane ^ n[0], lane >= 0),
    "row_mirror": lambda lane, n: (lane // 16 * 16 + 15 - lane % 16, lane >= 0),
    "row_half_mirror": lambda lane, n: (lane // 8 * 8 + 7 - lane % 8, lane >= 0),
    "wave_shr": lambda lane, n: (lane - 1, lane >= 1),
    "wave_shl": lambda lane, n: (lane + 1, lane < 63),
    "wave_ror": lambda lane, n: ((lane - 1) % 64, lane >= 0),
    "wave_rol": lambda lane, n: ((lane + 1) % 64, lane >= 0),
    "row_bcast": lambda lane, n: (
        (lane // 16 * 16 - 1, lane >= 16) if n[0] == 15 else (np.full_like(lane, 31), lane >= 32)
    ),
}


def dpp_lanes(e: Emitter) -> tuple[Any, Any]:
    """Return (source lane, whether there is one) of every lane."""
    lane = np.arange(e.lanes)
    for name, shuffle in SHUFFLES.items():
        if e.has(name):
            text = e.ins.modifiers[name].strip("[]")
            numbers = [int(x, 0) for x in text.split(",")] if text else [0]
            source, valid = shuffle(lane, numbers)
            return np.clip(source, 0, e.lanes - 1), np.broadcast_to(valid, lane.shape)
    e.fail("DPP control")
