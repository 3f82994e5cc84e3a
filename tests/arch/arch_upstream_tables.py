"""What the public tables of CK's dispatcher claim for AMD archs: nothing of it may be dropped without a reason."""

from __future__ import annotations

_CDNA_WAVES = [(1, 4, 1), (2, 2, 1), (4, 1, 1)]
_RDNA_WAVES = [(2, 4, 1), (1, 8, 1), (8, 1, 1), (4, 2, 1)]
_SMALL_WAVES = [(1, 1, 1), (1, 2, 1), (2, 1, 1)]

WAVE_MAPS = {
    "gfx908": _CDNA_WAVES,
    "gfx90a": _CDNA_WAVES,
    "gfx942": _CDNA_WAVES + _SMALL_WAVES,
    "gfx950": [*_CDNA_WAVES, *_SMALL_WAVES, (8, 2, 1), (4, 4, 1)],
    "gfx1100": _RDNA_WAVES,
    "gfx1200": _RDNA_WAVES,
    "gfx1201": _RDNA_WAVES,
}

_FP32 = [(16, 16, 4), (16, 16, 16), (16, 16, 8), (32, 32, 4), (32, 32, 8)]
_HALF_908 = [(32, 32, 8), (16, 16, 16), (32, 32, 16), (16, 16, 32)]
_HALF = [*_HALF_908, (4, 64, 16), (64, 4, 16)]
_INT8 = [(32, 32, 16), (16, 16, 32)]
_FP8_942 = [(32, 32, 16), (32, 32, 32), (16, 16, 32), (16, 16, 64)]
_FP8_950 = [*_FP8_942, (16, 16, 128), (32, 32, 64)]
_WMMA = [(16, 16, 16)]


def _half(tiles):
    return {"fp16_fp16_fp32": tiles, "bf16_bf16_fp32": tiles}


_RDNA4 = {
    **_half(_WMMA),
    "int8_int8_int32": _WMMA,
    **{f"{a}_{b}_fp32": _WMMA for a in ("fp8", "bf8") for b in ("fp8", "bf8")},
}

WARP_TILES = {
    "gfx908": {"fp32_fp32_fp32": _FP32, **_half(_HALF_908), "int8_int8_int32": _INT8},
    "gfx90a": {
        "fp32_fp32_fp32": _FP32,
        **_half(_HALF),
        "fp8_fp8_fp32": [(32, 32, 16), (32, 32, 32)],
        "bf8_bf8_fp32": [(32, 32, 16), (32, 32, 32)],
        "int8_int8_int32": _INT8,
    },
    "gfx942": {
        "fp32_fp32_fp32": _FP32,
        **_half(_HALF),
        "fp8_fp8_fp32": _FP8_942,
        "fp8_bf8_fp32": [(32, 32, 16), (16, 16, 32), (32, 32, 32)],
        "bf8_fp8_fp32": [(32, 32, 16)],
        "bf8_bf8_fp32": _FP8_942,
        "int8_int8_int32": _INT8,
    },
    "gfx950": {
        "fp32_fp32_fp32": _FP32,
        **_half(_HALF),
        "fp8_fp8_fp32": _FP8_950,
        "fp8_bf8_fp32": [(32, 32, 16), (32, 32, 32), (16, 16, 32), (16, 16, 128), (32, 32, 64)],
        "bf8_fp8_fp32": [(32, 32, 16), (16, 16, 128), (32, 32, 64)],
        "bf8_bf8_fp32": _FP8_950,
        "int8_int8_int32": _INT8,
        "pk_fp4_pk_fp4_fp32": [(16, 16, 128)],
    },
    "gfx1100": {**_half(_WMMA), "int8_int8_int32": _WMMA},
    "gfx1200": _RDNA4,
    "gfx1201": _RDNA4,
}

_SHUFFLED = [*_HALF_908, (64, 4, 16)]

PRESHUFFLE_WARP_TILES = {
    "gfx90a": {
        **_half(_SHUFFLED),
        "fp8_fp8_fp32": [(32, 32, 16), (32, 32, 32)],
        "bf8_bf8_fp32": [(32, 32, 16), (32, 32, 32)],
    },
    "gfx942": {
        **_half(_SHUFFLED),
        "fp8_fp8_fp32": _FP8_942,
        "bf8_bf8_fp32": _FP8_942,
        "int8_int8_int32": _INT8,
    },
    "gfx950": {
        **_half([*_SHUFFLED, (32, 32, 32), (16, 16, 64)]),
        "fp8_fp8_fp32": _FP8_950,
        "bf8_bf8_fp32": _FP8_950,
    },
}

LDS_LIMITS_64K = {
    "mem": 65536,
    "compv1": 65536,
    "compv2": 65536,
    "compv3": 65536,
    "compv4": 32768,
    "compv5": 65536,
    "compv6": 32768,
    "comp_async": 32768,
    "preshufflev1": 32768,
    "preshufflev2": 32768,
}


def our_key(arch: str, key: str) -> str:
    """Our name of an upstream key: the 8-bit floats of gfx942 are the FNUZ encodings."""
    return key.replace("fp8", "fp8_fnuz").replace("bf8", "bf8_fnuz") if arch == "gfx942" else key
