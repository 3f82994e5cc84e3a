"""The common parts of the translation units of all CPU kernels: types, include folders, compilation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ...arch import get_arch
from ...errors import SpecError
from ...jit.compiler import cxx_request, find_compiler
from ...model.arch import CpuArch
from ...model.kernel import KernelSpec
from ...ops.gemm.epilogue import ACTIVATIONS, BROADCASTS, COMBINES
from ...ops.gemm.signature import SCALES
from ...settings import Settings
from ..cpp_text import (
    CppText,
    cpp,
    cpp_bool,
    cpp_digest,
    cpp_identifier,
    cpp_int,
    cpp_join,
    cpp_label,
    cpp_name,
    cpp_source,
)

INCLUDE_DIRS = (Path(__file__).parent / "include", Path(__file__).parents[2] / "jit" / "native")
CPP_TYPES = {
    "fp32": "tw::f32", "bf16": "tw::bf16", "fp16": "tw::f16", "int8": "tw::i8", "int32": "tw::i32",
    "fp8": "tw::fp8", "bf8": "tw::bf8", "fp8_fnuz": "tw::fp8_fnuz", "bf8_fnuz": "tw::bf8_fnuz",
}  # fmt: skip


# The enumerations of the header library that several ops use, and the allowed names in a spec.
ENUMS: dict[str, tuple[str, ...]] = {
    "Layout": ("row", "col"),
    "Pipeline": ("tiled", "skinny"),
    "ConvPipeline": ("direct", "lanes", "depthwise", "implicit"),
    "Inner": ("portable", "fma", "vnni", "amx", "amx_bf16x3", "dot", "mm"),
    "BFormat": ("plain", "packed"),
    "Scale": SCALES,
    "Combine": COMBINES,
    "Activation": ACTIVATIONS,
    "Broadcast": BROADCASTS,
}


def unit_request(spec: KernelSpec, source: CppText, settings: Settings) -> Any:
    """Return the build request of a kernel with this C++ text."""
    arch = get_arch(spec.arch)
    if not isinstance(arch, CpuArch):
        raise SpecError(
            f"{spec.arch} is not a CPU", remedy="build CPU kernels for a CPU arch: see `tilewright arch list`"
        )
    return cxx_request(
        cpp_source(source),
        name=spec.name,
        spec_digest=spec.digest,
        include_dirs=INCLUDE_DIRS,
        flags=tuple(arch.compiler_flags[find_compiler(settings).family]),
        isa=arch.name,
        settings=settings,
        spec=spec.to_dict(),
    )


def cpp_type(dtype: str) -> CppText:
    """Return the C++ type of a dtype.

    >>> cpp_type("bf16")
    'tw::bf16'
    """
    return cpp_name(CPP_TYPES, dtype, "dtype of CPU kernels")


def enumerator(kind: str, value: str, names: Sequence[str] = ()) -> CppText:
    """Return one member of an enumeration of the header library; `names` are its allowed names if it is not in `ENUMS`.

    >>> enumerator("Inner", "fma")
    'tw::Inner::fma'
    """
    return cpp("tw::{}::{}", cpp_identifier(kind), cpp_name(tuple(names) or ENUMS[kind], value, kind))


def enum_line(kind: str, name: str, value: str, names: Sequence[str] = ()) -> CppText:
    """Return one constant of an enumeration of the header library.

    >>> enum_line("Inner", "inner", "fma"), enum_line("Side", "side", "left", ("left", "right"))
    ('static constexpr tw::Inner inner = tw::Inner::fma;', 'static constexpr tw::Side side = tw::Side::left;')
    """
    member = enumerator(kind, value, names)
    return cpp("static constexpr tw::{} {} = {};", cpp_identifier(kind), cpp_identifier(name), member)


def int_line(name: str, value: int) -> CppText:
    """Return one whole number of a configuration.

    >>> int_line("mr", 6)
    'static constexpr int mr = 6;'
    """
    return cpp("static constexpr int {} = {};", cpp_identifier(name), cpp_int(value))


def bool_line(name: str, value: bool) -> CppText:
    """Return one flag of a configuration.

    >>> bool_line("pack_a", True)
    'static constexpr bool pack_a = true;'
    """
    return cpp("static constexpr bool {} = {};", cpp_identifier(name), cpp_bool(value))


def digest_line(spec: KernelSpec) -> CppText:
    """Return the constant that names the spec a kernel was built from."""
    return cpp('static constexpr const char* digest = "{}";', cpp_digest(spec.digest))


def unit_parts(spec: KernelSpec, lines: Iterable[CppText], **names: str) -> dict[str, CppText]:
    """Return what the template of a kernel is filled with: its name, its configuration and further identifiers."""
    more = {key: cpp_identifier(name) for key, name in names.items()}
    return {"name": cpp_label(spec.name), "fields": fields_text(lines), **more}


def micro_kernels(spec: KernelSpec, header: str = "micro") -> CppText:
    """Return the line that includes the micro kernels of the spec's kind of CPU; empty if all CPUs share them.

    Units of other CPUs never see these headers, so a change of them leaves their build keys alone.
    """
    arm = get_arch(spec.arch).kind == "arm"
    return cpp("#include <tw/arm/{}.hpp>\n", cpp_identifier(header)) if arm else cpp("")


def fields_text(lines: Iterable[CppText]) -> CppText:
    """Return the lines of a configuration, indented.

    >>> fields_text([int_line("mr", 6)])
    '  static constexpr int mr = 6;'
    """
    return cpp_join((cpp("  {}", line) for line in lines), "\n")
