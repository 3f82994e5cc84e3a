"""How dtypes, layouts and other closed lists are written in CK Tile's C++: one table per list.

A name that a table lacks is an error before anything is generated.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..cpp_text import CppText, cpp, cpp_int, cpp_join, cpp_name

TYPES: Mapping[str, str] = {
    "fp32": "float",
    "fp16": "ck_tile::half_t",
    "bf16": "ck_tile::bf16_t",
    "fp8": "ck_tile::fp8_t",
    "bf8": "ck_tile::bf8_t",
    "fp8_fnuz": "ck_tile::fp8_t",  # one C++ type; its encoding follows the arch, see `eight_bit_encodings`
    "bf8_fnuz": "ck_tile::bf8_t",
    "pk_fp4": "ck_tile::pk_fp4_t",
    "int8": "ck_tile::int8_t",
    "int32": "ck_tile::int32_t",
}
LAYOUTS: Mapping[str, str] = {
    "r": "ck_tile::tensor_layout::gemm::RowMajor",
    "c": "ck_tile::tensor_layout::gemm::ColumnMajor",
}
SCHEDULERS: Mapping[str, str] = {
    "intrawave": "ck_tile::GemmPipelineScheduler::Intrawave",
    "interwave": "ck_tile::GemmPipelineScheduler::Interwave",
    "default": "ck_tile::GemmPipelineScheduler::Default",
}
PIPELINES: Mapping[str, str] = {
    "mem": "GemmPipelineAgBgCrMem",
    "compv3": "GemmPipelineAgBgCrCompV3",
    "compv4": "GemmPipelineAgBgCrCompV4",
    "compv5": "GemmPipelineAgBgCrCompV5",
    "compv6": "GemmPipelineAgBgCrCompV6",
    "comp_async": "GemmPipelineAgBgCrCompAsync",
    "preshufflev2": "WeightPreshufflePipelineAGmemBGmemCRegV2",
}
OCP = ("fp8", "bf8")
FNUZ = ("fp8_fnuz", "bf8_fnuz")
OCP_TARGETS = ("gfx950", "gfx1200", "gfx1201")  # targets with CK_TILE_USE_OCP_FP8 = 1


def cpp_type(dtype: str) -> CppText:
    """Return the C++ type of a dtype.

    >>> cpp_type("bf16")
    'ck_tile::bf16_t'
    """
    return cpp_name(TYPES, dtype, "dtype of CK Tile")


def cpp_layout(letter: str) -> CppText:
    """Return the C++ type of a matrix layout, "r" or "c".

    >>> cpp_layout("r")
    'ck_tile::tensor_layout::gemm::RowMajor'
    """
    return cpp_name(LAYOUTS, letter, "layout letter")


def sequence(values: tuple[int, ...]) -> CppText:
    """Return a compile-time sequence of integers.

    >>> sequence((2, 2, 1))
    'ck_tile::sequence<2, 2, 1>'
    """
    return cpp("ck_tile::sequence<{}>", cpp_join(map(cpp_int, values)))


def eight_bit_encodings(dtypes: tuple[str, ...]) -> tuple[int, ...]:
    """Return the required values of CK_TILE_USE_OCP_FP8 for these dtypes: 1 (OCP), 0 (FNUZ); it cannot be both.

    >>> eight_bit_encodings(("fp8", "bf8")), eight_bit_encodings(("fp16",))
    ((1,), ())
    """
    return tuple(value for value, family in ((1, OCP), (0, FNUZ)) if any(d in family for d in dtypes))
