"""What the compiler makes of Arm's kernels: the instructions of their inner loops, counted in the assembly."""

from __future__ import annotations

import subprocess
from functools import cache
from typing import Any

import pytest
from foreign_tools import MACHINE, find_tools
from machine_code import Loop, loops

from tilewright.arch import get_arch
from tilewright.backends import get_backend_op
from tilewright.backends.cpu.conv.algorithm import CpuConv
from tilewright.backends.cpu.fmha.algorithm import CpuFmha
from tilewright.backends.cpu.gemm.algorithm import CpuGemm
from tilewright.jit.compiler import BASE_FLAGS
from tilewright.model.arch import CpuArch
from tilewright.model.kernel import KernelSpec
from tilewright.ops import problem_from_dict
from tilewright.settings import Settings

pytestmark = [
    pytest.mark.foreign,
    pytest.mark.skipif(MACHINE != "aarch64", reason="the kernels are Arm's"),
    pytest.mark.timeout(600),
]
PRODUCTS = "fmla|sdot|bfdot|smmla|bfmmla"
STEPS = 4  # words of k in one turn of the loop
NOT_COMPILING = ("-l", "-Wl", "-shared")
LOADS = {"ldp": 2, "ldr": 1, "ldur": 1, "ld1b": 1, "ld1w": 1, "ld1rqw": 1, "ld1rw": 1}


@cache
def assembly(spec: KernelSpec) -> str:
    """Return what the cross compiler makes of a kernel as it ships: the flags of the arch, optimised."""
    facts = get_arch(spec.arch)
    assert isinstance(facts, CpuArch)
    compiler = find_tools(MACHINE).compiler
    request = get_backend_op("cpu", spec.op).request(spec, Settings(cxx=compiler))
    ((text,), (command,)) = request.inputs.values(), request.commands
    includes = [word for word in command if word.startswith("-I")]
    flags = [flag for flag in (*BASE_FLAGS, *facts.compiler_flags["gcc"]) if not flag.startswith(NOT_COMPILING)]
    words = [compiler, *flags, *includes, "-S", "-x", "c++", "-", "-o", "-"]
    return subprocess.run(words, input=text, capture_output=True, text=True, check=True).stdout


def spec_of(arch: str, algorithm: Any, **fields: Any) -> KernelSpec:
    """Return the kernel of a problem."""
    problem = problem_from_dict({"dtype": "fp32", **fields})
    return KernelSpec(problem.op, "cpu", arch, problem.signature, algorithm)


def main_loop(arch: str, algorithm: CpuGemm, dtype: str = "fp32", layout: str = "rcr") -> Loop:
    """Return the loop of the register tile: the one with most products."""
    spec = spec_of(arch, algorithm, op="gemm", m=64, n=64, k=64, dtype=dtype, layout=layout)
    return max(loops(assembly(spec), PRODUCTS), key=lambda loop: loop.count(PRODUCTS))


def loaded(loop: Loop) -> int:
    """Return how many vector registers a turn of the loop loads."""
    return sum(LOADS[line.split()[0]] for line in loop.lines if line.split()[0] in LOADS)


def stray(loop: Loop) -> list[str]:
    """Return what a good inner loop has none of: vector moves, broadcasts, and memory of the stack."""
    return [line for line in loop.lines if line.startswith(("mov v", "mov z", "dup ", "movprfx")) or "[sp" in line]


WORD_TILES = [
    ("aarch64_dot", "dot", "int8", "sdot", 8, 12), ("aarch64_dot", "dot", "int8", "sdot", 4, 24),
    ("aarch64_mm", "dot", "bf16", "bfdot", 8, 12), ("aarch64_sve", "dot", "int8", "sdot", 8, 24),
]  # fmt: skip
PAIR_TILES = [("int8", "smmla", 8, 12), ("int8", "smmla", 8, 8), ("bf16", "bfmmla", 8, 12), ("fp8", "bfmmla", 4, 16)]


@pytest.mark.parametrize(("arch", "inner", "dtype", "product", "mr", "nr"), WORD_TILES)
def test_dot_products_multiply_by_lanes(arch: str, inner: str, dtype: str, product: str, mr: int, nr: int) -> None:
    facts: Any = get_arch(arch)
    loop, vectors = main_loop(arch, CpuGemm(inner=inner, mr=mr, nr=nr, kc=0, mc=0), dtype), nr // facts.lanes
    assert loop.names[f"{product}[]"] == loop.count(PRODUCTS) == STEPS * mr * vectors
    assert loaded(loop) == STEPS * (mr // 4 + vectors)
    assert stray(loop) == []


@pytest.mark.parametrize(("dtype", "product", "mr", "nr"), PAIR_TILES)
def test_matrix_products_load_each_pair_once(dtype: str, product: str, mr: int, nr: int) -> None:
    loop = main_loop("aarch64_mm", CpuGemm(inner="mm", mr=mr, nr=nr, kc=0, mc=0), dtype)
    steps = 2  # groups of eight bytes in one turn of the loop
    assert loop.names[product] == loop.count(PRODUCTS) == steps * (mr // 2) * (nr // 2)
    assert loaded(loop) == steps * (mr // 2 + nr // 2)
    assert stray(loop) == []


def test_a_direct_convolution_keeps_its_tile_in_registers() -> None:
    shape = {"n": 1, "c": 64, "k": 64, "input": [56, 56], "filter": [3, 3], "pad": 1}
    spec = spec_of("aarch64", CpuConv(pipeline="direct", mr=14, nr=8), op="grouped_conv", direction="forward", **shape)
    found = [loop for loop in loops(assembly(spec), "fmla") if loop.count("fmla") == 14 * 2]
    assert found
    assert [stray(loop) for loop in found] == [[]] * len(found)


def test_both_products_of_attention_keep_their_tiles_in_registers() -> None:
    shape = {"batch": 1, "heads_q": 8, "heads_kv": 8, "seqlen_q": 64, "seqlen_k": 64, "hdim_q": 64, "hdim_v": 64}
    found = loops(assembly(spec_of("aarch64", CpuFmha(row_vectors=4), op="fmha", **shape)), "fmla")
    for function in ("score_keysILi64ELi4ELi6E", "add_valuesILi6ELi4E"):  # 6 keys or rows x 4 registers
        (loop,) = [loop for loop in found if function in loop.function]
        assert (loop.count("fmla"), stray(loop)) == (24, [])


FMA_TILES = [
    ("aarch64", 8, 12), ("aarch64", 4, 16), ("aarch64", 8, 8), ("aarch64", 16, 4), ("aarch64", 12, 8),
    ("aarch64", 4, 24), ("aarch64_mm", 8, 12), ("aarch64_sve", 8, 24), ("aarch64_sve", 4, 48),
    ("aarch64_sve512", 8, 48), ("aarch64_sve512", 4, 96),
]  # fmt: skip


@pytest.mark.parametrize(("arch", "mr", "nr"), FMA_TILES)
def test_float_tiles_multiply_by_lanes_and_spill_nothing(arch: str, mr: int, nr: int) -> None:
    facts: Any = get_arch(arch)
    loop, vectors = main_loop(arch, CpuGemm(mr=mr, nr=nr, kc=0, mc=0)), nr // facts.lanes
    assert loop.names["fmla[]"] == loop.count("fmla") == STEPS * mr * vectors
    assert loaded(loop) == STEPS * (mr // 4 + vectors)
    assert stray(loop) == []
