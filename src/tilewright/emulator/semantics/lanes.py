"""Instructions that move values between lanes."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ..emit import Emitter
from ..numeric import U32, U64, bit_count
from .registry import opcodes, pattern


def first_active(values: Any, execution: Any, waves: int) -> Any:
    """Return the value of the first lane that executes (lane 0 if none does), one per wave."""
    if execution is True:
        return values[:, 0]
    return values[np.arange(waves), execution.argmax(axis=1)]


def bits_below(mask: Any, base: Any, low: bool, waves: int, lanes: int) -> Any:
    """Return `base` plus the bits of a 32-bit mask below each lane, of its lower or upper half: v_mbcnt."""
    lane = np.arange(lanes)
    below = np.minimum(lane, 32) if low else np.maximum(lane - 32, 0)
    part = np.broadcast_to(np.asarray(mask).astype(U64), (waves, lanes)) & ((U64(1) << below.astype(U64)) - U64(1))
    return bit_count(part) + base


def permute_rows(values: Any, low: Any, high: Any, flip: int, waves: int, lanes: int) -> Any:
    """Return values of a row of 16 lanes chosen by 4 bits per lane; `flip` 16 takes the other row."""
    lane = np.arange(lanes)
    chosen = np.broadcast_to(low, (waves,)).astype(U64) | (np.broadcast_to(high, (waves,)).astype(U64) << U64(32))
    nibble = ((chosen[:, None] >> (4 * (lane % 16)).astype(U64)) & U64(15)).astype(np.intp)
    return np.take_along_axis(np.broadcast_to(values, (waves, lanes)), ((lane // 16 * 16) ^ flip) + nibble, 1)


def gather_lanes(values: Any, address: Any, execution: Any) -> Any:
    """Return each lane's value from the lane that a byte address names; lanes that do not execute give 0."""
    given = values if execution is True else np.where(execution, values, U32(0))
    lanes = given.shape[1]
    return np.take_along_axis(given, (address >> U32(2)).astype(np.intp) & (lanes - 1), 1)


def scatter_lanes(values: Any, address: Any, execution: Any) -> Any:
    """Return values sent to the lanes that byte addresses name; the last sender wins, others get 0."""
    found = np.zeros_like(values)
    lanes = values.shape[1]
    for lane in range(lanes):
        to = (address[:, lane] >> U32(2)).astype(np.intp) & (lanes - 1)
        wave = np.arange(len(values))
        keep = slice(None) if execution is True else execution[:, lane]
        found[wave[keep], to[keep]] = values[keep, lane]
    return found


@opcodes("v_readfirstlane_b32")
def read_first(e: Emitter) -> None:
    """The first active lane's value as a scalar."""
    source = e.ops[1]
    if source.kind == "v":
        e.write(e.ops[0], "u32", f"first_active({e.read(source, 'u32')},E,W)")
    else:
        e.lanewise = False
        e.write(e.ops[0], "u32", e.read(source, "u32"))


def _lane(e: Emitter, at: int) -> str:
    if e.ops[at].kind == "c":
        e.notes["lane"] = int(e.ops[at].value) & (e.lanes - 1)
    e.lanewise = False
    number = e.read(e.ops[at], "u32")
    e.lanewise = True
    return f"np.broadcast_to({number},(W,)).astype(np.intp)&{e.lanes - 1}"


@opcodes("v_readlane_b32")
def read_lane(e: Emitter) -> None:
    """One lane's value as a scalar."""
    e.write(e.ops[0], "u32", f"{e.read(e.ops[1], 'u32')}[np.arange(W),{_lane(e, 2)}]")


@opcodes("v_writelane_b32")
def write_lane(e: Emitter) -> None:
    """A scalar into one lane, whether it executes or not."""
    lane = _lane(e, 2)
    e.lanewise = False
    value = e.read(e.ops[1], "u32")
    e.writing(e.ops[0])
    e.notes["whole_wave"] = True
    e.line(f"v[{e.ops[0].reg}][np.arange(W),{lane}]={value}")


@pattern(r"v_mbcnt_(lo|hi)_u32_b32")
def count_below(e: Emitter, half: str) -> None:
    """The bits of a mask below each lane."""
    mask, base = e.read(e.ops[1], "u32"), e.read(e.ops[2], "u32")
    e.write(e.ops[0], "u32", f"bits_below({mask},{base},{half == 'lo'},W,L)")


