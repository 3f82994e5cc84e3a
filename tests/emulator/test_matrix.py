"""Matrix instructions in the register layouts that AMD's matrix instruction calculator prints."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tilewright.emulator.isa import isa_of
from tilewright.emulator.small_floats import FLOAT8

from one_instruction import run  # isort: skip

DATA = json.loads((Path(__file__).parent / "data" / "matrix_layouts.json").read_text())
CASES = DATA["instructions"]
KINDS = re.compile(r"(xf32|bf16|iu8|fp8|bf8|f16|f32|f64|i8)")
A, B, C, D = 0, 32, 48, 64  # first registers


def kinds_of(name: str) -> tuple[str, str, str]:
    """(type of A, of B, of the result)."""
    out, rest = re.fullmatch(r"v_[a-z]+_(\w+?)_(\d+x.*)", name).groups()  # type: ignore[union-attr]
    found = KINDS.findall(rest)
    return found[0], found[-1], out


def code(value: float, kind: str, fnuz: bool) -> int:
    """The bits of a small number."""
    if kind in ("fp8", "bf8"):
        return int(np.flatnonzero(FLOAT8[kind, fnuz] == value)[0])
    if kind in ("i8", "iu8"):
        return int(value) & 255
    if kind == "bf16":
        return int(np.float32(value).view(np.uint32)) >> 16
    if kind == "f64":
        return int(np.float64(value).view(np.uint64))
    return int(np.float16(value).view(np.uint16) if kind == "f16" else np.float32(value).view(np.uint32))


def matrix(rng: Any, layout: Any) -> Any:
    """Small random numbers in the shape that a layout spans: [blocks, rows, columns]."""
    shape = 1 + np.array(layout[1]).reshape(-1, 3).max(axis=0)
    return rng.choice([0.0, 1.0, 2.0, 3.0, 4.0], tuple(shape))


def fill(registers: dict[int, Any], first: int, layout: Any, values: Any, kind: str, fnuz: bool) -> int:
    """Put a matrix into registers; return how many it takes."""
    slots, lanes = layout
    count = 1 + max(r for r, _ in slots) + (1 if kind == "f64" else 0)
    for register in range(count):
        registers[first + register] = np.zeros(len(lanes), np.uint32)
    for lane, places in enumerate(lanes):
        for (register, bit), place in zip(slots, places, strict=True):
            bits = code(values[tuple(place)], kind, fnuz) << bit
            registers[first + register][lane] |= np.uint32(bits & 0xFFFFFFFF)
            if kind == "f64":
                registers[first + register + 1][lane] |= np.uint32(bits >> 32)
    return count


def numbers(st: Any, register: int, bit: int, lane: int, out: str) -> float:
    word = int(st.v[register][0, lane])
    if out == "f64":
        return float(np.array([word | int(st.v[register + 1][0, lane]) << 32], np.uint64).view(np.float64)[0])
    if out in ("f32", "i32"):
        return float(np.array([word], np.uint32).view(np.float32 if out == "f32" else np.int32)[0])
    half = word >> bit & 0xFFFF
    return float(
        np.array([half], np.uint16).view(np.float16)[0]
        if out == "f16"
        else np.array([half << 16], np.uint32).view(np.float32)[0]
    )


def operand(first: int, count: int) -> str:
    return f"v{first}" if count == 1 else f"v[{first}:{first + count - 1}]"


def test_there_are_enough_instructions() -> None:
    assert len(CASES) >= 20
    assert {c[0] for c in CASES} == {"gfx908", "gfx90a", "gfx942", "gfx1100", "gfx1201"}


def wrong_elements(arch: str, name: str, a_layout: Any, b_layout: Any, d_layout: Any) -> int:
    """How many elements of a product of small numbers are wrong, if the layouts are these."""
    kind_a, kind_b, out = kinds_of(name)
    rng = np.random.default_rng(len(name))
    a, b = (matrix(rng, layout) for layout in (a_layout, b_layout))
    registers: dict[int, Any] = {}
    fnuz = isa_of(arch).fnuz
    na, nb = fill(registers, A, a_layout, a, kind_a, fnuz), fill(registers, B, b_layout, b, kind_b, fnuz)
    nd = 1 + max(r for r, _ in d_layout[0]) + (1 if out == "f64" else 0)
    if out in ("f16", "bf16") and arch == "gfx1100":
        nd = 8
    signs = " neg_lo:[1,1,0]" if kind_a == "iu8" else ""
    st = run(arch, f"{name} {operand(D, nd)}, {operand(A, na)}, {operand(B, nb)}, 0{signs}", registers)
    product = a @ b
    return sum(
        numbers(st, D + register, bit, lane, out) != product[tuple(place)]
        for lane, places in enumerate(d_layout[1])
        for (register, bit), place in zip(d_layout[0], places, strict=True)
    )


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c[0]}-{c[1]}")
def test_the_layout_of(case: list[str]) -> None:
    arch, name, *keys = case
    assert wrong_elements(arch, name, *(DATA["layouts"][k] for k in keys)) == 0


@pytest.mark.parametrize("case", CASES[::12], ids=lambda c: f"{c[0]}-{c[1]}")
def test_another_layout_is_found_wrong(case: list[str]) -> None:
    """The check can fail: with rows of A one lane further the product is another one."""
    arch, name, *keys = case
    a, b, d = (DATA["layouts"][k] for k in keys)
    assert wrong_elements(arch, name, [a[0], a[1][1:] + a[1][:1]], b, d) > 0


@pytest.mark.parametrize(
    ("text", "c"),
    [
        ("v_mfma_f32_16x16x16_f16 v[64:67], v[0:1], v[32:33], 1.0", 1.0),
        ("v_mfma_f32_16x16x16_f16 a[0:3], v[0:1], v[32:33], a[0:3]", 3.0),
    ],
)
def test_the_addend(text: str, c: float) -> None:
    half = np.full(64, 0x3C003C00, np.uint32)  # ones
    three = np.full(64, np.float32(3).view(np.uint32), np.uint32)
    st = run("gfx942", text, {0: half, 1: half, 32: half, 33: half, **{512 + r: three for r in range(4)}})
    first = 512 if "a[" in text else 64
    assert (st.vf[first] == 16 + c).all()
    assert (st.vf[first + 3] == 16 + c).all()


@pytest.mark.parametrize(("m", "k", "formats"), [(16, 128, "fp8 fp8"), (32, 64, "fp8 bf8"), (16, 128, "bf8 fp8")])
def test_a_product_with_a_format_for_each_factor(m: int, k: int, formats: str) -> None:
    """Lanes hold rows of A and columns of B, and the same 32 numbers of k in the same order."""
    rng, kinds = np.random.default_rng(3), formats.split()
    factors = [rng.choice([0.0, 1.0, 2.0, -3.0], (m, k)) for _ in kinds]
    registers: dict[int, Any] = {}
    for first, kind, x in zip((A, B), kinds, factors, strict=True):
        held = x.reshape(m, 64 // m, 32).transpose(1, 0, 2).reshape(64, 32)  # [lanes, numbers]
        bits = np.vectorize(lambda value, kind=kind: code(value, kind, False))(held).astype(np.uint8)
        registers |= {first + i: word for i, word in enumerate(np.ascontiguousarray(bits).view(np.uint32).T)}
    words = [f"{name}:1" for name, kind in zip(("cbsz", "blgp"), kinds, strict=True) if kind == "bf8"]
    count = m * m // 64
    text = f"v_mfma_f32_{m}x{m}x{k}_f8f6f4 v[{D}:{D + count - 1}], v[{A}:{A + 7}], v[{B}:{B + 7}], 0 {' '.join(words)}"
    st = run("gfx950", text, registers)
    got = np.stack([st.v[D + i][0].view(np.float32) for i in range(count)])  # [registers, lanes]
    parts = got.reshape(count // 4, 4, 64 // m, m).transpose(0, 2, 1, 3).reshape(m, m)
    assert np.array_equal(parts, factors[0] @ factors[1].T)
