"""From a spec to a translation unit: the generated code only instantiates, the real code lives in the headers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ....arch import get_arch
from ....errors import SpecError
from ....jit.compiler import cxx_request, find_compiler
from ....model.arch import X86Arch
from ....model.kernel import KernelSpec
from ....ops.gemm.signature import GemmSignature
from ....settings import Settings

INCLUDE_DIRS = (Path(__file__).parent.parent / "include", Path(__file__).parents[3] / "jit" / "native")
CPP_TYPES = {
    "fp32": "tw::f32", "bf16": "tw::bf16", "fp16": "tw::f16", "int8": "tw::i8", "int32": "tw::i32",
    "fp8": "tw::fp8", "bf8": "tw::bf8", "fp8_fnuz": "tw::fp8_fnuz", "bf8_fnuz": "tw::bf8_fnuz",
}  # fmt: skip
ACCUMULATORS = {"fp32": "float", "int32": "int32_t"}
LAYOUTS = {"r": "row", "c": "col"}

TEMPLATE = """\
// {name}
#include <tw/gemm.hpp>
namespace {{
struct Config {{
{fields}
}};
}}  // namespace
TW_EXPORT_GEMM(Config)
"""


def source_of(spec: KernelSpec) -> str:
    """The C++ text of one kernel: a pure function of the spec."""
    s, a = spec.signature, spec.algorithm
    lines = [
        f"using A = {CPP_TYPES[s.dtype_a]}; using B = {CPP_TYPES[s.dtype_b]};",
        f"using Out = {CPP_TYPES[s.dtype_out]}; using Acc = {ACCUMULATORS[s.dtype_acc]};",
        *(
            _enum("Layout", f"layout_{who}", LAYOUTS[letter])
            for who, letter in zip(("a", "b", "out"), s.layout, strict=True)
        ),
        _enum("Pipeline", "pipeline", a.pipeline),
        _enum("Inner", "inner", a.inner),
        *(f"static constexpr int {name} = {getattr(a, name)};" for name in ("mr", "nr", "kc", "mc", "nc")),
        *(f"static constexpr bool {name} = {str(getattr(a, name)).lower()};" for name in ("pack_a", "pack_b")),
        _enum("BFormat", "b_format", "plain" if s.b_format == "plain" else "packed"),
        _enum("Scale", "scale_a", s.scale_a),
        _enum("Scale", "scale_b", s.scale_b),
        _enum("Combine", "combine", s.combine),
        _enum("Activation", "activation", s.activation),
        f"using D = tw::List<{', '.join(_d_type(d) for d in s.d)}>;",
        f'static constexpr const char* digest = "{spec.digest}";',
    ]
    return TEMPLATE.format(name=spec.name, fields="\n".join("  " + line for line in lines))


def request_of(spec: KernelSpec, settings: Settings) -> Any:
    """The build request of one kernel."""
    arch = get_arch(spec.arch)
    if not isinstance(arch, X86Arch):
        raise SpecError(f"{spec.arch} is no x86 arch", remedy="build CPU kernels for an x86 arch")
    family = find_compiler(settings).family
    return cxx_request(
        source_of(spec),
        name=spec.name,
        spec_digest=spec.digest,
        include_dirs=INCLUDE_DIRS,
        flags=tuple(arch.compiler_flags[family]),
        isa=arch.name,
        settings=settings,
    )


def _enum(kind: str, name: str, value: str) -> str:
    return f"static constexpr tw::{kind} {name} = tw::{kind}::{value};"


def _d_type(d: Any) -> str:
    return f"tw::DTensor<{CPP_TYPES[d.dtype]}, tw::Broadcast::{d.broadcast}>"


def supported_dtypes(signature: GemmSignature) -> bool:
    """Whether every dtype of the signature has a C++ type."""
    named = (signature.dtype_a, signature.dtype_b, signature.dtype_out, *(d.dtype for d in signature.d))
    return all(n in CPP_TYPES for n in named) and signature.dtype_acc in ACCUMULATORS
