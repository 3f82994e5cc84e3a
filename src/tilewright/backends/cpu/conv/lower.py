"""From a spec to a translation unit: the generated code only instantiates, the real code lives in the headers."""

from __future__ import annotations

from typing import Any

from ....arch import get_arch
from ....errors import SpecError
from ....jit.compiler import cxx_request, find_compiler
from ....model.arch import X86Arch
from ....model.kernel import KernelSpec
from ....settings import Settings
from ..gemm.lower import CPP_TYPES, INCLUDE_DIRS

TEMPLATE = """\
// {name}
#include <tw/conv.hpp>
#include <tw/{header}.hpp>
namespace {{
struct Config {{
{fields}
}};
}}  // namespace
TW_EXPORT_CONV(Config, tw::{kernel}<Config>)
"""

# The header and class of each pipeline: for the data directions, and for backward weight.
DATA = {
    "direct": ("conv_gather", "Gather"),
    "lanes": ("conv_gather", "Gather"),
    "depthwise": ("conv_depthwise", "Depthwise"),
    "gemm": ("conv_gemm", "ConvGemm"),
}
WEIGHT = {"gemm": ("conv_gemm_weight", "ConvGemmWeight")}


def source_of(spec: KernelSpec) -> str:
    """The C++ text of one kernel: a pure function of the spec."""
    s, a = spec.signature, spec.algorithm
    result = CPP_TYPES[s.dtype(s.result)]
    weight = s.direction == "backward_weight"
    header, kernel = WEIGHT.get(a.pipeline, ("conv_weight", "WeightGradient")) if weight else DATA[a.pipeline]
    lines = [
        *(f"using {role.title()} = {CPP_TYPES[s.dtype(role)]};" for role in ("input", "weight", "output")),
        f"using Out = {result}; using Acc = float;",
        _enum("Direction", "direction", s.direction),
        _enum("ConvPipeline", "pipeline", a.pipeline),
        _enum("Inner", "inner", a.inner),
        *(
            f"static constexpr int {name} = {getattr(a, name)};"
            for name in ("mr", "nr", "merge", "strip_kb", "kc", "rows")
        ),
        f"static constexpr bool stream = {str(a.stream).lower()};",
        _enum("Scale", "scale_a", "none"),
        _enum("Scale", "scale_b", "none"),
        _enum("Combine", "combine", s.combine),
        _enum("Activation", "activation", s.activation),
        f"using D = tw::List<{', '.join(_d_type(d) for d in s.d)}>;",
        f'static constexpr const char* digest = "{spec.digest}";',
    ]
    return TEMPLATE.format(
        name=spec.name, header=header, kernel=kernel, fields="\n".join("  " + line for line in lines)
    )


def request_of(spec: KernelSpec, settings: Settings) -> Any:
    """The build request of one kernel."""
    arch = get_arch(spec.arch)
    if not isinstance(arch, X86Arch):
        raise SpecError(f"{spec.arch} is no x86 arch", remedy="build CPU kernels for an x86 arch")
    return cxx_request(
        source_of(spec),
        name=spec.name,
        spec_digest=spec.digest,
        include_dirs=INCLUDE_DIRS,
        flags=tuple(arch.compiler_flags[find_compiler(settings).family]),
        isa=arch.name,
        settings=settings,
    )


def _enum(kind: str, name: str, value: str) -> str:
    return f"static constexpr tw::{kind} {name} = tw::{kind}::{value};"


def _d_type(d: Any) -> str:
    # A bias has stride 0 from pixel to pixel, so that one form of operand serves both.
    return f"tw::DTensor<{CPP_TYPES[d.dtype]}, tw::Broadcast::none>"
