"""Instruction shapes against the assemblers themselves: LLVM's for AMD, ptxas for NVIDIA, the C++ compiler for CPUs.

Both GPU assemblers come with the triton wheel, so no GPU and no vendor toolchain is needed.
"""

from __future__ import annotations

import math
import shutil
import subprocess
from pathlib import Path

import pytest

from tilewright.arch import get_arch, get_cpu_archs, get_supported_archs, load_archs

AMD = get_supported_archs("amd")
BITS = {"fp32": 32, "tf32": 32, "fp16": 16, "bf16": 16, "fp8": 8, "bf8": 8, "int8": 8, "pk_fp4": 4}
BITS |= {"fp8_fnuz": 8, "bf8_fnuz": 8}


def operands(key):
    """(a, b, acc) of a dtype key."""
    return next((c.a, c.b, c.acc) for c in load_archs().dtype_combinations.values() if c.key == key)


# ---------------------------------------------------------------- AMD


@pytest.fixture(scope="module")
def assemble():
    triton = pytest.importorskip("triton._C.libtriton", reason="the AMD assembler comes with triton")
    triton.llvm.init_targets()

    def accepts(instruction, arch):
        text = f'.amdgcn_target "amdgcn-amd-amdhsa--{arch}"\n.text\n{instruction}\n'
        return bool(triton.amd.assemble_amdgcn(text, arch, ""))

    return accepts


def registers(first, count, kind="v"):
    return f"{kind}{first}" if count == 1 else f"{kind}[{first}:{first + count - 1}]"


SPELT = {"fp32": "f32", "fp16": "f16", "bf16": "bf16", "int8": "i8", "fp8": "fp8", "bf8": "bf8", "pk_fp4": "fp4"}
F8F6F4 = {"fp8": 0, "bf8": 1, "fp4": 4}
# (m, k) of the shapes that came with gfx942 and gfx950; their names have an underscore before the dtype.
NEWER = {"f16": {(32, 16), (16, 32)}, "bf16": {(32, 16), (16, 32)}, "i8": {(32, 16), (16, 32), (32, 32), (16, 64)}}
ONE_K = {(32, 8), (16, 16), (4, 4)}


