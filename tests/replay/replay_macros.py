"""What g++ predefines for the x86-64 levels, so that any host can preprocess for them.

`test_replay.py` compares this table with the compiler of the machine where that targets x86-64.
"""

from __future__ import annotations

SYSTEM = """__GNUC__=12 __linux__ __unix__ __gnu_linux__ __ELF__ __LP64__ __EXCEPTIONS __STDCPP_THREADS__ __x86_64
    __x86_64__ __amd64 __amd64__ __k8 __k8__ __code_model_small__"""
SSE2 = "__MMX__ __MMX_WITH_SSE__ __SSE__ __SSE2__ __SSE_MATH__ __SSE2_MATH__ __FXSR__ __SEG_FS __SEG_GS"
AVX2 = """__SSE3__ __SSSE3__ __SSE4_1__ __SSE4_2__ __AVX__ __AVX2__ __FMA__ __F16C__ __BMI__ __BMI2__ __LZCNT__
    __POPCNT__ __MOVBE__ __CRC32__ __LAHF_SAHF__ __XSAVE__ __FP_FAST_FMA __FP_FAST_FMAF"""
AVX512 = "__AVX512F__ __AVX512BW__ __AVX512CD__ __AVX512DQ__ __AVX512VL__"
VNNI = "__AVX512VNNI__"
AMX = "__AVX512BF16__ __AMX_TILE__ __AMX_BF16__ __AMX_INT8__"

PARTS = {
    "x86_64": (SYSTEM, SSE2),
    "x86_64_v3": (SYSTEM, SSE2, AVX2),
    "x86_64_v4": (SYSTEM, SSE2, AVX2, AVX512),
    "x86_64_vnni": (SYSTEM, SSE2, AVX2, AVX512, VNNI),
    "x86_64_amx": (SYSTEM, SSE2, AVX2, AVX512, VNNI, AMX),
}
PREDEFINED = {level: tuple(" ".join(parts).split()) for level, parts in PARTS.items()}
