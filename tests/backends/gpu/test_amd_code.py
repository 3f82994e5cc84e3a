"""Reading AMD GPU code objects and assembly, against a small code object that is kept beside the tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilewright.backends.gpu.amd_code import (
    MatrixInstruction,
    inspect_code,
    matrix_instructions,
    read_code_object,
    unpack_message,
)
from tilewright.errors import BuildError

CODE = (Path(__file__).parent / "data" / "probe_gfx942.co").read_bytes()

SPELLINGS = [
    ("v_mfma_f32_32x32x8_f16", ("mfma", 32, 32, 8, "f16", "f32")),
    ("v_mfma_f32_32x32x8f16", ("mfma", 32, 32, 8, "f16", "f32")),
    ("v_mfma_f32_16x16x16bf16_1k", ("mfma", 16, 16, 16, "bf16", "f32")),
    ("v_mfma_f32_4x4x4_16b_f16", ("mfma", 4, 4, 4, "f16", "f32")),
    ("v_mfma_f32_32x32x16_fp8_bf8", ("mfma", 32, 32, 16, "fp8_bf8", "f32")),
    ("v_mfma_i32_32x32x16_i8", ("mfma", 32, 32, 16, "i8", "i32")),
    ("v_mfma_f32_32x32x2_2b_f32", ("mfma", 32, 32, 2, "f32", "f32")),
    ("v_mfma_f64_16x16x4_f64", ("mfma", 16, 16, 4, "f64", "f64")),
    ("v_mfma_f32_16x16x128_f8f6f4", ("mfma", 16, 16, 128, "f8f6f4", "f32")),
    ("v_mfma_scale_f32_32x32x64_f8f6f4", ("mfma", 32, 32, 64, "f8f6f4", "f32")),
    ("v_wmma_f32_16x16x16_bf16", ("wmma", 16, 16, 16, "bf16", "f32")),
    ("v_wmma_i32_16x16x16_iu8", ("wmma", 16, 16, 16, "iu8", "i32")),
    ("v_wmma_f32_16x16x16_fp8_fp8", ("wmma", 16, 16, 16, "fp8_fp8", "f32")),
]


@pytest.mark.parametrize(("word", "parts"), SPELLINGS)
def test_every_spelling_of_a_matrix_instruction_is_read(word, parts):
    assert MatrixInstruction.parse(f"\t{word} a[0:15], v[0:1], v[2:3], a[0:15]") == MatrixInstruction(*parts)


@pytest.mark.parametrize("line", ["\tv_fma_f32 v0, v1, v2", "; v_mfma_f32_32x32x8_f16", "v_mfma_label:", "\ts_nop 0"])
def test_other_lines_are_no_matrix_instructions(line):
    assert MatrixInstruction.parse(line) is None


def test_instructions_are_counted_by_kind():
    text = "\tv_mfma_f32_32x32x8_f16 a\n" * 3 + "\tv_mfma_f32_16x16x16_f16 a\n\tv_add_f32 v0\n"
    assert {str(i): n for i, n in matrix_instructions(text).items()} == {
        "mfma_f32_32x32x8_f16": 3,
        "mfma_f32_16x16x16_f16": 1,
    }


def test_a_code_object_tells_target_registers_and_sizes():
    target, [kernel] = read_code_object(CODE)
    assert (target, kernel.symbol, kernel.wave_size) == ("gfx942", "k", 64)
    assert (kernel.vgprs, kernel.agprs, kernel.sgprs) == (20, 0, 16)
    assert (kernel.vgpr_spills, kernel.scratch_bytes, kernel.lds_bytes, kernel.kernarg_bytes) == (0, 0, 0, 8)
    facts = inspect_code(CODE)
    assert facts["code_bytes"] == kernel.code_bytes == 1032
    assert facts["matrix"] == {}


@pytest.mark.parametrize("data", [b"", b"\x7fELF", b"#!/bin/sh\n" * 20, CODE[:18] + b"\x3e\x00" + CODE[20:]])
def test_what_is_no_code_object_is_refused(data):
    with pytest.raises(BuildError, match="no AMD GPU code object"):
        read_code_object(data)


def test_a_code_object_without_notes_is_refused():
    damaged = CODE.replace(b"AMDGPU\0", b"NOBODY\0")
    with pytest.raises(BuildError, match="no kernel metadata"):
        read_code_object(damaged)


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b"\x7f", 127),
        (b"\xff", -1),
        (b"\xd1\xff\xfe", -2),
        (b"\xce\x00\x01\x00\x00", 65536),
        (b"\xcb" + b"\x3f\xf0" + b"\0" * 6, 1.0),
        (b"\xd9\x02ab", "ab"),
        (b"\xdc\x00\x02\x01\x02", [1, 2]),
        (b"\xde\x00\x01\xa1k\xc0", {"k": None}),
    ],
)
def test_message_pack(data, value):
    assert unpack_message(data) == value


def test_an_unknown_message_type_is_an_error():
    with pytest.raises(BuildError, match="0xc7"):
        unpack_message(b"\xc7\x00\x00")