def mfma(key, tile):
    """The MFMA instruction of a native shape. 4x64 and 64x4 are the sixteen blocks of a 4x4 instruction."""
    m, n, k = tile
    a, b, acc = operands(key)
    name_m, name_n = (4, 4) if {m, n} == {4, 64} else (m, n)
    a_name, b_name = (SPELT[d.removesuffix("_fnuz")] for d in (a, b))
    width, extra = max(m, n) * k * BITS[a] // (64 * 32), ""
    if a_name in F8F6F4 and k in (64, 128):
        dtype, extra = "_f8f6f4", f" cbsz:{F8F6F4[a_name]} blgp:{F8F6F4[b_name]}"
    elif a_name in F8F6F4:
        dtype = f"_{a_name}_{b_name}"
    elif (m, k) in NEWER.get(a_name, ()):
        dtype = f"_{a_name}"
    else:
        dtype = "bf16_1k" if a == "bf16" and (name_m, k) in ONE_K else a_name
    out = registers(0, m * n // 64, "a")
    name = f"v_mfma_{'i32' if acc == 'int32' else 'f32'}_{name_m}x{name_n}x{k}{dtype}"
    return f"{name} {out}, {registers(0, width)}, {registers(width, width)}, {out}{extra}"


def wmma(key, tile, arch):
    """The WMMA instruction of 16x16x16. On gfx11 both half waves hold the same operands, on gfx12 they share them."""
    m, n, k = tile
    a, b, acc = operands(key)
    spelt = {"fp16": "f16", "bf16": "bf16", "fp8": "fp8", "bf8": "bf8"}
    suffix = "iu8" if a == "int8" else spelt[a] if BITS[a] == 16 else f"{spelt[a]}_{spelt[b]}"
    out = "i32" if acc == "int32" else "f32"
    width = m * k * BITS[a] // (32 * 32) * (2 if get_arch(arch).target_family == "gfx11" else 1)
    return f"v_wmma_{out}_{m}x{n}x{k}_{suffix} v[0:7], {registers(8, width)}, {registers(16, width)}, v[0:7]"


def instruction(arch, key, tile):
    return wmma(key, tile, arch) if get_arch(arch).matrix_isa == "wmma" else mfma(key, tile)


@pytest.mark.parametrize("arch", AMD)
def test_every_matrix_instruction_assembles(arch, assemble):
    for key, tiles in get_arch(arch).matrix_instructions.items():
        for tile in tiles:
            text = instruction(arch, key, tile)
            assert assemble(text, arch), f"{arch} has no {text}"


ABSENT = [
    ("gfx908", "gfx90a", "bf16_bf16_fp32", (32, 32, 8)),
    ("gfx90a", "gfx942", "int8_int8_int32", (32, 32, 16)),
    ("gfx90a", "gfx942", "fp8_fnuz_fp8_fnuz_fp32", (32, 32, 16)),
    ("gfx908", "gfx942", "bf8_fnuz_bf8_fnuz_fp32", (16, 16, 32)),
    ("gfx942", "gfx908", "int8_int8_int32", (32, 32, 8)),
    ("gfx942", "gfx90a", "bf16_bf16_fp32", (32, 32, 4)),
    ("gfx942", "gfx950", "fp16_fp16_fp32", (32, 32, 16)),
    ("gfx942", "gfx950", "pk_fp4_pk_fp4_fp32", (16, 16, 128)),
    ("gfx1100", "gfx1201", "fp8_fp8_fp32", (16, 16, 16)),
]


@pytest.mark.parametrize(("arch", "other", "key", "tile"), ABSENT)
def test_what_an_arch_does_not_list_does_not_assemble(arch, other, key, tile, assemble, capfd):
    assert tile not in get_arch(arch).matrix_instructions.get(key, ())
    text = instruction(other, key, tile)
    assert assemble(text, other)
    assert not assemble(text, arch)
    capfd.readouterr()  # the assembler prints its complaint


# ---------------------------------------------------------------- NVIDIA

PTX_TYPES = {"fp32": "tf32", "fp16": "f16", "bf16": "bf16", "fp8": "e4m3", "bf8": "e5m2", "int8": "s8"}


@pytest.fixture(scope="module")
def ptxas(tmp_path_factory):
    triton = pytest.importorskip("triton", reason="ptxas comes with triton")
    bundled = Path(triton.__file__).parent / "backends" / "nvidia" / "bin" / "ptxas"
    program = str(bundled) if bundled.exists() else shutil.which("ptxas")
    if program is None:
        pytest.skip("no ptxas: neither in triton nor on PATH")
    folder = tmp_path_factory.mktemp("ptx")

    def accepts(instructions, target):
        body = "\n".join(f"  {{ .reg .b32 r<256>; .reg .f32 f<256>; .reg .b64 d<2>; {i} }}" for i in instructions)
        source = folder / "k.ptx"
        source.write_text(
            f".version 8.4\n.target {target}\n.address_size 64\n.visible .entry k() {{\n{body}\n  ret;\n}}\n"
        )
        done = subprocess.run(
            [program, f"-arch={target}", str(source), "-o", str(folder / "k.cubin")], capture_output=True, text=True
        )
        return done.returncode == 0, done.stderr

    return accepts


def registers_ptx(letter, first, count):
    return "{" + ",".join(f"{letter}{i}" for i in range(first, first + count)) + "}"


def mma_ptx(key, tile):
    m, n, k = tile
    a, b, acc = operands(key)
    out, letter = ("s32", "r") if acc == "int32" else ("f32", "f")
    wa, wb, wc = (math.ceil(x * BITS[a] / 1024) for x in (m * k, n * k, m * n * 32 // BITS[a]))
    types = f"{out}.{PTX_TYPES[a]}.{PTX_TYPES[b]}.{out}"
    acc_registers = registers_ptx(letter, 0, wc)
    return (
        f"mma.sync.aligned.m{m}n{n}k{k}.row.col.{types} "
        f"{acc_registers}, {registers_ptx('r', 100, wa)}, {registers_ptx('r', 150, wb)}, {acc_registers};"
    )


def wgmma_ptx(key, m, n, k):
    a, b, acc = operands(key)
    out, letter = ("s32", "r") if acc == "int32" else ("f32", "f")
    flags = {16: "1,1,1,0,0", 8: "1,1,1", 32: "1,1,1"}[BITS[a]] if a != "int8" else "1"
    head = f"wgmma.mma_async.sync.aligned.m{m}n{n}k{k}.{out}.{PTX_TYPES[a]}.{PTX_TYPES[b]}"
    return f"{head} {registers_ptx(letter, 0, m * n // 128)}, d0, d1, {flags};"


@pytest.mark.parametrize("arch", ["sm_80", "sm_90"])
def test_every_mma_shape_assembles(arch, ptxas):
    facts = get_arch(arch)
    good, log = ptxas([mma_ptx(key, tile) for key, tiles in facts.mma.items() for tile in tiles], facts.ptx_target)
    assert good, log


def test_every_wgmma_shape_assembles(ptxas):
    facts = get_arch("sm_90")
    shapes = [(key, w.m, n, w.k) for key, w in facts.wgmma.items() for n in w.n if n <= 32 or n in (40, 48, 240, 256)]
    good, log = ptxas([wgmma_ptx(*shape) for shape in shapes], facts.ptx_target)
    assert good, log


def test_shapes_outside_the_tables_do_not_assemble(ptxas):
    fp8 = mma_ptx("fp8_fp8_fp32", (16, 8, 32))
    assert not ptxas([fp8], "sm_80")[0]
    assert 40 not in get_arch("sm_90").wgmma["int8_int8_int32"].n
    assert not ptxas([wgmma_ptx("int8_int8_int32", 64, 40, 32)], "sm_90a")[0]
    assert not ptxas([wgmma_ptx("fp16_fp16_fp32", 64, 264, 16)], "sm_90a")[0]


# ---------------------------------------------------------------- CPUs

X86_MACROS = {
    "sse2": "__SSE2__",
    "avx2": "__AVX2__",
    "fma": "__FMA__",
    "f16c": "__F16C__",
    "abm": "__LZCNT__",
    "bmi2": "__BMI2__",
    "movbe": "__MOVBE__",
    "avx512f": "__AVX512F__",
    "avx512bw": "__AVX512BW__",
    "avx512cd": "__AVX512CD__",
    "avx512dq": "__AVX512DQ__",
    "avx512vl": "__AVX512VL__",
    "avx512_vnni": "__AVX512VNNI__",
    "avx512_bf16": "__AVX512BF16__",
    "amx_tile": "__AMX_TILE__",
    "amx_bf16": "__AMX_BF16__",
    "amx_int8": "__AMX_INT8__",
    "avx_vnni": "__AVXVNNI__",
    "avx512_fp16": "__AVX512FP16__",
}
ARM_MACROS = {
    "asimd": "__ARM_NEON",
    "asimdhp": "__ARM_FEATURE_FP16_VECTOR_ARITHMETIC",
    "asimddp": "__ARM_FEATURE_DOTPROD",
    "bf16": "__ARM_FEATURE_BF16_VECTOR_ARITHMETIC",
    "i8mm": "__ARM_FEATURE_MATMUL_INT8",
    "sve": "__ARM_FEATURE_SVE",
}
MACROS = {"x86": X86_MACROS, "arm": ARM_MACROS}
LEVELS = [a for kind in MACROS for a in get_supported_archs(kind)]


def macros_of(compiler, flags):
    done = subprocess.run(
        [compiler, *flags, "-dM", "-E", "-x", "c++", "/dev/null"], capture_output=True, text=True, check=True
    )
    return {_plain(line.split()[1]) for line in done.stdout.splitlines()}


def _plain(macro):
    """Compilers differ in underscores only: __AMX_TILE__ of gcc is __AMXTILE__ in older releases of clang."""
    return macro.replace("_", "")


def compilers_of(arch):
    """The compilers on PATH that generate code for the machine of an arch, with their family."""
    named = ("g++", "gcc"), ("clang++", "clang"), ("aarch64-linux-gnu-g++", "gcc"), ("x86_64-linux-gnu-g++", "gcc")
    for compiler, family in named:
        if shutil.which(compiler):
            asked = subprocess.run([compiler, "-dumpmachine"], capture_output=True, text=True, check=True)
            if get_arch(arch).is_for(asked.stdout.split("-")[0]):
                yield compiler, family


@pytest.mark.parametrize("arch", LEVELS)
def test_compiler_flags_switch_on_exactly_the_required_features(arch):
    facts, found = get_arch(arch), list(compilers_of(arch))
    if not found:
        pytest.skip(f"no compiler for {' or '.join(facts.machines)} on PATH")
    for compiler, family in found:
        defined = macros_of(compiler, facts.compiler_flags[family])
        for flag, macro in MACROS[facts.kind].items():
            assert (_plain(macro) in defined) == (flag in facts.cpu_flags), f"{arch}: {flag} by {compiler}"


def test_optional_features_are_switched_on_by_their_flags():
    for arch in LEVELS:
        facts = get_arch(arch)
        for compiler, family in compilers_of(arch):
            for flag, feature in facts.optional_features.items():
                if family == "gcc":
                    flags = [*facts.compiler_flags["gcc"], *feature.compiler_flags]
                    assert _plain(MACROS[facts.kind][flag]) in macros_of(compiler, flags)


@pytest.mark.parametrize("arch", LEVELS)
def test_the_best_arch_is_the_one_whose_flags_are_there(arch):
    facts = get_arch(arch)
    for machine in facts.machines:
        assert get_cpu_archs(machine, facts.cpu_flags)[0].name == arch
        assert get_cpu_archs(machine, [*facts.cpu_flags, "some_newer_flag"])[0].name == arch


def test_a_level_without_one_flag_is_not_chosen():
    flags = [*get_arch("x86_64_amx").cpu_flags]
    flags.remove("amx_int8")
    assert get_cpu_archs("x86_64", flags)[0].name == "x86_64_vnni"
    assert [a.name for a in get_cpu_archs("x86_64", [f for f in flags if f != "sse2"])] == ["generic"]


@pytest.mark.parametrize("machine", ["riscv64", "ppc64le", "s390x", "loongarch64", ""])
def test_a_machine_that_nobody_foresaw_runs_the_generic_arch(machine):
    everything = {flag for arch in LEVELS for flag in get_arch(arch).cpu_flags}
    assert [a.name for a in get_cpu_archs(machine, everything)] == ["generic"]


def test_code_runs_on_levels_above_it_and_on_no_other_machine():
    for arch in (get_arch(name) for name in [*LEVELS, "generic"]):
        assert arch.runs_code_of(get_arch("generic"))
        assert arch.runs_code_of(arch)
        assert arch.name == "generic" or not get_arch("generic").runs_code_of(arch)
    assert get_arch("x86_64_amx").runs_code_of(get_arch("x86_64_v3"))
    assert not get_arch("x86_64_v3").runs_code_of(get_arch("x86_64_v4"))
    assert get_arch("aarch64_mm").runs_code_of(get_arch("aarch64_dot"))
    assert not get_arch("aarch64_mm").runs_code_of(get_arch("x86_64"))
    assert not get_arch("x86_64_amx").runs_code_of(get_arch("aarch64"))
    assert not get_arch("aarch64_sve512").runs_code_of(get_arch("aarch64_sve"))  # built for vectors of one length


def inners_for(arch, dtype, cpu_flags=frozenset()):
    """The inner loops for operands of a dtype; an optional feature counts only if its flag is given."""
    added = [feature.inners for flag, feature in arch.optional_features.items() if flag in cpu_flags]
    return tuple(
        dict.fromkeys(i for inners in (arch.inners, *added) for i, dtypes in inners.items() if dtype in dtypes)
    )


def test_inner_loops_need_their_features():
    v4 = get_arch("x86_64_v4")
    assert inners_for(v4, "int8") == ("portable", "fma")
    assert inners_for(v4, "int8", frozenset({"avx512_vnni"})) == ("portable", "fma", "vnni")
    assert inners_for(get_arch("x86_64_amx"), "bf16") == ("portable", "fma", "amx")
    assert inners_for(get_arch("x86_64_amx"), "fp16") == ("portable", "fma", "amx_bf16x3")
    assert inners_for(get_arch("x86_64"), "fp32") == ("portable",)
    assert inners_for(get_arch("x86_64"), "pk_fp4") == ()
    assert inners_for(get_arch("aarch64"), "bf16") == ("portable", "fma")
    assert inners_for(get_arch("generic"), "fp8") == ("portable",)
