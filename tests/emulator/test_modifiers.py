"""Modifiers of arithmetic and matrix instructions: clamp, broadcast of blocks, stochastic rounding, scales."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright.errors import UnsupportedInstructionError

from one_instruction import run  # isort: skip


def clamped(arch: str, text: str, a: int, b: int, c: int = 0) -> int:
    lanes = 64 if arch.startswith("gfx9") else 32
    given = {r: np.full(lanes, x & 0xFFFFFFFF, np.uint32) for r, x in enumerate((a, b, c))}
    return int(run(arch, text, given).v[3][0, 0])


@pytest.mark.parametrize(
    ("arch", "text", "operands", "want"),
    [
        ("gfx942", "v_sub_u32_e64 v3, v0, v1 clamp", (3, 5), 0),
        ("gfx942", "v_sub_u32_e64 v3, v0, v1 clamp", (5, 3), 2),
        ("gfx942", "v_add_u32_e64 v3, v0, v1 clamp", (0xFFFFFFF0, 0x20), 0xFFFFFFFF),
        ("gfx942", "v_add_i32 v3, v0, v1 clamp", (0x7FFFFFFF, 5), 0x7FFFFFFF),
        ("gfx1100", "v_sub_nc_i32 v3, v0, v1 clamp", (0x80000000, 5), 0x80000000),
        ("gfx942", "v_sub_u16_e64 v3, v0, v1 clamp", (3, 5), 0),
        ("gfx942", "v_pk_add_u16 v3, v0, v1 clamp", (0xFFF00003, 0x00200004), 0xFFFF0007),
        ("gfx942", "v_pk_sub_i16 v3, v0, v1 clamp", (0x80000003, 0x00010004), 0x8000FFFF),
        ("gfx942", "v_sub_co_u32_e64 v3, vcc, v0, v1 clamp", (3, 5), 0),
        ("gfx942", "v_mad_u32_u24 v3, v0, v1, v2 clamp", (0xFFFFFF, 0xFFFFFF, 0), 0xFFFFFFFF),
        ("gfx942", "v_dot4_i32_i8 v3, v0, v1, v2 clamp", (0x01010101, 0x01010101, 0x7FFFFFFE), 0x7FFFFFFF),
        ("gfx1100", "v_dot2_bf16_bf16 v3, v0, 2.0, 0", (0x40404080, 0), 0x7FF74100),  # a constant has no upper half
        ("gfx1100", "v_dot2_f16_f16 v3, v0, v1, v2", (0x3C004000, 0x42003C00, 0x4400), 0x7FF74880),  # 2 + 3 + 4
    ],
)
def test_whole_numbers_are_kept_inside_of_their_type(
    arch: str, text: str, operands: tuple[int, ...], want: int
) -> None:
    assert clamped(arch, text, *operands) == want


def test_a_clamp_without_a_meaning_is_refused() -> None:
    with pytest.raises(UnsupportedInstructionError, match="clamp"):
        clamped("gfx942", "v_lshl_add_u32 v3, v0, v1, v2 clamp", 1, 2, 3)
