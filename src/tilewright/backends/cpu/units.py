"""What the translation units of every CPU kernel share: types, include folders, the way they are compiled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...arch import get_arch
from ...errors import SpecError
from ...jit.compiler import cxx_request, find_compiler
from ...model.arch import CpuArch
from ...model.kernel import KernelSpec
from ...settings import Settings

INCLUDE_DIRS = (Path(__file__).parent / "include", Path(__file__).parents[2] / "jit" / "native")
CPP_TYPES = {
    "fp32": "tw::f32", "bf16": "tw::bf16", "fp16": "tw::f16", "int8": "tw::i8", "int32": "tw::i32",
    "fp8": "tw::fp8", "bf8": "tw::bf8", "fp8_fnuz": "tw::fp8_fnuz", "bf8_fnuz": "tw::bf8_fnuz",
}  # fmt: skip


def unit_request(spec: KernelSpec, source: str, settings: Settings) -> Any:
    """The build request of a kernel with this C++ text."""
    arch = get_arch(spec.arch)
    if not isinstance(arch, CpuArch):
        raise SpecError(f"{spec.arch} is no CPU", remedy="build CPU kernels for a CPU arch: see `tilewright arch list`")
    return cxx_request(
        source,
        name=spec.name,
        spec_digest=spec.digest,
        include_dirs=INCLUDE_DIRS,
        flags=tuple(arch.compiler_flags[find_compiler(settings).family]),
        isa=arch.name,
        settings=settings,
        spec=spec.to_dict(),
    )


def enum_line(kind: str, name: str, value: str) -> str:
    """One constant of an enumeration of the header library.

    >>> enum_line("Inner", "inner", "fma")
    'static constexpr tw::Inner inner = tw::Inner::fma;'
    """
    return f"static constexpr tw::{kind} {name} = tw::{kind}::{value};"