@pattern(r"v_permlane(32|16)_swap_b32")
def swap_rows(e: Emitter, rows: str) -> None:
    """Exchange odd rows of one register with even rows of another."""
    lane = np.arange(e.lanes)
    odd = (lane // int(rows)) % 2 == 1
    up, down = e.array(np.flatnonzero(odd)), e.array(np.flatnonzero(~odd))
    for o in e.ops:
        e.reading(o)
        e.writing(o)
    a, b = (o.reg for o in e.ops)
    e.line(f"x=v[{a}][:,{up}];v[{a}][:,{up}]=v[{b}][:,{down}];v[{b}][:,{down}]=x")


@pattern(r"v_permlane(x?)16_b32")
def permute_row(e: Emitter, other: str) -> None:
    """Any permutation of a row of 16 lanes, of the same or of the other row."""
    fetch, zero, *_ = e.bits("op_sel", 4, 0)  # what a lane gets that does not execute: its value, 0, or nothing
    value = e.read(e.ops[1], "u32")
    e.lanewise = False
    chosen = f"{e.read(e.ops[2], 'u32')},{e.read(e.ops[3], 'u32')},{16 if other else 0},W,L"
    e.lanewise = True
    e.line(f"y=permute_rows({value},{chosen})")
    if not fetch:
        e.line(f"p=permute_rows(E,{chosen})")
        if zero:
            e.line("y=np.where(p,y,U32(0))")
        else:
            e.line("Ep=p&E")
            e.mask = "Ep"
    e.write(e.ops[0], "u32", "y")


@opcodes("v_permlane64_b32")
def swap_halves(e: Emitter) -> None:
    """The other half of the wave."""
    e.write(e.ops[0], "u32", f"{e.read(e.ops[1], 'u32')}[:,{e.array(np.arange(e.lanes) ^ 32)}]")


@opcodes("ds_bpermute_b32 ds_permute_b32")
def permute(e: Emitter) -> None:
    """Fetch from, or send to, the lane that an address names."""
    if e.isa.family == "rdna3" and e.lanes == 64:  # each half of the wave by itself
        e.fail("wave64")
    address, value = e.read(e.ops[1], "u32"), e.read(e.ops[2], "u32")
    function = "gather_lanes" if "bpermute" in e.ins.opcode else "scatter_lanes"
    e.note_memory("lds", "lds")
    e.write(e.ops[0], "u32", f"{function}({value},{address}+U32({e.integer('offset')}),E)")


@opcodes("ds_swizzle_b32")
def swizzle(e: Emitter) -> None:
    """A fixed permutation of groups of lanes."""
    e.used.add("offset")
    source = e.array(_swizzled(e, e.ins.modifiers.get("offset", "0")))
    value = e.read(e.ops[1], "u32")
    e.note_memory("lds", "lds")
    e.line(f"y={value} if E is True else np.where(E,{value},U32(0))")
    e.write(e.ops[0], "u32", f"y[:,{source}]")


def _swizzled(e: Emitter, text: str) -> Any:
    lane = np.arange(e.lanes)
    match = re.fullmatch(r"swizzle\((\w+),\s*(.*)\)", text)
    if match is None:
        code = int(text, 0)
        if code >= 0x8100:
            e.fail(f"swizzle {text}")
        if code & 0x8000:
            return lane // 4 * 4 + (code >> 2 * (lane % 4) & 3)
        kept, added, flipped = code & 31, code >> 5 & 31, code >> 10 & 31
        return (lane & 32) | ((((lane & 31) & kept) | added) ^ flipped)
    kind, arguments = match[1], match[2]
    if kind == "BITMASK_PERM":
        source = lane & 32
        for bit, letter in enumerate(reversed(arguments.strip('" '))):
            old = lane >> bit & 1
            source = source | ({"0": 0 * old, "1": 0 * old + 1, "p": old, "i": 1 - old}[letter] << bit)
        return source
    numbers = [int(x, 0) for x in arguments.split(",")]
    if kind == "SWAP":
        return lane ^ numbers[0]
    if kind == "REVERSE":
        return lane // numbers[0] * numbers[0] + numbers[0] - 1 - lane % numbers[0]
    if kind == "BROADCAST":
        return lane // numbers[0] * numbers[0] + numbers[1]
    if kind == "QUAD_PERM":
        return lane // 4 * 4 + np.array(numbers)[lane % 4]
    e.fail(f"swizzle {kind}")
